"""A zone that is one value per query: a setting, a row of a settings table, a variable, a template.

Original and rewritten statement run beside each other, around every change of offset of every zone,
on tables with the server's own rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from tests import events_vertica, postgres
from tests.rewriter.zone_edges import AWKWARD, EVERY, TYPES, embedded, opened, rewritten
from tzconv.rewriter import rewrite

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
    "Rails": "'<%= @tz %>'",
    "of the request": "'<%= params[:tz] %>'",
}
RAILS = ("<%= @tz %>", "<%= params[:tz] %>")
FUNCTION = """CREATE OR REPLACE FUNCTION shown(p_zone text) RETURNS SETOF timestamp
LANGUAGE plpgsql AS $$
DECLARE
  v_zone varchar(64) := p_zone;
  v_same edges.zone%TYPE := p_zone;
  v_full CONSTANT public.edges.zone%TYPE := p_zone;
  v_edge edges%ROWTYPE := NULL;
BEGIN
  v_edge.zone := p_zone;
  RETURN QUERY SELECT e.ts AT TIME ZONE p_zone FROM edges e WHERE e.zone = p_zone;
  RETURN QUERY SELECT timezone(v_zone, e.ts) FROM edges e WHERE e.zone = v_zone;
  RETURN QUERY SELECT e.ts AT TIME ZONE v_same FROM edges e WHERE e.zone = v_same;
  RETURN QUERY SELECT e.ts AT TIME ZONE v_full FROM edges e WHERE e.zone = v_full;
  RETURN QUERY SELECT timezone(v_edge.zone, e.ts) FROM edges e WHERE e.zone = v_edge.zone;
  RETURN QUERY SELECT e.ts AT TIME ZONE shown.p_zone FROM edges e WHERE e.zone = shown.p_zone;
END $$"""
SHADOWED = """CREATE OR REPLACE FUNCTION shown(p_zone text) RETURNS SETOF timestamptz
LANGUAGE plpgsql AS $$
BEGIN
  <<inside>>
  DECLARE
    p_zone {type} := {value};
  BEGIN
    RETURN QUERY SELECT e.ts FROM edges e WHERE (e.ts AT TIME ZONE p_zone)::date = '2025-03-30';
  END;
