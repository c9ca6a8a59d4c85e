"""Checksums: NumPy and the database agree, and no changed value goes unseen."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests import databases
from tests.databases import numbered_all
from tzconv import engines, migrate, tables
from tzconv.engines.duckdb.load import DuckDB
from tzconv.tables import Column, Table, checksums, generate
from tzconv.tables.checksums import Sums
from tzconv.tz import spans
from tzconv.tz.horizon import Horizon
from tzconv.tz.spans import Columns

HORIZON = Horizon(dt.date(2026, 3, 1), dt.date(2026, 5, 1))
RULES = numbered_all()
NAMES = ("Australia/Lord_Howe", "Asia/Kolkata", "Africa/Monrovia")


def numpy_sums(name: str, zone_names: tuple[str, ...]) -> dict[str, Sums]:
    table = tables.CONVERSIONS[name]
    return {
        zone: checksums.total(
            databases.sums_of(table, columns)
            for columns in generate.zone_columns(name, RULES, zone, HORIZON)
        )
        for zone in zone_names
        if name != "period" or (RULES.numbers and RULES.numbers.part(zone)[1])
    }


@pytest.fixture
def backend() -> Iterator[DuckDB]:
    with engines.connect("duckdb:///:memory:") as opened:
        assert isinstance(opened, DuckDB)
        migrate.migrate(opened)
        yield opened


def load(backend: DuckDB, name: str, zone_names: tuple[str, ...] = NAMES) -> Table:
    table = tables.CONVERSIONS[name]
    backend.load(table, generate.stream(name, RULES, zone_names, HORIZON), new=True)
    return table


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_the_database_and_numpy_agree_on_all_zones(backend: DuckDB, name: str) -> None:
    table = load(backend, name, RULES.names)
    assert backend.checksums(table) == numpy_sums(name, RULES.names)


def by_hand(table: Table, rows: list[tuple[object, ...]]) -> Sums:
    """The definition once more, row by row with Python's integers."""
    year_1 = dt.datetime(1, 1, 1)
    first_sum = product_sum = 0
    for row in rows:
        number = 0
        kinds = [column.type for column in table.columns if column.name != "time_zone_name"]
        for weight, value, kind in zip(checksums._WEIGHTS, row, kinds, strict=False):
            match value:
                case None:
                    part = 2**39 - 7
                case bool():
                    part = int(value)
                case dt.datetime():
                    since = value - year_1 + dt.timedelta(days=1)
                    part = since // dt.timedelta(seconds=1) + since.microseconds * 524_287
                case dt.date():
                    part = (value - year_1.date()).days + 1
                case int():
                    part = value + (2**37 if kind == "bigint" else 1_000_000)
                case str():
                    part = len(value) * 131_071
                    part += sum(ord(v) * 1_000_003 * i * i for i, v in enumerate(value, 1))
                    part %= 2**39 - 7
                case _:
                    raise TypeError(value)
            number += weight * part
        assert number < 2**63
        first_sum += number % (2**31 - 1)
        product_sum += number % (2**31 - 1) * (number % (2**31 - 19)) % (2**31 - 1)
    return len(rows), first_sum, product_sum


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_the_definition(backend: DuckDB, name: str) -> None:
    table = load(backend, name)
    columns = ", ".join(c.name for c in table.columns if c.name != "time_zone_name")
    for zone, sums in backend.checksums(table).items():
        rows = backend._connection.execute(
            f"SELECT {columns} FROM {table.name} WHERE time_zone_name = ?", [zone]
        ).fetchall()
        assert by_hand(table, rows) == sums


class _UndoneError(Exception):
    pass


DAMAGE = {
    "timestamp": (
        "{c} + INTERVAL 1 MICROSECOND",
        "{c} + INTERVAL 500000 MICROSECOND",
        "{c} - INTERVAL 1 SECOND",
        "{c} + INTERVAL 1 HOUR",
        "{c} + INTERVAL 2147483647 SECOND",
        "{c} + INTERVAL 2147483629 SECOND",
        "TIMESTAMP '2026-03-07 00:00:00'",
        "TIMESTAMP 'infinity'",
        "TIMESTAMP '-infinity'",
        "TIMESTAMP '294247-01-10 04:00:00'",
    ),
    "date": ("{c} + 1", "{c} - 1", "{c} + 24855"),
    "integer": ("{c} + 1", "{c} - 3600", "-{c} - 1", "{c} + 549755814", "0 * {c} - 1"),
    "bigint": (
        *("{c} + 1", "{c} - 3600", "{c} + 549755814", "0 * {c} - 1"),
        *("9223372036854775807", "-9223372036854775808", "4611686018427387904"),
    ),
    "text": ("{c} || ' '", "{c} || 'abcdefghi'", "reverse({c})", "'+0538'", "''"),
    "boolean": ("NOT {c}",),
}


def sums_of_damaged(
    backend: DuckDB, table: tables.Table, damage: str, row: str
) -> dict[str, checksums.Sums]:
    """The checksums after an UPDATE that is undone again."""
    sums: dict[str, checksums.Sums] = {}
    with contextlib.suppress(_UndoneError), backend.transaction():
        backend._run(f"UPDATE {table.name} SET {damage} WHERE {row}")
        sums = backend.checksums(table)
        raise _UndoneError
    return sums


