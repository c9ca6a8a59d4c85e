"""What the whole rewriter looks for: conversions of a zone, and every spelling of now()."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from tzconv.sql.nodes import NewTime, StatementTime
from tzconv.sql.parse import Node

_NOW_NODES = (exp.CurrentTimestamp, exp.CurrentDate, exp.Localtimestamp, StatementTime)
NOW_FUNCTIONS = frozenset(
    {"now", "get_current_timestamp", "transaction_timestamp", "statement_timestamp"}
)
"""Calls that sqlglot has no node for and that give the start of the transaction or statement."""


def shifts_zone(node: Node | None) -> bool:
    """Whether a node shows a time on another clock, in whatever spelling."""
    return isinstance(node, NewTime) or zone_conversion(node) is not None


def is_now_call(node: Node | None) -> bool:
    """Whether a node is a call of now() or one of its synonyms that sqlglot leaves anonymous."""
    call = _call(node)
    return call is not None and call.name.casefold() in NOW_FUNCTIONS and not call.expressions


def is_now(node: Node) -> bool:
    """Whether a node is the current time or date, of whatever type."""
    return isinstance(node, _NOW_NODES) or is_now_call(node)


def has_now(node: Node) -> bool:
    """Whether a node holds the current time as a TIMESTAMPTZ."""
    return any(isinstance(part, exp.CurrentTimestamp) or is_now_call(part) for part in node.walk())


def zone_conversion(node: Node | None) -> tuple[Node, Node] | None:
    """Zone and value of ``value AT TIME ZONE zone`` or ``timezone(zone, value)``."""
    if isinstance(node, exp.AtTimeZone):
        return _plain_text(node.args["zone"]), without_parens(node.this)
    call = _call(node)
    if call is None or call.name.casefold() != "timezone" or len(call.expressions) != 2:
        return None
    return _plain_text(call.expressions[0]), without_parens(call.expressions[1])


def zones_and_value(node: Node) -> tuple[list[Node], Node] | None:
    """Zones and value of one conversion, in the spelling of any dialect."""
    found = zone_conversion(node)
    if found is not None:
        return [found[0]], found[1]
    if isinstance(node, NewTime):
        return [node.args["source"], node.args["target"]], node.this
    if isinstance(node, exp.ConvertTimezone):
        zones = [node.args.get("source_tz"), node.args.get("target_tz")]
        value = node.args.get("timestamp")
        return ([zone for zone in zones if zone], value) if value else None
    if isinstance(node, exp.Anonymous) and len(node.expressions) == 3:
        name, (first, second, third) = node.name.casefold(), node.expressions
        if name == "new_time":
            return [second, third], first
        if name == "convert_timezone":
            return [first, second], third
    return None


@dataclass(frozen=True)
class ConversionChain:
    """``node`` converts ``value`` by ``zones``, without UTC; ``links`` are it and those inside."""

    node: Node
    value: Node
    zones: tuple[Node, ...]
    links: tuple[Node, ...]


def conversion_chain(node: Node) -> ConversionChain | None:
    """The conversions of a node, such as ``ts AT TIME ZONE 'UTC' AT TIME ZONE zone``."""
    zones: list[Node] = []
    links: list[Node] = []
    value = node
    while (step := zones_and_value(value)) is not None:
        links.append(value)
        zones += (zone for zone in step[0] if not is_utc(zone))
        value = without_parens(step[1])
    return ConversionChain(node, value, tuple(zones), tuple(links)) if links else None


def conversion_chains(nodes: Iterable[Node]) -> Iterator[ConversionChain]:
    """The conversions among nodes, of which outer ones come first; each chain of them once."""
    inner: set[int] = set()
    for node in nodes:
        found = None if id(node) in inner else conversion_chain(node)
        if found is not None:
            inner |= {id(one) for one in found.links}
            yield found


def _call(node: Node | None) -> exp.Anonymous | None:
    """The call that a node is, with PostgreSQL's own schema or without one.

    Another schema has another function, and so has a name in quotes that is not in lower case.
    """
    if isinstance(node, exp.Dot):
        if node.this.name != "pg_catalog":
            return None
        call: Node | None = node.expression
    else:
        is_in_schema = node is not None and node.arg_key == "expression"
        call = None if node is None or (is_in_schema and isinstance(node.parent, exp.Dot)) else node
    if not isinstance(call, exp.Anonymous):
        return None
    is_quoted = isinstance(call.this, exp.Identifier) and call.this.args.get("quoted")
    return None if is_quoted and not call.name.islower() else call


def _plain_text(zone: Node) -> Node:
    """A zone without the cast to text that PostgreSQL writes into the definitions of views."""
    inner = without_parens(zone)
    if isinstance(inner, exp.Cast) and inner.to.this in (exp.DType.TEXT, exp.DType.VARCHAR):
        literal = without_parens(inner.this)
        if literal.is_string and not inner.to.expressions:
            return literal
    return zone


def without_parens(node: Node) -> Node:
    """The expression inside any parentheses around it."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def upwards(node: Node | None, last: Node | None = None) -> Iterator[Node]:
    """A node and those around it, up to ``last`` or to the root."""
    while node is not None:
        yield node
        node = None if node is last else node.parent


