"""The period table against zoneinfo: every zone, every period from 1970 to 2038, both lines."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from tests import reference
from tzconv.tables import arrow, generate
from tzconv.tz import spans, zones
from tzconv.tz.spans import NO_OFFSET

PERIOD = 2**42
COUNT = 487
SHARES = 16
EPOCH = dt.datetime(1970, 1, 1)
MICROSECOND = dt.timedelta(microseconds=1)
END = reference.utc("2038-01-01")

Offset = Callable[[int], int]
"""The offset in seconds at a time in microseconds since 1970, by zoneinfo alone."""


def on_the_utc_line(zone: zoneinfo.ZoneInfo) -> Offset:
    def offset(time: int) -> int:
        moment = (EPOCH + time * MICROSECOND).replace(tzinfo=zone)
        found = zone.fromutc(moment).utcoffset()
        assert found is not None
        return found.days * 86_400 + found.seconds

    return offset


def on_the_local_line(zone: zoneinfo.ZoneInfo) -> Offset:
    """In a gap the offset before it, in a fold the one after: the smaller one each time."""

    def offset(time: int) -> int:
        moment = (EPOCH + time * MICROSECOND).replace(tzinfo=zone)
        both = [moment.replace(fold=fold).utcoffset() for fold in (0, 1)]
        return min(found.days * 86_400 + found.seconds for found in both if found is not None)

    return offset


def number_of_changes(offset: Offset, begin: int) -> int:
    """Looks every half hour."""
    shown = [offset(time) for time in range(begin, begin + PERIOD, 1_800_000_000)]
    return int(np.count_nonzero(np.diff(shown)))


@pytest.mark.by_turns(16)
@pytest.mark.parametrize("share", range(SHARES))
def test_every_period_of_every_zone(share: int) -> None:
    random = np.random.default_rng(2038 + share)
    rules = zones.installed()
    undecided = 0
    for name in rules.names[share::SHARES]:
        place = rules.names.index(name)
        table = spans.periods(rules.zone(name), place, END)
        numbers = range(place, COUNT * 512 + place, 512)
        assert table["zone_period"].tolist() == list(numbers), name
        zone = zoneinfo.ZoneInfo(name)
        inside = random.integers(0, PERIOD, COUNT).tolist()
        for offset, line, change in (
            (on_the_utc_line(zone), "utc", "changes_at_utc"),
            (on_the_local_line(zone), "local", "changes_at_time_zone"),
        ):
            unit = "microseconds" if line == "utc" else "local_microseconds"
            before, after = (
                [
                    one if one == NO_OFFSET else one / 10**6
                    for one in table[f"{unit}_{side}"].tolist()
                ]
                for side in ("before", "after")
            )
            changes = table[change].astype(np.int64).tolist()
            for period in range(COUNT):
                begin, at = period * PERIOD, changes[period]
                where = name, line, period
                if before[period] == NO_OFFSET:
                    assert (after[period], at) == (NO_OFFSET, NO_OFFSET), where
                    assert number_of_changes(offset, begin) > 1, where
                    undecided += 1
                    continue
                assert offset(begin) == before[period], where
                assert offset(begin + PERIOD - 1) == after[period], where
                if at == NO_OFFSET:
                    assert before[period] == after[period], where
                    assert offset(begin + inside[period]) == before[period], where
                    continue
                assert begin < at < begin + PERIOD, where
                assert before[period] != after[period], where
                assert offset(at - 1) == before[period], where
                assert offset(at) == after[period], where
                expected = after if begin + inside[period] >= at else before
                assert offset(begin + inside[period]) == expected[period], where
    assert undecided < 20


def test_zones_share_the_rows_of_their_history() -> None:
    """Each zone finds in the table what the test above finds in its own periods."""
    rules = zones.installed()
    by_key = {row["zone_period"]: row for row in generate.period(None).read_all().to_pylist()}
    assert len(by_key) == 306 * COUNT + 1
    unknown = by_key.pop(-1)
    assert {
        value for key, value in unknown.items() if key not in ("zone_period", "time_zone_name")
    } == {None}
    for row in generate.zone(None).read_all().to_pylist():
        name, number = row["time_zone_name"], row["rules_id"]
        own = spans.periods(rules.zone(name), number, END)
        found = [by_key[key] for key in own["zone_period"].tolist()]
        for column, values in own.items():
            shown = arrow.array_of(
                values, pa.timestamp("us") if column.startswith("changes") else pa.int64()
            )
            assert [one[column] for one in found] == shown.to_pylist(), (name, column)
