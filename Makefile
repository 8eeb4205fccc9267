.PHONY: run test test-slow slow-tests bench pages check-pages check-api e2e setup

# Builds the product and starts it with the demo workspace: http://127.0.0.1:8080, until Ctrl-C.
run: setup pages
	cargo run --release -p twinlab -- serve --demo

# Clippy compiles what is tested: its driver is rustc with more lints, and checking everything apart from that would take
# minutes. What people run, and the bench measures, is compiled by rustc.
test slow-tests test-slow check-api e2e: export RUSTC_WORKSPACE_WRAPPER = clippy-driver
test slow-tests test-slow check-api e2e: export CLIPPY_ARGS = -Dwarnings

# What these measure over time, busy processors would change. The first takes the machine for itself, the others mostly
# wait.
ALONE = model_server::mix
WAITING = limits::

# Everything that must hold, on a PostgreSQL of its own.
test: setup check-pages pages
	cargo fmt --all --check
	scripts/with-postgres cargo test --workspace -- --test-threads 8 $(foreach test,$(ALONE) $(WAITING),--skip $(test))
	scripts/with-postgres cargo test -p twinlab --test main -- $(ALONE)
	scripts/with-postgres cargo test -p twinlab --test main -- --test-threads 8 $(WAITING)
	scripts/third-party-notices --check
	scripts/check-openapi
	scripts/check-openai-client
	scripts/check-python-client
	scripts/check-statistics-files
	scripts/check-mail
	scripts/check-api 45
	cd frontend && npm run e2e

# What takes long: provider minutes in real time, outages of a minute, many kills, a frozen worker. SKIP names those that
# are left out.
slow-tests: setup
	scripts/with-postgres cargo test -p twinlab -- --ignored --nocapture $(foreach test,$(SKIP),--skip $(test))

# The same, how smoothly long pages move, and new cases for the API each time.
test-slow: slow-tests pages
	cargo build -p twinlab --bins
	cd frontend && SMOOTH=1 npm run e2e -- smooth.spec.ts
	SEED=$${SEED:-$$(date +%s)} scripts/check-api $(or $(S),600)

# Anything that can be sent to the API, as each role, for so many seconds: make check-api S=1800
check-api: setup
	scripts/check-api $(S)

# Speed and memory: bench/README.md.
bench: setup pages
	cargo build --release -p twinlab -p twinlab-bench -p model-server --bins
	target/release/twinlab-bench $(W)

# The front end, which the release binary carries.
pages: frontend/dist/index.html

PAGES := frontend/package-lock.json $(shell find frontend/src frontend/public frontend/*.html frontend/*.ts frontend/*.json -type f)
frontend/dist/index.html: $(PAGES) | frontend/node_modules
	cd frontend && npm run build
	@touch $@

# Types, lint, format and unit tests of the front end, and that its types are the API's.
check-pages: frontend/node_modules
	cd frontend && npm run check && npm test

# The whole product in a real browser.
e2e: pages
	cargo build -p twinlab --bins
	cd frontend && npm run e2e

frontend/node_modules: frontend/package-lock.json
	cd frontend && npm ci --no-audit --no-fund
	@touch $@

setup:
	@scripts/setup
