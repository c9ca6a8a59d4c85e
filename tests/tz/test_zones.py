"""Reading tz releases: the package, other trees, damaged files, POSIX footers."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import zoneinfo
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
import tzdata
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import reference
from tests.reference import DAY, HOUR, utc
from tests.releases import tzif
from tzconv.errors import RulesError, UnknownZoneError
from tzconv.tz import posix, zones


def test_the_installed_release() -> None:
    rules = zones.installed()
    assert rules.release == tzdata.IANA_VERSION
    assert rules.source == "tzdata"
    names = (resources.files(tzdata) / "zones").read_text().split()
    assert rules.names == tuple(sorted(names))
    assert {"US/Central", "Asia/Calcutta", "UTC", "Etc/GMT+12", "Factory"} <= set(rules.names)


def test_unknown_names_come_with_the_nearest() -> None:
    rules = zones.installed()
    for wrong, right in {
        "America/NewYork": "America/New_York",
        "europe/berlin": "Europe/Berlin",
        "Kolkata": "Asia/Kolkata",
        "Asia/Calcuta": "Asia/Kolkata",
        "Pacific Standard Time": "America/Los_Angeles",
        "Mumbai": "Asia/Kolkata",
    }.items():
        with pytest.raises(UnknownZoneError) as caught:
            rules.zone(wrong)
        assert right in caught.value.nearest
        assert wrong in str(caught.value)
        assert right in str(caught.value)
    with pytest.raises(UnknownZoneError, match="no such name"):
        rules.select(["Europe/Paris", "Qqqqqq"])
    with pytest.raises(RulesError, match="No time zone"):
        rules.select([])


def test_select_sorts_and_drops_repeats() -> None:
    rules = zones.installed()
    assert rules.select(["UTC", "Asia/Tokyo", "UTC"]) == ("Asia/Tokyo", "UTC")
    assert rules.select(None) == rules.names


def test_a_tree_of_the_same_release_reads_the_same(tmp_path: Path) -> None:
    root = tmp_path / "zoneinfo"
    shutil.copytree(str(resources.files(tzdata) / "zoneinfo"), root)
    shutil.copytree(root / "Europe", root / "posix" / "Europe")
    (root / "right").mkdir()
    (root / "localtime").write_bytes((root / "UTC").read_bytes())
    (root / "posixrules").write_bytes((root / "America" / "New_York").read_bytes())
    (root / "right" / "UTC").write_bytes(tzif([], [], [(0, 0, "UTC")], "UTC0", leaps=1))
    rules = zones.from_tree(root)
    assert rules.release == tzdata.IANA_VERSION
    assert rules.source == str(root)
    assert set(rules.names) == set(zones.installed().names)
    one, other = (r.zone("Europe/Dublin").timeline(10**10) for r in (rules, zones.installed()))
    assert np.array_equal(one.starts, other.starts)
    assert one.types == other.types


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"TZif", "cannot be read"),
        (b"TZif2" + b"\0" * 20, "cannot be read: the file is cut short"),
        (tzif([], [], [(0, 0, "UTC")], "UTC0", leaps=3), "leap seconds"),
        (tzif([5, 5], [0, 0], [(0, 0, "A")], "A0"), "cannot be read"),
        (tzif([5, 9], [0, 7], [(0, 0, "AAA")], "AAA0"), "out of order or name no type"),
        (tzif([9, 5], [0, 0], [(0, 0, "AAA")], "AAA0"), "out of order or name no type"),
        (tzif([], [], [(0, 0, "AAA")], "nonsense"), "not a POSIX TZ string"),
        (tzif([5], [0], [(0, 0, "AAA")], "AAA0")[:-40], "cannot be read"),
    ],
)
def test_damaged_files(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "Broken").write_bytes(data)
    rules = zones.from_tree(tmp_path)
    with pytest.raises(RulesError, match=message) as caught:
        rules.zone("Broken")
    assert "Broken" in str(caught.value)


def test_a_type_listed_twice_is_one_type() -> None:
    kinds = [(0, 0, "AAA"), (0, 0, "AAA"), (3600, 1, "BBB")]
    zone = zones.read_tzif("Test", tzif([10, 20, 30], [1, 2, 0], kinds, "AAA0"))
    timeline = zone.timeline(100)
    assert timeline.starts[1:].tolist() == [20, 30]
    assert timeline.offsets.tolist() == [0, 3600, 0]


def test_trees_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="no such folder"):
        zones.from_tree(tmp_path / "missing")
    (tmp_path / "README").write_text("nothing here")
    with pytest.raises(RulesError, match="no TZif file"):
        zones.from_tree(tmp_path)


def test_rules_that_end(tmp_path: Path) -> None:
    """Version 1 and an empty footer say nothing of the time after the last transition."""
    kinds = [(0, 0, "AAA"), (3600, 1, "BBB")]
    for number, footer in enumerate((None, "")):
        (tmp_path / f"Zone{number}").write_bytes(tzif([10**9, 10**9 + DAY], [1, 0], kinds, footer))
        (tmp_path / f"Fixed{number}").write_bytes(tzif([], [], kinds[:1], footer))
    rules = zones.from_tree(tmp_path)
    assert rules.release == "unknown"
    for number in range(2):
        zone = rules.zone(f"Zone{number}")
        assert zone.carries_until == 10**9 + DAY
        assert len(zone.timeline(10**9 + DAY).starts) == 2
        with pytest.raises(RulesError, match=f"Zone{number} end at 2001-09-10"):
            zone.timeline(10**9 + DAY + 1)
        assert rules.zone(f"Fixed{number}").carries_until is None


def test_the_machine_does_not_matter(tmp_path: Path) -> None:
    """Neither its zone nor its own copy of the rules, which Python's zoneinfo would prefer."""
    false_rules = tmp_path / "America"
    false_rules.mkdir()
    (false_rules / "New_York").write_bytes(tzif([], [], [(0, 0, "UTC")], "UTC0"))
    code = (
        "from tzconv import generate; import datetime as dt\n"
        "t = generate.daily(['America/New_York'], dt.date(2026,3,7), dt.date(2026,3,10))\n"
        "print(t.read_all().to_pylist())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **extra},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for extra in ({}, {"TZ": "Asia/Kolkata", "PYTHONTZPATH": str(tmp_path)})
    }
    assert len(printed) == 1
    assert "datetime.datetime(2026, 3, 9, 4, 0)" in printed.pop()


