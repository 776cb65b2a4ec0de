# Every command of the project. `make` lists them.
#
# Needed: Rust (stable), Python 3.11, a C compiler for zstd (`make fuzz`: a C++ compiler for
# libFuzzer, too), and access to the package registries.
# Everything else is installed into .venv. What is tested, measured and shown is the release wheel,
# built and installed there; it is built again when a source has changed.

PYTHON ?= python3.11
BIN := .venv/bin

# Cargo and maturin look at the same interpreter, so that neither undoes the other's build.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# Where the Rust tests that embed the interpreter find it.
LIBPYTHON = $(shell $(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("LIBDIR"))')

SOURCES := Cargo.toml Cargo.lock pyproject.toml README.md \
	$(shell find crates python -name '*.rs' -o -name Cargo.toml -o -name '*.py' -o -name '*.pyi') \
	$(wildcard python/penstock/cli/completions/*)

.PHONY: help build demo test check bench bench-native docs fuzz sanitize debug-python completions clean

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

build: .venv/.wheel ## build the release wheel and install it into .venv

demo: .venv/.wheel .venv/.bench ## 235,000 real cities: read, streamed, measured beside others
	$(BIN)/python examples/cities/demo.py

test: .venv/.wheel .venv/.bench ## all tests, and every example of the documentation
	LD_LIBRARY_PATH="$(LIBPYTHON)$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}" cargo test --workspace --locked
	$(BIN)/python -m pytest

check: .venv/.wheel ## format, lints and types, of Rust and Python
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/stubtest penstock._rust

bench: .venv/.wheel .venv/.bench ## measure beside other libraries; ARGS="--help" for more
	$(BIN)/python bench/run.py $(ARGS)

bench-native: ## measure what is used from Rust beside other crates; ARGS="word-scan" for one row
	cargo run --release --locked --quiet --manifest-path bench/rust/Cargo.toml \
		--target-dir .cache/bench/rust -- $(ARGS)

docs: .venv/.wheel .venv/.docs ## build the documentation into .cache/docs; a warning is an error
	$(BIN)/python -m sphinx -n -W --keep-going -q -d .cache/doctrees docs .cache/docs

fuzz: .venv/.wheel ## a fuzz run from fixed seeds with a fixed number of executions
	PYTHON=$(CURDIR)/$(BIN)/python fuzz/run.sh

sanitize: .venv/.wheel .venv/.bench ## the Python suite, watched by the address sanitizer; ARGS="tests/json"
	scripts/sanitize.sh $(ARGS)

debug-python: .venv/.wheel .venv/.bench ## the Python suite with Python's debugging allocator, in development mode
	PYTHONMALLOC=debug $(BIN)/python -X dev -m pytest $(ARGS)

completions: .venv/.wheel ## generate the completions for shells from the command line's parser
	$(BIN)/python scripts/completions.py

clean: ## remove everything that is built or installed
	rm -rf .venv .cache target fuzz/target

# The files below only say when something was last done.

.venv/.dev: requirements/dev.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -r $<
	@touch $@

.venv/.bench: requirements/bench.txt .venv/.dev
	$(BIN)/python -m pip install --quiet -r $<
	@touch $@

.venv/.docs: requirements/docs.txt .venv/.dev
	$(BIN)/python -m pip install --quiet -r $<
	@touch $@

.venv/.wheel: $(SOURCES) .venv/.dev
	rm -rf .cache/wheel
	$(BIN)/maturin build --release --interpreter $(BIN)/python --out .cache/wheel
	$(BIN)/python -m pip install --quiet --force-reinstall --no-deps --no-index .cache/wheel/*.whl
	@touch $@
