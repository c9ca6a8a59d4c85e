"""Conversions of time zones, and those of them that a rewrite may change: of a row's value.

What AT TIME ZONE means depends on the type of its value: a TIMESTAMPTZ is shown on the clock of the
zone, a TIMESTAMP is read as a time on that clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from tzconv.engines.write import Engine
from tzconv.rewriter.advice import to_declare
from tzconv.rewriter.purity import is_fixed, is_repeatable
from tzconv.sql.expressions import (
    field_of,
    is_utc,
    outside,
    shifts_zone,
    upwards,
    without_parens,
    zone_conversion,
)
from tzconv.sql.names import Names
from tzconv.sql.nodes import NewTime
from tzconv.sql.parse import Node
from tzconv.sql.reasons import TRUNCATES, Code, Reason
from tzconv.sql.schema import Kind
from tzconv.tables import ZONE

_OURS = re.compile(r"tzconv_(?:\d+|(?:period|zone)\w*)")
"""The aliases that a rewrite and the dbt package's macros add: a second pass knows its own work."""


def is_ours(node: Node) -> bool:
    """Whether an expression uses a column that a rewrite has added, or reads the zone table."""
    named = any(_OURS.fullmatch(one.table) for one in node.find_all(exp.Column))
    return named or any(table.name == ZONE.name for table in node.find_all(exp.Table))


def is_our_join(node: Node | None) -> bool:
    """Whether a node is a join that a rewrite has added."""
    return isinstance(node, exp.Join) and _OURS.fullmatch(node.this.alias_or_name) is not None


_TIMES = ("timestamptz", "timestamp")
SHORT_UNITS = ("second", "minute", "hour")
"""What a time is truncated to with the offset that it has."""
LONG_UNITS = ("day", "week", "month", "quarter", "year")
"""What a time is truncated to on the clock: the offset may be another one there."""


@dataclass(frozen=True, slots=True, eq=False)
class Conversion:
    """``value``, a time of kind ``value_kind`` that comes from a row, converted by ``zone``.

    It is a UTC time that becomes the TIMESTAMP of the zone's clock or, with ``to_utc``, a TIMESTAMP
    of that clock that becomes a TIMESTAMPTZ. With ``is_nested`` the value holds a conversion too.
    With ``unit`` it is ``date_trunc(unit, value, zone)``: to the clock, truncated, and back.

    NEW_TIME() gives a TIMESTAMP in either direction (``utc_kind``); with ``target`` it goes on to
    the clock of that zone. ``gives`` is the kind of the result where Spark casts in a session whose
    zone is UTC: the value before the conversion, or its result for date_trunc().
    """

    node: Node
    value: Node
    value_kind: Kind
    zone: Node
    to_utc: bool = False
    is_nested: bool = False
    unit: str | None = None
    utc_kind: Kind = "timestamptz"
    target: Node | None = None
    gives: Kind | None = None

    @property
    def is_of_zone(self) -> bool:
        """Whether the value is no row's, so that only the zone varies."""
        return not has_column(self.value)

    @property
    def local_kind(self) -> Kind:
        """The kind of the times on the zone's clock: to Spark the same as of those in UTC."""
        is_call = isinstance(self.node, NewTime)
        return (self.node.args.get("kind") or "timestamp") if is_call else "timestamp"

    def shifted(self, engine: Engine, value: str, offset: str, *, to_utc: bool) -> str:
        """What a clock with that offset shows or, with ``to_utc``, when it shows the value."""
        if not to_utc:
            return engine.shifted(value, self.value_kind, offset, self.gives)
        if self.gives is None:
            return engine.to_utc(value, offset, self.utc_kind)
        return engine.shifted(value, self.value_kind, f"-({offset})", self.gives)


@dataclass(frozen=True, slots=True, eq=False)
class Unclear:
    """A place that looks like a site but cannot be judged, with the reason."""

    node: Node
    reason: Reason