def outside(node: Node) -> Node | None:
    """What a node stands in, parentheses aside."""
    around = (exp.Paren, exp.Subquery)
    return next((one for one in upwards(node.parent) if not isinstance(one, around)), None)


def field_of(node: Node | None) -> str | None:
    """The field that ``x.f`` or ``x['f']`` reads; None for other expressions."""
    if isinstance(node, exp.Dot):
        return node.name if isinstance(node.expression, exp.Identifier) else None
    given = node.expressions if isinstance(node, exp.Bracket) else []
    return given[0].name if len(given) == 1 and given[0].is_string else None


_EXPLODES = ("explode", "explode_outer")


def unnested(node: Node | None) -> Node | None:
    """The list whose values ``unnest(x)`` or ``explode(x)`` gives one by one."""
    if isinstance(node, exp.Lateral):
        node = node.this
    if isinstance(node, exp.Explode):
        return None if node.expressions else node.this
    is_call = isinstance(node, exp.Unnest) and not node.args.get("offset")
    if is_call or (isinstance(node, exp.Anonymous) and node.name.casefold() in _EXPLODES):
        return node.expressions[0] if node is not None and len(node.expressions) == 1 else None
    return None


_LISTS = (exp.Array, exp.List, exp.Comprehension)


def is_variable(column: exp.Column) -> bool:
    """Whether a name, or what stands before its dot, is the variable of a list comprehension."""
    names = {column.name.casefold(), column.table.casefold()}
    # sqlglot takes FOR for a part of the last operand, so the whole list is looked at
    lists = (one for one in upwards(column) if isinstance(one, _LISTS))
    found = (one for around in lists for one in around.find_all(exp.Comprehension))
    variables = (one for it in found for one in it.args["expression"].find_all(exp.Identifier))
    return any(one.name.casefold() in names for one in variables)


def may_show_columns(projection: Node) -> bool:
    """Whether DuckDB may show several columns for one, beside a plain star.

    So it does for the fields of a struct that it unnests, COLUMNS() and ``* LIKE '...'``.
    """
    is_star = projection.is_star
    return any(
        isinstance(node, (exp.Explode, exp.Unnest, exp.Columns))
        or (isinstance(node, exp.Anonymous) and node.name.casefold() == "unnest")
        or (isinstance(node, exp.Star) and not is_star and not isinstance(node.parent, exp.Count))
        for node in projection.walk(prune=lambda one: isinstance(one, exp.Query))
    )


UTC_NAMES = frozenset(
    {"utc", "gmt", "etc/utc", "etc/gmt", "zulu", "etc/zulu", "uct", "etc/uct", "universal"}
)


def is_utc(zone: Node) -> bool:
    """Whether a zone is a constant that every engine reads as UTC."""
    return isinstance(zone, exp.Literal) and zone.name.casefold() in UTC_NAMES
