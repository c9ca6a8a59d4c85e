"""What a text is that stands where an IANA name is expected: Windows' name, Rails', a city.

Only spellings, Windows' names and Rails' names are mapped, because their owners say which zone they
mean. An abbreviation, an offset and a POSIX rule are never mapped: several zones have them.
Windows' names are CLDR's, by the package ``tzlocal``; the others are in ``other_names.txt``.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources

from tzconv.errors import UnknownZoneError

REASONS = {
    "iana": "an IANA name",
    "link": "an IANA name that is a link",
    "spelling": "an IANA name but for its case, its underscores or the spaces around it",
    "windows": "a Windows name",
    "rails": "a Ruby on Rails name",
    "posix": "a POSIX rule, which has no history and names no zone",
    "offset": "a fixed offset: zones change theirs, and databases disagree about its sign",
    "abbreviation": "an abbreviation, which is one offset and stands for several zones",
    "empty": "an empty text",
    "null": "NULL",
    "unknown": "no name that tzconv knows",
}
"""What each kind of a text is, for messages."""
KINDS = tuple(REASONS)
VALID = ("iana", "link")
"""The kinds of names that a tz release has."""
MAPPED = ("spelling", "windows", "rails")
"""The kinds whose owners say which zone they mean."""

_MOST_OFFERED = 3
_SHORTEST, _LONGEST = 3, 100
"""Letters of a place that is looked for among similar ones, and of any name."""
_OFFSET = re.compile(
    r"(?:UTC|GMT)?\s*([+-])\s*(?:(1[0-8]|0?\d)(?::([0-5]\d))?|(1[0-8]|0\d)([0-5]\d))(?::[0-5]\d)?|Z",
    re.IGNORECASE,
)
_ABBREVIATION = r"(?:[A-Z]{3,5}|<[A-Za-z0-9+-]{3,}>)"
_HOURS = r"[+-]?(?:2[0-4]|[01]?\d)(?::\d\d){0,2}"
_RULE = r",[MJ\d.]+(?:/[+-]?\d{1,3}(?::\d\d){0,2})?"
_POSIX = re.compile(rf"{_ABBREVIATION}{_HOURS}(?:{_ABBREVIATION}(?:{_HOURS})?(?:{_RULE}){{0,2}})?")
_PREFIX = re.compile(r"\((?:GMT|UTC)(?:[+-]\d\d:\d\d)?\)\s*")
_SEASON = re.compile(r"(?i)\s+(?:(?:daylight|summer|standard)\s+)?time$")
_OFFSETS_OF_ETC = range(-12, 15)
_SHARED_BY_PLACES = {"georgia"}
"""Countries that have the name of a place with another zone."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """``zone`` is the IANA name of a text of a ``kind`` that has one for certain.

    ``others`` are IANA names that it may also mean: zones of other countries for a Windows name,
    similar names for an unknown one.
    """

    text: str | None
    kind: str
    zone: str | None = None
    others: tuple[str, ...] = ()


def read(text: str | None, names: frozenset[str], links: Mapping[str, str]) -> Spelling:
    """What a text is among the ``names`` of a tz release, some of which are ``links``."""
    if text is None:
        return Spelling(None, "null")
    plain = text.strip(" \t\r\n\xa0")
    if not plain:
        return Spelling(text, "empty")
    if plain.upper() in _other_names()["abbreviations"]:
        return Spelling(text, "abbreviation")
    if text in names:
        return Spelling(text, "link" if text in links else "iana", links.get(text, text))
    is_plain = plain.isascii() and plain.isprintable() and len(plain) <= _LONGEST
    if is_plain and (name := _by_key(names).get(_key(plain))) is not None:
        return Spelling(text, "spelling", name)
    return (is_plain and _elsewhere(text, plain, names, links)) or _unknown(text, names, links)


def _elsewhere(
    text: str, plain: str, names: frozenset[str], links: Mapping[str, str]
) -> Spelling | None:
    """What a text is that no tz release has as a name; None if nobody has it."""
    if (offset := _OFFSET.fullmatch(plain)) is not None:
        return Spelling(text, "offset", None, _zones_of_offset(offset))
    if (zones := _windows().get(plain.lower())) is not None:
        first, *others = dict.fromkeys(current(zone, links) for zone in zones)
        known = tuple(zone for zone in others if zone in names)  # CLDR may be newer
        return Spelling(text, "windows", first if first in names else None, known)
    rails = _unescaped(_PREFIX.sub("", plain) if plain.startswith("(GMT") else plain)
    if (zones := _other_names()["rails"].get(rails.lower())) is not None:
        known = tuple(zone for one in zones if (zone := current(one, links)) in names)
        if known and len(zones) == 1:  # of two, one may only be missing in these rules
            return Spelling(text, "rails", known[0])
        return Spelling(text, "rails", None, known)
    return Spelling(text, "posix") if _POSIX.fullmatch(plain) else None


def unknown_zone(
    name: str, names: Collection[str], links: Mapping[str, str], release: str
) -> UnknownZoneError:
    """The error for a name that a tz release does not have: what it is, or what it may mean."""
    nearest, hint = advice(name, names, links)
    return UnknownZoneError(name, release, nearest, hint)


def advice(
    name: str, names: Collection[str], links: Mapping[str, str]
) -> tuple[tuple[str, ...], str]:
    """Up to three of ``names`` that an unknown one may stand for, and what to say of it."""
    if name in names:  # the database of these rules does not know it
        return (), ""
    found = read(name, frozenset(names), links)
    nearest = ((found.zone,) if found.zone else found.others)[:_MOST_OFFERED]
    nearest = tuple(zone for zone in nearest if zone in names)
    if found.kind in ("unknown", "spelling"):
        return nearest, f"did you mean {' or '.join(nearest)}?" if nearest else ""
    if found.kind in MAPPED and nearest:
        return nearest, f"it is {REASONS[found.kind]} of {' or '.join(nearest)}."
    return nearest, f"it is {REASONS[found.kind]}."


def current(name: str, links: Mapping[str, str]) -> str:
    """The name in use of a zone that was renamed: Asia/Kolkata for Asia/Calcutta."""
    renamed = name in links and name not in _zones_in_use() and links[name] in _zones_in_use()
    return links[name] if renamed else name


def _unknown(text: str, names: frozenset[str], links: Mapping[str, str]) -> Spelling:
    found = [current(name, links) for name in _near(text, names)]
    return Spelling(text, "unknown", None, tuple(dict.fromkeys(found))[:_MOST_OFFERED])


def _near(text: str, names: frozenset[str]) -> Iterable[str]:
    """IANA names of a place that has the name, or the one near name in its region."""
    if len(text) > _LONGEST or not text.isprintable():
        return ()
    plain = _PREFIX.sub("", _unescaped(text)).strip()
    region, _, place = plain.rpartition("/")
    letters, by_place = _letters(place), _by_place(names)
    if not letters:
        return ()
    for known in (_places(), _other_names()["rails"] if plain != text else {}):
        if (zones := known.get(_letters(plain)) or known.get(plain.lower())) is not None:
            return tuple(zone for zone in zones if zone in names)
    if letters in by_place:
        return by_place[letters]
    if not region and _SEASON.search(plain):
        return _windows().get(f"{_SEASON.sub('', plain).lower()} standard time", ())[:1]
    near = [
        name
        for known, name in _by_region(names).get(_key(region), {}).items()
        if _is_slip(letters, known)
    ]
    return near if len(near) == 1 and len(letters) > _SHORTEST else ()


def _is_slip(typed: str, meant: str) -> bool:
    """Whether one letter was left out, added or mistaken, or two were swapped."""
    if abs(len(typed) - len(meant)) > 1 or (typed[0] != meant[0] and typed[-1] != meant[-1]):
        return False
    while typed[:1] == meant[:1] != "":
        typed, meant = typed[1:], meant[1:]
    while typed[-1:] == meant[-1:] != "":
        typed, meant = typed[:-1], meant[:-1]
    return max(len(typed), len(meant)) == 1 or (len(typed) == 2 and typed == meant[::-1])


def _zones_of_offset(match: re.Match[str]) -> tuple[str, ...]:
    sign, *numbers = match.groups(default="0")
    hours, minutes, hours2, minutes2 = map(int, numbers)
    east = (hours + hours2) * (-1 if sign == "-" else 1)
    if minutes + minutes2 or east not in _OFFSETS_OF_ETC:
        return ()
    return (f"Etc/GMT{-east:+}",) if east else ("Etc/UTC",)


def _unescaped(text: str) -> str:
    """A text of a web form, where & is &amp;."""
    return text.replace("&amp;", "&")


def _key(name: str) -> str:
    """What is left of a name without its case, spaces and underscores; signs count."""
    return re.sub(r"[\s_]", "", name).lower()


def _letters(name: str) -> str:
    """The letters and digits of a name, without accents."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(one for one in plain if one.isalnum())


