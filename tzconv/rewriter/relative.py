"""Comparisons with the current time, whose value is unknown when a statement is rewritten.

Predicates on a local value follow the clock: "today", "the last 7 days", "month to date". Of a
TIMESTAMP or DATE compared with a TIMESTAMPTZ, such as NOW(), the engine casts a side; which one,
and whether the constant can be cast instead, the strategy ``now`` decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from tzconv.rewriter.comparisons import both_ways, casts, sides, unwrapped
from tzconv.rewriter.conversions import (
    SHORT_UNITS,
    Conversion,
    Unclear,
    begins_in_utc,
    has_column,
    is_ours,
    unclear,
    untyped,
)
from tzconv.rewriter.purity import is_fixed, is_repeatable, positional
from tzconv.sql.constants import DAY, constant, microseconds
from tzconv.sql.expressions import has_now, is_utc, without_parens, zone_conversion
from tzconv.sql.names import Names
from tzconv.sql.nodes import DateAdd, NewTime
from tzconv.sql.parse import Node
from tzconv.sql.schema import Kind

_MOST_DAYS = 1_000_000
"""An integer of days up to this keeps a date of our time inside the range of TIMESTAMP."""
_ZONELESS = ("timestamp", "date")
_OF_QUERY = "the TIMESTAMPTZ comes from a subquery: cast it to TIMESTAMP there"
_BESIDE_TEXT = "a text beside NOW() is read as a TIMESTAMPTZ too: write TIMESTAMP before it"
_SEVERAL = "it compares several values at once: write one comparison for each"
_MIXED = "the value is a TIMESTAMP or a TIMESTAMPTZ of a row: cast one of them to the other's type"
_CAST = {"this", "to"}
_CHOOSING = (exp.Coalesce, exp.Greatest, exp.Least, exp.Case)
_COUNTED = ("microsecond", "millisecond", *SHORT_UNITS, "day", "week", "month", "year")


@dataclass(frozen=True, slots=True, eq=False)
class RelativePredicate:
    """The local value of ``conversion``, truncated to ``unit``, compared with ``value``.

    ``value`` depends on no row but, perhaps, through ``clock``: a part of it that shows a constant
    time in a zone of a row. Then a later time of the clock never gives an earlier ``value``.
    """

    node: Node
    conversion: Conversion
    unit: str
    operator: type[Node]
    value: Node
    clock: Node | None

    @property
    def column(self) -> Node:
        """What is converted, most often a column."""
        return self.conversion.value


@dataclass(frozen=True, slots=True, eq=False)
class ClockBound:
    """A column as compared with a time whose distance from ``value`` is that of a zone from UTC.

    Either ``value`` is read as a time of ``zone``'s clock, or the column is. Without ``zone`` the
    column is compared with ``value`` itself. ``clock`` as in :class:`RelativePredicate`.
    """

    node: Node
    column: exp.Column
    kind: Kind
    operator: type[Node]
    value: Node
    clock: Node | None
    zone: Node | None


def clock_bounds(node: Node, names: Names) -> Iterator[ClockBound]:
    """What a comparison with a time of a row's zone, or of a column in a zone, bounds."""
    if names.schema.reading.timestamp_is_zoned:
        return
    for left, right, operator in both_ways(node):
        found = _of_local_column(left, right, names) or _of_clock(left, right, names)
        if found is None or positional(right):
            continue
        column, value, clock, zone = found
        kind = names.kind(column)
        # an interval in place of a zone may be of any length
        is_safe = zone is None or names.kind(zone) == "text"
        if isinstance(column, exp.Column) and kind is not None and is_safe:
            yield ClockBound(node, column, kind, operator, value, clock, zone)


_Parts: TypeAlias = tuple[Node, Node, Node | None, Node | None]


def _of_local_column(left: Node, right: Node, names: Names) -> _Parts | None:
    """``local_column AT TIME ZONE zone`` compared with a constant time."""
    local = zone_conversion(without_parens(left))
    if local is None or is_utc(local[0]) or names.kind(local[1]) != "timestamp":
        return None
    is_known = fixed_kind(right, names) == "timestamptz" and is_fixed(right)
    return (local[1], right, None, local[0]) if is_known else None


