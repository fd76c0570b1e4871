# setup · demo · test · check · fuzz · site · bench: the same words that CI uses.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt $(PIP_OPTIONS)
TESTS := $(BIN)/python -m pytest
# Where it is set, every worker and every command in a process of its own would compile all sources again.
export PYTHONDONTWRITEBYTECODE :=
HOUSE_TESTS := $(patsubst %,tests/house/test_%.py,architecture rules twins toy_method)
KERNEL_TESTS := tests/twins tests/papers tests/properties
# Every method once, which compiles most kernels.
METHODS := tests/unit/test_matrix.py::test_reference__is_a_real_case

SITE := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

.PHONY: setup demo test thorough check unit jit-off fuzz docs site bench clean

setup: .venv/.for-development

demo: .venv/.for-use
	$(BIN)/withhold demo

# Two at a time: while one uses a single core or waits, the other uses both.
test: .venv/.for-development
	+$(MAKE) --no-print-directory --jobs=2 --output-sync=line unit check jit-off

# As many examples of every property as its test asks for, and every cell of the matrix, with kernels as users
# compile them; `make test` takes a share of both.
thorough: .venv/.for-development
	$(TESTS) $(KERNEL_TESTS) tests/unit -n 2 --dist worksteal

# Lint, format, types, layers, and the rules of the house: maps, twins, a toy method.
check: .venv/.for-development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(TESTS) $(HOUSE_TESTS)
	$(SITE)

# All tests but those of `check`. The kernels are compiled with bounds checks: an index out of range raises instead
# of reading on. What passes reads only what it may, and gives the same without the checks; `make thorough` shows
# that. Every method goes first: processes that tests start would each compile what is not compiled yet.
# Then three workers for two cores, since many tests wait for processes, sockets or a browser.
unit: export NUMBA_BOUNDSCHECK := 1
unit: export WITHHOLD_EXAMPLES := 0.1
unit: .venv/.for-development
	$(TESTS) -n 2 --dist worksteal $(METHODS)
	$(TESTS) -n 3 --dist worksteal --deselect $(METHODS) $(addprefix --ignore=,$(HOUSE_TESTS))

# The kernels as plain Python, so that coverage sees inside them. Few examples: it is slow.
jit-off: .venv/.for-development
	NUMBA_DISABLE_JIT=1 WITHHOLD_EXAMPLES=0.02 $(TESTS) $(KERNEL_TESTS) \
		-n 2 --dist worksteal --cov --cov-report=term:skip-covered --cov-fail-under=60

# Ten thousand damaged files of each format: data or a message, never a traceback.
fuzz: .venv/.for-development
	WITHHOLD_FUZZ=10000 $(TESTS) tests/unit/test_fuzz.py -n 2 --dist worksteal

docs: .venv/.for-development
	$(BIN)/python docs/make_cli.py
	$(BIN)/python docs/make_stub.py
	$(BIN)/python docs/make_api.py
	$(BIN)/python docs/make_decisions.py
	$(BIN)/python docs/make_diagrams.py
	$(BIN)/python docs/make_papers.py

# The documentation as a site in site/, offline; a broken link fails.
site: .venv/.for-development
	$(SITE)

bench: .venv/.for-development
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/.for-use: pyproject.toml constraints.txt
	@echo "Installing withhold into .venv, which can take a few minutes …"
	$(PYTHON) -m venv .venv
	$(PIP) --editable .
	touch $@

.venv/.for-development: pyproject.toml constraints.txt
	@echo "Installing withhold and its development tools into .venv, which can take a few minutes …"
	$(PYTHON) -m venv .venv
	$(PIP) --editable '.[dev]'
	touch .venv/.for-use $@
