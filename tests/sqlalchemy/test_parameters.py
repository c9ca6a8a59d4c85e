"""Parameters of a rewritten text mean the values that they meant in the statement, in each style.

Statements are drawn from pieces, and rewritten as the rewriter may do it: pieces change places, are
repeated and left out. What a driver makes of the new text must have the values of the old pieces.
"""

from __future__ import annotations

import datetime as dt
import enum
import random
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tzconv.sqlalchemy.decide import _times, quarter
from tzconv.sqlalchemy.parameters import Marked, constant, mark, value

_PLAIN = ["SELECT x", "'it''s'", "t.n > 1", '"a b"', "-- note\n", "x::text", "'14:30'", "100"]
_NAMES = ["day", "zone_1", "a", "Zone"]


def _in_order(pattern: str) -> Callable[[str, Any], str]:
    def driver(text: str, given: Any) -> str:
        values = iter(given)
        return re.sub(pattern, lambda _: f"<{next(values)}>", text)

    return driver


def _named(pattern: str) -> Callable[[str, Any], str]:
    return lambda text, given: re.sub(pattern, lambda found: f"<{given[found[1]]}>", text)


def _percent(text: str, given: Any) -> str:
    if isinstance(given, Mapping):
        return text % {name: f"<{one}>" for name, one in given.items()}
    return text % tuple(f"<{one}>" for one in given)


class _Zone(str, enum.Enum):  # noqa: UP042 - a StrEnum is formatted as its value
    INDIA = "Asia/Kolkata"


_NUMBERED = re.compile(r"\$(\d+)")
_DRIVERS: dict[str, tuple[str, str, Callable[[str, Any], str]]] = {
    # by style: the name of the style to SQLAlchemy, a parameter, and what a driver does
    "pyformat": ("pyformat", "%({name})s", _percent),
    "format": ("format", "%s", _percent),
    "colon": ("named", ":{name}", _named(r"(?<![\w:]):([a-zA-Z]\w*)")),
    "qmark": ("qmark", "?", _in_order(r"\?")),
    "dollar": (
        "numeric_dollar",
        "${number}",
        lambda text, given: _NUMBERED.sub(lambda one: f"<{given[int(one[1]) - 1]}>", text),
    ),
    "dollar and name": ("numeric_dollar", "${name}", _named(r"\$(\w+)")),
}


def _drawn(style: str, draw: random.Random) -> Iterator[tuple[str, str]]:
    """Pieces of a statement, and what each means with its value."""
    parameter = _DRIVERS[style][1]
    for place in range(draw.randrange(1, 9)):
        # what is no parameter in one style is one in another
        more = ["5 %% 2", "LIKE 'a%%'", "'$5'"] if "format" in style else ["5 % 2"]
        plain = draw.choice([*_PLAIN, *more])
        yield plain, plain.replace("%%", "%")
        name, number = draw.choice(_NAMES), draw.randrange(1, 4)
        meant = name if "name" in parameter else number if "number" in parameter else place
        yield parameter.format(name=name, number=number), f"<v{meant}>"


