"""What holds for the spans of every zone and every horizon."""

from __future__ import annotations

import datetime as dt
import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import DAY, HOUR
from tzconv import posix, spans, zones
from tzconv.errors import RulesError
from tzconv.horizon import seconds_of
from tzconv.posix import LocalType
from tzconv.spans import Columns

RULES = zones.installed()
DAYS = st.dates(dt.date(1850, 1, 1), dt.date(2150, 1, 1)).map(seconds_of)
HORIZONS = st.tuples(DAYS, st.integers(1, 500)).map(lambda h: (h[0], h[0] + h[1] * DAY))
NAMES = st.sampled_from(RULES.names)
MANY = settings(max_examples=1200, deadline=None, derandomize=True)


def seconds(values: npt.NDArray[np.datetime64]) -> npt.NDArray[np.int64]:
    return values.astype("M8[s]").astype(np.int64)


def joined(starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> bool:
    """Sorted, none of them empty, without holes and overlaps."""
    return bool(np.all(starts < ends) and np.array_equal(starts[1:], ends[:-1]))


@MANY
@given(name=NAMES, horizon=HORIZONS)
def test_daily(name: str, horizon: tuple[int, int]) -> None:
    start, end = horizon
    found = spans.daily_spans(RULES.zone(name), start, end)
    starts, ends = seconds(found["day_starts_at_utc"]), seconds(found["day_ends_before_utc"])
    assert joined(starts, ends)
    assert starts[0] <= start < ends[0]
    assert starts[-1] < end <= ends[-1]
    assert np.array_equal(seconds(found["day_ends_at_utc"]), ends - 1)
    days = found["day"].astype(np.int64)
    assert np.all(days[1:] != days[:-1]), "neighbours of one day are one span"
    # a zone without a change in those days has days of 24 hours that begin at its midnight
    changes, offsets = RULES.zone(name).timeline(end + 5 * DAY).offset_changes()
    if not np.any((changes > start - 5 * DAY) & (changes < end + 5 * DAY)):
        offset = offsets[np.searchsorted(changes, start, "right") - 1]
        assert np.array_equal(starts, days * DAY - offset)
        assert np.all(ends - starts == DAY)


@MANY
@given(name=NAMES, horizon=HORIZONS)
def test_hourly(name: str, horizon: tuple[int, int]) -> None:
    start, end = horizon
    batches = list(spans.hourly_spans(RULES.zone(name), start, end))
    check_hourly(batches, start, end)


def check_hourly(batches: list[Columns], start: int, end: int) -> None:
    found = {key: np.concatenate([batch[key] for batch in batches]) for key in batches[0]}
    starts, ends = seconds(found["starts_at_utc"]), seconds(found["ends_before_utc"])
    assert joined(starts, ends)
    assert (starts[0], ends[-1]) == (start, end)
    offset = found["utc_offset_seconds"].astype(np.int64)
    assert np.array_equal(seconds(found["hour_at_utc"]), starts // HOUR * HOUR)
    for moment in (starts, ends - 1):  # first and last second lie in the same hours and day
        assert np.array_equal(moment // HOUR, starts // HOUR)
        local = moment + offset
        assert np.array_equal(local // HOUR * HOUR, seconds(found["hour_at_time_zone"]))
        assert np.array_equal(local // DAY, found["day"].astype(np.int64))
    splits = (
        (np.diff(starts // HOUR) != 0)
        | (np.diff((starts + offset) // HOUR) != 0)
        | (np.diff(offset) != 0)
    )
    assert np.all(splits), "no row is split without need"


def test_hourly_batches_are_bounded_and_join() -> None:
    start, end = seconds_of(dt.date(1900, 1, 1)), seconds_of(dt.date(2100, 1, 1))
    batches = list(spans.hourly_spans(RULES.zone("Australia/Adelaide"), start, end))
    assert len(batches) > 5
    assert max(len(batch["day"]) for batch in batches) < 1_000_000
    check_hourly(batches, start, end)


@MANY
@given(name=NAMES, end=DAYS)
def test_offset(name: str, end: int) -> None:
    found = spans.offset_spans(RULES.zone(name), end)
    starts, ends = seconds(found["starts_at_utc"]), seconds(found["ends_before_utc"])
    assert joined(starts, ends)
    assert (starts[0], ends[-1]) == (zones.BEGINNING, end)
    local_starts = seconds(found["starts_at_time_zone"])
    local_ends = seconds(found["ends_before_time_zone"])
    assert joined(local_starts, local_ends)
    offset = found["utc_offset_seconds"].astype(np.int64)
    assert np.array_equal(local_starts[1:], (starts + offset)[1:])
    # the last share ends where the rules say that another one may begin, or at the horizon
    assert local_ends[-1] <= ends[-1] + max(offset[-1], local_ends[-1] - ends[-1])
    kinds = list(zip(offset, found["abbreviation"], found["is_dst"], strict=True))
    assert all(one != other for one, other in itertools.pairwise(kinds))


@MANY
@given(name=NAMES, horizon=HORIZONS)
def test_utc_day_agrees_with_hourly(name: str, horizon: tuple[int, int]) -> None:
    start, end = horizon
    zone = RULES.zone(name)
    found = spans.utc_days(zone, start, end)
    assert np.array_equal(found["utc_day"].astype(np.int64), np.arange(start, end, DAY) // DAY)
    hours = list(spans.hourly_spans(zone, start, end))
    moments = np.concatenate([seconds(batch["starts_at_utc"]) for batch in hours])
    expected = np.concatenate([batch["utc_offset_seconds"] for batch in hours])
    row = (moments - start) // DAY
    changes = found["changes_at_utc"][row]
    changed = ~np.isnat(changes) & (moments >= seconds(changes))
    offset = np.where(
        changed, found["utc_offset_seconds_after"][row], found["utc_offset_seconds"][row]
    )
    assert np.array_equal(offset, expected)


def test_two_changes_in_a_utc_day_fail_loudly() -> None:
    noon = seconds_of(dt.date(2020, 5, 5)) + 12 * HOUR
    zone = zones.Zone(
        "Test/Twice",
        np.array([zones.BEGINNING, noon, noon + HOUR]),
        np.array([0, 1, 0]),
        (LocalType(0, False, "AAA"), LocalType(3600, True, "BBB")),
        posix.parse("AAA0"),
    )
    with pytest.raises(RulesError, match=r"Test/Twice .* more than once on the UTC day 2020-05-05"):
        spans.utc_days(zone, noon - 12 * HOUR, noon + 12 * HOUR)


def test_a_fold_beyond_the_horizon_is_not_given_to_the_last_span() -> None:
    """The horizon ends half an hour before New York's clock goes back at 2026-11-01 06:00Z."""
    end = seconds_of(dt.date(2026, 11, 1)) + 5 * HOUR + 1800
    found = spans.offset_spans(RULES.zone("America/New_York"), end)
    # 01:00 local comes twice, and belongs to the span after the change
    assert str(found["ends_before_time_zone"][-1]) == "2026-11-01T01:00:00.000000"
