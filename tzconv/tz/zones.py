"""One tz release: its names, and for each name the transitions of its UTC offset.

Rules are read from the ``tzdata`` package, never from ``/usr/share/zoneinfo``: the machine's copy
may be years older than the package, and Python's ``zoneinfo`` prefers it. File format: RFC 9636.
"""

from __future__ import annotations

import copy
import functools
import itertools
import operator
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tzconv.errors import RulesError
from tzconv.tz import posix, spellings
from tzconv.tz.periods import MOST_ZONES, Numbers
from tzconv.tz.posix import Int64, LocalType, PosixRule

BEGINNING = int(np.datetime64("0001-01-01", "s").astype(np.int64))
"""0001-01-01T00:00:00Z, where every history begins, in seconds since 1970."""

_CACHED_UNTIL = int(np.datetime64("2040-01-01", "s").astype(np.int64))
"""Shorter histories are cut from this one."""

Kinds: TypeAlias = npt.NDArray[np.intp]
_HEADER = struct.Struct(">4s c 15x 6I")
_NOT_ZONES = {"posix", "right", "localtime", "posixrules"}
"""Copies in a system's tree: of the tree itself (one counting leap seconds), and of one zone."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The history of one zone: span ``i`` begins at ``starts[i]`` and ends where the next begins.

    ``starts`` are UTC seconds since 1970, sorted, without repeats, the first one ``BEGINNING``;
    ``kinds[i]`` indexes ``types``. Neighbours differ in offset, abbreviation or is_dst.
    """

    starts: Int64
    kinds: Kinds
    types: tuple[LocalType, ...]

    @property
    def offsets(self) -> Int64:
        """UTC offset of each span in seconds, local minus UTC."""
        return np.array([kind.utc_offset for kind in self.types], np.int64)[self.kinds]

    def offset_changes(self) -> tuple[Int64, Int64]:
        """Starts and offsets of the spans of constant offset, whatever their names."""
        offsets = self.offsets
        keep = np.concatenate([[True], offsets[1:] != offsets[:-1]])
        return self.starts[keep], offsets[keep]


@dataclass(frozen=True, slots=True, eq=False)
class Zone:
    """One name of a tz release and what its file lists; equal to names with the same bytes."""

    name: str
    starts: Int64
    kinds: Kinds
    types: tuple[LocalType, ...]
    footer: PosixRule | None

    def __hash__(self) -> int:
        return id(self.starts)

    def __eq__(self, other: object) -> bool:
        names = ("starts", "kinds", "types", "footer")
        return isinstance(other, Zone) and all(getattr(self, n) is getattr(other, n) for n in names)

    @property
    def carries_until(self) -> int | None:
        """The last UTC second that the file has rules for; None where they never end."""
        return None if self.footer or len(self.starts) == 1 else int(self.starts[-1])

    def offset_changes(self, until: int) -> tuple[Int64, Int64]:
        """Starts and offsets of the spans of constant offset that begin before ``until``."""
        starts, offsets = _offset_changes(self, max(until, _CACHED_UNTIL) if self.footer else until)
        inside = max(1, int(np.searchsorted(starts, until)))
        return starts[:inside], offsets[:inside]

    def timeline(self, until: int) -> Timeline:
        """The complete history before the UTC second ``until``; RulesError past the rules."""
        last = self.carries_until
        if last is not None and until > last:
            raise RulesError(
                f"The rules of {self.name} end at {np.datetime64(last, 's')}Z and the file says "
                "nothing about later times: choose an end before that, or newer rules."
            )
        starts, kinds, types = self.starts, self.kinds, list(self.types)
        for instants, kind in self._after_last(until):
            if kind not in types:
                types.append(kind)
            starts = np.concatenate([starts, instants])
            kinds = np.concatenate([kinds, np.full(len(instants), types.index(kind), np.intp)])
        order = np.argsort(starts, kind="stable")
        starts, kinds = starts[order], kinds[order]
        # Of two changes at one instant the later one counts: the first lasts no time at all.
        lasts = np.concatenate([starts[1:] != starts[:-1], [True]])
        lasts &= (starts < until) | (starts == BEGINNING)
        starts, kinds = starts[lasts], kinds[lasts]
        differs = np.concatenate([[True], kinds[1:] != kinds[:-1]])
        return Timeline(starts[differs], kinds[differs], tuple(types))

    def _after_last(self, until: int) -> Iterator[tuple[Int64, LocalType]]:
        if self.footer is None:
            return
        last = int(self.starts[-1])
        # two years back: at the end of a year a change may fall into the next one
        changes = self.footer.transitions(_year(last) - 2, _year(until) + 1)
        if len(self.starts) == 1 and changes:  # a footer alone rules from the beginning
            before = [(int(times[times <= BEGINNING][-1]), kind) for times, kind in changes]
            # of two changes at one instant the later one counts, here as everywhere
            _, kind = sorted(before, key=lambda change: change[0])[-1]
            yield np.array([BEGINNING], np.int64), kind
        for instants, kind in changes:
            yield instants[(instants > last) & (instants < until)], kind


