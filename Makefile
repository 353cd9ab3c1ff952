# Everything runs in .venv, which the first target makes; only Python 3.11+, make and git are needed.
PYTHON ?= python3
BIN := .venv/bin
DEMO ?= demo-class
# tested, lowest or newest: what pyproject.toml allows, and constraints.txt where it is tested
VERSIONS ?= tested
READY := .venv/ready$(VERSIONS:tested=)
# a test run starts a thousand processes, and each would compile every module that it imports
unexport PYTHONDONTWRITEBYTECODE

# every core takes the next test that nobody has begun; one process more than cores, since some tests wait
PYTEST := $(BIN)/python -m pytest -n $(shell expr 1 + `getconf _NPROCESSORS_ONLN`) --dist worksteal

.PHONY: setup demo test test-all test-integration lint everywhere bench docs docs-serve clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@rm -f .venv/ready*
	@cp constraints.txt .venv/tested.txt; $(BIN)/python .ci/lowest all > .venv/lowest.txt; : > .venv/newest.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade -c .venv/$(VERSIONS).txt -e '.[cluster,docs,plots,browser,postgres,test]'
	@touch $@

demo: setup
	$(BIN)/autograder demo --students 30 $(DEMO) || test $$? -eq 1	# 1: the class has files that nobody can read

test: setup	# the product on this machine, in minutes: all units, and one way through every room
	$(PYTEST) -m "not slow and not integration"

test-all: setup	# everything that this Python can show
	$(PYTEST) -m "not integration"

test-integration: setup	# what is slow by nature: other Pythons, other NumPys, other programs
	$(PYTEST) -m integration

lint: setup	# what is wrong without running it, and what is out of date
	$(BIN)/ruff check .
	$(BIN)/basedpyright --level error
	$(BIN)/autograder dev all --check

everywhere: setup	# the students' side, on each Python and NumPy that this machine can have
	$(BIN)/python tests/everywhere.py

bench: setup
	$(BIN)/python -m benchmarks

docs: setup	# the pages of docs/ as a site, with the reference of commands and settings
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo site/index.html

docs-serve: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve

clean:
	rm -rf .venv demo-class site build dist .pytest_cache .hypothesis .ruff_cache
