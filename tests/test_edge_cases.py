"""Days and hours that hand-made tables get wrong, written down as they were."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference import DAY, utc
from tzconv import spans, zones


def hours(zone: str, start: str, end: str) -> list[tuple[str, str, str, str, int]]:
    """Start, end, local hour, local day and offset in minutes of each hourly row."""
    rows = []
    for batch in spans.hourly_spans(zones.installed().zone(zone), utc(start), utc(end)):
        for index in range(len(batch["day"])):
            rows.append(
                (
                    clock(batch["starts_at_utc"][index]),
                    clock(batch["ends_before_utc"][index]),
                    clock(batch["hour_at_time_zone"][index]),
                    str(batch["day"][index]),
                    int(batch["utc_offset_seconds"][index]) // 60,
                )
            )
    return rows


def days(zone: str, start: str, end: str) -> list[tuple[str, str, str]]:
    """Local day, its first instant and its last whole second."""
    table = spans.daily_spans(zones.installed().zone(zone), utc(start), utc(end))
    return [
        (str(day), text(first), text(last))
        for day, first, last in zip(
            table["day"], table["day_starts_at_utc"], table["day_ends_at_utc"], strict=True
        )
    ]


def day(zone: str, wanted: str) -> list[tuple[str, str]]:
    found = days(zone, wanted, str(np.datetime64(wanted) + 1))
    return [(first, last) for name, first, last in found if name == wanted]


def clock(value: np.datetime64) -> str:
    return str(value.astype("M8[m]"))[-5:]


def text(value: np.datetime64) -> str:
    return str(value.astype("M8[s]")).replace("T", " ")


@pytest.mark.parametrize(
    ("zone", "first", "last"),
    [
        ("Africa/Nairobi", "2017-07-27 21:00:00", "2017-07-28 20:59:59"),
        ("America/Bogota", "2017-07-28 05:00:00", "2017-07-29 04:59:59"),
        ("America/Mexico_City", "2017-07-28 05:00:00", "2017-07-29 04:59:59"),
        ("America/Sao_Paulo", "2017-07-28 03:00:00", "2017-07-29 02:59:59"),
        ("Asia/Bangkok", "2017-07-27 17:00:00", "2017-07-28 16:59:59"),
    ],
)
def test_the_published_daily_rows(zone: str, first: str, last: str) -> None:
    assert day(zone, "2017-07-28") == [(first, last)]


@pytest.mark.parametrize(
    ("zone", "local", "day"),
    [
        ("Pacific/Auckland", "2017-07-28 12:00:00", "2017-07-28"),
        ("US/Central", "2017-07-27 19:00:00", "2017-07-27"),
        ("US/Eastern", "2017-07-27 20:00:00", "2017-07-27"),
        ("US/Mountain", "2017-07-27 18:00:00", "2017-07-27"),
        ("US/Pacific", "2017-07-27 17:00:00", "2017-07-27"),
    ],
)
def test_the_published_hourly_rows(zone: str, local: str, day: str) -> None:
    start = utc("2017-07-28 00:00:00")
    table = next(spans.hourly_spans(zones.installed().zone(zone), start, start + DAY))
    assert text(table["hour_at_utc"][0]) == "2017-07-28 00:00:00"
    assert text(table["hour_at_time_zone"][0]) == local
    assert str(table["day"][0]) == day


def test_kolkata_splits_every_hour() -> None:
    assert hours("Asia/Kolkata", "2026-01-01 18:00:00", "2026-01-01 19:00:00") == [
        ("18:00", "18:30", "23:00", "2026-01-01", 330),
        ("18:30", "19:00", "00:00", "2026-01-02", 330),
    ]
    assert day("Asia/Kolkata", "2026-01-02") == [("2026-01-01 18:30:00", "2026-01-02 18:29:59")]


def test_kathmandu_is_a_quarter_off() -> None:
    assert hours("Asia/Kathmandu", "2026-01-01 18:00:00", "2026-01-01 19:00:00") == [
        ("18:00", "18:15", "23:00", "2026-01-01", 345),
        ("18:15", "19:00", "00:00", "2026-01-02", 345),
    ]
    assert day("Asia/Kathmandu", "2026-01-02") == [("2026-01-01 18:15:00", "2026-01-02 18:14:59")]


def test_adelaide_changes_inside_a_utc_hour() -> None:
    # to daylight saving at 02:00 local, 16:30Z; back at 03:00 local, 16:30Z
    assert hours("Australia/Adelaide", "2025-10-04 16:00:00", "2025-10-04 17:00:00") == [
        ("16:00", "16:30", "01:00", "2025-10-05", 570),
        ("16:30", "17:00", "03:00", "2025-10-05", 630),
    ]
    assert hours("Australia/Adelaide", "2026-04-04 16:00:00", "2026-04-04 17:00:00") == [
        ("16:00", "16:30", "02:00", "2026-04-05", 630),
        ("16:30", "17:00", "02:00", "2026-04-05", 570),
    ]


def test_st_johns_changes_inside_a_utc_hour() -> None:
    # to daylight saving at 02:00 local, 05:30Z
    assert hours("America/St_Johns", "2026-03-08 05:00:00", "2026-03-08 06:00:00") == [
        ("05:00", "05:30", "01:00", "2026-03-08", -210),
        ("05:30", "06:00", "03:00", "2026-03-08", -150),
    ]


def test_lord_howe_moves_by_half_an_hour() -> None:
    # forward at 02:00 local (10:30), 15:30Z; back at 02:00 local (11:00), 15:00Z
    assert hours("Australia/Lord_Howe", "2025-10-04 15:00:00", "2025-10-04 16:00:00") == [
        ("15:00", "15:30", "01:00", "2025-10-05", 630),
        ("15:30", "16:00", "02:00", "2025-10-05", 660),
    ]
    assert hours("Australia/Lord_Howe", "2026-04-04 14:00:00", "2026-04-04 16:00:00") == [
        ("14:00", "15:00", "01:00", "2026-04-05", 660),
        ("15:00", "15:30", "01:00", "2026-04-05", 630),
        ("15:30", "16:00", "02:00", "2026-04-05", 630),
    ]


def test_casey_changes_a_minute_after_the_hour() -> None:
    assert hours("Antarctica/Casey", "2020-10-03 16:00:00", "2020-10-03 17:00:00") == [
        ("16:00", "16:01", "00:00", "2020-10-04", 480),
        ("16:01", "17:00", "03:00", "2020-10-04", 660),
    ]


def test_apia_has_no_30_december_2011() -> None:
    found = days("Pacific/Apia", "2011-12-29", "2012-01-01")
    assert [name for name, _, _ in found] == [
        "2011-12-28",
        "2011-12-29",
        "2011-12-31",
        "2012-01-01",
    ]
    assert ("2011-12-29", "2011-12-29 10:00:00", "2011-12-30 09:59:59") in found
    assert ("2011-12-31", "2011-12-30 10:00:00", "2011-12-31 09:59:59") in found


def test_st_johns_day_in_two_pieces() -> None:
    # at 00:01 local the clock went back to 23:01 of the day before
    assert day("America/St_Johns", "2009-11-01") == [
        ("2009-11-01 02:30:00", "2009-11-01 02:30:59"),
        ("2009-11-01 03:30:00", "2009-11-02 03:29:59"),
    ]


def test_days_that_do_not_begin_at_midnight() -> None:
    # the clock jumped from 00:00 to 01:00, so the day has 23 hours and begins at 01:00
    assert day("America/Sao_Paulo", "2017-10-15") == [
        ("2017-10-15 03:00:00", "2017-10-16 01:59:59")
    ]
    assert hours("America/Sao_Paulo", "2017-10-15 03:00:00", "2017-10-15 04:00:00") == [
        ("03:00", "04:00", "01:00", "2017-10-15", -120)
    ]
    assert day("America/Havana", "2017-03-12") == [("2017-03-12 05:00:00", "2017-03-13 03:59:59")]


def test_the_last_hour_of_sao_paulos_summer_comes_twice() -> None:
    # at 00:00 of 18 February 2018 the clock went back to 23:00: 17 February had 25 hours
    assert day("America/Sao_Paulo", "2018-02-17") == [
        ("2018-02-17 02:00:00", "2018-02-18 02:59:59")
    ]


def test_troll_jumps_by_two_hours() -> None:
    assert hours("Antarctica/Troll", "2026-03-29 00:00:00", "2026-03-29 02:00:00") == [
        ("00:00", "01:00", "00:00", "2026-03-29", 0),
        ("01:00", "02:00", "03:00", "2026-03-29", 120),
    ]
    assert day("Antarctica/Troll", "2026-03-29") == [("2026-03-29 00:00:00", "2026-03-29 21:59:59")]


def test_monrovia_was_off_by_seconds() -> None:
    # -0:44:30 until 7 January 1972
    assert day("Africa/Monrovia", "1972-01-06") == [("1972-01-06 00:44:30", "1972-01-07 00:44:29")]
    assert day("Africa/Monrovia", "1972-01-08") == [("1972-01-08 00:00:00", "1972-01-08 23:59:59")]
    table = spans.utc_days(
        zones.installed().zone("Africa/Monrovia"), utc("1972-01-06"), utc("1972-01-09")
    )
    assert table["utc_offset_seconds"].tolist() == [-2670, -2670, 0]
    assert table["utc_offset_seconds_after"].tolist() == [-2670, 0, 0]
    assert [str(change) for change in table["changes_at_utc"]] == [
        "NaT",
        "1972-01-07T00:44:30.000000",
        "NaT",
    ]


@pytest.mark.parametrize(
    ("zone", "instant", "offset", "abbreviation", "is_dst"),
    [
        ("Europe/Dublin", "2026-01-15", 0, "GMT", None),
        ("Europe/Dublin", "2026-07-15", 3600, "IST", None),
        ("Africa/Casablanca", "2026-01-15", 3600, "+01", None),
        ("Africa/Casablanca", "2026-03-01", 0, "+00", None),  # in Ramadan
        ("America/New_York", "2026-07-15", -14400, "EDT", True),
        ("America/New_York", "1800-01-01", -17762, "LMT", False),
        ("Asia/Kolkata", "2026-07-15", 19800, "IST", False),
        ("Asia/Tehran", "2036-07-15", 12600, "+0330", False),
    ],
)
def test_names_and_offsets(
    zone: str, instant: str, offset: int, abbreviation: str, is_dst: bool | None
) -> None:
    table = spans.offset_spans(zones.installed().zone(zone), utc("2038-01-01"))
    at = int(np.searchsorted(table["starts_at_utc"], np.datetime64(instant, "us"), "right")) - 1
    assert table["utc_offset_seconds"][at] == offset
    assert table["abbreviation"][at] == abbreviation
    # whether Dublin's and Casablanca's winter counts as daylight saving is a matter of the release
    assert is_dst is None or table["is_dst"][at] == is_dst


@pytest.mark.parametrize(
    ("zone", "local", "expected"),
    [
        # a gap belongs to the span before it, a fold to the span after it
        ("America/New_York", "2017-03-12 01:59:59", "2017-03-12 06:59:59"),
        ("America/New_York", "2017-03-12 02:30:00", "2017-03-12 07:30:00"),
        ("America/New_York", "2017-03-12 03:00:00", "2017-03-12 07:00:00"),
        ("America/New_York", "2017-11-05 00:59:59", "2017-11-05 04:59:59"),
        ("America/New_York", "2017-11-05 01:30:00", "2017-11-05 06:30:00"),
        ("Australia/Lord_Howe", "2025-10-05 02:15:00", "2025-10-04 15:45:00"),
        ("Australia/Lord_Howe", "2026-04-05 01:45:00", "2026-04-04 15:15:00"),
        ("Antarctica/Troll", "2026-03-29 02:00:00", "2026-03-29 02:00:00"),
        ("Pacific/Apia", "2011-12-30 12:00:00", "2011-12-30 22:00:00"),
        ("Asia/Kolkata", "1800-01-01 00:00:00", "1799-12-31 18:06:32"),
    ],
)
def test_local_to_utc(zone: str, local: str, expected: str) -> None:
    table = spans.offset_spans(zones.installed().zone(zone), utc("2038-01-01"))
    share = np.datetime64(local, "us")
    at = np.flatnonzero(
        (table["starts_at_time_zone"] <= share) & (share < table["ends_before_time_zone"])
    )
    assert len(at) == 1
    offset = np.timedelta64(int(table["utc_offset_seconds"][at[0]]), "s")
    assert text(share - offset) == expected
