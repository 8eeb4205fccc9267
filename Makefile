.PHONY: run test test-slow test-real slow-tests bench pages check-pages check-api e2e setup setup-run

# Builds the product and starts it with the demo workspace: http://127.0.0.1:8080, until Ctrl-C.
run: setup-run pages
	cargo run --release -p twinlab -- serve --demo

# Clippy compiles the tests: its driver is rustc with more lints, and checking everything apart from that would take
# minutes. What people run, and the bench measures, is compiled by rustc.
test slow-tests test-slow test-real check-api check-studies e2e: export RUSTC_WORKSPACE_WRAPPER = $(CURDIR)/scripts/lint
test slow-tests test-slow test-real check-api check-studies e2e: export CLIPPY_ARGS = -Dwarnings

# Limits are measured over time, which a busy machine would change. These tests mostly wait.
WAITING = rate_limits::

# CI compiles once: what the compiler would keep for a second time, or for a debugger, only costs time.
ifdef CI
test slow-tests test-real: export CARGO_INCREMENTAL = 0
test slow-tests test-real: export CARGO_PROFILE_DEV_DEBUG = 0
endif

CLIENTS = check-openai-client check-anthropic-client check-gemini-client check-python-client check-statistics-files check-mail

# Everything that must hold, on a PostgreSQL of its own. Several things at once keep the processors busy: while Rust is
# compiled the pages are checked, while limits are waited for the pages are tested, and while the browser works the API and
# the files are tried and programs are killed.
test: setup
	$(MAKE) --no-print-directory --jobs 4 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) tested

# Where the published studies are, they are tested too.
ifdef TWINLAB_STUDIES_DIR
tested: check-studies
endif

.PHONY: tested compiled bundled unit-tests tools
.PHONY: check-studies check-rust check-waiting check-torture check-browser check-calls $(CLIENTS)
tested: unit-tests check-rust check-waiting check-torture check-browser check-calls $(CLIENTS) check-pages tools

compiled:
	cargo fmt --all --check
	nice cargo test --workspace --no-run
	nice cargo build -p twinlab --bins

# More tests at once than processors: many wait for a lease, or for what they broke to come back.
check-rust: compiled bundled
	scripts/with-postgres cargo test --workspace --lib --bins --test main -- --test-threads 14 --skip $(WAITING)

# Studies that are not part of the repository: TWINLAB_STUDIES_DIR names the folder, with a folder for each study in it.
check-studies: compiled
	@test -d "$(TWINLAB_STUDIES_DIR)" || { echo "check-studies: TWINLAB_STUDIES_DIR must name the folder of the studies" >&2; exit 1; }
	scripts/with-postgres cargo test --workspace --lib --test main -- --ignored published_studies

# After everything that would slow it down. The pages' unit tests, of least priority, do not.
check-waiting: check-rust check-pages tools
	scripts/with-postgres cargo test -p twinlab --test main -- --test-threads 8 $(WAITING)

# Programs that are killed and frozen mostly wait. Whatever runs beside them has least priority.
check-torture: check-waiting
	scripts/with-postgres cargo test -p twinlab --test torture

check-browser: check-waiting
	cd frontend && nice -n 19 npm run e2e

check-calls: check-waiting
	nice -n 19 scripts/check-api 25

# What other programs see: its answers, its files, its mails.
$(CLIENTS): check-waiting
	nice -n 19 scripts/$@

# Beside `check-waiting`, which leaves the processors idle.
unit-tests: check-rust check-pages tools
	cd frontend && nice -n 19 npm test

# The types are checked by `check-pages`.
bundled: frontend/node_modules
	nice -n 19 $(MAKE) --no-print-directory pages BUILD=bundle

# What needs no program of ours.
tools: frontend/node_modules
	nice -n 19 scripts/third-party-notices --check
	scripts/words
	nice -n 19 scripts/check-openapi
	nice -n 19 scripts/python

# What takes long: provider minutes in real time, outages of a minute, many kills, a frozen worker, a real model. SKIP names
# those that are left out.
slow-tests: setup
	scripts/with-postgres cargo test -p twinlab -- --ignored --nocapture --skip published_studies $(foreach test,$(SKIP),--skip $(test))
	scripts/test-real

# The same, how smoothly long pages move, and new cases for the API each time.
test-slow: slow-tests pages
	cargo build -p twinlab --bins
	cd frontend && SMOOTH=1 npm run e2e -- smooth.spec.ts
	SEED=$${SEED:-$$(date +%s)} scripts/check-api $(or $(S),600)

# Asks a small real model, on this machine: docs/local-models.md.
test-real: setup
	scripts/test-real

# Anything that can be sent to the API, as each role, for so many seconds: make check-api S=1800
check-api: setup
	scripts/check-api $(S)

# Speed and memory: bench/README.md.
bench: setup-run pages
	cargo build --release -p twinlab -p twinlab-bench -p model-server --bins
	target/release/twinlab-bench $(W)

# The front end, which the release binary carries.
pages: frontend/dist/index.html

# Checks the types first; `bundle` does not.
BUILD = build

# With their folders, which change when a file is taken away.
PAGES := frontend/package-lock.json docs/evidence.md $(shell find frontend/src frontend/public frontend/*.html frontend/*.ts frontend/*.json)
frontend/dist/index.html: $(PAGES) | frontend/node_modules
	cd frontend && npm run $(BUILD)
	@touch $@

# Types, lint and format of the front end, and that its types are the API's: again only where something changed. With least
# priority: towards the end of a compilation a single rustc works.
check-pages: frontend/node_modules/.checked

frontend/node_modules/.checked: $(PAGES) backend/openapi.json | frontend/node_modules
frontend/node_modules/.checked: $(shell find frontend/tests frontend/*.js frontend/*.md frontend/.prettier*)
	cd frontend && nice -n 19 npm run check
	@touch $@

# The whole product in a real browser.
e2e: pages
	cargo build -p twinlab --bins
	cd frontend && npm run e2e

frontend/node_modules: frontend/package-lock.json
	cd frontend && npm ci --no-audit --no-fund
	@touch $@

# What the tests take.
setup:
	@scripts/setup test

# What building and running take.
setup-run:
	@scripts/setup run
