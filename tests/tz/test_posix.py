"""POSIX TZ strings against zoneinfo and the calendar of the standard library."""

from __future__ import annotations

import calendar
import datetime as dt
import io
import zoneinfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reference
from tests.reference import DAY, HOUR, MINUTE, State, seconds, utc
from tests.releases import tzif
from tzconv.tz import posix, zones
from tzconv.tz.posix import LocalType, PosixRule

FIRST, LAST = 2040, 2100
BEGIN, END = utc(f"{FIRST}-01-01"), utc(f"{LAST + 1}-01-01")
YEARS = np.arange(FIRST, LAST + 1)


def footer_of(name: str) -> str:
    """The last line of the file, which is all that is needed to tell footers apart."""
    return reference.bytes_of(name).decode("latin-1").splitlines()[-1]


ZONE_BY_FOOTER = {footer_of(name): name for name in reversed(reference.NAMES)}


def found_changes(rule: PosixRule) -> list[tuple[int, State]]:
    """The changes of 2040 to 2100 as the rule gives them, in order."""
    kinds: dict[int, LocalType] = {}
    for instants, kind in rule.transitions(FIRST - 1, LAST + 1):
        kinds |= {int(instant): kind for instant in instants if BEGIN < instant < END}
    return [
        (instant, State(kind.utc_offset, kind.abbreviation, kind.is_dst))
        for instant, kind in sorted(kinds.items())
    ]


def at_first_of_january(days: int, year: int) -> int:
    return seconds(dt.datetime(year, 1, 1)) + days * DAY


def test_the_release_has_many_footers() -> None:
    """Otherwise the next test would prove little."""
    assert len(ZONE_BY_FOOTER) > 50
    assert "EST5EDT,M3.2.0,M11.1.0" in ZONE_BY_FOOTER


@pytest.mark.parametrize("footer", sorted(ZONE_BY_FOOTER))
def test_every_footer_of_the_release(footer: str) -> None:
    """All changes of 2040 to 2100 are those of the zone itself, to the second."""
    zone = zoneinfo.ZoneInfo(ZONE_BY_FOOTER[footer])
    # Morocco and Gaza list transitions beyond 2040: the footer rules only what comes after
    listed = zones.installed().zone(ZONE_BY_FOOTER[footer]).starts[-1]
    expected = reference.changes(zone, BEGIN, END, DAY)[1:]
    rule = posix.parse(footer)
    found = found_changes(rule)
    assert [change for change in found if change[0] > listed] == [
        change for change in expected if change[0] > listed
    ]
    if rule.dst is None:
        last = State(rule.std.utc_offset, rule.std.abbreviation, rule.std.is_dst)
        assert last == reference.state_at(zone, END - 1)
    else:
        assert len(found) > len(YEARS), "a rule with daylight saving says something every year"


def test_days_counted_from_zero() -> None:
    """``n``: 29 February counts. zoneinfo is a day early with this form, the calendar is not."""
    for day in range(366):
        rule = posix.parse(f"AAA0BBB,{day}/0,J1")
        assert rule.dst_starts is not None
        expected = [at_first_of_january(day, int(year)) for year in YEARS]
        assert rule.dst_starts.at(YEARS).tolist() == expected, day


def test_days_counted_from_one() -> None:
    """``Jn``: 29 February never counts, so J60 is 1 March of every year."""
    common = dt.date(2019, 1, 1)
    for day in range(1, 366):
        rule = posix.parse(f"AAA0BBB,J{day}/0,J1")
        assert rule.dst_starts is not None
        wanted = common + dt.timedelta(days=day - 1)
        expected = [
            seconds(dt.datetime(int(year), wanted.month, wanted.day)) for year in YEARS.tolist()
        ]
        assert rule.dst_starts.at(YEARS).tolist() == expected, day