def _of_clock(left: Node, right: Node, names: Names) -> _Parts | None:
    """A column compared with what a clock shows, or with the time at which it shows something."""
    if not has_column(right):
        return None
    kind, value, zone = names.kind(left), without_parens(right), None
    read = zone_conversion(value)
    if kind == "timestamp" and read is not None and is_utc(read[0]):
        read = zone_conversion(read[1])
    elif kind != "timestamptz":
        read = None
    if read is not None:
        zone, value = read
    elif kind not in _ZONELESS:
        return None
    kinds = _ZONELESS if zone is None else ("timestamp",)
    clock = _clock(value, names) if has_column(value) else None
    is_known = is_fixed(value) if clock is None else is_repeatable(value)
    if not is_known or fixed_kind(value, names) not in kinds:
        return None
    if clock is None and constant(value, "timestamp", names) is not None:
        return None  # a bound, whose time is known
    return without_parens(left), value, clock, zone


def relative_predicates(
    node: Node, conversions: Mapping[int, Conversion], names: Names
) -> Iterator[RelativePredicate]:
    """What a comparison of a local value with a constant bounds; BETWEEN gives up to two."""
    for left, right, operator in both_ways(node):
        made = uncast(without_parens(left), names) if names.schema.session_is_utc else None
        unit, inner = unwrapped(made or left, names)
        conversion = conversions.get(id(inner))
        if conversion is None or positional(right):
            continue
        kind = fixed_kind(right, names)
        if conversion.unit is not None:
            if kind == "timestamptz" and unit == "microsecond" and is_fixed(right):
                truncated_to = conversion.unit
                yield RelativePredicate(node, conversion, truncated_to, operator, right, None)
            continue
        # elsewhere the clock of the session decides
        is_plain = kind in _ZONELESS and not names.schema.reading.timestamp_is_zoned
        if not (is_plain or (names.schema.session_is_utc and kind is not None)):
            continue
        clock = _clock(right, names) if has_column(right) else None
        if is_fixed(right) if clock is None else is_repeatable(right):
            yield RelativePredicate(node, conversion, unit, operator, right, clock)


def fixed_kind(node: Node, names: Names) -> Kind | None:
    """The kind of a constant time, dates moved by days or truncated too; None for all else.

    None too if it holds a literal that cannot be read, or a number of days that is not a small
    constant: a DATE may be outside of all TIMESTAMPs.
    """
    for cast in node.find_all(exp.Cast):
        is_time = names.kind(cast) in ("date", "timestamp")
        if is_time and isinstance(cast.this, exp.Literal) and microseconds(cast) is None:
            return None
    for text in node.find_all(exp.Literal):
        is_time = text.is_string and isinstance(text.parent, (*_CHOOSING, exp.If))
        if is_time and microseconds(text) is None:
            return None
    for moved in node.find_all(exp.Add, exp.Sub):
        if names.kind(moved) == "date" and _kind(moved, names) is None:
            return None
    return _kind(node, names)


def _kind(node: Node, names: Names) -> Kind | None:
    node = without_parens(node)
    if isinstance(node, (exp.Add, exp.Sub)):
        kind, by = _kind(node.this, names), without_parens(node.expression)
        if isinstance(by, exp.Literal) and not by.is_string:
            days = int(by.name) if by.name.isdigit() else _MOST_DAYS
            return kind if kind in _ZONELESS and days < _MOST_DAYS else None
        if names.kind(by) != "interval":
            return None
        if kind == "date":  # to Spark a TIMESTAMP is what others call TIMESTAMPTZ
            return "timestamptz" if names.schema.reading.timestamp_is_zoned else "timestamp"
        return kind
    if isinstance(node, DateAdd):
        kind = _kind(node.this, names)
        if not node.args.get("unit"):
            return kind and "date"
        return "timestamp" if kind in _ZONELESS else None
    if isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)):
        kind = _kind(node.this, names)
        # most engines first cast a date to TIMESTAMPTZ, and Spark everything
        reading = names.schema.reading
        is_cast = kind == "date" and not reading.truncates_dates_as_dates
        return "timestamptz" if is_cast or reading.timestamp_is_zoned else kind
    kind = names.kind(node)
    return kind if kind in ("timestamp", "timestamptz", "date") else None