def unclear(node: Node, code: Code, text: str) -> Unclear:
    """An ``Unclear`` with this code and text."""
    return Unclear(node, Reason(code, text))


def untyped(node: Node, value: Node, names: Names, why: str = "") -> Unclear:
    """A place that cannot be judged because the type of a value is not known."""
    return unclear(node, "unknown-type", untyped_text(value, names, why, _TIMES))


def untyped_text(value: Node, names: Names, why: str, kinds: tuple[str, ...]) -> str:
    """A sentence that names the call or the columns without a known type, and what to do."""
    call = value.find(exp.Anonymous)
    if call is not None and all(map(names.kind, call.find_all(exp.Column))):
        place = "" if kinds is _TIMES and is_repeatable(call) else " in a CTE"
        return f"the type of {call.name}(...) is not known{why}: cast it{place}"
    text = f"the type of {columns_text(value)} is not known{why}"
    return text + to_declare(value, names, kinds)


def is_arithmetic(node: Node, names: Names) -> bool:
    """Whether the zone is an interval: no rules are looked up, and our own edits look so."""
    zone = (zone_conversion(node) or (node.args.get("zone") or node,))[0]
    return names.kind(zone) == "interval" or is_ours(zone)


def conversion_at(  # noqa: PLR0911 # one form after the other
    node: Node, names: Names
) -> Conversion | Unclear | None:
    """What a node is that converts a time zone; None where that costs nothing per row."""
    if _is_truncation(node):
        return _truncation(node, names)
    if isinstance(node, NewTime):
        return _new_time(node, names)
    zone, value = zone_conversion(node) or (node, node)
    if is_utc(zone) or not (has_column(value) or _is_of_zone(value, zone, names)):
        return None  # a constant, or UTC itself
    if isinstance(node.parent, exp.Collate):
        return unclear(node, "unsupported", "the COLLATE after it belongs to its zone")
    if _names_a_column(node, names):
        text = "a column without alias is named after its WINDOW: give it an alias"
        return unclear(node, "unnamed-column", text)
    kind = names.kind(value)
    inner = zone_conversion(value)
    if inner is not None and is_utc(inner[0]) and names.kind(inner[1]) != "timestamptz":
        value, kind = inner[1], names.kind(inner[1])
        if kind == "timestamp":
            return Conversion(node, value, kind, zone, is_nested=_converts(value, names))
    elif kind in ("timestamp", "timestamptz"):
        made = value.this if isinstance(value, exp.Cast) and not value.to.expressions else value
        if kind != names.kind(made) == "timestamp":
            if names.schema.session_is_utc and names.schema.session_is_known:
                value, nested = without_parens(made), _converts(made, names)
                return Conversion(node, value, "timestamp", zone, is_nested=nested)
            if "zoned" in names.schema.reading.slow:
                text = f"the cast reads {columns_text(made)} in the zone of the session: run it in "
                text += "UTC, and say so with --session-time-zone or --url"
                return unclear(node, "session-time-zone", text)
        to_utc = kind == "timestamp"
        return Conversion(node, value, kind, zone, to_utc, _converts(value, names))
    if kind is None:
        return untyped(node, value, names, ", and it decides what AT TIME ZONE means")
    return unclear(
        node, "not-a-time", f"{columns_text(value)} is neither TIMESTAMP nor TIMESTAMPTZ"
    )


def _is_of_zone(value: Node, zone: Node, names: Names) -> bool:
    """Whether a constant time is converted by a row's zone: it has one result per zone."""
    return (
        has_column(zone) and is_fixed(value) and names.kind(value) in ("timestamp", "timestamptz")
    )


