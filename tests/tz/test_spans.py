"""What holds for the spans of every zone and every horizon."""

from __future__ import annotations

import datetime as dt
import itertools

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import DAY, HOUR
from tzconv.tz import posix, spans, zones
from tzconv.tz.horizon import seconds_of
from tzconv.tz.posix import LocalType
from tzconv.tz.spans import Columns

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


def test_two_changes_in_a_period_leave_it_to_the_function() -> None:
    """On the UTC line and on the local one, each by itself."""
    begin = (1 << 42) * 250 // 10**6 + 1
    zone = zones.Zone(
        "Test/Twice",
        np.array([zones.BEGINNING, begin + DAY, begin + 2 * DAY]),
        np.array([0, 1, 0]),
        (LocalType(0, False, "AAA"), LocalType(3600, True, "BBB")),
        posix.parse("AAA0"),
    )
    found = spans.periods(zone, 7, seconds_of(dt.date(2038, 1, 1)))
    offsets = [name for name in found if "microseconds" in name]
    assert len(offsets) == 4
    for name in offsets:
        assert np.flatnonzero(found[name] == spans.NO_OFFSET).tolist() == [250]
        assert np.count_nonzero(found[name]) == 1
    for name in ("changes_at_utc", "changes_at_time_zone"):
        assert np.isnat(found[name]).all()


def test_a_change_at_the_start_of_a_period_is_no_change_inside_it() -> None:
    """The one start that is a whole second, 1970 itself."""
    zone = zones.Zone(
        "Test/Epoch",
        np.array([zones.BEGINNING, 0]),
        np.array([0, 1]),
        (LocalType(0, False, "AAA"), LocalType(3600, True, "BBB")),
        posix.parse("BBB-1"),
    )
    found = spans.periods(zone, 7, seconds_of(dt.date(2038, 1, 1)))
    assert np.isnat(found["changes_at_utc"]).all()
    assert set(found["microseconds_before"].tolist()) == {3600 * 10**6}
    # the local line skips the hour after midnight, which belongs to the time before
    assert found["local_microseconds_before"][:2].tolist() == [0, 3600 * 10**6]
    assert str(found["changes_at_time_zone"][0]) == "1970-01-01T01:00:00.000000"


def test_periods_are_decided_by_the_rules_before_the_end() -> None:
    """A refresh reads rules back from the offset table, and must find the same periods."""
    for name in RULES.names[::7]:
        for end in (seconds_of(dt.date(2038, 1, 1)), seconds_of(dt.date(2040, 3, 31))):
            zone = RULES.zone(name)
            starts, offsets = zone.timeline(end).offset_changes()
            types = tuple(LocalType(int(offset), False, str(offset)) for offset in offsets)
            later = LocalType(-12_345, False, "ZZZ")  # other rules from the end on
            other = zones.Zone(
                name,
                np.append(starts, end),
                np.arange(len(starts) + 1),
                (*types, later),
                posix.PosixRule(later),
            )
            one, two = (spans.periods(of, 3, end) for of in (zone, other))
            assert all(np.array_equal(one[key], two[key], equal_nan=True) for key in one), name
            assert len(one["zone_period"]) == (end - 2 * DAY) * 10**6 // 2**42


def test_a_fold_beyond_the_horizon_is_not_given_to_the_last_span() -> None:
    """The horizon ends half an hour before New York's clock goes back at 2026-11-01 06:00Z."""
    end = seconds_of(dt.date(2026, 11, 1)) + 5 * HOUR + 1800
    found = spans.offset_spans(RULES.zone("America/New_York"), end)
    # 01:00 local comes twice, and belongs to the span after the change
    assert str(found["ends_before_time_zone"][-1]) == "2026-11-01T01:00:00.000000"