@functools.lru_cache(maxsize=2 * MOST_ZONES)
def _offset_changes(zone: Zone, until: int) -> tuple[Int64, Int64]:
    # a refresh asks for many parts of one zone's history
    starts, offsets = zone.timeline(until).offset_changes()
    starts.flags.writeable = offsets.flags.writeable = False
    return starts, offsets


class Rules:
    """A tz release: ``release`` (``2026f``), ``source``, sorted ``names`` with the links.

    ``links`` has the zone that a name stands for, of those names that are links; ``numbers``
    are those of the zone and period tables, once they are known.
    """

    def __init__(
        self,
        release: str,
        source: str,
        files: Mapping[str, Traversable | Zone],
        links: Mapping[str, str] | None = None,
    ) -> None:
        self.release = release
        self.source = source
        self.names: tuple[str, ...] = tuple(sorted(files))
        self.links: Mapping[str, str] = links or {}
        self.numbers: Numbers | None = None
        self._files = dict(files)
        self._folded: dict[str, str] = {}

    @classmethod
    def of(
        cls,
        release: str,
        source: str,
        zones: Iterable[Zone],
        links: Mapping[str, str] | None = None,
    ) -> Rules:
        """Rules that were not read from files."""
        return cls(release, source, {zone.name: zone for zone in zones}, links)

    def with_numbers(self, numbers: Numbers) -> Rules:
        """The same rules with those numbers for the zone and period tables."""
        made = copy.copy(self)
        made.numbers = numbers
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def spelled(self, name: str) -> str | None:
        """The name that is this one in any case; None if there is none."""
        if not self._folded:
            self._folded.update({one.casefold(): one for one in self.names})
        return self._folded.get(name.casefold())

    def zone(self, name: str) -> Zone:
        """The zone of that exact name; UnknownZoneError where the release has none."""
        found = self._files.get(name)
        if found is None:
            raise spellings.unknown_zone(name, self.names, self.links, self.release)
        if not isinstance(found, Zone):
            found = self._files[name] = read_tzif(name, found.read_bytes())
        return found

    def select(self, names: Iterable[str] | None) -> tuple[str, ...]:
        """``names`` (or one name) sorted and without repeats, each known; all names for None."""
        if names is None:
            return self.names
        chosen = tuple(sorted({names} if isinstance(names, str) else set(names)))
        for name in chosen:
            if name not in self:
                raise spellings.unknown_zone(name, self.names, self.links, self.release)
        if not chosen:
            raise RulesError("No time zone was named: give at least one name, or 'all'.")
        return chosen


@functools.cache
def installed() -> Rules:
    """The rules of the ``tzdata`` package, whatever the machine has elsewhere."""
    import tzdata

    return of_package(resources.files(tzdata), tzdata.IANA_VERSION, "tzdata")


def of_package(package: Traversable, release: str, source: str) -> Rules:
    """The rules in the folder of a package ``tzdata``, perhaps inside its wheel."""
    names = (package / "zones").read_text(encoding="utf-8").split()
    tree = package / "zoneinfo"
    files = {name: tree.joinpath(*name.split("/")) for name in names}
    return Rules(release, source, files, _links_of(tree / "tzdata.zi"))


def from_tree(path: str | Path) -> Rules:
    """The rules of a folder of TZif files, as ``zic`` makes it; its release from ``tzdata.zi``."""
    root = Path(path)
    if not root.is_dir():
        raise RulesError(
            f"{root}: no such folder; --rules takes 'tzdata', a folder of TZif files or, for "
            "tzconv refresh, 'database'."
        )
    files: dict[str, Traversable] = {}
    for file in sorted(root.rglob("*")):
        parts = file.relative_to(root).parts
        if parts[0] in _NOT_ZONES or not file.is_file():
            continue
        with file.open("rb") as stream:
            if stream.read(4) == b"TZif":
                files["/".join(parts)] = file
    if not files:
        raise RulesError(f"{root}: no TZif file in that folder; name a compiled tz tree.")
    return Rules(_release_of(root), str(root), files, _links_of(root / "tzdata.zi"))


def load(rules: str | Path | Rules) -> Rules:
    """Rules by the word ``tzdata``, by the path of a TZif tree, or as they are."""
    if isinstance(rules, Rules):
        return rules
    return installed() if rules == "tzdata" else from_tree(rules)


