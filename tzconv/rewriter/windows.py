"""The UTC window that WHERE and inner joins leave of a timestamp column.

Only conditions that must all hold count. The window is never too narrow: where a bound depends on
the zone of a row it is widened by the widest offset there is.

A parameter has no value when its query is rewritten, and so bounds nothing. Where the caller says
between which times it will lie, the window is no wider than these.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from sqlglot import exp

from tzconv.errors import RewriteError
from tzconv.rewriter.calendar import Within
from tzconv.rewriter.comparisons import conjuncts, operators, required
from tzconv.rewriter.local import Interval, hull, intersection, interval
from tzconv.rewriter.sites import Bound, LocalPredicate, Sites
from tzconv.sql.constants import DAY, constant, microseconds_of, uncast
from tzconv.sql.expressions import is_utc, without_parens, zone_conversion
from tzconv.sql.names import Names
from tzconv.sql.nodes import NewTime
from tzconv.sql.parse import Node
from tzconv.sql.schema import Kind

Ranges: TypeAlias = Mapping[str, tuple[dt.datetime, dt.datetime]]
"""First and last time, by the name or number of the parameter; naive ones are TIMESTAMPs."""
_RANGE = "tzconv_between"

UtcOf: TypeAlias = Callable[[LocalPredicate | Within], Interval]


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
    pieces = [constant_window(column, names)]
    for node in required(names.scope.expression):
        pieces += bound_pieces(node, column, names, sites.bounds, widest_offset)
        pieces += _converted(node, column, names, widest_offset)
        whole = [one for one in sites.within if not one.has_older]
        bounding: list[LocalPredicate | Within] = [*sites.predicates, *whole]
        pieces += [
            utc(predicate)
            for predicate in bounding
            if predicate.node is node and same_column(predicate.conversion.value, column, names)
        ]
    return intersection(pieces)


def constant_window(column: exp.Column, names: Names) -> Interval:
    """The window that comparisons of the bare column with UTC constants give."""
    return _plain(required(names.scope.expression), column, names)


def bound_pieces(
    node: Node, column: exp.Column, names: Names, bounds: Iterable[Bound], widest_offset: int
) -> Iterator[Interval]:
    """What the bounds of one comparison leave of a column, whatever the zone of the row."""
    for left, right, operator in operators(node):
        for bound in bounds:
            if bound.node is right and same_column(left, column, names):
                at = bound.local_time
                allowed = None if at is None else interval("microsecond", operator, at)
                if allowed is not None:
                    yield allowed.shifted(-widest_offset, widest_offset)


def widened(predicate: LocalPredicate | Within, widest_offset: int) -> Interval:
    """The UTC times at which the predicate may hold, whatever the zone of the row."""
    return predicate.interval.shifted(-widest_offset, widest_offset)


def _plain(conditions: Iterable[Node], column: exp.Column, names: Names) -> Interval:
    """What comparisons of the bare column with constants leave of it."""
    pieces: list[Interval] = []
    for node in conditions:
        if isinstance(node, exp.Or):  # from the first time that either side allows to the last
            sides = (node.this, node.expression)
            pieces.append(hull(_plain(conjuncts(side), column, names) for side in sides))
        else:
            pieces += _compared(node, column, names)
    return intersection(pieces)


def _compared(node: Node, column: exp.Column, names: Names) -> Iterator[Interval]:
    kind: Kind | None = names.kind(column)
    for left, right, operator in operators(node):
        if not same_column(left, column, names):
            continue
        value = constant(right, kind or "other", names)
        if value is not None:
            allowed = interval("microsecond", operator, value)
        else:
            zoned = kind == "timestamptz"
            allowed = (
                _between(right, operator, zoned=zoned) if zoned or kind == "timestamp" else None
            )
        if allowed is not None:
            yield allowed


def _converted(
    node: Node, column: exp.Column, names: Names, widest_offset: int
) -> Iterator[Interval]:
    """What a constant leaves of a column if the comparison converts it from or to a zone."""
    for left, right, operator in operators(node):
        moved = without_parens(right)
        if not same_column(left, column, names) or names.kind(moved) != names.kind(column):
            continue
        times = 0
        while (found := _conversion(moved)) is not None:
            zones, moved = found
            if not all(zone.is_string for zone in zones):  # an interval may be of any length
                times = 0
                break
            times += sum(not is_utc(zone) for zone in zones)
        if times and (value := constant(moved, names.kind(moved) or "other", names)) is not None:
            allowed = interval("microsecond", operator, value)
            if allowed is not None:
                yield allowed.shifted(-times * widest_offset, times * widest_offset)


def _conversion(node: Node) -> tuple[list[Node], Node] | None:
    """The zones and the value of a conversion."""
    if isinstance(node, NewTime):
        return [node.args["source"], node.args["target"]], without_parens(node.this)
    found = zone_conversion(node)
    return None if found is None else ([found[0]], found[1])


def note(tree: Node, ranges: Ranges) -> None:
    """Write the ranges to the parameters of a tree; RewriteError for one that is none."""
    for name, (first, last) in ranges.items():
        zoned = first.tzinfo is not None
        if zoned != (last.tzinfo is not None) or first > last:
            raise RewriteError(f"The parameter {name} cannot lie between {first} and {last}.")
    if not ranges:
        return  # as for nearly all: the tree need not be searched
    for node in tree.find_all(exp.Parameter, exp.Placeholder):
        if node.name in ranges:
            node.meta[_RANGE] = ranges[node.name]


def _between(node: Node, operator: type[Node], *, zoned: bool) -> Interval | None:
    """The times that compare so with some value that a parameter may have; None if not known.

    With ``zoned`` it must be a TIMESTAMPTZ, without it none: from one to the other it would depend
    on the zone of the session.
    """
    kind, node = uncast(node)
    if kind not in (None, "timestamptz") if zoned else kind not in (None, "timestamp", "date"):
        return None
    noted: tuple[dt.datetime, dt.datetime] | None = node.meta.get(_RANGE)
    if noted is None or (noted[0].tzinfo is not None) != zoned:
        return None
    first, last = map(microseconds_of, noted)
    if kind == "date":
        first -= first % DAY
    if operator in (exp.GT, exp.GTE):
        return Interval(first, None)
    if operator in (exp.LT, exp.LTE):
        return Interval(None, last + 1)
    return Interval(first, last + 1) if operator is exp.EQ else None
