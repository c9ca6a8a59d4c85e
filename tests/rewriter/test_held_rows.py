"""Rows and zones from around a query: the source of MERGE, zones of outer rows, tables of scripts.

Original and rewritten statements run beside each other, around every change of offset of every
zone, on tables with the engine's own rules.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from tests.rewriter.zone_edges import AWKWARD, EVERY, embedded, opened, rewritten
from tzconv.engines.duckdb.write import WRITER

SOURCE = """SELECT e.zone, e.ts, max(e.local AT TIME ZONE e.zone) AS utc,
  min(e.ts AT TIME ZONE e.zone) AS shown FROM edges e GROUP BY e.zone, e.ts"""
MERGE = f"""MERGE INTO kept k USING ({SOURCE}) s ON k.zone = s.zone AND k.ts = s.ts
WHEN MATCHED THEN UPDATE SET shown = s.shown, utc = s.utc
WHEN NOT MATCHED THEN INSERT (zone, ts, shown, utc) VALUES (s.zone, s.ts, s.shown, s.utc)"""
KEPT = "CREATE TABLE kept AS SELECT zone, ts, local AS shown, ts AS utc FROM edges WHERE ts < {}"
ROWS = "SELECT zone, ts, shown, utc FROM kept ORDER BY ALL"
SCRIPT = """CREATE TEMP TABLE late AS
SELECT zone, local, ts AS "When" FROM edges WHERE ts >= '2000-01-01';
SELECT zone, "When", "When" AT TIME ZONE zone AS shown, local AT TIME ZONE zone AS utc FROM late"""
OUTER = {
    "scalar": """SELECT g.zone, (SELECT max(e.ts AT TIME ZONE g.zone) FROM edges e
      WHERE e.zone = g.zone AND hour(e.local AT TIME ZONE g.zone) < 12) AS shown FROM given g""",
    "LATERAL": """SELECT g.zone, l.* FROM given g, LATERAL (SELECT e.ts AT TIME ZONE g.zone AS a,
      e.local AT TIME ZONE g.zone AS b FROM edges e WHERE e.zone = g.zone) l""",
    "the zone of neither": """SELECT g.zone, l.* FROM given g LEFT JOIN LATERAL (
      SELECT (e.ts AT TIME ZONE coalesce(g.zone, 'Asia/Tokyo'))::date AS a, count(*) AS n
      FROM edges e GROUP BY 1) l ON true""",
}


def same_merge(connection: Any, all_of: str) -> None:
    text = rewritten(MERGE, connection_dialect(connection))
    assert sum(bool(one.before) for one in text.changes) == 2
    found = []
    for one in (MERGE, text.sql):
        connection.execute("DROP TABLE IF EXISTS kept")
        connection.execute(KEPT.format("'1990-01-01'"))
        connection.execute(one)
        found.append(connection.execute(ROWS.replace("ALL", all_of)).fetchall())
    assert found[0] == found[1]
    assert found[0]


def same_script(connection: Any) -> None:
    result = rewritten(SCRIPT, connection_dialect(connection))
    assert sum(bool(one.before) for one in result.changes) == 2
    found = []
    for text in (SCRIPT, result.sql):
        made, query = text.split(";\n")
        connection.execute(made)
        found.append(sorted(connection.execute(query).fetchall()))
        connection.execute("DROP TABLE late")
    assert found[0] == found[1]
    assert found[0]


def connection_dialect(connection: Any) -> str:
    return {"psycopg": "postgres"}.get(type(connection).__module__.partition(".")[0], "duckdb")


def in_postgres(server: postgres.Server, names: list[str]) -> None:
    with opened(server, names) as connection:
        same_merge(connection, "1, 2")
        same_script(connection)


def in_duckdb(file: Path, names: list[str]) -> None:
    with embedded(file, names) as connection:
        same_merge(connection, "ALL")
        same_script(connection)
        connection.execute("CREATE TABLE given AS SELECT DISTINCT zone FROM edges")
        connection.execute("INSERT INTO given VALUES (NULL), ('Nowhere')")
        for name, text in OUTER.items() if WRITER.joins_outer_zones else ():
            known = text if "coalesce" not in text else f"{text} WHERE g.zone IS NULL"
            result = rewritten(known, "duckdb")
            assert result.left == (), name
            different = f"SELECT count(*) FROM (({known}) EXCEPT ALL ({result.sql}))"
            assert connection.execute(different).fetchall() == [(0,)], name
            counts = [f"SELECT count(*) FROM ({one})" for one in (known, result.sql)]
            rows = [connection.execute(one).fetchall() for one in counts]
            assert rows[0] == rows[1] != [(0,)], name


def test_same_rows_in_postgres(server: postgres.Server) -> None:
    in_postgres(server, AWKWARD)


def test_same_rows_in_duckdb(tmp_path: Path) -> None:
    in_duckdb(tmp_path / "tz.duckdb", AWKWARD)


@pytest.mark.not_core
def test_same_rows_in_postgres_for_every_zone(server: postgres.Server) -> None:
    in_postgres(server, EVERY)


@pytest.mark.not_core
def test_same_rows_in_duckdb_for_every_zone(tmp_path: Path) -> None:
    in_duckdb(tmp_path / "tz.duckdb", EVERY)


LEFT = {
    "EXISTS": (
        "SELECT * FROM one o WHERE EXISTS (SELECT 1 FROM edges e "
        "WHERE (e.ts AT TIME ZONE o.tz)::time < '09:00')",
        "duckdb",
        "unknown-column",
    ),
    "PostgreSQL": (
        "SELECT o.tz, (SELECT max(e.ts AT TIME ZONE o.tz) FROM edges e) AS m FROM one o",
        "postgres",
        "unknown-column",
    ),
    "nothing of the inner rows": (
        "SELECT (SELECT max(o.ts AT TIME ZONE o.zone) FROM one) AS m FROM edges o",
        "duckdb",
        "unknown-column",
    ),
    "numbered rows": (
        f"MERGE INTO kept k USING ({SOURCE}) s ON k.zone = s.zone WHEN NOT MATCHED THEN "
        "INSERT (n) VALUES (nextval('numbers'))",
        "postgres",
        "row-order",
    ),
    "twice in a script": (
        "CREATE TEMP TABLE t AS SELECT ts FROM edges; CREATE TEMP TABLE t AS SELECT local AS ts "
        "FROM edges; SELECT ts AT TIME ZONE 'Asia/Tokyo' AS a FROM t",
        "duckdb",
        "unknown-type",
    ),
    "hidden until COMMIT": (
        "CREATE TEMP TABLE edges ON COMMIT DROP AS SELECT local AS ts FROM edges; COMMIT; "
        "SELECT ts AT TIME ZONE 'Asia/Tokyo' AS a FROM edges",
        "postgres",
        "unknown-type",
    ),
    "a table of another schema": (
        "CREATE TABLE staging.edges AS SELECT local AS ts FROM edges; "
        "SELECT ts AT TIME ZONE 'Asia/Tokyo' AS a FROM edges",
        "duckdb",
        "unknown-type",
    ),
    "perhaps another table": (
        "CREATE TABLE IF NOT EXISTS t AS SELECT ts FROM edges; "
        "SELECT ts AT TIME ZONE 'Asia/Tokyo' AS a FROM t",
        "duckdb",
        "unknown-type",
    ),
    "an operator that is not closed": (
        "SELECT ts AT TIME ZONE 'Asia/Tokyo' FROM edges ORDER BY 1 USING OPERATOR(pg_catalog.<; "
        "SELECT 1",
        "postgres",
        "not-parsed",
    ),
    "the search path": (
        "SELECT set_config('search_path', 'b', true); "
        "SELECT ts AT TIME ZONE 'Asia/Tokyo' AS a FROM edges",
        "postgres",
        "statement-before",
    ),
}


@pytest.mark.not_core
@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    text, dialect, code = LEFT[name]
    result = rewritten(text, dialect)
    assert result.sql == text
    assert {one.code for one in result.left} == {code}


@pytest.mark.not_core
def test_a_setting_of_an_application_changes_no_names() -> None:
    text = (
        "SELECT set_config('app.tenant', '4', true); SELECT ts AT TIME ZONE 'Asia/Tokyo' FROM edges"
    )
    assert rewritten(text, "postgres").left == ()


@pytest.mark.not_core
def test_words_of_postgres_beside_a_conversion(server: postgres.Server) -> None:
    text = (
        "SELECT zone, ts AT LOCAL AS here, local AT LOCAL AT TIME ZONE 'UTC' AS there, "
        "ts AT TIME ZONE zone AS shown FROM edges "
        "ORDER BY ts USING OPERATOR(pg_catalog.>) NULLS LAST, local USING <, zone USING ~>~"
    )
    result = rewritten(text, "postgres")
    assert sum(bool(one.before) for one in result.changes) == 1
    assert {one.code for one in result.left} == {"session-time-zone", "fixed-offset"}
    with opened(server, ["Europe/Berlin", "Asia/Tokyo"]) as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        rows = [connection.execute(one).fetchall() for one in (text, result.sql)]
        assert rows[0] == rows[1] != []


@pytest.mark.not_core
def test_a_table_that_lasts_a_transaction() -> None:
    text = (
        "CREATE TEMP TABLE late ON COMMIT DROP AS SELECT ts AT TIME ZONE zone AS l, ts FROM edges; "
        "SELECT ts AT TIME ZONE 'Asia/Tokyo' AS t FROM late"
    )
    result = rewritten(text, "postgres")
    assert result.left == ()
    assert sum(bool(one.before) for one in result.changes) == 2


@pytest.mark.not_core
def test_rows_of_a_window_of_spark() -> None:
    window = "window(convert_timezone('UTC', 'Asia/Tokyo', local), '1 hour')"
    text = (
        f"SELECT {window}.start AS a, count(*) AS n, sum(1) OVER w AS s FROM edges WHERE local >= "
        f"'2024-01-01' AND local < '2024-02-01' GROUP BY {window} WINDOW w AS (ORDER BY 1)"
    )
    result = rewritten(text, "spark")
    changed = {one.after for one in result.changes if one.before}
    assert (len(changed), len(result.changes), result.left) == (1, 2, ())
