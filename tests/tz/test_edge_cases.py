"""Days and hours that hand-made tables get wrong, written down as they were."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference import DAY, utc
from tzconv.tz import spans, zones


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
    found = days(zone, wanted, str(np.datetime64(wanted) + np.timedelta64(1, "D")))
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
    assert changes("Africa/Monrovia", "1970-01-01", "2038-01-01") == [
        ("1972-01-07 00:44:30", -2670, 0)
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


def test_kathmandu_was_half_an_hour_off_until_1986() -> None:
    # +05:30 until the midnight of 1 January 1986, which the clock skipped: 00:00 became 00:15
    assert hours("Asia/Kathmandu", "1985-12-31 18:00:00", "1985-12-31 19:00:00") == [
        ("18:00", "18:30", "23:00", "1985-12-31", 330),
        ("18:30", "19:00", "00:00", "1986-01-01", 345),
    ]
    assert day("Asia/Kathmandu", "1986-01-01") == [("1985-12-31 18:30:00", "1986-01-01 18:14:59")]


def test_kolkata_has_48_hourly_rows_a_utc_day() -> None:
    rows = hours("Asia/Kolkata", "2026-01-01", "2026-01-02")
    assert len(rows) == 48
    assert [row[3] for row in rows].count("2026-01-01") == 37  # 18.5 hours in 18 whole and a half
    assert rows[0] == ("00:00", "00:30", "05:00", "2026-01-01", 330)
    assert rows[-1] == ("23:30", "00:00", "05:00", "2026-01-02", 330)


def test_a_whole_hour_zone_has_one_row_an_hour() -> None:
    rows = hours("US/Central", "2017-07-28", "2017-07-29")
    assert len(rows) == 24
    assert rows[0] == ("00:00", "01:00", "19:00", "2017-07-27", -300)
    assert rows[5] == ("05:00", "06:00", "00:00", "2017-07-28", -300)


def test_st_johns_went_back_to_the_day_before() -> None:
    # 00:01 of 1 November 2009 (-02:30) became 23:01 of 31 October (-03:30) at 02:31Z
    assert hours("America/St_Johns", "2009-11-01 02:00:00", "2009-11-01 04:00:00") == [
        ("02:00", "02:30", "23:00", "2009-10-31", -150),
        ("02:30", "02:31", "00:00", "2009-11-01", -150),
        ("02:31", "03:00", "23:00", "2009-10-31", -210),
        ("03:00", "03:30", "23:00", "2009-10-31", -210),
        ("03:30", "04:00", "00:00", "2009-11-01", -210),
    ]
    assert days("America/St_Johns", "2009-10-31 12:00:00", "2009-11-01 12:00:00") == [
        ("2009-10-31", "2009-10-31 02:30:00", "2009-11-01 02:29:59"),
        ("2009-11-01", "2009-11-01 02:30:00", "2009-11-01 02:30:59"),
        ("2009-10-31", "2009-11-01 02:31:00", "2009-11-01 03:29:59"),
        ("2009-11-01", "2009-11-01 03:30:00", "2009-11-02 03:29:59"),
    ]


def test_st_johns_goes_back_inside_a_utc_hour() -> None:
    # from daylight saving at 02:00 local (-02:30), 04:30Z, to 01:00
    assert hours("America/St_Johns", "2026-11-01 04:00:00", "2026-11-01 05:00:00") == [
        ("04:00", "04:30", "01:00", "2026-11-01", -150),
        ("04:30", "05:00", "01:00", "2026-11-01", -210),
    ]


def test_casey_days_of_21_and_of_27_hours() -> None:
    # 4 October 2020 had its first minute at +08, and went on at 03:01 at +11
    assert day("Antarctica/Casey", "2020-10-04") == [("2020-10-03 16:00:00", "2020-10-04 12:59:59")]
    # at midnight of 14 March 2021 (+11), 13:00Z, it was 21:00 of the 13th once more (+08)
    assert hours("Antarctica/Casey", "2021-03-13 12:00:00", "2021-03-13 14:00:00") == [
        ("12:00", "13:00", "23:00", "2021-03-13", 660),
        ("13:00", "14:00", "21:00", "2021-03-13", 480),
    ]
    assert day("Antarctica/Casey", "2021-03-13") == [("2021-03-12 13:00:00", "2021-03-13 15:59:59")]


def test_apia_jumped_over_the_date_line() -> None:
    # from -10 to +14 at midnight, 10:00Z: the clock went on by a whole day
    assert hours("Pacific/Apia", "2011-12-30 09:00:00", "2011-12-30 11:00:00") == [
        ("09:00", "10:00", "23:00", "2011-12-29", -600),
        ("10:00", "11:00", "00:00", "2011-12-31", 840),
    ]
    assert day("Pacific/Apia", "2011-12-30") == []


def test_troll_goes_back_by_two_hours() -> None:
    # 03:00 of 25 October 2026 (+02) becomes 01:00 (+00) at 01:00Z: the day has 26 hours
    assert hours("Antarctica/Troll", "2026-10-25 00:00:00", "2026-10-25 02:00:00") == [
        ("00:00", "01:00", "02:00", "2026-10-25", 120),
        ("01:00", "02:00", "01:00", "2026-10-25", 0),
    ]
    assert day("Antarctica/Troll", "2026-10-25") == [("2026-10-24 22:00:00", "2026-10-25 23:59:59")]


def test_havana_repeats_the_first_hour_of_a_day() -> None:
    # 01:00 of 5 November 2017 (-04) became 00:00 (-05) at 05:00Z: a day of 25 hours, in one piece
    assert day("America/Havana", "2017-11-05") == [("2017-11-05 04:00:00", "2017-11-06 04:59:59")]
    assert hours("America/Havana", "2017-11-05 04:00:00", "2017-11-05 06:00:00") == [
        ("04:00", "05:00", "00:00", "2017-11-05", -240),
        ("05:00", "06:00", "00:00", "2017-11-05", -300),
    ]


def test_monrovia_hours_are_cut_at_the_second() -> None:
    table = next(
        spans.hourly_spans(
            zones.installed().zone("Africa/Monrovia"), utc("1972-01-06"), utc("1972-01-08")
        )
    )
    rows = [
        (text(first), text(last), text(hour), int(offset))
        for first, last, hour, offset in zip(
            table["starts_at_utc"],
            table["ends_before_utc"],
            table["hour_at_time_zone"],
            table["utc_offset_seconds"],
            strict=True,
        )
    ]
    assert rows[:2] == [
        ("1972-01-06 00:00:00", "1972-01-06 00:44:30", "1972-01-05 23:00:00", -2670),
        ("1972-01-06 00:44:30", "1972-01-06 01:00:00", "1972-01-06 00:00:00", -2670),
    ]
    # midnight of 7 January by the old clock, which then showed 00:44:30
    assert rows[48:51] == [
        ("1972-01-07 00:00:00", "1972-01-07 00:44:30", "1972-01-06 23:00:00", -2670),
        ("1972-01-07 00:44:30", "1972-01-07 01:00:00", "1972-01-07 00:00:00", 0),
        ("1972-01-07 01:00:00", "1972-01-07 02:00:00", "1972-01-07 01:00:00", 0),
    ]


def test_casablanca_goes_back_for_ramadan() -> None:
    # +01 all year but in Ramadan: from 23 February to 6 April 2025, at 02:00Z both times
    assert changes("Africa/Casablanca", "2025-01-01", "2026-01-01") == [
        ("2025-02-23 02:00:00", 3600, 0),
        ("2025-04-06 02:00:00", 0, 3600),
    ]


def test_dublin_changes_with_europe() -> None:
    # summer is Ireland's standard time, and the winter an hour less: the hours are as in London
    for name in ("Europe/Dublin", "Europe/London"):
        assert changes(name, "2026-01-01", "2027-01-01") == [
            ("2026-03-29 01:00:00", 0, 3600),
            ("2026-10-25 01:00:00", 3600, 0),
        ]


def changes(name: str, first: str, last: str) -> list[tuple[str, int, int]]:
    """The changes that the periods of a zone have, with the offsets before and after."""
    table = spans.periods(zones.installed().zone(name), 0, utc("2038-01-01"))
    columns = (
        table[key] for key in ("changes_at_utc", "microseconds_before", "microseconds_after")
    )
    return [
        (text(change), int(before) // 10**6, int(after) // 10**6)
        for change, before, after in zip(*columns, strict=True)
        if not np.isnat(change) and first <= text(change) < last
    ]