@pytest.mark.parametrize("style", _DRIVERS)
def test_values_stay_where_they_are(style: str) -> None:
    paramstyle, _, driver = _DRIVERS[style]
    for seed in range(300):
        draw = random.Random(f"{style} {seed}")
        pieces = list(_drawn(style, draw))
        statement = " ".join(piece for piece, _ in pieces)
        given: Any = {name: f"v{name}" for name in _NAMES}
        if style in ("format", "qmark", "dollar"):
            given = tuple(f"v{number}" for number in range(style == "dollar", len(pieces) + 4))
        if style in ("format", "qmark"):
            given = given[: len(pieces) // 2]
        marked = mark(statement, paramstyle)
        assert marked is not None
        assert marked.style == style.split(maxsplit=1)[0]
        for key in marked.keys:
            assert marked.keys[int(marked.number(key)) - int(marked.number(marked.keys[0]))] == key
        for _ in range(3):
            text, fit = marked.unmark(marked.text)
            assert driver(text, given if fit is None else fit(given)) == " ".join(
                meant for _, meant in pieces
            )
            marks = re.findall(r"\$731\d{4}", marked.text)
            assert len(marks) == len(pieces) // 2
            order = [draw.randrange(len(marks)) for _ in range(draw.randrange(1, 6))]
            text, fit = marked.unmark(" + ".join(marks[one] for one in order) + " % 7, '50%'")
            meant = " + ".join(pieces[2 * one + 1][1] for one in order) + " % 7, '50%'"
            assert driver(text, given if fit is None else fit(given)) == meant


@pytest.mark.parametrize(
    ("statement", "paramstyle"),
    [
        ("SELECT %s, %(a)s", "pyformat"),
        ("SELECT %s, 5 % 2", "format"),
        ("SELECT ?, $1", "qmark"),
        ("SELECT $7310001, $1", "numeric_dollar"),
    ],
)
def test_uncertain_parameters(statement: str, paramstyle: str) -> None:
    assert mark(statement, paramstyle) is None


def test_a_statement_without_parameters() -> None:
    for paramstyle in ("pyformat", "format", "named", "qmark", "numeric_dollar"):
        marked = mark("SELECT 1", paramstyle)
        assert marked is not None
        text, fit = marked.unmark("SELECT 5 % 2")
        assert fit is None
        assert (text % () if "format" in paramstyle else text) == "SELECT 5 % 2"
    assert mark("SELECT %s, ?, $1", "pyformat", plain=True) == Marked(
        "SELECT %s, ?, $1", (), "plain"
    )


def test_zones_and_units_shape_a_statement() -> None:
    marked = mark(
        "SELECT date_trunc(%(unit)s, t AT TIME ZONE %(zone)s::text), timezone(%(other)s, t), "
        "new_time(f(t), %(source)s, %(target)s), new_time(t, 'UTC', %(last)s) "
        "WHERE t > %(begin)s AND %(zone)s <> 'a'",
        "pyformat",
    )
    assert marked is not None
    assert marked.shaping == ("unit", "zone", "other", "source", "target", "last")
    text = marked.with_values({"zone": "Asia/Kolkata", "last": "Europe/Paris", "begin": "x"})
    assert "t AT TIME ZONE 'Asia/Kolkata')" in text
    assert "new_time(t, 'UTC', 'Europe/Paris')" in text
    assert text.count("$731") == 6
    for kept in ("interval", "char", "VARCHAR (3)"):  # '05:00' as an interval is another offset
        marked = mark(f"SELECT t AT TIME ZONE %s::{kept}", "pyformat")
        assert marked is not None
        assert marked.with_values({0: "05:00"}).endswith(f"'05:00'::{kept}")


def test_values_that_may_be_written_into_a_text() -> None:
    for text in ("Europe/Paris", "Etc/GMT+5", "day", "a" * 64, "<+03>-3"):
        assert constant(text) == text
    assert f"{constant(_Zone.INDIA)}" == "Asia/Kolkata"
    for other in ("", "a" * 65, "it's", "a\nb", "ä", "$1", "a\\", 5, None, b"day"):
        assert constant(other) is None
    assert (value({"a": 1}, "a"), value((1, 2), 1)) == (1, 2)
    assert (value({"a": 1}, "b"), value((1, 2), 2), value(None, "a")) == (None, None, None)


def test_a_quarter_has_its_times() -> None:
    draw, zones = random.Random(3), [None, dt.UTC, dt.timezone(dt.timedelta(hours=14))]
    for _ in range(3_000):
        zone = draw.choice(zones)
        moment = dt.datetime(1900, 1, 1, 15, tzinfo=zone) + dt.timedelta(
            days=draw.randrange(109_571), seconds=draw.randrange(86_400)
        )
        found = quarter(moment)
        assert found is not None
        first, last = _times(found)
        # 92 days, and one at either end
        assert first <= moment <= last
        assert last - first <= dt.timedelta(days=94)
        assert quarter(moment.date()) == (False, moment.year * 4 + (moment.month - 1) // 3)
    days = [(1900, 1, 1), (2199, 12, 31), (1899, 12, 31), (2200, 1, 1)]
    assert [quarter(dt.date(*day)) is not None for day in days] == [True, True, False, False]
    for nothing in ("2026-01-01", 5, None, dt.time(), dt.datetime.max.replace(tzinfo=zones[2])):
        assert quarter(nothing) is None
    early = dt.datetime(1, 1, 1, tzinfo=zones[2])
    assert quarter(early) is None
