"""One build of the project by dbt on each engine, for all tests of a session."""

from __future__ import annotations

import pytest

from tests import postgres
from tests.dbt_package import builds
from tests.dbt_package.builds import Build


@pytest.fixture(scope="session")
def on_duckdb(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The project, built in a DuckDB file."""
    return builds.on_duckdb(tmp_path_factory.mktemp("duckdb"))


@pytest.fixture(scope="session")
def on_postgres(server: postgres.Server, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The project, built in a PostgreSQL database."""
    return builds.on_postgres(server, tmp_path_factory.mktemp("postgres"))


@pytest.fixture(params=builds.KINDS)
def built(request: pytest.FixtureRequest) -> Build:
    """The project, built on each engine."""
    found = request.getfixturevalue(f"on_{request.param}")
    assert isinstance(found, Build)
    return found