@functools.lru_cache(maxsize=4)
def _by_key(names: frozenset[str]) -> dict[str, str]:
    return {_key(name): name for name in names}


@functools.lru_cache(maxsize=4)
def _by_place(names: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Names by the letters of their last part; of those, the ones in use if there are any."""
    found: dict[str, tuple[str, ...]] = {}
    for name in sorted(names):
        place = _letters(name.rpartition("/")[2])
        if "/" in name and not name.startswith("Etc/"):
            found[place] = (*found.get(place, ()), name)
    in_use = _zones_in_use()
    return {
        place: tuple(name for name in zones if name in in_use) or zones
        for place, zones in found.items()
    }


@functools.lru_cache(maxsize=4)
def _by_region(names: frozenset[str]) -> dict[str, dict[str, str]]:
    """Names by their region, and by the letters of their last part."""
    found: dict[str, dict[str, str]] = {}
    for name in names:
        region, _, place = name.rpartition("/")
        if region and region != "Etc":  # GMT+5 and GMT-5 are near each other
            found.setdefault(_key(region), {})[_letters(place)] = name
    return found


@functools.cache
def _windows() -> dict[str, tuple[str, ...]]:
    """The zones of Windows' names in lower case: of the world first, then those of countries."""
    from tzlocal.windows_tz import tz_win, win_tz

    zones = {windows: {zone: None} for windows, zone in win_tz.items()}
    for zone, windows in sorted(tz_win.items()):
        if zone and windows in zones:
            zones[windows][zone] = None
    return {windows.lower(): tuple(known) for windows, known in zones.items()}


@functools.cache
def _other_names() -> dict[str, dict[str, tuple[str, ...]]]:
    """The zones of names in lower case (abbreviations: in upper case, none), by section."""
    text = (resources.files("tzconv.tz") / "other_names.txt").read_text(encoding="utf-8")
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            zones, _, names = line.partition(": ")
            known = found.setdefault(section, {})
            for name in names.split("; "):
                known[name if zones == "-" else name.lower()] = tuple(zones.split("|"))
    return found


@functools.cache
def _places() -> dict[str, tuple[str, ...]]:
    """The zones of cities and countries, by the letters of their names."""
    found = {_letters(name): zones for name, zones in _other_names()["places"].items()}
    zones_of: dict[str, tuple[str, ...]] = {}
    for country, _, zone, *_ in _table("zone.tab"):
        zones_of[country] = (*zones_of.get(country, ()), zone)
    for country, name in _table("iso3166.tab"):
        zones = zones_of.get(country, ())
        if _letters(name) not in _SHARED_BY_PLACES and 0 < len(zones) <= _MOST_OFFERED:
            found.setdefault(_letters(name), zones)
    return found


@functools.cache
def _zones_in_use() -> frozenset[str]:
    """The names that zone.tab has for the places of each country."""
    return frozenset(zone for _, _, zone, *_ in _table("zone.tab"))


def _table(name: str) -> list[list[str]]:
    text = (resources.files("tzdata") / "zoneinfo" / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