END $$"""


def query(zones: Iterable[str]) -> str:
    """Shows both directions by each zone, for the rows of that zone."""
    shown = ", ".join(
        f"ts AT TIME ZONE {one} AS local_{i}, local AT TIME ZONE {one} AS ts_{i}"
        for i, one in enumerate(zones)
    )
    return f"SELECT zone, {shown} FROM edges WHERE zone = '$tz'"


def rendered(text: str, zone: str) -> str:
    for part in ("$__timezone", "$tz", '{{ var("tz") }}', "<%= tz %>", *RAILS):
        text = text.replace(part, zone)
    return text


def same_in_postgres(connection: psycopg.Connection[Any], names: Iterable[str]) -> None:
    before = query(POSTGRES.values())
    result = rewritten(before, "postgres")
    assert sum(bool(one.before) for one in result.changes) == 2 * len(POSTGRES)
    function = rewritten(FUNCTION, "postgres")
    assert sum(bool(one.before) for one in function.changes) == 6
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
    with opened(server, EVERY) as connection:
        same_in_postgres(connection, EVERY)


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
        rows = f"SELECT count(*) > 0 FROM edges WHERE zone = '{name}'"
        assert connection.execute(rows).fetchall() == [(True,)]


def test_same_rows_in_duckdb(tmp_path: Path) -> None:
    with embedded(tmp_path / "tz.duckdb", AWKWARD) as connection:
        same_in_duckdb(connection, AWKWARD)


@pytest.mark.not_core
@pytest.mark.parametrize("part", range(4))
def test_same_rows_in_duckdb_for_every_zone(part: int, tmp_path: Path) -> None:
    with embedded(tmp_path / "tz.duckdb", EVERY[part::4]) as connection:
        same_in_duckdb(connection, EVERY[part::4])


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
    with opened(server, EVERY) as connection:
        same_for_vertica(connection, EVERY)


@pytest.mark.parametrize("zone", [*POSTGRES.values(), "'Asia/Tokyo'"])
def test_the_function_answers_for_utc_in_postgres(zone: str) -> None:
    sql = rewritten(f"SELECT ts AT TIME ZONE {zone} AS local FROM edges", "postgres").sql
    assert sql.count("WHERE time_zone_name::text <> 'UTC' AND ") == 2 * (zone != "'Asia/Tokyo'")


def test_a_setting_that_the_statement_changes_stays() -> None:
    text = (
        "SELECT set_config('app.tz', zone, true), ts AT TIME ZONE current_setting('app.tz') "
        "FROM edges"
    )
    result = rewrite(text, dialect="postgres", schema=TYPES)
    assert result.sql == text
    assert [one.code for one in result.left] == ["varies"]


@pytest.mark.parametrize(
    ("dialect", "zone"),
    [
        ("duckdb", "SELECT tz FROM two LIMIT 1%"),
        ("duckdb", "SELECT tz FROM two ORDER BY tz LIMIT 1 PERCENT"),
        ("duckdb", "SELECT tz FROM two TABLESAMPLE 50% LIMIT 1"),
        ("duckdb", "SELECT tz FROM (SELECT tz FROM two) q TABLESAMPLE 50% LIMIT 1"),
        ("duckdb", "SELECT 'Asia/Tokyo' FROM range((2 * random())::integer) LIMIT 1"),
        ("postgres", "SELECT tz FROM two TABLESAMPLE BERNOULLI (50) LIMIT 1"),
        ("postgres", "SELECT 'Asia/Tokyo' FROM generate_series(1, (2 * random())::int) LIMIT 1"),
    ],
)
def test_a_zone_that_may_be_another_one_when_it_is_computed_again_stays(
    dialect: str, zone: str
) -> None:
    """A second LIMIT 2% is of other rows than a LIMIT 1%: none of 60 rows, and one of them."""
    text = f"SELECT ts AT TIME ZONE ({zone}) FROM edges"
    result = rewrite(text, dialect=dialect, schema=TYPES)
    assert result.sql == text
    assert [one.code for one in result.left] == ["unsupported"]


@pytest.mark.not_core
def test_a_variable_that_an_inner_block_declares_anew(server: postgres.Server) -> None:
    """An interval may be longer than a zone's offset, which the added bounds allow for."""
    interval = SHADOWED.format(type="interval", value="'500 hours'")
    cursor = SHADOWED.format(type="ALIAS FOR", value="other").replace(":= ", "")
    assert [one.code for one in rewritten(cursor, "postgres").left] == ["unknown-type"]
    text = SHADOWED.format(type="text", value="'Asia/Tokyo'")
    assert rewritten(text, "postgres").changes
    with opened(server, AWKWARD) as connection:
        connection.execute(
            "INSERT INTO edges (zone, ts) SELECT 'UTC', '2025-03-01+00'::timestamptz"
            " + i * interval '1 day' FROM generate_series(1, 60) AS i"
        )
        for function in (interval, text):
            found = []
            for one in (function, rewritten(function, "postgres").sql):
                connection.execute(one)
                found.append(sorted(connection.execute("SELECT * FROM shown('UTC')").fetchall()))
            assert found[0] == found[1]
            assert found[0]


def test_a_variable_that_an_ended_block_declared_anew() -> None:
    text = SHADOWED.format(type="text", value="'UTC'").replace("p_zone text)", "p_zone interval)")
    after = re.sub(r"(    RETURN QUERY .*\n)(  END;\n)", r"\2\1", text)
    assert after != text
    assert [one.code for one in rewritten(after, "postgres").left] == ["unknown-type"]


@pytest.mark.not_core
@pytest.mark.parametrize("before", ["EXECUTE p", "CALL p()", "DO $$ BEGIN END $$"])
def test_the_statement_that_makes_types_unknown_is_named(before: str) -> None:
    text = f"{before};\nSELECT ts AT TIME ZONE 'Europe/Paris' FROM edges"
    left = rewrite(text, dialect="postgres", schema=TYPES).left
    assert [(one.code, before in one.reason) for one in left] == [("statement-before", True)]


@pytest.mark.not_core
def test_a_time_from_its_text_in_duckdb(tmp_path: Path) -> None:
    form = "'%Y-%m-%d %H:%M:%S'"
    before = (
        f"SELECT zone, strptime(strftime(local, {form}), {form}) AT TIME ZONE zone AS ts FROM edges"
    )
    result = rewritten(before, "duckdb")
    assert result.changes
    with embedded(tmp_path / "tz.duckdb", AWKWARD) as connection:
        different = f"SELECT count(*) FROM (({before}) EXCEPT ALL ({result.sql}))"
        assert connection.execute(different).fetchall() == [(0,)]
