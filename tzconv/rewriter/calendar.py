"""Conditions on a part of the calendar of a local value: the year, a month, a list of days.

They bound the column inside, but say more or less than their interval: what is bounded by them
keeps them.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from collections.abc import Iterator, Mapping

from sqlglot import exp

from tzconv.rewriter import local
from tzconv.rewriter.comparisons import operators, unwrapped
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.local import Interval, LocalPredicate
from tzconv.sql.built import shape
from tzconv.sql.constants import DAY, constant, microseconds_of, to_datetime
from tzconv.sql.expressions import without_parens
from tzconv.sql.names import Names
from tzconv.sql.parse import Node

_FIRST, _LAST = 1000, 9000
"""Years whose bounds every engine can write."""
_FORMATS = {
    "%Y": r"(\d{4})",
    "%Y-%m": r"(\d{4})-(\d\d)",
    "%Y%m": r"(\d{4})(\d\d)",
    "%Y-%m-%d": r"(\d{4})-(\d\d)-(\d\d)",
    "%Y%m%d": r"(\d{4})(\d\d)(\d\d)",
}
_MASKS = {"to_char": ("YYYY", "MM", "DD"), "date_format": ("yyyy", "MM", "dd")}
"""What stands for year, month and day in the formats of calls that are read as they are written."""


def within(
    conditions: list[Node], conversions: Mapping[int, Conversion], names: Names
) -> Iterator[LocalPredicate]:
    """What the conditions that must all hold bound by a part of the calendar.

    ``conversions`` to a zone are by the identity of their nodes. A month bounds only beside a year.
    """
    # what shows the clock of its zone, whatever the zone of the session
    conversions = {
        at: one
        for at, one in conversions.items()
        if one.unit is None and (one.local_kind == "timestamp" or names.schema.session_is_utc)
    }
    years: list[tuple[Conversion, int]] = []
    for node in conditions:
        if isinstance(node, exp.In):
            yield from _listed(node, conversions, names)
        elif (found := _of_year(node, conversions)) is not None:
            conversion, interval = found
            year = to_datetime(interval.start or 0).year
            if interval == _span(year):  # of several years each has that month
                years.append((conversion, year))
            yield LocalPredicate(node, conversion, interval, is_exact=False)
        elif isinstance(node, exp.EQ):
            yield from _shown(node, conversions, names)
    for node in conditions:
        for conversion, year in years:
            month = _month(node, conversion, conversions)
            if month is not None:
                yield LocalPredicate(node, conversion, _span(year, month), is_exact=False)


def _listed(
    node: exp.In, conversions: Mapping[int, Conversion], names: Names
) -> Iterator[LocalPredicate]:
    """A value in a list of constants: from the first to the last."""
    unit, inner = unwrapped(node.this, names)
    conversion = conversions.get(id(inner))
    if conversion is None:
        yield from _shown(node, conversions, names)
        return
    found = []
    for one in node.expressions:
        value = constant(one, conversion.local_kind, names)
        to_date = isinstance(without_parens(node.this), (exp.Cast, exp.Date))
        if value is None or (to_date and value % DAY):
            return
        interval = local.interval(unit, exp.EQ, value)
        if interval is not None:  # else it is no beginning of a unit, and equal to none
            found.append(interval)
    if found:
        yield LocalPredicate(node, conversion, local.hull(found), is_exact=False)


def _of_year(
    node: Node, conversions: Mapping[int, Conversion]
) -> tuple[Conversion, Interval] | None:
    """A year compared with a number, or two of them."""
    intervals = []
    conversion: Conversion | None = None
    for left, right, operator in operators(node):
        unit, inner = _part(left)
        conversion = conversions.get(id(inner))
        year = _integer(right)
        if unit != "year" or year is None or not _FIRST <= year <= _LAST:
            return None
        start = microseconds_of(dt.date(year, 1, 1))
        interval = local.interval("year", operator, start)
        if interval is None:
            return None
        intervals.append(interval)
    return None if conversion is None else (conversion, local.intersection(intervals))


def _month(node: Node, conversion: Conversion, conversions: Mapping[int, Conversion]) -> int | None:
    """The month that an equality asks of the same local value."""
    if not isinstance(node, exp.EQ):
        return None
    for left, right, _ in operators(node):
        unit, inner = _part(left)
        other, month = conversions.get(id(inner)), _integer(right)
        if unit == "month" and other is not None and month in range(1, 13):
            return month if shape(other.node) == shape(conversion.node) else None
    return None


def _part(node: Node) -> tuple[str, Node]:
    """The part of the calendar that a call takes, and of what."""
    node = without_parens(node)
    if isinstance(node, exp.Cast) and node.to.this in (exp.DType.INT, exp.DType.BIGINT):
        node = without_parens(node.this)
    if isinstance(node, (exp.Year, exp.Month)):
        return type(node).__name__.lower(), without_parens(node.this)
    if isinstance(node, exp.Anonymous) and node.name.lower() in ("year", "month"):
        return node.name.lower(), without_parens(node.expressions[0])
    parts = [node.this, node.expression] if isinstance(node, exp.Extract) else []
    if node.name.lower() in ("date_part", "datepart"):
        parts = node.expressions
    if len(parts) == len(("unit", "value")):
        unit = parts[0].this if isinstance(parts[0], exp.Cast) else parts[0]
        if isinstance(unit, (exp.Literal, exp.Var)):
            return unit.name.lower(), without_parens(parts[1])
    return "", node


def _shown(
    node: exp.EQ | exp.In, conversions: Mapping[int, Conversion], names: Names
) -> Iterator[LocalPredicate]:
    """A value as text, equal to a date in ISO form or to one in a list."""
    others = node.expressions if isinstance(node, exp.In) else [node.expression]
    call = without_parens(node.this)
    value, letters = _as_text(call)
    conversion = conversions.get(id(value))
    known = _FORMATS.get(letters)
    if conversion is None or known is None:
        return
    found = []
    for one in others:
        text = without_parens(one)
        if not text.is_string:
            return
        match = re.fullmatch(known, text.name)
        if match is None:
            continue  # equal to none
        if not _FIRST <= int(match[1]) <= _LAST:
            return
        with contextlib.suppress(ValueError):  # no day of the calendar
            found.append(_span(*map(int, match.groups())))
    if found:
        has_older = names.schema.reading.shows_eras_alike
        yield LocalPredicate(node, conversion, local.hull(found), False, has_older)


def _as_text(node: Node) -> tuple[Node | None, str]:
    """What a call shows as text, and its format in the letters of C; None for another node."""
    if isinstance(node, exp.TimeToStr):
        return without_parens(node.this), node.text("format")
    mask = _MASKS.get(node.name.lower()) if isinstance(node, exp.Anonymous) else None
    if mask is None or len(node.expressions) != len(("value", "format")):
        return None, ""
    value, form = node.expressions
    letters = dict(zip(mask, ("%Y", "%m", "%d"), strict=True))
    text = re.sub("|".join(mask), lambda one: letters[one[0]], form.name)
    return without_parens(value), text if form.is_string else ""


def _span(year: int, month: int | None = None, day: int | None = None) -> Interval:
    first = microseconds_of(dt.date(year, month or 1, day or 1))
    return Interval(*local.edges("day" if day else "month" if month else "year", first))


def _integer(node: Node) -> int | None:
    node = without_parens(node)
    return int(node.to_py()) if node.is_int else None
