"""No bucket contains a change of local date or hour: by zoneinfo, for all names."""

from __future__ import annotations

import functools
import itertools
import random
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests import reference
from tests.releases import tzif
from tzconv.errors import DatabaseError
from tzconv.rollup import grid
from tzconv.rollup.grid import Grid
from tzconv.tz import zones

RULES = zones.installed()
UNTIL = reference.utc("2038-01-01")


@functools.cache
def looked_at(name: str, since: int) -> list[int]:
    """A second either side of each transition, and other times."""
    starts, _ = RULES.zone(name).offset_changes(UNTIL)
    drawn = random.Random(name)
    times = [int(one) + step for one in starts[1:] for step in (-1, 0, 1, 59)]
    times += [drawn.randrange(since, UNTIL) for _ in range(40)]
    return [one for one in times if since <= one < UNTIL]


def hours(zone: ZoneInfo, times: list[int]) -> list[object]:
    """The local hour of each time, which says its date too."""
    return [reference.local_at(zone, one).replace(minute=0, second=0) for one in times]


def wrong(made: Grid, name: str, since: int) -> list[int]:
    zone, times = ZoneInfo(name), looked_at(name, since)
    floors = [int(one) for one in made.floor(np.array(times, np.int64))]
    assert all(one <= time for one, time in zip(floors, times, strict=True))
    pairs = zip(times, hours(zone, times), hours(zone, floors), strict=True)
    return [time for time, one, other in pairs if one != other]


@pytest.mark.parametrize("since", ["1880-01-01", "1970-01-01", "1983-06-01", "2015-01-01"])
def test_one_grid_for_all_names(since: str) -> None:
    start = reference.utc(since)
    made = grid.choose([RULES.zone(name) for name in RULES.names], start, UNTIL)
    names = sorted({reference.first_name(name) for name in reference.NAMES})
    assert not [(name, found) for name in names if (found := wrong(made, name, start))]
    assert not made.misfit(map(RULES.zone, RULES.names), UNTIL)
    assert made.width == 900
    # a cut that is a multiple of the width would cut nothing, and be one more branch of a CASE
    assert all(cut % 900 and cut >= made.since for cut in made.cuts)


def test_a_grid_for_each_name_alone() -> None:
    since = reference.utc("1970-01-01")
    for name in sorted({reference.first_name(name) for name in reference.NAMES}):
        made = grid.choose([RULES.zone(name)], since, UNTIL)
        assert not wrong(made, name, since), name
        # times before the grid begins are exact too
        assert not wrong(made, name, reference.utc("1850-01-01")), name
        assert Grid.read(made.text()) == made


def test_the_coarsest_grid_is_chosen() -> None:
    def width(*names: str) -> int:
        since = reference.utc("2024-01-01")
        return grid.choose([RULES.zone(name) for name in names], since, UNTIL).width

    assert width("America/New_York", "Europe/Paris") == 3_600
    assert width("America/New_York", "Asia/Kolkata") == 1_800
    assert width("Asia/Kathmandu") == 900
    assert width("Australia/Lord_Howe") == 1_800
    # its last summer, with whole hours, does not last
    howe = RULES.zone("Australia/Lord_Howe")
    assert grid.choose([howe], UNTIL - 86_400, UNTIL).width == 1_800


def test_transitions_off_the_grid_cut_their_bucket() -> None:
    made = grid.choose([RULES.zone("America/St_Johns")], reference.utc("2005-01-01"), UNTIL)
    # at 00:01 local time the clock went back to 23:01 of the day before
    cut = reference.utc("2009-11-01 02:31:00")
    assert cut in made.cuts
    assert (cut, reference.utc("2009-11-01 03:00:00")) in made.parts()
    assert made.parts() == sorted(made.parts(), reverse=True)
    before, at, after = made.floor(np.array([cut - 1, cut, cut + 29 * 60]))
    assert (before, at, after) == (reference.utc("2009-11-01 02:30:00"), cut, cut + 29 * 60)


def test_a_zone_whose_first_transition_is_off_the_grid() -> None:
    at = reference.utc("2026-03-01 00:10:00")
    made = tzif([at], [1], [(3_600, 0, "ONE"), (7_200, 0, "TWO")], "TWO-2")
    zone = zones.read_tzif("Made/Up", made)
    assert grid.choose([zone], 0, UNTIL) == Grid(grid.ALWAYS, 3_600, (at,))
    assert not grid.choose([zone], 0, UNTIL).misfit([zone], UNTIL)
    assert Grid(width=3_600).misfit([zone], UNTIL) == ["Made/Up"]


@pytest.mark.parametrize(
    ("since", "last"),
    [
        ("2010-05-05", reference.utc("2010-05-05")),
        ("1970-01-01", reference.utc("1980-01-01")),  # older offsets decide no width
        ("2037-01-01", UNTIL - 3_660 * 86_400),  # a width lasts ten years
    ],
)
def test_offsets_off_the_grid_up_to_a_time(since: str, last: int) -> None:
    for at, width in ((last, 3_600), (last + 1, 1_800)):
        made = tzif([at], [1], [(1_800, 0, "ONE"), (3_600, 0, "TWO")], "TWO-1")
        zone = zones.read_tzif("Made/Up", made)
        assert grid.choose([zone], reference.utc(since), UNTIL).width == width


def test_a_grid_that_is_too_coarse_is_found() -> None:
    since = reference.utc("2024-01-01")
    made = grid.choose([RULES.zone("Europe/Paris")], since, UNTIL)
    names = ["Europe/Berlin", "Asia/Kolkata", "Australia/Adelaide"]
    assert made.misfit(map(RULES.zone, names), UNTIL) == ["Asia/Kolkata", "Australia/Adelaide"]
    for name in RULES.names:
        fits = not made.misfit([RULES.zone(name)], UNTIL)
        assert not fits or not wrong(made, name, reference.utc("1900-01-01")), name


def test_lengths_are_intervals() -> None:
    lengths = ["60 minutes", "30 minutes", "15 minutes", "5 minutes", "1 minute", "1 second"]
    assert [Grid(width=one).length for one in grid.WIDTHS] == lengths
    assert not any(one % finer for one, finer in itertools.pairwise(grid.WIDTHS))


@pytest.mark.parametrize("text", ["", "3", "[[[0, 7]], []]", "[1, 2, 3]", "[0, 7, []]", '{"a": 1}'])
def test_a_damaged_grid(text: str) -> None:
    with pytest.raises(DatabaseError, match="drop the rollup"):
        Grid.read(text)
