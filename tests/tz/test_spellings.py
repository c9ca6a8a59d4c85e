"""What stands in zone columns, by documents: no rule of ours says what is expected here."""

from __future__ import annotations

import pytest

from tests import zone_texts
from tzconv.tz import spellings, zones

RULES = zones.installed()
NAMES = frozenset(RULES.names)
KNOWN = zone_texts.read()


def read(text: str | None) -> spellings.Spelling:
    return spellings.read(text, NAMES, RULES.links)


def test_names_of_every_kind() -> None:
    wrong = []
    for known in KNOWN:
        found = read(known.text)
        others = found.others
        if known.kind == "windows":  # the file names one country's of many
            others = tuple(one for one in others if one in known.others)
        if (found.kind, found.zone, others) != (known.kind, known.zone, known.others):
            wrong.append((known, found))
    assert not wrong
    assert len({known.text for known in KNOWN}) == len(KNOWN) > 200
    assert {known.kind for known in KNOWN} == {*spellings.KINDS} - {"null"}
    assert read(None).kind == "null"


def test_countries_with_many_zones_and_places_of_one_name() -> None:
    for text in ("United States", "Russia", "Antarctica", "Georgia"):
        assert (read(text).zone, read(text).others) == (None, ()), text


def test_every_name_of_the_release_is_itself() -> None:
    for name in RULES.names:
        found = read(name)
        shared = name in ("EST", "MST", "HST", "CET", "MET", "EET", "WET")  # and abbreviations
        expected = (
            ("abbreviation", None)
            if shared
            else (("link", RULES.links[name]) if name in RULES.links else ("iana", name))
        )
        assert (found.kind, found.zone) == expected
        other = read(f" {name.upper().replace('_', ' ')}")
        if not shared and name.upper() != name:
            assert (other.kind, other.zone) == ("spelling", name)


def test_no_abbreviation_has_a_zone() -> None:
    """Every abbreviation that any clock of the release has shown."""
    shown = {
        kind.abbreviation
        for name in RULES.names
        for kind in RULES.zone(name).types
        if kind.abbreviation.isalpha()
    }
    assert len(shown) > 100
    # UTC and GMT are names of zones, which mean the same in every list
    for text in shown - {"UTC", "GMT", "UCT"}:
        for written in (text, text.lower(), f" {text} "):
            found = read(written)
            assert (found.zone, found.others) == (None, ()), found


def test_all_zones_that_are_offered_exist() -> None:
    """In this release, under the name in use."""
    offered: set[str | None] = set()
    for section in ("rails", "places"):
        for names in spellings._other_names()[section].values():
            offered.update(names)
    assert offered <= NAMES
    for windows in spellings._windows():
        found = read(windows)
        if found.kind != "offset":  # UTC-11 is also one of Windows' names
            offered.update((found.zone, *found.others))
    assert offered - {None} <= NAMES
    assert not {"Asia/Calcutta", "Europe/Kiev", "America/Godthab", "Asia/Rangoon"} & offered


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Pacific Standard Time", "it is a Windows name of America/Los_Angeles."),
        ("Mumbai", "it is a Ruby on Rails name of Asia/Kolkata."),
        ("PST", "it is an abbreviation, which is one offset and stands for several zones."),
        ("europe/berlin", "did you mean Europe/Berlin?"),
        ("Germany", "did you mean Europe/Berlin or Europe/Busingen?"),
        ("US/Pacific-New", "did you mean America/Los_Angeles?"),  # until 2020b
        ("Europe/Atlantis", "tz release 2026f has no such name."),
    ],
)
def test_the_error_says_what_the_name_is(name: str, said: str) -> None:
    error = spellings.unknown_zone(name, RULES.names, RULES.links, "2026f")
    assert str(error).endswith(said)
    assert (name in RULES) is False


def test_an_error_offers_only_zones_of_these_rules() -> None:
    error = spellings.unknown_zone("Pacific Standard Time", ["UTC", "Asia/Tokyo"], {}, "2026f")
    assert error.nearest == ()
    assert "Los_Angeles" not in str(error)
    astana = spellings.read("Astana", frozenset({"Asia/Almaty"}), {})
    assert (astana.zone, astana.others) == (None, ("Asia/Almaty",))
    known = spellings.unknown_zone("Asia/Tokyo", ["UTC", "Asia/Tokyo"], {}, "Server 1")
    assert str(known).endswith("Server 1 has no such name.")
