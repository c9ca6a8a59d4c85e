"""An inner join of periods loses no row, whatever somebody does to the tables."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.databases import small
from tzconv import rewrite
from tzconv.tables import PERIOD, RELEASE, ZONE

NAMES = ("America/New_York", "Asia/Kolkata", "Asia/Calcutta", "Africa/Monrovia", "UTC")
TYPES = {
    "events": {"id": "integer", "account": "integer", "ts": "timestamp", "tz": "timestamptz"},
    "accounts": {"id": "integer", "zone": "varchar"},
}
DATA = f"""
    CREATE TABLE accounts AS SELECT i AS id, ([{", ".join(map(repr, NAMES))},
        'Asia/Tokyo', 'utc', 'EST5EDT', NULL])[i % 9 + 1] AS zone FROM range(18) t(i);
    CREATE TABLE events AS SELECT i AS id, i % 20 AS account,
        CASE i % 50 WHEN 7 THEN NULL WHEN 8 THEN TIMESTAMP '1969-12-31 23:59:59.999999'
        WHEN 9 THEN TIMESTAMP '2037-06-01' WHEN 10 THEN TIMESTAMP '1850-01-01'
        WHEN 11 THEN TIMESTAMP '2500-01-01' WHEN 12 THEN TIMESTAMP '1970-01-01'
        WHEN 13 THEN TIMESTAMP '2036-12-31 23:59:59.999999' WHEN 14 THEN TIMESTAMP '2037-01-01'
        ELSE TIMESTAMP '1970-01-01' + i * INTERVAL '100:00:03' END AS ts
        FROM range(6000) t(i);
    ALTER TABLE events ADD COLUMN tz timestamptz;
    UPDATE events SET tz = ts AT TIME ZONE 'UTC';
"""
LOCAL = "e.ts AT TIME ZONE 'UTC' AT TIME ZONE a.zone"
QUERIES = {
    "inner": f"SELECT e.id, {LOCAL} FROM events e JOIN accounts a ON e.account = a.id",
    "left": f"SELECT e.id, a.id, {LOCAL} FROM events e LEFT JOIN accounts a ON e.account = a.id",
    "full": f"SELECT e.id, {LOCAL} FROM events e FULL JOIN accounts a ON e.account = a.id + 5",
    "right": f"SELECT e.id, a.id, {LOCAL} FROM accounts a RIGHT JOIN events e ON e.account = a.id",
    "instants": (
        "SELECT e.id, e.tz AT TIME ZONE a.zone FROM events e JOIN accounts a ON e.account = a.id"
    ),
    "to UTC": (
        "SELECT e.id, e.ts AT TIME ZONE a.zone AT TIME ZONE 'UTC' "
        "FROM events e JOIN accounts a ON e.account = a.id"
    ),
    "two values": (
        f"SELECT ({LOCAL})::date, count(*), max(e.tz AT TIME ZONE a.zone) "
        "FROM events e JOIN accounts a ON e.account = a.id GROUP BY 1"
    ),
    "outer join later": (
        f"SELECT e.id, {LOCAL}, b.id FROM events e JOIN accounts a ON e.account = a.id "
        "LEFT JOIN accounts b ON b.id = a.id + 9"
    ),
    "in a subquery": (
        "SELECT a.id, (SELECT count(*) FROM events e JOIN accounts b ON e.account = b.id "
        "WHERE extract(hour FROM e.ts AT TIME ZONE 'UTC' AT TIME ZONE b.zone) = 9 "
        "AND b.id < a.id) FROM accounts a"
    ),
}
OTHERS = f"""
    UPDATE {PERIOD.name} SET zone_period = zone_period + 7 WHERE zone_period >= 0