def _names_a_column(node: Node, names: Names) -> bool:
    """Whether DuckDB names an output column after a WINDOW that holds the node or is beside it."""
    if not names.schema.reading.windows_name_columns:
        return False
    window, around = node.find_ancestor(exp.Window, exp.Query), set(map(id, upwards(node)))
    is_defined = isinstance(window, exp.Window) and window.arg_key == "windows"
    return any(
        any(inside.alias for inside in one.find_all(exp.Window))
        for one in names.scope.expression.expressions
        if (is_defined or id(one) in around) and not isinstance(one, exp.Alias)
    )


_CONVERTERS = (exp.AtTimeZone, exp.Anonymous, exp.Dot, NewTime, exp.TimestampTrunc)


def converts(node: Node) -> bool:
    """Whether a node has the form of a conversion, whatever it converts."""
    return isinstance(node, _CONVERTERS) and (shifts_zone(node) or _is_truncation(node))


def _is_truncation(node: Node) -> bool:
    return isinstance(node, exp.TimestampTrunc) and node.args.get("zone") is not None


def _truncation(node: Node, names: Names) -> Conversion | Unclear | None:
    value, zone, unit = without_parens(node.this), node.args["zone"], node.args.get("unit")
    if not has_column(value) or is_utc(zone):
        return None
    kind = names.kind(value)
    if kind is None:
        return untyped(node, value, names)
    if kind != "timestamptz":
        text = f"{columns_text(value)} is no TIMESTAMPTZ: the session's zone counts"
        return unclear(node, "session-time-zone", text)
    if not isinstance(unit, exp.Var) or unit.name.casefold() not in (*SHORT_UNITS, *LONG_UNITS):
        return Unclear(node, TRUNCATES)
    nested = _converts(value, names)
    return Conversion(node, value, kind, zone, is_nested=nested, unit=unit.name.casefold())


def _new_time(node: NewTime, names: Names) -> Conversion | Unclear | None:
    value, source, target = without_parens(node.this), node.args["source"], node.args["target"]
    zone = target if is_utc(source) else source
    if is_utc(zone) or not (has_column(value) or _is_of_zone(value, zone, names)):
        return None
    kind, gives = names.kind(value), None
    if isinstance(source, exp.Var) and not begins_in_utc(node, names):
        text = "it begins in the zone of the session, which is not UTC"
        return unclear(node, "session-time-zone", text)
    if node.args.get("kind") and kind in ("timestamp", "timestamptz"):
        if kind != node.args["kind"]:
            if not names.schema.session_is_utc:
                text = f"{columns_text(value)} is first cast in the session's zone, not UTC"
                return unclear(node, "session-time-zone", text)
            gives = node.args["kind"]
    elif kind != "timestamp":
        column = columns_text(value)
        if kind == "date":
            return unclear(node, "not-a-time", f"{column} is a DATE: cast it to TIMESTAMP")
        if kind is not None:
            text = f"{column} is no TIMESTAMP: what it becomes depends on the session"
            return unclear(node, "session-time-zone", text)
        why = ", and a TIMESTAMPTZ is first shown in the session's zone"
        return untyped(node, value, names, why)
    is_zoned = names.schema.reading.timestamp_is_zoned
    if is_zoned and names.schema.session_is_utc and _is_cast_to_be_truncated(node):
        gives = "timestamptz"
    nested = _converts(value, names)
    if begins_in_utc(node, names):
        return Conversion(node, value, kind, target, is_nested=nested, gives=gives)
    further = None if is_utc(target) else target
    return Conversion(
        node, value, kind, source, True, nested, utc_kind=kind, target=further, gives=gives
    )


def _is_cast_to_be_truncated(node: NewTime) -> bool:
    """Whether it gives a TIMESTAMP_NTZ to date_trunc(), which takes a TIMESTAMP.

    Not so where rows are grouped and the result stands somewhere else too: the groups may be made
    of it, and then date_trunc() must be given what they are made of.
    """
    select = node.find_ancestor(exp.Select)
    if (
        node.args.get("kind") != "timestamp"
        or not isinstance(outside(node), exp.TimestampTrunc)
        or select is None
    ):
        return False
    return not select.args.get("group") or all(
        isinstance(outside(other), exp.TimestampTrunc)
        for other in select.find_all(NewTime)
        if has_column(other.this) and other.find_ancestor(exp.Where, exp.Join, exp.Query) is select
    )


