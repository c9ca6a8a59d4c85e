"""The family of errors, and the names that are offered instead of an unknown one."""

from __future__ import annotations

import re

import pytest

from tzconv import errors
from tzconv.errors import (
    CheckError,
    HorizonError,
    OutputError,
    ParseError,
    QueryError,
    RewriteError,
    RulesError,
    TzconvError,
    UnknownZoneError,
    nearest_names,
)

KNOWN = ("America/New_York", "America/Indiana/Knox", "Asia/Kolkata", "Europe/Berlin", "US/Central")


def family(base: type[TzconvError], depth: int = 0) -> list[tuple[int, str]]:
    found = [(depth, base.__name__)]
    for child in base.__subclasses__():
        if child.__module__ == errors.__name__:
            found += family(child, depth + 1)
    return found


def test_the_drawn_tree_is_the_tree() -> None:
    drawn = [
        ((match.start(1) - 4) // 4, match[1])
        for line in (errors.__doc__ or "").splitlines()
        if (match := re.match(r"[ │├└─]{4,}(\w+Error)\b", line))
    ]
    assert drawn == family(TzconvError)
    assert len(drawn) > 9


def test_every_error_of_the_module_is_of_the_family() -> None:
    made = [value for value in vars(errors).values() if isinstance(value, type)]
    made = [value for value in made if issubclass(value, Exception)]
    assert {value.__name__ for value in made} == {name for _, name in family(TzconvError)}
    for error in (HorizonError, OutputError, QueryError, CheckError):
        assert issubclass(error, TzconvError)
    assert not issubclass(RewriteError, RulesError)


def test_unknown_zone() -> None:
    error = UnknownZoneError("America/NewYork", KNOWN, "2026f")
    assert isinstance(error, RulesError)
    assert error.name == "America/NewYork"
    assert error.nearest == ("America/New_York",)
    assert str(error) == (
        "Unknown time zone 'America/NewYork': tz release 2026f has no such name; "
        "did you mean America/New_York?"
    )


def test_unknown_zone_that_is_like_no_other() -> None:
    error = UnknownZoneError("qqqqqq", KNOWN, "2026f")
    assert error.nearest == ()
    assert str(error) == "Unknown time zone 'qqqqqq': tz release 2026f has no such name."


def test_several_nearest_names_are_joined() -> None:
    error = UnknownZoneError("Etc/GMT+5x", ("Etc/GMT+5", "Etc/GMT-5"), "2026f")
    assert set(error.nearest) == {"Etc/GMT+5", "Etc/GMT-5"}
    assert " or ".join(error.nearest) in str(error)


def test_parse_error_tells_the_place() -> None:
    error = ParseError("unexpected )", 3, 14)
    assert isinstance(error, RewriteError)
    assert (error.line, error.column) == (3, 14)
    assert str(error) == "line 3, column 14: unexpected )"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("america/new_york", ("America/New_York",)),
        ("AMERICA/NEW YORK", ("America/New_York",)),
        (" Europe/Berlin ", ("Europe/Berlin",)),
        ("Europe/Berln", ("Europe/Berlin",)),
        ("Kolkata", ("Asia/Kolkata",)),
        ("India/Kolkata", ("Asia/Kolkata",)),
        ("New York", ("America/New_York",)),
        ("Knox", ("America/Indiana/Knox",)),
        ("", ()),
        ("Zzz/Qqq", ()),
    ],
)
def test_nearest_names(asked: str, expected: tuple[str, ...]) -> None:
    assert nearest_names(asked, KNOWN)[:1] == expected


def test_at_most_three_names_are_offered_and_none_twice() -> None:
    names = [f"Area/Place{number}" for number in range(30)]
    found = nearest_names("Area/Place", names)
    assert len(found) == len(set(found)) == 3
    assert nearest_names("Area/Place", ()) == ()