"""
DAMAGE = {
    "nothing": "SELECT 1",
    "rows": f"DELETE FROM {PERIOD.name} WHERE zone_period % 7 = 3",
    "a row": f"DELETE FROM {PERIOD.name} WHERE zone_period = 300 * 512",
    "a history": f"DELETE FROM {PERIOD.name} WHERE zone_period % 512 = 1",
    "later years": f"DELETE FROM {PERIOD.name} WHERE zone_period > 512 * 300",
    "a row twice": f"INSERT INTO {PERIOD.name} FROM {PERIOD.name} WHERE zone_period = 512 * 300",
    "all rows twice but one": (
        f"INSERT INTO {PERIOD.name} FROM {PERIOD.name} WHERE zone_period >= 0"
    ),
    "one row in place of another": (
        f"UPDATE {PERIOD.name} SET zone_period = 512 * 301 WHERE zone_period = 512 * 300"
    ),
    "two keys exchanged for others": (
        f"UPDATE {PERIOD.name} SET zone_period = zone_period + "
        "CASE zone_period WHEN 153600 THEN 1048576 ELSE -1048576 END "
        "WHERE zone_period IN (153600, 154112)"
    ),
    "the table of another refresh": OTHERS,
    "offsets": f"UPDATE {PERIOD.name} SET microseconds_before = NULL, microseconds_after = NULL, "
    "local_microseconds_before = NULL, local_microseconds_after = NULL WHERE zone_period % 3 = 1",
    "no zones": f"DELETE FROM {ZONE.name}",
    "few zones": f"DELETE FROM {ZONE.name} WHERE time_zone_name LIKE 'A%'",
    "no release": f"DELETE FROM {RELEASE.name}",
    "a newer release": (
        f"INSERT INTO {RELEASE.name} BY NAME SELECT * EXCLUDE (finished_at, period_keys), "
        f"TIMESTAMP '2999-01-01' AS finished_at, NULL AS period_keys FROM {RELEASE.name}"
    ),
}
WITHOUT_UNKNOWN = {
    "row -1": f"DELETE FROM {PERIOD.name} WHERE zone_period = -1",
    "row -1 twice": f"INSERT INTO {PERIOD.name} FROM {PERIOD.name} WHERE zone_period = -1",
    "all rows": f"DELETE FROM {PERIOD.name}",
}


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    path: Path = tmp_path_factory.mktemp("damaged") / "tz.duckdb"
    small(f"duckdb:///{path}", *NAMES, tables=("offset", "zone", "period"))
    with duckdb.connect(path, config={"threads": 1}) as made:
        made.execute("SET TimeZone = 'UTC'")
        made.execute(DATA)
        yield made


@contextlib.contextmanager
def damaged(connection: duckdb.DuckDBPyConnection, change: str) -> Iterator[None]:
    connection.execute("BEGIN")
    try:
        connection.execute(change)
        yield
    finally:
        connection.execute("ROLLBACK")


def rows_of(connection: duckdb.DuckDBPyConnection, sql: str) -> Counter[str]:
    rows = connection.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({sql})").fetchall()
    return Counter(map(str, rows))


def rewritten(sql: str) -> str:
    text = rewrite(sql, dialect="duckdb", schema=TYPES, strategy="period").sql
    assert "JOIN time_zone_period_conversion" in text.replace("LEFT JOIN time_zone_period", "")
    return text


@pytest.mark.by_turns(3)
@pytest.mark.parametrize("damage", DAMAGE)
def test_no_row_is_lost(connection: duckdb.DuckDBPyConnection, damage: str) -> None:
    with damaged(connection, DAMAGE[damage]):
        for name, sql in QUERIES.items():
            assert rows_of(connection, rewritten(sql)) == rows_of(connection, sql), name


@pytest.mark.parametrize("damage", WITHOUT_UNKNOWN)
def test_without_the_row_of_unknown_values_there_is_an_error(
    connection: duckdb.DuckDBPyConnection, damage: str
) -> None:
    for sql in QUERIES.values():
        with (
            damaged(connection, WITHOUT_UNKNOWN[damage]),
            pytest.raises(duckdb.Error, match="no row -1: run tzconv refresh --repair"),
        ):
            rows_of(connection, rewritten(sql))


def test_infinite_times(connection: duckdb.DuckDBPyConnection) -> None:
    """The function refuses them on some versions: then both texts are refused."""
    for time in ("infinity", "-infinity"):
        found: list[Counter[str] | str] = []
        for sql in (QUERIES["inner"], rewritten(QUERIES["inner"])):
            change = f"UPDATE events SET ts = TIMESTAMP '{time}' WHERE id = 3"
            with damaged(connection, change):
                try:
                    found.append(rows_of(connection, sql))
                except duckdb.Error as error:
                    found.append(str(error).partition("\n")[0])
        assert found[0] == found[1]
