# Two commands do everything: `make demo` and `make test`. Each makes its own virtual environment.
PYTHON ?= python3
DEMO := .venv-demo
DEV := .venv-dev
SPARK := .venv-spark
# one more than there are cores, because some tests wait for processes of their own
JOBS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
# hundreds of tests start a Python: the package is compiled once, whatever the environment says
export PYTHONDONTWRITEBYTECODE =

.PHONY: help demo test test-long test-spark test-vertica lint clean python java

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed 's/:.*## /\t/' | expand -t 16

demo: $(DEMO)/installed ## three queries before and after, on made-up events in a DuckDB file
	$(DEMO)/bin/tzconv demo

test: $(DEV)/installed ## all tests, with a PostgreSQL of their own
	$(DEV)/bin/python -m pytest -n $(JOBS) --dist worksteal

test-long: $(DEV)/installed ## all tests, with long random searches that differ each time
	TZCONV_RANDOM_QUERIES=1000 TZCONV_RANDOM_POSTGRES_QUERIES=150 \
	  TZCONV_RANDOM_VERTICA_QUERIES=100 TZCONV_RANDOM_SCOPES=6000 TZCONV_DAMAGED_QUERIES=150 \
	  TZCONV_RANDOM_EDITS=8000 TZCONV_KILLS=40 $(DEV)/bin/python -m pytest -n $(JOBS) --dist worksteal

# Spark with two executors that are processes of their own; much of the time is spent waiting for
# Java, so two files are run at once
test-spark: java $(SPARK)/installed ## the tests of Spark; they need Java
	$(SPARK)/bin/python -m pytest -m spark -n 2 --dist loadfile

test-vertica: $(DEV)/installed ## the tests of Vertica, against the server in TZCONV_TEST_VERTICA_URL
	$(DEV)/bin/python -m pytest -n 0 tests/engines/vertica/test_real.py

lint: $(DEV)/installed ## ruff, mypy and import-linter
	$(DEV)/bin/ruff check
	$(DEV)/bin/ruff format --check
	$(DEV)/bin/mypy
	$(DEV)/bin/lint-imports

$(DEMO)/installed: pyproject.toml tzconv/_version.py | python
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python -m pip install --quiet --upgrade pip
	$(DEMO)/bin/python -m pip install --quiet --editable .
	touch $@

$(DEV)/installed: pyproject.toml tzconv/_version.py | python
	$(PYTHON) -m venv $(DEV)
	$(DEV)/bin/python -m pip install --quiet --upgrade pip
	$(DEV)/bin/python -m pip install --quiet --editable . --group dev
	touch $@

$(SPARK)/installed: pyproject.toml tzconv/_version.py | python
	$(PYTHON) -m venv $(SPARK)
	$(SPARK)/bin/python -m pip install --quiet --upgrade pip
	$(SPARK)/bin/python -m pip install --quiet --editable '.[spark]' --group dev
	touch $@

java:
	@test -n "$$JAVA_HOME" || command -v java >/dev/null || \
	  { echo "These tests need Java 17 or later: docs/spark.md says how to get it." >&2; exit 1; }

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "tzconv needs Python 3.11 or later: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }

clean: ## remove the virtual environments and the demonstration
	rm -rf $(DEMO) $(DEV) $(SPARK) tzconv-demo.duckdb