def of_rows(
    release: str, source: str, rows: Iterable[Sequence[Any]], links: Mapping[str, str] | None = None
) -> Rules:
    """Rules from rows of the offset table; the offset of a zone's last span never ends.

    Rows are sorted by zone and start. They have the zone's name, the start in UTC (a datetime, or
    seconds since 1970), the offset in seconds, whether it is daylight saving time, and the
    abbreviation.
    """
    zones = []
    for name, spans in itertools.groupby(rows, operator.itemgetter(0)):
        _, starts, *columns = zip(*spans, strict=True)
        kinds = list(zip(*columns, strict=True))
        numbers = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
        types = tuple(LocalType(*kind) for kind in numbers)
        places = np.array([numbers[kind] for kind in kinds], np.intp)
        seconds = np.array(starts, "M8[s]").astype(np.int64)
        seconds[0] = BEGINNING  # wherever somebody has moved it to
        zones.append(Zone(str(name), seconds, places, types, PosixRule(types[places[-1]])))
    return Rules.of(release, source, zones, links)


def _links_of(source: Traversable) -> dict[str, str]:
    """Links by name from the lines ``L target name`` of a tzdata.zi; none where there is none."""
    if not source.is_file():
        return {}
    lines = source.read_bytes().decode(errors="replace").splitlines()
    targets = {line[2]: line[1] for line in map(str.split, lines) if line[:1] == ["L"]}
    links = {}
    for name, target in targets.items():
        seen, found = {name}, target
        while found in targets and found not in seen:  # a link to a link
            seen.add(found)
            found = targets[found]
        links[name] = found
    return links


def _release_of(root: Path) -> str:
    for name in ("tzdata.zi", "+VERSION", "version"):
        if (root / name).is_file():
            first = (root / name).read_text(encoding="utf-8", errors="replace").partition("\n")[0]
            return first.removeprefix("# version").strip()[:40] or "unknown"
    return "unknown"


def read_tzif(name: str, data: bytes) -> Zone:
    """Decode one TZif file (RFC 9636, versions 1 to 4); RulesError where it is damaged."""
    try:
        return Zone(name, *_read_tzif(data))
    except (struct.error, ValueError, IndexError) as error:
        why = error if type(error) is ValueError else "the file is cut short, or counts too much"
        raise RulesError(f"The rules of {name} cannot be read: {why}.") from error


@functools.lru_cache(maxsize=MOST_ZONES)
def _read_tzif(data: bytes) -> tuple[Int64, Kinds, tuple[LocalType, ...], PosixRule | None]:
    width, start = 4, 0
    magic, version, *counts = _HEADER.unpack_from(data)
    if magic != b"TZif":
        raise ValueError("not a TZif file")
    if version >= b"2":  # the second block repeats the first one with 64-bit times
        width, start = 8, _HEADER.size + _block_size(counts, 4)
        _, _, *counts = _HEADER.unpack_from(data, start)
    _, _, leap_count, time_count, type_count, char_count = counts
    if leap_count:
        raise ValueError("it counts leap seconds, which no database does (a 'right' tree)")
    at = start + _HEADER.size
    times = np.frombuffer(data, f">i{width}", time_count, at).astype(np.int64)
    at += time_count * width
    kinds = np.frombuffer(data, np.uint8, time_count, at).astype(np.intp)
    at += time_count
    if np.any(np.diff(times) <= 0) or not type_count or np.any(kinds >= type_count):
        raise ValueError("its transitions are out of order or name no type")
    letters = data[at + type_count * 6 : at + type_count * 6 + char_count]
    types = []
    for index in range(type_count):
        utc_offset, is_dst, letter = struct.unpack_from(">iBB", data, at + index * 6)
        abbreviation = letters[letter : letters.index(b"\0", letter)].decode("ascii")
        types.append(LocalType(utc_offset, bool(is_dst), abbreviation))
    distinct = tuple(dict.fromkeys(types))  # a file may list one type several times
    same = np.array([distinct.index(kind) for kind in types], np.intp)
    footer = None
    if version >= b"2":
        text = data[start + _HEADER.size + _block_size(counts, 8) :].decode("ascii")
        if len(text) < 2 or not text.startswith("\n") or not text.endswith("\n"):
            raise ValueError("its footer is cut short")
        footer = posix.parse(text[1:-1]) if len(text) > 2 else None
    later = times > BEGINNING  # some files list the big bang
    before = kinds[~later][-1] if not later.all() else 0
    return (
        np.concatenate([[BEGINNING], times[later]]).astype(np.int64),
        same[np.concatenate([[before], kinds[later]]).astype(np.intp)],
        distinct,
        footer,
    )


def _block_size(counts: list[int], width: int) -> int:
    utc_count, std_count, leap_count, time_count, type_count, char_count = counts
    times = time_count * (width + 1) + leap_count * (width + 4)
    return times + type_count * 6 + char_count + std_count + utc_count


def _year(seconds: int) -> int:
    return int(np.datetime64(seconds, "s").astype("M8[Y]").astype(np.int64)) + 1970
