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
    error = UnknownZoneError("Tokio", "2026f", ("Asia/Tokyo",), "did you mean Asia/Tokyo?")
    assert isinstance(error, RulesError)
    assert (error.name, error.nearest) == ("Tokio", ("Asia/Tokyo",))
    assert str(error) == (
        "Unknown time zone 'Tokio': tz release 2026f has no such name; did you mean Asia/Tokyo?"
    )
    plain = UnknownZoneError("qqqqqq", "2026f")
    assert str(plain) == "Unknown time zone 'qqqqqq': tz release 2026f has no such name."


def test_parse_error_tells_the_place() -> None:
    error = ParseError("unexpected )", 3, 14)
    assert isinstance(error, RewriteError)
    assert (error.line, error.column) == (3, 14)
    assert str(error) == "line 3, column 14: unexpected )"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("URL", ("url",)), (" zone ", ("zones",)), ("dialct", ("dialect",)), ("", ()), ("qqq", ())],
)
def test_nearest_names(asked: str, expected: tuple[str, ...]) -> None:
    assert nearest_names(asked, ("dialect", "url", "zones")) == expected


def test_at_most_three_names_are_offered_and_none_twice() -> None:
    names = [f"Area/Place{number}" for number in range(30)]
    found = nearest_names("Area/Place", names)
    assert len(found) == len(set(found)) == 3
    assert nearest_names("Area/Place", ()) == ()
