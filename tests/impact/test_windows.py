"""The windows between two real releases, by ``zoneinfo`` alone."""

from __future__ import annotations

import datetime as dt
import functools
import itertools
from pathlib import Path

import pytest
import tzdata

from tests import reference, releases
from tzconv.errors import RulesError
from tzconv.impact import releases as named
from tzconv.impact import windows
from tzconv.tz import zones
from tzconv.tz.horizon import Horizon, seconds_of
from tzconv.tz.zones import Rules

# In older releases the footer of America/Ojinaga contradicts its last transition, in October 2022.
HORIZON = Horizon(dt.date(2023, 1, 1), dt.date(2038, 1, 1))
START, END = map(seconds_of, (HORIZON.start, HORIZON.end))
VERSIONS = {"2023c": "2023.3", "2024a": "2024.1", "2025b": "2025.2", "2026a": "2026.1"}
INSTALLED = Path(tzdata.__file__).parent / "zoneinfo"
Window = tuple[int, int, int, int]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("wheels")
    found = {name: releases.wheel(version, folder) for name, version in VERSIONS.items()}
    if None in found.values():
        pytest.skip("pip cannot get older releases of tzdata here")
    return {name: file for name, file in found.items() if file is not None}


@pytest.fixture(scope="module")
def trees(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {
        name: releases.tree(file, tmp_path_factory.mktemp(name)) for name, file in wheels.items()
    }
    return made | {zones.installed().release: INSTALLED}


@functools.cache
def rules(tree: Path) -> Rules:
    return zones.from_tree(tree)


def expected(old: Path, new: Path) -> dict[str, list[Window]]:
    """Start, end and offsets of each window, by zones whose files differ."""
    found: dict[str, list[Window]] = {}
    for name in reference.NAMES:
        files = old / name, new / name
        if (
            not all(file.is_file() for file in files)
            or files[0].read_bytes() == files[1].read_bytes()
        ):
            continue
        histories = [
            reference.changes(releases.zone_of(tree, name), START, END, 5 * reference.DAY)
            for tree in (old, new)
        ]
        marks = sorted({at for history in histories for at, _ in history})
        made: list[Window] = []
        for start, end in itertools.pairwise([*marks, END]):
            before, after = (
                next(state.offset for at, state in reversed(history) if at <= start)
                for history in histories
            )
            if before == after:
                continue
            if made and made[-1][1:] == (start, before, after):
                made[-1] = (made[-1][0], end, before, after)
            else:
                made.append((start, end, before, after))
        if made:
            found[name] = made
    return found


def claimed(difference: windows.RulesDifference) -> dict[str, list[Window]]:
    return {
        zone: [
            (
                reference.seconds(one.starts),
                reference.seconds(one.ends),
                one.old_offset,
                one.new_offset,
            )
            for one in difference.windows(zone)
        ]
        for zone in difference.zones
    }


def assert_exact(old: Path, new: Path) -> windows.RulesDifference:
    """Both ways; and each minute around each edge, as ``zoneinfo`` has it."""
    forth = windows.compare(rules(old), rules(new), HORIZON)
    back = windows.compare(rules(new), rules(old), HORIZON)
    assert claimed(forth) == expected(old, new)
    assert claimed(back) == {
        zone: [(start, end, after, before) for start, end, before, after in found]
        for zone, found in claimed(forth).items()
    }
    for name, found in claimed(forth).items():
        pair = [releases.zone_of(tree, name) for tree in (old, new)]
        for edge in {edge for window in found for edge in window[:2]}:
            for at in range(max(edge - 5400, START), min(edge + 5400, END), 60):
                differs = reference.offset_at(pair[0], at) != reference.offset_at(pair[1], at)
                assert differs == any(start <= at < end for start, end, *_ in found), (name, at)
    return forth


@pytest.mark.parametrize(
    ("old", "new", "some"),
    [
        ("2023c", "2024a", "Asia/Almaty"),
        ("2025b", "2026a", "Europe/Chisinau"),
        ("2026a", "2026f", "America/Vancouver"),
    ],
)
def test_windows_of_releases(trees: dict[str, Path], old: str, new: str, some: str) -> None:
    difference = assert_exact(trees[old], trees[new])
    assert some in difference.zones
    folded = [names for group in difference.groups for names in difference.folded(group)]
    assert {name for names in folded for name in names} == set(difference.zones)


def test_windows_without_a_network() -> None:
    assert "America/Edmonton" in assert_exact(releases.TREE, INSTALLED).zones


def test_local_windows() -> None:
    """Of local times, by the readings of gaps and folds that databases have."""
    difference = windows.compare(rules(releases.TREE), zones.installed(), HORIZON)
    for name in ("America/Edmonton", "Africa/Casablanca"):
        pair = [releases.zone_of(tree, name) for tree in (releases.TREE, INSTALLED)]
        found = difference.local_windows(name)
        for change in found[:3]:
            for edge in map(reference.seconds, (change.starts, change.ends)):
                for local in range(edge - 3 * 3600, min(edge + 3 * 3600, END), 300):
                    old, new = (reference.local_offset(zone, local) for zone in pair)
                    moment = reference.naive(local)
                    inside = [one for one in found if one.starts <= moment < one.ends]
                    offsets = [(one.old_offset, one.new_offset) for one in inside]
                    assert offsets == ([(old, new)] if old != new else []), (name, moment)


def test_links_are_folded() -> None:
    difference = windows.compare(
        rules(releases.TREE),
        zones.installed(),
        HORIZON,
        ["America/Edmonton", "Canada/Mountain", "Europe/Berlin"],
    )
    [group] = difference.groups
    assert difference.folded(group) == (["America/Edmonton"], ["Canada/Mountain"])


def test_a_release_by_its_name(
    wheels: dict[str, Path], trees: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels["2025b"].parent))
    found = named.named("2025b")
    assert found.release == "2025b"
    assert not windows.compare(found, rules(trees["2025b"]), HORIZON).groups
    assert named.named("installed") is named.named(zones.installed().release)
    with pytest.raises(RulesError, match="tz release 1999c is not installed, and pip cannot get"):
        named.named("1999c")
    with pytest.raises(RulesError, match="neither a tz release such as 2025b nor a folder"):
        named.named("nowhere")