def test_weekdays_of_a_month() -> None:
    """``Mm.w.d``: the w-th such weekday, the last one where w is 5."""
    for month in range(1, 13):
        for weekday in range(7):
            dates = [
                [
                    day
                    for day in range(1, calendar.monthrange(year, month)[1] + 1)
                    if dt.date(year, month, day).isoweekday() % 7 == weekday
                ]
                for year in YEARS.tolist()
            ]
            for week in range(1, 6):
                rule = posix.parse(f"AAA0BBB,M{month}.{week}.{weekday}/0,J1")
                assert rule.dst_starts is not None
                expected = [
                    seconds(dt.datetime(year, month, days[week - 1 if week < 5 else -1]))
                    for year, days in zip(YEARS.tolist(), dates, strict=True)
                ]
                assert rule.dst_starts.at(YEARS).tolist() == expected, (month, week, weekday)


def written(amount: int) -> str:
    """Seconds as the shortest of h, h:mm and h:mm:ss."""
    hours, rest = divmod(abs(amount), HOUR)
    text = str(hours)
    if rest:
        text += f":{rest // MINUTE:02d}"
    if rest % MINUTE:
        text += f":{rest % MINUTE:02d}"
    return "-" + text if amount < 0 else text


WEEK = 167 * HOUR
TIMES = st.one_of(st.integers(-167, 167).map(lambda hours: hours * HOUR), st.integers(-WEEK, WEEK))
# Away from both ends of the year: zoneinfo looks at the changes of one year only.
SPRING = st.one_of(
    # J59 is always 28 February; zoneinfo takes it for 29 February in a leap year
    st.integers(20, 150).filter(lambda day: day != 59).map("J{}".format),
    st.builds("M{}.{}.{}".format, st.integers(2, 5), st.integers(1, 5), st.integers(0, 6)),
)
AUTUMN = st.one_of(
    st.integers(190, 340).map("J{}".format),
    st.builds("M{}.{}.{}".format, st.integers(7, 11), st.integers(1, 5), st.integers(0, 6)),
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    std=st.integers(-14 * HOUR, 14 * HOUR),
    shift=st.integers(-2 * HOUR, 2 * HOUR).filter(bool),
    dates=st.tuples(SPRING, TIMES, AUTUMN, TIMES),
    southern=st.booleans(),
)
def test_any_footer_against_zoneinfo(
    std: int, shift: int, dates: tuple[str, int, str, int], southern: bool
) -> None:
    """J and M dates, times to the second from -167 to 167 hours, daylight saving either way."""
    spring, spring_time, autumn, autumn_time = dates
    halves = [f"{spring}/{written(spring_time)}", f"{autumn}/{written(autumn_time)}"]
    if southern:
        halves.reverse()
    footer = f"<+AA>{written(-std)}<-BB>{written(-std - shift)},{halves[0]},{halves[1]}"
    data = tzif([0], [1], [(0, 0, "LMT"), (std, 0, "+AA")], footer)
    zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(data))
    expected = reference.changes(zone, BEGIN, END, 5 * DAY)
    assert len(expected) == 1 + 2 * len(YEARS)
    assert found_changes(posix.parse(footer)) == expected[1:]
    timeline = zones.read_tzif("Test/Footer", data).timeline(END)
    later = timeline.starts > BEGIN
    assert timeline.starts[later].tolist() == [instant for instant, _ in expected[1:]]
    assert timeline.offsets[later].tolist() == [state.offset for _, state in expected[1:]]


