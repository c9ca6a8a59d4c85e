"""Sets of local times against zoneinfo: a UTC time is in the set when the zone's clock says so."""

from __future__ import annotations

import datetime as dt
import itertools
import re
import zoneinfo
from collections.abc import Callable

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from tests import reference
from tzconv.rewriter import local, rewrite
from tzconv.rewriter.local import Interval
from tzconv.tz import zones
from tzconv.tz.horizon import OFFSETS_UNTIL

EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)
EVERY_ZONE = zones.installed().names


def micro(moment: dt.datetime) -> int:
    return (moment - EPOCH) // MICROSECOND


moments = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2060, 1, 1))


@settings(max_examples=600, deadline=None, derandomize=True)
@given(name=st.sampled_from(EVERY_ZONE), near=moments, data=st.data())
def test_utc_times_are_those_whose_local_time_is_in_the_interval(
    name: str, near: dt.datetime, data: st.DataObject
) -> None:
    zone = zoneinfo.ZoneInfo(name)
    # around a change of the clock, where it is hard, more often than not
    begin = reference.seconds(near.replace(microsecond=0))
    changes = reference.changes(zone, begin, begin + 400 * reference.DAY, reference.DAY)
    if len(changes) > 1:
        near = reference.naive(data.draw(st.sampled_from(changes[1:]))[0])
    spread = st.integers(-4 * 86_400, 4 * 86_400)
    start = micro(near) + data.draw(spread) * 1_000_000
    end = start + data.draw(st.integers(1, 3 * 86_400)) * 1_000_000
    shown = data.draw(
        st.sampled_from([Interval(start, end), Interval(start, None), Interval(None, end)])
    )
    pieces = local.utc_times(zones.installed().zone(name), shown)
    assert all(
        one.end is not None and other.start is not None and one.end < other.start
        for one, other in itertools.pairwise(pieces)
    )
    edges = [edge for piece in pieces for edge in piece if edge is not None]
    tried = [edge + step for edge in [*edges, micro(near)] for step in (-1, 0, 1)]
    tried += [micro(near) + data.draw(spread) * 1_000_000 for _ in range(5)]
    for moment in tried:
        utc = EPOCH + moment * MICROSECOND
        wall = micro(utc.replace(tzinfo=dt.UTC).astimezone(zone).replace(tzinfo=None))
        expected = (shown.start is None or wall >= shown.start) and (
            shown.end is None or wall < shown.end
        )
        found = any(
            (piece.start is None or moment >= piece.start)
            and (piece.end is None or moment < piece.end)
            for piece in pieces
        )
        assert found == expected, (utc, shown)


TRUNCATED: dict[str, Callable[[dt.datetime], dt.datetime]] = {
    "microsecond": lambda t: t,
    "minute": lambda t: t.replace(second=0, microsecond=0),
    "hour": lambda t: t.replace(minute=0, second=0, microsecond=0),
    "day": lambda t: dt.datetime(t.year, t.month, t.day),
    "week": lambda t: dt.datetime(t.year, t.month, t.day) - dt.timedelta(days=t.weekday()),
    "month": lambda t: dt.datetime(t.year, t.month, 1),
    "quarter": lambda t: dt.datetime(t.year, (t.month - 1) // 3 * 3 + 1, 1),
    "year": lambda t: dt.datetime(t.year, 1, 1),
}
COMPARED: dict[type[exp.Expr], Callable[[dt.datetime, dt.datetime], bool]] = {
    exp.EQ: lambda a, b: a == b,
    exp.LT: lambda a, b: a < b,
    exp.LTE: lambda a, b: a <= b,
    exp.GT: lambda a, b: a > b,
    exp.GTE: lambda a, b: a >= b,
}


@settings(max_examples=600, deadline=None, derandomize=True)
@given(
    unit=st.sampled_from([*local.UNITS, "microsecond"]),
    operator=st.sampled_from(list(COMPARED)),
    value=moments,
    round_value=st.booleans(),
    steps=st.lists(st.integers(-800 * 86_400, 800 * 86_400), min_size=1, max_size=8),
)
def test_truncated_comparisons(
    unit: local.Unit,
    operator: type[exp.Expr],
    value: dt.datetime,
    round_value: bool,
    steps: list[int],
) -> None:
    if round_value:
        value = TRUNCATED[unit](value)
    found = local.interval(unit, operator, micro(value))
    tried = [value + dt.timedelta(seconds=step) for step in steps]
    tried += [value, value - MICROSECOND, value + MICROSECOND]
    for moment in tried:
        expected = COMPARED[operator](TRUNCATED[unit](moment), value)
        inside = (
            found is not None
            and (found.start is None or micro(moment) >= found.start)
            and (found.end is None or micro(moment) < found.end)
        )
        assert inside == expected, (unit, operator, value, moment)


def test_the_reference_reads_the_tzdata_package() -> None:
    assert zoneinfo.TZPATH == ()


@pytest.mark.parametrize(
    ("name", "shown", "expected"),
    [
        # 2009-11-01 in St John's began at 02:30Z, was left at 02:31Z and came back at 03:30Z.
        ("America/St_Johns", ("2009-11-01", "2009-11-02"), 2),
        ("Pacific/Apia", ("2011-12-30", "2011-12-31"), 0),
        ("America/New_York", ("2026-03-08", "2026-03-09"), 1),
        ("America/New_York", ("2026-11-01 01:15:00", "2026-11-01 01:45:00"), 2),
    ],
)
def test_named_days(name: str, shown: tuple[str, str], expected: int) -> None:
    start, end = (micro(dt.datetime.fromisoformat(text)) for text in shown)
    pieces = local.utc_times(zones.installed().zone(name), Interval(start, end))
    assert len(pieces) == expected


@pytest.mark.parametrize("unit", local.UNITS)
def test_edges_are_those_of_date_trunc(unit: local.Unit) -> None:
    """Of DuckDB, for times in each month of two centuries."""
    length = {"quarter": "3 months"}.get(unit, f"1 {unit}")
    with duckdb.connect() as database:
        rows = database.execute(
            f"SELECT epoch_us(t), epoch_us(date_trunc('{unit}', t)::timestamp), "
            f"epoch_us(date_trunc('{unit}', t)::timestamp + INTERVAL '{length}') "
            "FROM (SELECT TIMESTAMP '1899-12-31 23:59:59.999999' + to_months(n) AS t "
            "FROM range(2400) AS r (n))"
        ).fetchall()
    for value, floor, after in rows:
        assert local.edges(unit, value) == (floor, after)


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
@pytest.mark.parametrize("days", range(-4, 5))
def test_no_window_ends_after_the_tables(days: int, dialect: str) -> None:
    """With the day that a window of local times may need."""
    end = OFFSETS_UNTIL + dt.timedelta(days=days)
    begin = end - dt.timedelta(days=20)
    text = (
        "SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE zone FROM logs "
        f"WHERE ts >= '{begin}' AND ts < '{end}'"
    )
    result = rewrite(text, dialect=dialect, schema={"logs": {"ts": "timestamp", "zone": "text"}})
    assert result.changes
    found = re.findall(r"TIMESTAMP '([^']*)'", result.sql)
    read = [one for one in map(dt.datetime.fromisoformat, found) if one.year > 2000]
    assert bool(read) == (days <= -2)
    assert all(one.date() <= OFFSETS_UNTIL for one in read)
