"""What `tzconv show` says of a zone, against zoneinfo and against the tables of the calendar."""

from __future__ import annotations

import datetime as dt
import json
import zoneinfo
from collections import Counter
from pathlib import Path

import pytest

from tests import reference
from tests.command import assert_one_sentence, run
from tzconv.errors import HorizonError, UnknownZoneError
from tzconv.tz import zones
from tzconv.tz.show import show

YEARS = [
    ("Europe/Berlin", 2026),
    ("America/New_York", 1883),
    ("America/St_Johns", 2010),
    ("Pacific/Apia", 2011),
    ("Australia/Lord_Howe", 2024),
    ("Asia/Kolkata", 2026),
    ("Africa/Casablanca", 2025),
    ("Antarctica/Troll", 2020),
    ("Asia/Manila", 1844),
    ("Africa/Monrovia", 1972),
    ("America/Sao_Paulo", 2018),
    ("US/Central", 2050),
]


@pytest.mark.parametrize(("name", "year"), YEARS)
def test_a_year(name: str, year: int) -> None:
    reference.only_the_package()
    zone = zoneinfo.ZoneInfo(name)
    first, last = dt.date(year, 1, 1), dt.date(year, 12, 31)
    shown = show(zones.installed(), name, first, last)
    start = reference.utc(f"{year - 1}-12-30")
    end = reference.utc(f"{year + 1}-01-03")
    lengths: Counter[dt.date] = Counter()
    pieces: Counter[dt.date] = Counter()
    step = 60
    before: dt.date | None = None
    for instant in range(start, end, step):
        date = reference.local_at(zone, instant).date()
        lengths[date] += step
        pieces[date] += date != before
        before = date
    for day in shown.days:
        assert abs(day.seconds - lengths[day.day]) <= step, day
        assert len(day.spans) == pieces[day.day], day
        for begin, finish in day.spans:
            edges = [reference.seconds(begin), reference.seconds(finish) - 1]
            outside = [edges[0] - 1, edges[1] + 1]
            assert {reference.local_at(zone, at).date() for at in edges} == {day.day}
            assert day.day not in {reference.local_at(zone, at).date() for at in outside}
    inside = [day.spans for day in shown.days if day.spans]
    bounds = reference.seconds(inside[0][0][0]), reference.seconds(inside[-1][-1][1])
    expected = reference.changes(zone, start, end, 3600)[1:]
    expected = [change for change in expected if bounds[0] <= change[0] <= bounds[1]]
    assert [
        (reference.seconds(one.at_utc), one.utc_offset_seconds_after, one.abbreviation_after)
        for one in shown.transitions
    ] == [(at, state.offset, state.abbreviation) for at, state in expected]
    for one in shown.transitions:
        at = reference.seconds(one.at_utc)
        state = reference.state_at(zone, at - 1)
        assert (state.offset, state.abbreviation) == (
            one.utc_offset_seconds_before,
            one.abbreviation_before,
        )
        moved = reference.local_at(zone, at) - reference.local_at(zone, at - 1)
        kind = {True: "gap", False: "fold"}[moved > dt.timedelta(seconds=1)]
        assert one.kind == (kind if moved != dt.timedelta(seconds=1) else "name")
        assert one.local_after == reference.local_at(zone, at)
    assert shown.utc_offset_seconds == reference.offset_at(zone, bounds[0])


def test_the_days_that_are_unusual() -> None:
    rules = zones.installed()

    def unusual(name: str, year: int) -> dict[str, tuple[float, int]]:
        shown = show(rules, name, dt.date(year, 1, 1), dt.date(year, 12, 31))
        return {str(one.day): (one.seconds / 3600, len(one.spans)) for one in shown.unusual}

    assert unusual("Europe/Berlin", 2026) == {"2026-03-29": (23, 1), "2026-10-25": (25, 1)}
    assert unusual("Australia/Lord_Howe", 2024) == {
        "2024-04-07": (24.5, 1),
        "2024-10-06": (23.5, 1),
    }
    assert unusual("Pacific/Apia", 2011)["2011-12-30"] == (0, 0)
    assert unusual("America/St_Johns", 2010)["2010-11-06"] == (24 + 59 / 60, 2)
    assert unusual("Asia/Kolkata", 2026) == {}


def test_a_day() -> None:
    rules = zones.installed()
    day = dt.date(2011, 12, 30)
    skipped = show(rules, "Pacific/Apia", day, day)
    assert [one.kind for one in skipped.transitions] == ["gap"]
    assert skipped.days[0].spans == ()
    after = show(rules, "Pacific/Apia", day + dt.timedelta(1), day + dt.timedelta(1))
    assert after.days[0].spans == ((dt.datetime(2011, 12, 30, 10), dt.datetime(2011, 12, 31, 10)),)
    with pytest.raises(UnknownZoneError, match="Europe/Berlin"):
        show(rules, "Europe/Berln", day, day)
    with pytest.raises(HorizonError):
        show(rules, "UTC", dt.date(1, 1, 1), day)
    assert show(rules, "UTC", dt.date(2, 1, 1), dt.date(2, 12, 31)).unusual == ()
    show(rules, "Europe/Berlin", dt.date(9997, 12, 31), dt.date(9997, 12, 31))


def test_command_line(tmp_path: Path) -> None:
    shown = run("show", "Europe/Berlin", "2026", cwd=tmp_path)
    assert shown.returncode == 0
    lines = shown.stdout.splitlines()
    assert lines[1] == (
        "2026-03-29 01:00 UTC: 2026-03-29 02:00 CET (+01:00) becomes 2026-03-29 03:00 CEST (+02:00)"
        ", gap: 1 h skipped"
    )
    assert lines[3:5] == ["2026-03-29  23 h long", "2026-10-25  25 h long"]
    strip = {line[:3]: line[4:] for line in lines[6:18]}
    assert strip["Mar"] == "." * 28 + "-.."
    assert strip["Oct"] == "." * 24 + "+" + "." * 6
    assert len(strip["Feb"]) == 28
    found = json.loads(run("show", "Pacific/Apia", "2011-12-30", "--json", cwd=tmp_path).stdout)
    assert found["unusual_days"] == [{"day": "2011-12-30", "seconds": 0, "spans_utc": []}]
    assert found["transitions"][0]["local_after"] == "2011-12-31T00:00:00"
    years = [dt.datetime.now(dt.UTC).year]
    said = run("show", "UTC", cwd=tmp_path).stdout
    years.append(dt.datetime.now(dt.UTC).year)
    assert said.startswith(tuple(f"UTC, {year}, " for year in years))
    assert_one_sentence(run("show", "Europe/Berln", cwd=tmp_path), "Europe/Berlin")
    assert_one_sentence(run("show", "UTC", "9999", cwd=tmp_path), "from 2 to 9997")
    for wrong in ("soon", "2026-02-30", "20", "0000"):
        done = run("show", "UTC", wrong, cwd=tmp_path)
        assert done.returncode == 64
        assert repr(wrong) in done.stderr