def test_a_change_that_falls_into_the_next_year() -> None:
    # 48 hours after the midnight of 31 December, on a clock an hour ahead
    rule = posix.parse("AAA0BBB,J100/0,J365/48")
    (ends, std), (starts, dst) = rule.transitions(2040, 2040)
    assert (ends.tolist(), std.abbreviation) == ([utc("2041-01-01 23:00:00")], "AAA")
    assert (starts.tolist(), dst.abbreviation) == ([utc("2040-04-10")], "BBB")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # east is negative in these strings, and an hour more is meant where dst has no offset
        ("UTC0", (0, "UTC", None, None)),
        ("IST-5:30", (19800, "IST", None, None)),
        ("<-0330>+3:30", (-12600, "-0330", None, None)),
        ("LMT0:44:30", (-2670, "LMT", None, None)),
        ("EST5EDT,M3.2.0,M11.1.0", (-18000, "EST", -14400, "EDT")),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", (3600, "IST", 0, "GMT")),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", (37800, "+1030", 39600, "+11")),
        ("<+00>0<+02>-2,M3.5.0/1,M10.5.0/3", (0, "+00", 7200, "+02")),
    ],
)
def test_offsets_and_names(text: str, expected: tuple[int, str, int | None, str | None]) -> None:
    rule = posix.parse(text)
    offset, name, dst_offset, dst_name = expected
    assert rule.std == LocalType(offset, False, name)
    if dst_offset is None or dst_name is None:
        assert rule.dst is None
        assert rule.transitions(FIRST, LAST) == []
    else:
        assert rule.dst == LocalType(dst_offset, True, dst_name)


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("", "2041-07-19 02:00:00"),
        ("/0", "2041-07-19 00:00:00"),
        ("/24", "2041-07-20 00:00:00"),
        ("/+1:30", "2041-07-19 01:30:00"),
        ("/-2:30:15", "2041-07-18 21:29:45"),
        ("/167", "2041-07-25 23:00:00"),
        ("/-167", "2041-07-12 01:00:00"),
        ("/167:59:59", "2041-07-25 23:59:59"),
    ],
)
def test_times_of_day(time: str, expected: str) -> None:
    rule = posix.parse(f"AAA0BBB,J1,J200{time}")
    assert rule.dst_ends is not None
    assert rule.dst_ends.at(np.array([2041])).tolist() == [utc(expected)]


@pytest.mark.parametrize(
    ("footer", "offset"),
    [
        # what RFC 9636 and older zic write: each year's end is the next one's start
        ("EST5EDT,0/0,J365/25", -14400),
        ("XXX3EDT4,0/0,J365/23", -14400),
        ("<+01>-1<+03>-3,0/0,J365/26", 10800),
    ],
)
def test_daylight_saving_all_year(footer: str, offset: int) -> None:
    name = posix.parse(footer).dst
    assert name is not None
    data = tzif([0], [1], [(0, 0, "LMT"), (offset, 1, name.abbreviation)], footer)
    timeline = zones.read_tzif("Test/Always", data).timeline(END)
    assert timeline.starts.tolist() == [zones.BEGINNING, 0]
    assert timeline.offsets.tolist() == [0, offset]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "EST",
        "ES5",
        "<E>5",
        "<EST5",
        "EST5EDT",
        "EST5EDT,M3.2.0",
        "EST5EDT,M3.2.0,",
        "EST5EDT,M3.0.0,M11.1.0",
        "EST5EDT,M3.6.0,M11.1.0",
        "EST5EDT,M3.2.7,M11.1.0",
        "EST5EDT,M3.2,M11.1.0",
        "EST5EDT,K60,J300",
        "EST5EDT,M3.2.0/,M11.1.0",
        "EST5EDT,M3.2.0/1000,M11.1.0",
        "EST5EDT,M3.2.0,M11.1.0,M12.1.0",
        "EST5EDT,M3.2.0,M11.1.0 ",
        " EST5",
        "EST5\n",
        "EST5:3",
        "EST5:30:1",
    ],
)
def test_texts_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="not a POSIX TZ string"):
        posix.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "EST5EDT,M0.2.0,M11.1.0",
        "EST5EDT,M13.2.0,M11.1.0",
        "EST5EDT,J0,J300",
        "EST5EDT,J366,J300",
        "EST5EDT,366,J300",
        "EST5EDT,M3.2.0/168,M11.1.0",
        "EST5EDT,M3.2.0/-168,M11.1.0",
        "EST25",
        "EST5:60",
        "EST5:00:60",
        "EST\u0665",  # a digit to Python, not to POSIX
    ],
)
def test_numbers_out_of_range(text: str) -> None:
    with pytest.raises(ValueError, match="not a POSIX TZ string"):
        posix.parse(text)
