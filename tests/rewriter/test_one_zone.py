"""A zone that is one value per query: a setting, a row of a settings table, a variable, a template.

Original and rewritten statement run beside each other, around every change of offset of every zone,
on tables with the server's own rules.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pytest

from tests import events_vertica, postgres
from tzconv.refresher import refresh
from tzconv.rewriter import Rewrite, rewrite, templated
from tzconv.sql.declarations import Declared
from tzconv.tz import zones

AWKWARD = [
    *("America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Tehran"),
    *("Africa/Casablanca", "America/Santiago", "Antarctica/Troll", "Asia/Kathmandu", "UTC", "EST"),
    *("Europe/Dublin", "Pacific/Kiritimati", "US/Pacific", "Etc/GMT+3", "America/Nuuk"),
]
ONE = "CREATE TABLE one (tz text); CREATE TABLE two (tz text);"
EDGES = "CREATE TABLE edges (zone text, ts timestamptz, local timestamp);"
TYPES = {
    "edges": {"zone": "text", "ts": "timestamptz", "local": "timestamp"},
    "one": {"tz": "text"},
    "two": {"tz": "text"},
}
POSTGRES = {
    "setting": "current_setting('app.tz')",
    "in upper case": "current_setting('APP.TZ', true)",
    "read once": "(SELECT current_setting('app.tz'))",
    "or another": "coalesce(nullif(current_setting('app.tz', true), ''), 'UTC')",
    "table": "(SELECT max(tz) FROM one)",
    "only row": "(SELECT tz FROM one LIMIT 1)",
    "any row": "(SELECT tz FROM two ORDER BY tz LIMIT 1)",
    "Grafana": "'$__timezone'",
    "variable": "'$tz'",
    "dbt": "'{{ var(\"tz\") }}'",
}
DUCKDB = {
    "setting": "current_setting('TimeZone')",
    "variable of the session": "getvariable('tz')",
    "table": "(SELECT max(tz) FROM one)",
    "only row": "(SELECT tz FROM one LIMIT 1)",
    "any row": "(SELECT tz FROM two ORDER BY tz LIMIT 1)",
    "variable": "'$tz'",
    "Ruby": "'<%= tz %>'",
}
FUNCTION = """CREATE OR REPLACE FUNCTION shown(p_zone text) RETURNS SETOF timestamp
LANGUAGE plpgsql AS $$
DECLARE
  v_zone varchar(64) := p_zone;
  v_same edges.zone%TYPE := p_zone;
  v_edge edges%ROWTYPE;
BEGIN
  RETURN QUERY SELECT e.ts AT TIME ZONE p_zone FROM edges e WHERE e.zone = p_zone;
  RETURN QUERY SELECT timezone(v_zone, e.ts) FROM edges e WHERE e.zone = v_zone;
  RETURN QUERY SELECT e.ts AT TIME ZONE v_same FROM edges e WHERE e.zone = v_same;