FOOTERS = [
    "EST5EDT,M3.2.0,M11.1.0",
    "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
    "IST-1GMT0,M10.5.0,M3.5.0/1",
    "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
    "AAA3BBB,J60/0,J300/23",
    "AAA-3:20:10BBB,M2.5.3/-48,M8.4.6/100",
    "<-03>3<-02>,M3.5.0/167,M10.5.0/-167",
    "AAA0BBB,M12.5.0,M1.1.0",
]


@pytest.mark.parametrize("footer", FOOTERS)
def test_footers_against_zoneinfo(footer: str) -> None:
    """Files of one transition and that footer, read by zoneinfo and by us, hour by hour."""
    rule = posix.parse(footer)
    kind = rule.std
    data = tzif(
        [utc("1999-01-01")],
        [1],
        [(0, 0, "LMT"), (kind.utc_offset, 0, kind.abbreviation)],
        footer,
    )
    expected = zoneinfo.ZoneInfo.from_file(io.BytesIO(data))
    timeline = zones.read_tzif("Test", data).timeline(utc("2032-01-01"))
    instants = np.arange(utc("2019-01-01"), utc("2032-01-01"), HOUR // 2)
    found = timeline.offsets[np.searchsorted(timeline.starts, instants, "right") - 1]
    assert found.tolist() == [reference.offset_at(expected, int(at)) for at in instants]


@pytest.mark.parametrize(
    ("date", "year", "expected"),
    [
        # days counted from 0, leap days counted; zoneinfo is a day early with this form
        ("0", 2019, "2019-01-01"),
        ("59", 2019, "2019-03-01"),
        ("59", 2020, "2020-02-29"),
        ("365", 2020, "2020-12-31"),
        # days counted from 1, 29 February never counted
        ("J1", 2020, "2020-01-01"),
        ("J59", 2020, "2020-02-28"),
        ("J60", 2020, "2020-03-01"),
        ("J365", 2020, "2020-12-31"),
        ("M2.5.6", 2020, "2020-02-29"),
        ("M2.5.0", 2021, "2021-02-28"),
        ("M12.1.3", 2026, "2026-12-02"),
    ],
)
def test_days_of_the_year(date: str, year: int, expected: str) -> None:
    rule = posix.parse(f"AAA3BBB,{date}/0,J200")
    assert rule.dst_starts is not None
    assert rule.dst_starts.at(np.array([year])).tolist() == [utc(expected)]


def test_all_year_daylight_saving() -> None:
    data = tzif([0], [1], [(0, 0, "LMT"), (-14400, 1, "EDT")], "EST5EDT4,0/0,J365/25")
    timeline = zones.read_tzif("Test", data).timeline(utc("2030-01-01"))
    assert timeline.offsets.tolist() == [0, -14400]


@pytest.mark.parametrize(
    "text", ["", "E", "EST", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M3.6.0,M11.1.0", "5", "<ab>5x"]
)
def test_texts_that_are_no_tz_strings(text: str) -> None:
    with pytest.raises(ValueError, match="not a POSIX TZ string"):
        posix.parse(text)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(zones.installed().names),
    instant=st.integers(utc("2037-06-01"), utc("2400-01-01")),
)
def test_far_years(name: str, instant: int) -> None:
    """The footers of the release, long after the last transition that the files list."""
    timeline = zones.installed().zone(name).timeline(utc("2401-01-01"))
    at = int(np.searchsorted(timeline.starts, instant, "right")) - 1
    state = reference.state_at(zoneinfo.ZoneInfo(name), instant)
    kind = timeline.types[timeline.kinds[at]]
    assert (kind.utc_offset, kind.abbreviation) == (state.offset, state.abbreviation)


@pytest.mark.parametrize("name", ["Asia/Kolkata", "America/New_York", "Asia/Kathmandu", "UTC"])
def test_a_file_cut_short_anywhere_never_gives_other_offsets(name: str) -> None:
    """Refused, or read as far as it says; but see the next test for a cut inside the footer."""
    data = reference.bytes_of(name)
    footer = len(data.splitlines()[-1]) + 2
    for size in range(len(data) - footer):
        with pytest.raises(RulesError, match="cannot be read"):
            zones.read_tzif(name, data[:size])


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param(1, id="IST-5:30 without its newline"),
        pytest.param(4, id="IST-5: half an hour off"),
        pytest.param(9, id="no footer: as if the rules ended in 1945"),
        pytest.param(10, id="not even the first newline"),
    ],
)
def test_a_file_cut_short_in_its_footer(cut: int) -> None:
    data = reference.bytes_of("Asia/Kolkata")
    assert data.endswith(b"\nIST-5:30\n")
    with pytest.raises(RulesError, match="cannot be read"):
        zones.read_tzif("Asia/Kolkata", data[:-cut])


