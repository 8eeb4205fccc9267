.PHONY: run test bench setup check-api check-frontend

# Builds the product and starts it with the demo workspace: http://127.0.0.1:8080, until Ctrl-C.
run: setup
	cargo run -p twinlab -- serve --demo

# Everything that must hold, on a PostgreSQL of its own.
test: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	scripts/with-postgres cargo test --workspace
	scripts/check-openai-client
	scripts/check-api

# Anything that can be sent to the API, as each role, for so many seconds: make check-api S=1800
check-api: setup
	scripts/check-api $(S)

# Speed and memory: bench/README.md.
bench: setup
	cargo build -p twinlab -p twinlab-bench --bins
	target/debug/twinlab-bench $(W)

# The pages in the making, not served yet.
check-frontend:
	cd frontend && npm ci --no-audit --no-fund && npm run check && npm test && npm run build

setup:
	@scripts/setup