def _clock(node: Node, names: Names) -> Node | None:
    """The clock inside a value that grows with it; None where something else depends on rows."""
    node = without_parens(node)
    if clock_time(node, names) is not None:
        return node
    if any(has_column(one) for one in node.iter_expressions() if one is not node.this):
        return None
    grows = (exp.Add, exp.Sub, DateAdd, exp.Date, exp.DateTrunc, exp.TimestampTrunc)
    if isinstance(node, exp.Cast):
        is_ordered = names.kind(node) in ("date", "timestamp")
    else:
        is_ordered = isinstance(node, grows) and not node.expressions and not node.args.get("zone")
    return _clock(node.this, names) if is_ordered else None


def clock_time(node: Node, names: Names) -> Node | None:
    """The constant time that a node shows on a clock, a TIMESTAMPTZ or what NEW_TIME() takes."""
    if isinstance(node, NewTime):
        time = node.this if begins_in_utc(node, names) else None
        kinds: tuple[Kind, ...] = ("timestamp", "timestamptz")
    else:
        zone, value = zone_conversion(node) or (node, None)
        # an interval in place of a zone may be of any length
        time, kinds = value if names.kind(zone) == "text" else None, ("timestamptz",)
    is_known = time is not None and is_fixed(time) and fixed_kind(time, names) in kinds
    return time if is_known else None


@dataclass(frozen=True, slots=True, eq=False)
class NowComparison:
    """``node``, a constant TIMESTAMPTZ, compared with ``value``, a TIMESTAMP or DATE of a row.

    Or one of ``casts``, by which the text makes a TIMESTAMPTZ of such a value.
    """

    node: Node
    value: Node
    casts: tuple[Node, ...] = ()


def compared_with_now(node: Node, names: Names) -> Iterator[NowComparison | Unclear]:
    """What a comparison or a difference casts because a side of it is a constant TIMESTAMPTZ."""
    found: set[int] = set()  # BETWEEN compares its first operand twice
    for left, right in casts(node, names):
        if isinstance(right, exp.Literal) or (isinstance(left, exp.Column) and is_ours(left)):
            continue
        # IN (SELECT ...) or ALL (SELECT ...), of any number of rows
        is_many = isinstance(right, (exp.All, exp.Any)) and isinstance(right.this, exp.Query)
        query = right.this if is_many else right
        is_list = is_many or right is node.args.get("query")
        is_of_rows = isinstance(right, exp.Subquery) and has_column(right)
        is_query = is_list or (is_of_rows and not _is_of_one_row(right, names))
        parts = zoned_parts(left, right, names)
        made = tuple(one for one in parts if uncast(one, names) is not None)
        zoned = [one for one in parts if id(one) not in found]
        if is_query and names.kind(left) in _ZONELESS and names.kind(query) == "timestamptz":
            if has_column(left):
                yield unclear(left if is_list else right, "unsupported", _OF_QUERY)
        elif zoned and not is_query:
            why = _why_not_cast(node, names)
            yield from (
                [unclear(node, "unsupported", why)]
                if why
                else (NowComparison(part, left, made) for part in zoned)
            )
            found |= {id(part) for part in zoned}
        elif has_column(left) and not has_column(right) and has_now(right):
            is_cast = isinstance(left, exp.Cast) and names.kind(left) == "timestamptz"
            yield from _untyped(node, left.this if is_cast else left, right, names)


def zoned_parts(left: Node, right: Node, names: Names) -> list[Node]:
    """The constant parts of the right side that make a TIMESTAMP of each row a TIMESTAMPTZ.

    And the casts of the text that do so, on either side. Once the constants are cast, neither side
    has a zone; empty where another part would keep one, or where a text beside a DATE would lose
    its hours, or a difference of two DATEs would be a number.
    """
    ours = list(_parts(right, names))
    parts = [(one, names.kind(one)) for one in (*_parts(left, names), *ours)]
    made = [one for one, _ in parts if uncast(one, names) is not None]
    bare = {names.kind(uncast(one, names) or one) for one, _ in parts}
    least = DAY if "date" in bare else 1
    if isinstance(left.parent, exp.Sub) and bare.isdisjoint(("timestamp", "timestamptz")):
        return []
    is_known = all(
        kind in _ZONELESS
        or (kind == "timestamptz" and (not has_column(one) or _is_of_one_row(one, names)))
        or isinstance(one, exp.Null)
        or uncast(one, names) is not None
        or ((at := constant(one, "timestamp", names)) is not None and not at % least)
        for one, kind in parts
    )
    is_of_row = any(kind in _ZONELESS and has_column(one) for one, kind in parts)
    zoned = [one for one in ours if names.kind(one) == "timestamptz" and not uncast(one, names)]
    return [*made, *zoned] if is_known and (is_of_row or made) else []