def test_a_zone_of_a_footer_alone() -> None:
    """Without any transition the footer rules all times, also those of long ago."""
    data = tzif([], [], [(3600, 0, "AAA")], "AAA-1BBB,M3.5.0,M10.5.0/3")
    expected = zoneinfo.ZoneInfo.from_file(io.BytesIO(data))
    timeline = zones.read_tzif("Test", data).timeline(utc("2101-01-01"))
    for begin in ("0002-01-01", "1800-01-01", "2030-01-01", "2090-01-01"):
        wanted = reference.changes(expected, utc(begin), utc(begin) + 3650 * DAY, 5 * DAY)
        inside = (timeline.starts > utc(begin)) & (timeline.starts < utc(begin) + 3650 * DAY)
        found = timeline.starts[inside].tolist()
        assert found == [instant for instant, _ in wanted[1:]]
        assert timeline.offsets[inside].tolist() == [state.offset for _, state in wanted[1:]]
        assert len(found) == 20


def test_a_southern_footer_alone_begins_in_summer() -> None:
    data = tzif([], [], [(3600, 0, "AAA")], "AAA-1BBB,M10.1.0,M4.1.0")
    expected = zoneinfo.ZoneInfo.from_file(io.BytesIO(data))
    timeline = zones.read_tzif("Test", data).timeline(utc("2030-01-01"))
    at = int(np.searchsorted(timeline.starts, utc("0001-02-01"), "right")) - 1
    assert timeline.offsets[at] == reference.offset_at(expected, utc("0001-02-01"))


