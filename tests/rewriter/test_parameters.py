"""A zone that is a parameter: both texts run with the same values, those that fail too."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import psycopg
import pytest

from tests import postgres
from tests.corpora import Database
from tzconv.rewriter import rewrite

ZONES = ["America/New_York", "Asia/Kolkata", "EST", "Etc/GMT+3", "america/new_york", "UTC", None]
UNKNOWN = "Mars/Phobos"
QUERIES = {
    "shown": "SELECT a.seen AT TIME ZONE {zone} AS l, a.n FROM actions a",
    "grouped": (
        "SELECT date_trunc('hour', a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE {zone}), "
        "count(*) FROM actions a GROUP BY 1"
    ),
    "read": "SELECT a.loaded AT TIME ZONE COALESCE({zone}, 'UTC') AS u FROM actions a",
    "cut": "SELECT count(*) FROM actions WHERE (seen AT TIME ZONE {zone})::date = '2016-03-13'",
}
SPELT = {"duckdb": ("$zone", "$1"), "postgres": ("%(zone)s", "%(zone)s::text")}


@pytest.fixture(scope="module")
def databases(server: postgres.Server) -> Iterator[dict[str, Database]]:
    made = {dialect: Database(dialect, server) for dialect in SPELT}
    yield made
    for database in made.values():
        database.close()


def rows(database: Database, sql: str, zone: str | None) -> list[tuple[object, ...]]:
    """The rows as text, because Python has no infinite times."""
    sql = f"SELECT q::text FROM ({sql}) q"
    if database.dialect == "postgres":
        return sorted(database.postgres.execute(sql, {"zone": zone}).fetchall())
    given = {"zone": zone} if "$zone" in sql else [zone]
    return sorted(database.duckdb.execute(sql, given).fetchall())


def texts(database: Database, query: str) -> Iterator[tuple[str, str]]:
    for spelt in SPELT[database.dialect]:
        sql = QUERIES[query].format(zone=spelt)
        result = database.rewrite(sql)
        assert result.changes
        assert not result.left
        assert database.rewrite(result.sql).sql == result.sql
        yield sql, result.sql


@pytest.mark.parametrize("dialect", SPELT)
@pytest.mark.parametrize("query", QUERIES)
def test_same_rows(dialect: str, query: str, databases: dict[str, Database]) -> None:
    database = databases[dialect]
    for sql, after in texts(database, query):
        for zone in ZONES:
            before = rows(database, sql, zone)
            assert before
            assert rows(database, after, zone) == before, zone


@pytest.mark.parametrize("dialect", SPELT)
@pytest.mark.parametrize("query", QUERIES)
def test_the_engine_refuses_an_unknown_zone(
    dialect: str, query: str, databases: dict[str, Database]
) -> None:
    database = databases[dialect]
    for pair in texts(database, query):
        errors = []
        for sql in pair:
            with pytest.raises((duckdb.Error, psycopg.Error), match=UNKNOWN) as error:
                rows(database, sql, UNKNOWN)
            errors.append((type(error.value), str(error.value).splitlines()[0]))
        assert errors[0] == errors[1]


def test_the_type_of_a_parameter_stays(databases: dict[str, Database]) -> None:
    """The server infers it from the first use, which is now another one."""
    database = databases["postgres"]
    for query in QUERIES.values():
        sql = query.format(zone="$1")
        found = []
        for text in (sql, database.rewrite(sql).sql):
            database.postgres.execute(f"PREPARE one AS {text}")
            types = "SELECT parameter_types::text FROM pg_prepared_statements WHERE name = 'one'"
            found.append(database.postgres.execute(types).fetchone())
            database.postgres.execute("DEALLOCATE one")
        assert found == [("{text}",), ("{text}",)]


@pytest.mark.parametrize("dialect", SPELT)
def test_a_parameter_without_a_name_is_left(dialect: str, databases: dict[str, Database]) -> None:
    sql = QUERIES["shown"].format(zone="?")
    result = rewrite(sql, dialect=dialect, schema=databases[dialect].types)
    assert result.sql == sql
    assert [place.code for place in result.left] == ["unnamed-parameter"]