END $$"""


def query(zones: Iterable[str]) -> str:
    """Shows both directions by each zone, for the rows of that zone."""
    shown = ", ".join(
        f"ts AT TIME ZONE {one} AS local_{i}, local AT TIME ZONE {one} AS ts_{i}"
        for i, one in enumerate(zones)
    )
    return f"SELECT zone, {shown} FROM edges WHERE zone = '$tz'"


def rewritten(text: str, dialect: str) -> Rewrite:
    one = functools.partial(rewrite, dialect=dialect)
    return templated.rewrite_each(text, one, Declared(TYPES), dialect)


def rendered(text: str, zone: str) -> str:
    for part in ("$__timezone", "$tz", '{{ var("tz") }}', "<%= tz %>"):
        text = text.replace(part, zone)
    return text


def edges(names: Iterable[str], rules: zones.Rules) -> Iterator[tuple[str, float, float]]:
    """Seconds since 1970 on the UTC line and on the local line, around each change of a zone."""
    for name in names:
        starts, offsets = rules.zone(name).offset_changes(2_145_916_800)
        for at, before, after in zip(starts[1:], offsets, offsets[1:], strict=False):
            for offset in (before, after):
                for more in (-86_400, -1, -0.000001, 0, 1, 1_800, 3_599.5, 86_400):
                    if at > -2_208_988_800:
                        yield name, at + more, at + offset + more
        yield name, 1e9, 1e9


@contextlib.contextmanager
def opened(server: postgres.Server, names: list[str]) -> Iterator[psycopg.Connection[Any]]:
    url = server.fresh("one_zone")
    refresh(url, rules="database", zones=names, tables=("zone", "offset"))
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(EDGES + ONE)
        with connection.cursor().copy("COPY edges FROM STDIN") as copy:
            for zone, at, local in edges(names, zones.installed()):
                utc = f"{to_text(at)}+00"
                copy.write_row((zone, utc, to_text(local)))
        connection.execute("CREATE INDEX ON edges (zone); ANALYZE")
        yield connection


def to_text(seconds: float) -> str:
    return str(dt.datetime(1970, 1, 1) + dt.timedelta(seconds=float(seconds)))


def same_in_postgres(connection: psycopg.Connection[Any], names: Iterable[str]) -> None:
    before = query(POSTGRES.values())
    result = rewritten(before, "postgres")
    assert sum(bool(one.before) for one in result.changes) == 2 * len(POSTGRES)
    function = rewritten(FUNCTION, "postgres")
    assert sum(bool(one.before) for one in function.changes) == 3
    assert rewritten(result.sql, "postgres").sql == result.sql
    connection.execute("SET TimeZone = 'UTC'")
    for name in names:
        connection.execute(
            f"DELETE FROM one; INSERT INTO one VALUES ('{name}'); DELETE FROM two;"
            f"INSERT INTO two VALUES ('{name}'), ('Zulu'); SET app.tz = '{name}'"
        )
        texts = [rendered(one, name) for one in (before, result.sql)]
        rows = [sorted(connection.execute(one).fetchall()) for one in texts]
        assert rows[0] == rows[1], name
        assert rows[0], name
        found = []
        for one in (FUNCTION, function.sql):
            connection.execute(one)
            shown = connection.execute("SELECT * FROM shown(%s)", (name,))
            found.append(sorted(shown.fetchall()))
        assert found[0] == found[1], name


def test_same_rows_in_postgres(server: postgres.Server) -> None:
    with opened(server, AWKWARD) as connection:
        same_in_postgres(connection, AWKWARD)


@pytest.mark.not_core
def test_same_rows_in_postgres_for_every_zone(server: postgres.Server) -> None:
    every = [*zones.installed().names]
    with opened(server, every) as connection:
        same_in_postgres(connection, every)


def same_in_duckdb(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> None:
    before = query(DUCKDB.values())
    result = rewritten(before, "duckdb")
    assert sum(bool(one.before) for one in result.changes) == 2 * len(DUCKDB)
    for name in names:
        connection.execute(f"SET TimeZone = '{name}'; SET VARIABLE tz = '{name}'")
        connection.execute("DELETE FROM one; DELETE FROM two")
        connection.execute(f"INSERT INTO one VALUES ('{name}')")
        connection.execute(f"INSERT INTO two VALUES ('{name}'), ('Zulu')")
        one, other = (rendered(text, name) for text in (before, result.sql))
        different = f"SELECT count(*) FROM (({one}) EXCEPT ALL ({other}))"
        assert connection.execute(different).fetchall() == [(0,)], name
        assert connection.execute(f"SELECT count(*) > 0 FROM ({other})").fetchall() == [(True,)]


@contextlib.contextmanager
def embedded(file: Path, names: list[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    refresh(f"duckdb:///{file}", rules="database", zones=names, tables=("zone", "period"))
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"SET TimeZone = 'UTC'; {EDGES} {ONE}")
        rows = [*edges(names, zones.installed())]
        made = pa.table(
            {
                "zone": [zone for zone, _, _ in rows],
                "utc": [round(at * 1e6) for _, at, _ in rows],
                "local": [round(local * 1e6) for _, _, local in rows],
            }
        )
        connection.register("made", made)
        connection.execute(
            "INSERT INTO edges SELECT zone, make_timestamptz(utc), make_timestamp(local) FROM made"
        )
        yield connection


def test_same_rows_in_duckdb(tmp_path: Path) -> None:
    with embedded(tmp_path / "tz.duckdb", AWKWARD) as connection:
        same_in_duckdb(connection, AWKWARD)


@pytest.mark.not_core
def test_same_rows_in_duckdb_for_every_zone(tmp_path: Path) -> None:
    every = [*zones.installed().names]
    with embedded(tmp_path / "tz.duckdb", every) as connection:
        same_in_duckdb(connection, every)


def same_for_vertica(connection: psycopg.Connection[Any], names: Iterable[str]) -> None:
    """Its text has no subquery in ON, which its documents do not mention."""
    shown = ", ".join(
        f"NEW_TIME(e.local, 'UTC', {zone}) AS a_{i}, NEW_TIME(e.local, {zone}, 'UTC') AS b_{i}"
        for i, zone in enumerate(("(SELECT max(tz) FROM one)", "(SELECT tz FROM two LIMIT 1)"))
    )
    before = f"SELECT {shown} FROM edges e WHERE e.zone = (SELECT max(tz) FROM one)"
    result = rewritten(before, "vertica")
    assert sum(bool(one.before) for one in result.changes) == 4
    assert all(
        "SELECT" not in part.partition(" AS ")[0] for part in result.sql.split("\n  ON ")[1:]
    )
    connection.execute(events_vertica.FUNCTIONS)
    for name in names:
        connection.execute("DELETE FROM one; DELETE FROM two")
        connection.execute(f"INSERT INTO one VALUES ('{name}'); INSERT INTO two VALUES ('{name}')")
        rows = [sorted(connection.execute(one).fetchall()) for one in (before, result.sql)]
        assert rows[0] == rows[1], name
        assert rows[0], name


def test_same_rows_for_vertica(server: postgres.Server) -> None:
    with opened(server, AWKWARD) as connection:
        same_for_vertica(connection, AWKWARD)


@pytest.mark.not_core
def test_same_rows_for_vertica_for_every_zone(server: postgres.Server) -> None:
    every = [*zones.installed().names]
    with opened(server, every) as connection:
        same_for_vertica(connection, every)


def test_a_setting_that_the_statement_changes_stays() -> None:
    text = (
        "SELECT set_config('app.tz', zone, true), ts AT TIME ZONE current_setting('app.tz') "
        "FROM edges"
    )
    result = rewrite(text, dialect="postgres", schema=TYPES)
    assert result.sql == text
    assert [one.code for one in result.left] == ["varies"]