def test_a_long_file_reads_as_zoneinfo_reads_it() -> None:
    """As other builds write them: the big bang, and years that the footer rules too."""
    zone = zoneinfo.ZoneInfo("America/New_York")
    changes = reference.changes(zone, utc("2000-01-01"), utc("2037-12-01"), DAY)[1:]
    kinds = [(-17762, 0, "LMT"), (-18000, 0, "EST"), (-14400, 1, "EDT")]
    data = tzif(
        [-(2**59), utc("1900-01-01"), *(instant for instant, _ in changes)],
        [0, 1, *(2 if state.is_dst else 1 for _, state in changes)],
        kinds,
        "EST5EDT,M3.2.0,M11.1.0",
    )
    timeline = zones.read_tzif("Test", data).timeline(utc("2060-01-01"))
    assert timeline.starts[:2].tolist() == [zones.BEGINNING, utc("1900-01-01")]
    wanted = reference.changes(zone, utc("2000-01-01"), utc("2060-01-01"), DAY)[1:]
    assert timeline.starts[2:].tolist() == [instant for instant, _ in wanted]
    assert timeline.offsets[2:].tolist() == [state.offset for _, state in wanted]


def test_the_search_path_of_zoneinfo_does_not_matter(tmp_path: Path) -> None:
    """A false tree that zoneinfo itself believes, in this very process."""
    (tmp_path / "Asia").mkdir()
    (tmp_path / "Asia" / "Kolkata").write_bytes(tzif([], [], [(0, 0, "UTC")], "UTC0"))
    try:
        zoneinfo.reset_tzpath(to=[str(tmp_path)])
        zoneinfo.ZoneInfo.clear_cache()
        assert reference.offset_at(zoneinfo.ZoneInfo("Asia/Kolkata"), 10**9) == 0
        zones.installed.cache_clear()
        timeline = zones.installed().zone("Asia/Kolkata").timeline(utc("2030-01-01"))
        assert timeline.offsets[-1] == 19800
    finally:
        reference.only_the_package()
        zones.installed.cache_clear()
    assert reference.offset_at(zoneinfo.ZoneInfo("Asia/Kolkata"), 10**9) == 19800


@pytest.mark.parametrize("footer", ["EST5EDT,0/0,J365/25", "XXX3EDT4,0/0,J365/23"])
def test_daylight_saving_all_year_in_a_footer_alone(footer: str) -> None:
    """No transition is listed, and the end of the year before falls a few hours into year 1."""
    zone = zones.read_tzif("Test", tzif([], [], [(-14400, 1, "EDT")], footer))
    timeline = zone.timeline(utc("2030-01-01"))
    assert timeline.starts.tolist() == [zones.BEGINNING]
    assert timeline.offsets.tolist() == [-14400]