@pytest.mark.parametrize("name", tables.CONVERSIONS)
@pytest.mark.parametrize("place", ["min", "max"])
def test_one_damaged_value_is_seen(backend: DuckDB, name: str, place: str) -> None:
    table = load(backend, name)
    before = backend.checksums(table)
    row = f"rowid = (SELECT {place}(rowid) FROM {table.name})"
    tried = 0
    for column in table.columns:
        expressions = DAMAGE.get(column.type, ())
        for expression in (*expressions, "NULL") if column.nullable else expressions:
            value = expression.format(c=column.name)
            [(differs,)] = backend._run(
                f"SELECT {value} IS DISTINCT FROM {column.name} FROM {table.name} WHERE {row}"
            )
            if differs:
                assert sums_of_damaged(backend, table, f"{column.name} = {value}", row) != before
                tried += 1
    assert tried >= 5  # the first row of the period table has no offsets
    assert backend.checksums(table) == before


@pytest.mark.parametrize(
    ("one", "other"),
    [("+0530", "+0538"), ("+103015", "+103018"), ("EDT", "TDE"), ("", " "), ("a" * 16, "a" * 15)],
)
def test_every_letter_counts(one: str, other: str) -> None:
    assert sums_with("abbreviation", one) != sums_with("abbreviation", other)


def test_no_value_is_not_a_value() -> None:
    seen = set()
    for change in ("NaT", "0001-01-01", "1969-12-31T23:59:59", "1970-01-01", "2026-03-08T07"):
        for offset in (spans.NO_OFFSET, 0, -1, 3600):
            seen.add(databases.sums_of(tables.PERIOD, one_period(change, offset)))
    assert len(seen) == 20


def one_period(change: str, offset: int) -> Columns:
    return {
        "zone_period": np.array([1024], np.int64),
        "changes_at_utc": np.array([change], "M8[us]"),
        "microseconds_before": np.array([offset], np.int64),
        "microseconds_after": np.array([0], np.int64),
        "changes_at_time_zone": np.array(["NaT"], "M8[us]"),
        "local_microseconds_before": np.array([0], np.int64),
        "local_microseconds_after": np.array([0], np.int64),
    }


def sums_with(column: str, value: object) -> Sums:
    moment = np.array(["2026-01-01"], "M8[us]")
    columns: Columns = {
        "starts_at_utc": moment,
        "ends_before_utc": moment,
        "starts_at_time_zone": moment,
        "ends_before_time_zone": moment,
        "utc_offset_seconds": np.array([0], np.int32),
        "abbreviation": np.array(["EDT"], object),
        "is_dst": np.array([False]),
    }
    columns[column] = np.array([value], columns[column].dtype)
    return databases.sums_of(tables.OFFSET, columns)


@pytest.mark.parametrize("name", tables.CONVERSIONS)
@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM {t} WHERE rowid = 2",
        "INSERT INTO {t} SELECT * FROM {t} WHERE rowid = 2",
        "UPDATE {t} SET time_zone_name = 'Asia/Calcutta' WHERE rowid = 2",
    ],
)
def test_lost_doubled_and_moved_rows_are_seen(backend: DuckDB, name: str, damage: str) -> None:
    table = load(backend, name)
    before = backend.checksums(table)
    backend._run(damage.format(t=table.name))
    assert backend.checksums(table) != before


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_the_order_of_rows_does_not_matter(backend: DuckDB, name: str) -> None:
    table = load(backend, name)
    before = backend.checksums(table)
    backend._run(f"CREATE TABLE memory.main.turned AS FROM {table.name} ORDER BY ALL DESC")
    backend._run(f"DELETE FROM {table.name}")
    backend._run(f"INSERT INTO {table.name} FROM memory.main.turned")
    assert backend.checksums(table) == before


def test_the_digest_names_every_zone() -> None:
    one = {"A": (1, 2, 3), "B": (1, 2, 3)}
    assert checksums.digest(one) == checksums.digest(dict(reversed(one.items())))
    others = [{"A": (1, 2, 3)}, {"A": (1, 2, 3), "C": (1, 2, 3)}, {"A": (1, 2, 4), "B": (1, 2, 3)}]
    assert len({checksums.digest(sums) for sums in [one, *others]}) == 4
    assert len(checksums.digest({})) == 32


@pytest.mark.parametrize("name", tables.CONVERSIONS)
def test_a_new_column_counts_or_is_refused(name: str) -> None:
    """A table of a later revision never has a column that no checksum sees."""
    table = tables.CONVERSIONS[name]
    columns = table.columns
    while len([one for one in columns if one.name != "time_zone_name"]) < 7:
        columns = (*columns, Column(f"new_{len(columns)}", "integer"))
        sums = checksums.sql_sums(replace(table, columns=columns), "t", "{column}", "{column}")
        assert f"new_{len(columns) - 1}" in sums
    columns = (*columns, Column("one_too_many", "integer"))
    with pytest.raises(ValueError, match="zip"):
        checksums.sql_sums(replace(table, columns=columns), "t", "{column}", "{column}")