def _converts(value: Node, names: Names) -> bool:
    """Whether a value holds a conversion that is a site of its own."""
    return any(
        isinstance(conversion_at(part, names), Conversion)
        for part in value.walk()
        if converts(part)
    )


def is_fallback(node: Node) -> bool:
    """Whether a node is the native expression that a former rewrite kept, in COALESCE or CASE."""
    child: Node = node
    parent: Node | None = node.parent
    while isinstance(parent, exp.Case if isinstance(child, exp.If) else _AROUND):
        child, parent = parent, parent.parent
    if isinstance(parent, exp.Coalesce) and parent.this is not child:
        ours = parent.this
    elif isinstance(parent, exp.Case) and parent.args.get("default") is child:
        ours = parent.args["ifs"][0].args["true"]
    else:
        return False
    if isinstance(ours, exp.Cast):  # Spark's, where the kinds of value and result differ
        ours = ours.this
    if isinstance(ours, exp.Case) and ours.args.get("default") is not None:
        ours = ours.args["default"]  # Spark's, in a session whose zone is not UTC
    return (
        is_ours(ours)
        or (isinstance(ours, exp.UnixToTime) and ours.find(exp.Anonymous) is not None)
        or (isinstance(ours, exp.Anonymous) and ours.name.casefold() in _MADE)
    )


_AROUND = (exp.Paren, exp.Cast, exp.Date, exp.TimestampTrunc, exp.If)
"""What may stand around a kept conversion: the daily or hourly table may have the result of a cast
or of date_trunc, and a CASE may test the zone for NULL."""


def is_compared_before(comparison: Node) -> bool:
    """Whether a former rewrite put a comparison with constants before this one, in an OR."""
    parent = comparison.parent
    return isinstance(parent, exp.Or) and parent.this is not comparison and is_ours(parent.this)


_MADE = ("make_timestamptz", "timestamp_micros", "timestampadd")
"""What makes a time of numbers."""


def begins_in_utc(node: NewTime, names: Names) -> bool:
    """Whether a conversion begins on the clock of UTC."""
    source = node.args["source"]
    return is_utc(source) or (isinstance(source, exp.Var) and names.schema.session_is_utc)


def is_condition(node: Node) -> bool:
    """Whether a node stands in WHERE or ON: then it may be computed for rows that are left out."""
    return isinstance(node.find_ancestor(exp.Where, exp.Join, exp.Query), (exp.Where, exp.Join))


def has_column(node: Node) -> bool:
    """Whether a node depends on a row.

    To sqlglot the variable of a lambda, and a column in what a method is called of, is only a name.
    """
    return any(isinstance(part, exp.Column) or _is_value(part) for part in node.walk())


def _is_value(node: Node) -> bool:
    if not isinstance(node, exp.Identifier) or isinstance(node.parent, (exp.Column, *_NAMED)):
        return False
    if node.find_ancestor(exp.Lambda, exp.Dot) is None:
        return False
    # the name of a function, or the schema before it
    is_function = isinstance(node.parent, exp.Anonymous) and node.arg_key == "this"
    is_field = field_of(node.parent) is not None and node.arg_key == "this"
    return is_field or not (is_function or isinstance(node.parent, exp.Dot))


_NAMED = (
    *(exp.DataType, exp.Table, exp.TableAlias, exp.Alias, exp.CTE, exp.Kwarg, exp.PropertyEQ),
    *(exp.Placeholder, exp.Parameter, exp.Collate),
)
"""What has a name that is no value."""


def columns_text(node: Node) -> str:
    """The columns of a node, as a reason names them."""
    return ", ".join(dict.fromkeys(column.sql() for column in node.find_all(exp.Column)))
