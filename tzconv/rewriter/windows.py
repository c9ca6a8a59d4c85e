"""The UTC window that a WHERE clause leaves of a timestamp column.

Only conditions that must all hold count. The window is never too narrow: where a bound depends on
the zone of a row it is widened by the widest offset there is.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from sqlglot import exp

from tzconv.horizon import seconds_of
from tzconv.rewriter.comparisons import operators
from tzconv.rewriter.constants import SECOND, constant
from tzconv.rewriter.local import Interval, hull, intersection, interval
from tzconv.rewriter.names import Names, without_parens
from tzconv.rewriter.parse import Node
from tzconv.rewriter.ranges import between
from tzconv.rewriter.schema import Kind
from tzconv.rewriter.sites import Bound, LocalPredicate, Sites

_YEARS_BEFORE, _YEARS_AFTER = 10, 2

UtcOf: TypeAlias = Callable[[LocalPredicate], Interval]


def conjuncts(where: exp.Where | None) -> Iterator[Node]:
    """The conditions of a WHERE clause that must all hold."""
    waiting = [where.this] if where is not None else []
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, exp.And):
            waiting = [node.this, node.expression, *waiting]
        elif isinstance(node, exp.Paren):
            waiting = [node.this, *waiting]
        else:
            yield node


def same_column(one: Node, other: Node, names: Names) -> bool:
    """Whether both are the same column of the same relation, however they are written."""
    one, other = without_parens(one), without_parens(other)
    if not isinstance(one, exp.Column) or not isinstance(other, exp.Column):
        return False
    if one.name.casefold() != other.name.casefold():
        return False
    owner = names.owner(one)
    return owner is not None and owner is names.owner(other)


def window(
    column: exp.Column, names: Names, sites: Sites, utc: UtcOf, widest_offset: int
) -> Interval:
    """The UTC times of ``column`` that rows of the result may have; see the module's promise.

    ``utc`` gives the UTC times of a predicate on a local value, from first to last.
    """
    where = names.scope.expression.args.get("where")
    return intersection(
        piece
        for node in conjuncts(where)
        for pieces in (
            _plain(node, column, names),
            _local(node, column, names, sites, utc),
            bound_pieces(node, column, names, sites.bounds, widest_offset),
        )
        for piece in pieces
    )


def constant_window(column: exp.Column, names: Names) -> Interval:
    """The same from comparisons of the bare column with UTC constants alone."""
    where = names.scope.expression.args.get("where")
    return intersection(piece for node in conjuncts(where) for piece in _plain(node, column, names))


def _local(
    node: Node, column: exp.Column, names: Names, sites: Sites, utc: UtcOf
) -> Iterator[Interval]:
    for predicate in sites.predicates:
        if predicate.node is node and same_column(predicate.conversion.value, column, names):
            yield utc(predicate)


def bound_pieces(
    node: Node, column: exp.Column, names: Names, bounds: Iterable[Bound], widest_offset: int
) -> Iterator[Interval]:
    """What the bounds of one comparison leave of a column, whatever the zone of the row."""
    for left, right, operator in operators(node):
        for bound in bounds:
            if bound.node is right and same_column(left, column, names):
                shown = (
                    None
                    if bound.local_time is None
                    else interval("microsecond", operator, bound.local_time)
                )
                if shown is not None:
                    yield _widened(shown, widest_offset)


def widened(predicate: LocalPredicate, widest_offset: int) -> Interval:
    """The UTC times at which the predicate may hold, whatever the zone of the row."""
    return _widened(predicate.interval, widest_offset)


def _plain(node: Node, column: exp.Column, names: Names) -> Iterator[Interval]:
    if isinstance(node, exp.Paren):
        yield from _plain(node.this, column, names)
    elif isinstance(node, exp.And):
        yield from _plain(node.this, column, names)
        yield from _plain(node.expression, column, names)
    elif isinstance(node, exp.Or):  # from the first time that either side allows to the last
        yield hull(
            intersection(_plain(side, column, names)) for side in (node.this, node.expression)
        )
    else:
        yield from _compared(node, column, names)


def _compared(node: Node, column: exp.Column, names: Names) -> Iterator[Interval]:
    kind: Kind | None = names.kind(column)
    for left, right, operator in operators(node):
        if not same_column(left, column, names):
            continue
        value = constant(right, kind or "other", names)
        if value is not None:
            shown = interval("microsecond", operator, value)
        else:
            zoned = kind == "timestamptz"
            shown = between(right, operator, zoned=zoned) if zoned or kind == "timestamp" else None
        if shown is not None:
            yield shown


def _widened(shown: Interval, widest_offset: int) -> Interval:
    return Interval(
        None if shown.start is None else shown.start - widest_offset,
        None if shown.end is None else shown.end + widest_offset,
    )


def release_year(release: str) -> int:
    """The year in the name of a tz release."""
    found = re.match(r"\d{4}", release)
    return int(found[0]) if found else 2026


def usual_years(release: str, asked: Interval, before: int = _YEARS_BEFORE) -> Interval:
    """What is written down of an open window: some years around the year of the tz release.

    ``before`` is how many of them come before it.

    Where all of them are outside the window, as many years at its closed end.
    """
    year = release_year(release)
    start = seconds_of(dt.date(year - before, 1, 1)) * SECOND
    end = seconds_of(dt.date(year + _YEARS_AFTER, 1, 1)) * SECOND
    if asked.end is not None and asked.end <= start:
        return Interval(asked.end - (end - start), asked.end)
    if asked.start is not None and asked.start >= end:
        return Interval(asked.start, asked.start + (end - start))
    return Interval(start, end)