def uncast(node: Node, names: Names) -> Node | None:
    """The TIMESTAMP or DATE of a row that a cast of the text makes a TIMESTAMPTZ."""
    if not isinstance(node, exp.Cast) or {key for key, one in node.args.items() if one} != _CAST:
        return None
    is_plain = names.kind(node) == "timestamptz" and not node.to.expressions
    is_of_row = names.kind(node.this) in _ZONELESS and has_column(node.this)
    return node.this if is_plain and is_of_row else None


def _is_of_one_row(node: Node, names: Names) -> bool:
    """Whether one value serves all rows: that of a subquery, or of a CTE that has one row."""
    if isinstance(node, exp.Subquery):
        return "zoned" in names.schema.reading.slow and names.is_closed(node)
    owner = names.owner(node) if isinstance(node, exp.Column) else None
    if owner is None or isinstance(owner.source, exp.Table):
        return False
    select, several = owner.source.expression, (exp.UDTF, exp.Explode, exp.Window)
    if not ("zoned" in names.schema.reading.slow and isinstance(select, exp.Select)):
        return False
    shown, reads = select.expressions, any(map(select.args.get, ("from_", "joins", "laterals")))
    is_total = not select.args.get("group") and not any(one.find(exp.Query) for one in shown)
    is_total = is_total and any(one.find(exp.AggFunc) for one in shown)
    return (is_total or not reads) and not any(one.find(*several) for one in shown)


def _parts(node: Node, names: Names) -> Iterator[Node]:
    """What a value is one of, such as those of COALESCE, without the intervals that move it."""
    if not has_column(node):
        yield node
        return
    node = without_parens(node)
    if isinstance(node, _CHOOSING):
        chosen = [node.args.get("default"), *(one.args["true"] for one in node.args.get("ifs", ()))]
        for one in chosen if isinstance(node, exp.Case) else (node.this, *node.expressions):
            yield from _parts(one, names) if one is not None else ()
    elif names.kind(node) in _ZONELESS:
        yield node
    elif isinstance(node, (exp.Add, exp.Sub)) and names.kind(node.expression) == "interval":
        yield from _parts(node.this, names)
    elif isinstance(node, exp.Add) and names.kind(node.this) == "interval":
        yield from _parts(node.expression, names)
    else:
        yield node


def _why_not_cast(node: Node, names: Names) -> str | None:
    if len(node.expressions) == 3 and isinstance(node, exp.Anonymous):  # date_sub()
        return "it counts the months of a TIMESTAMPTZ otherwise: cast NOW() to TIMESTAMP"
    unit = node.args.get("unit") if isinstance(node, exp.DateDiff) else None
    if unit is not None and unit.name.casefold() not in _COUNTED:
        return "with this unit, times before the year 1 are counted otherwise"
    is_sure = all(_reads_alike(one, node, names) for _, one in sides(node))
    return None if is_sure else _BESIDE_TEXT


def _untyped(node: Node, left: Node, right: Node, names: Names) -> Iterator[Unclear]:
    kinds, constants = (
        {names.kind(one) for one in (side.expressions if isinstance(side, exp.Tuple) else [side])}
        for side in (left, right)
    )
    if not constants & {None, "timestamptz"}:
        return
    if isinstance(left, exp.Tuple) and kinds & {*_ZONELESS}:
        yield unclear(node, "unsupported", _SEVERAL)
    elif kinds <= {*_ZONELESS} and None in constants:
        yield unclear(node, "unknown-type", "the type of the side with NOW() is unknown")
    elif None in kinds and None not in {names.kind(one) for one in _parts(left, names)}:
        yield unclear(node, "unsupported", _MIXED)
    elif None in kinds:
        yield untyped(node, left, names)


def _reads_alike(beside: Node, node: Node, names: Names) -> bool:
    """Whether another operand is the same time when the current time is no TIMESTAMPTZ.

    An engine may read a text, and in a list everything, as the type of the others.
    """
    if constant(beside, "timestamp", names) is not None or isinstance(beside, exp.Null):
        return True
    if isinstance(node, exp.In):
        return names.kind(beside) in (*_ZONELESS, "timestamptz")
    return not isinstance(without_parens(beside), exp.Literal)
