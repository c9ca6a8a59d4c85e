"""Local times that become UTC, with nothing known of how Redshift reads gaps and folds.

The function of the stand-in is exchanged: one that gives NULL shows what comes from the tables, and
two that read gaps and folds in opposite ways show that their answers come through.
"""

from __future__ import annotations

import datetime as dt
import functools
import itertools
from collections.abc import Iterator
from typing import cast
from zoneinfo import ZoneInfo

import pytest

from tests import events_redshift, postgres, reference
from tests.corpora import Database
from tzconv.rewriter import rewrite

pytestmark = pytest.mark.not_core

TYPES = {"clocks": {"zone": "text", "shown": "timestamp"}}
ZONES = sorted(set(map(reference.first_name, reference.NAMES)))
START, END = reference.utc("1969-01-01"), reference.utc("2039-01-01")
NEAR = [0, 1, 86_400, 172_800]
"""Seconds before and after a change."""
SILENT = """
CREATE OR REPLACE FUNCTION convert_timezone(text, text, timestamp) RETURNS timestamp LANGUAGE sql
    AS $$ SELECT NULL::timestamp $$
"""
OF_ROWS = "SELECT zone, shown, CONVERT_TIMEZONE(zone, 'UTC', shown) AS utc FROM clocks"
CHANGING = [
    *("America/New_York", "Europe/Berlin", "Pacific/Apia", "Australia/Lord_Howe"),
    *("Antarctica/Troll", "Pacific/Kwajalein"),
]


def shown(name: str) -> set[dt.datetime]:
    """Local times around every change of a zone, and some of each year."""
    zone = ZoneInfo(name)
    found = {reference.naive(at) for at in range(START, END, 50 * reference.DAY)}
    for (_, before), (at, after) in itertools.pairwise(
        reference.changes(zone, START, END, 10 * reference.DAY)
    ):
        for edge, by, sign in itertools.product((before, after), NEAR, (-1, 1)):
            found.add(reference.naive(at + edge.offset + sign * by))
    return found


@pytest.fixture(scope="module")
def database(server: postgres.Server) -> Iterator[Database]:
    opened = Database("redshift", server)
    opened.execute("CREATE TABLE clocks (zone text, shown timestamp)")
    with opened.postgres.cursor().copy("COPY clocks FROM STDIN") as rows:
        for zone in ZONES:
            for time in shown(zone):
                rows.write_row((zone, time))
    opened.execute("ANALYZE clocks")
    yield opened
    opened.close()


def rows_of(
    database: Database, sql: str, function: str = ""
) -> list[tuple[str, dt.datetime, dt.datetime]]:
    """The rows of a text, with another function in place of that of the stand-in."""
    with database.postgres.transaction(force_rollback=True):
        database.execute(function or "SELECT 1")
        rows = database.postgres.execute(events_redshift.transliterated(sql)).fetchall()
    return sorted(cast("list[tuple[str, dt.datetime, dt.datetime]]", rows))


as_written = functools.cache(rows_of)


def of_one(zone: str) -> str:
    return (
        OF_ROWS.replace("TIMEZONE(zone", f"TIMEZONE('{zone}'")
        + f" WHERE zone = '{reference.first_name(zone)}'"
    )


@pytest.mark.parametrize(
    ("sql", "strategy"),
    [(OF_ROWS, "offset"), (OF_ROWS, "period"), *((of_one(zone), "period") for zone in CHANGING)],
)
def test_the_tables_have_only_what_every_reading_has(
    sql: str, strategy: str, database: Database
) -> None:
    result = rewrite(sql, dialect="redshift", schema=TYPES, strategy=strategy)
    rows, near = rows_of(database, result.sql, SILENT), 0
    for name, time, utc in rows:
        both = [time.replace(tzinfo=ZoneInfo(name), fold=fold) for fold in (0, 1)]
        times = {one.astimezone(dt.UTC).replace(tzinfo=None) for one in both}
        if utc is not None:
            assert times == {utc}, (name, time)
        near += len(times) > 1
    assert near
    known = {name for name, _, utc in rows if utc is not None}
    assert len(known) > (300 if sql == OF_ROWS else 0)

    functions = ("", events_redshift.OTHERWISE)
    before = [as_written(database, sql, one) for one in functions]
    assert [rows_of(database, result.sql, one) for one in functions] == before
    assert before[0] != before[1]
