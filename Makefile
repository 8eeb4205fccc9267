.PHONY: run test test-slow slow-tests bench pages check-pages check-api e2e setup

# Builds the product and starts it with the demo workspace: http://127.0.0.1:8080, until Ctrl-C.
run: setup pages
	cargo run --release -p twinlab -- serve --demo

# Clippy compiles the tests: its driver is rustc with more lints, and checking everything apart from that would take
# minutes. What people run, and the bench measures, is compiled by rustc.
test slow-tests test-slow check-api e2e: export RUSTC_WORKSPACE_WRAPPER = $(CURDIR)/scripts/lint
test slow-tests test-slow check-api e2e: export CLIPPY_ARGS = -Dwarnings

# Limits are measured over time, which a busy machine would change: these tests mostly wait, and nothing else runs.
WAITING = rate_limits::

# CI compiles once: what the compiler would keep for a second time, or for a debugger, only costs time.
ifdef CI
test slow-tests: export CARGO_INCREMENTAL = 0
test slow-tests: export CARGO_PROFILE_DEV_DEBUG = 0
endif

# Everything that must hold, on a PostgreSQL of its own. Three things at once keep the processors busy: while Rust is
# compiled the pages are checked, which go first, and while the browser works the API and the files are tried.
test: setup
	$(MAKE) --no-print-directory --jobs 3 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) tested

.PHONY: tested compiled checked-pages tools check-rust check-waiting check-calls check-clients check-browser
tested: check-pages check-rust check-waiting check-browser check-calls check-clients

compiled:
	cargo fmt --all --check
	nice cargo test --workspace --no-run
	nice cargo build -p twinlab --bins

check-rust: compiled checked-pages tools
	scripts/with-postgres cargo test --workspace -- --test-threads 8 --skip $(WAITING)

check-waiting: check-rust
	scripts/with-postgres cargo test -p twinlab --test main -- --test-threads 8 $(WAITING)

check-calls: check-waiting
	scripts/check-api 45

# What other programs see: its answers, its files, its mails.
check-clients: check-waiting
	scripts/check-openai-client
	scripts/check-python-client
	scripts/check-statistics-files
	scripts/check-mail

check-browser: check-waiting
	cd frontend && npm run e2e

# Their types are checked, so they are only bundled. With least priority: towards the end of a compilation a single rustc
# works, and there is a processor for this and for the tools.
checked-pages: check-pages
	nice -n 19 $(MAKE) --no-print-directory pages BUILD=bundle

# What needs no program of ours.
tools: check-pages
	nice -n 19 scripts/third-party-notices --check
	nice -n 19 scripts/check-openapi
	nice -n 19 scripts/python

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

# Checks the types first; `bundle` does not.
BUILD = build

PAGES := frontend/package-lock.json docs/evidence.md $(shell find frontend/src frontend/public frontend/*.html frontend/*.ts frontend/*.json -type f)
frontend/dist/index.html: $(PAGES) | frontend/node_modules
	cd frontend && npm run $(BUILD)
	@touch $@

# Types, lint, format and unit tests of the front end, and that its types are the API's. The unit tests go first: they wait
# for pages, which must not be drawn too slowly.
check-pages: frontend/node_modules
	cd frontend && npm test && nice -n 19 npm run check

# The whole product in a real browser.
e2e: pages
	cargo build -p twinlab --bins
	cd frontend && npm run e2e

frontend/node_modules: frontend/package-lock.json
	cd frontend && npm ci --no-audit --no-fund
	@touch $@

setup:
	@scripts/setup
