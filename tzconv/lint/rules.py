"""The rules of ``tzconv lint``, one function each, with a page in docs/lint/.

A code is never reused for another rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlglot import exp

from tzconv import engines, tables
from tzconv.lint.statement import TIMES, Hit, Select, has_now
from tzconv.rewriter.comparisons import COMPARISONS, DIFFERENCES, casts, sides, unwrapped
from tzconv.rewriter.conversions import has_column, is_ours
from tzconv.rewriter.relative import zoned_parts
from tzconv.sql.expressions import ConversionChain, conversion_chain, is_now, without_parens
from tzconv.sql.parse import Node
from tzconv.tz.zones import Rules

Check: TypeAlias = Callable[[Select], Iterator[Hit]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; ``fixable`` if a rewrite may fix what it finds."""

    code: str
    title: str
    fixable: bool
    check: Check


RULES: dict[str, Rule] = {}


def _rule(code: str, title: str, *, fixable: bool = False) -> Callable[[Check], Check]:
    def add(check: Check) -> Check:
        RULES[code] = Rule(code, title, fixable, check)
        return check

    return add


@_rule("TZ001", "time zone converted for each row", fixable=True)
def _converted_rows(select: Select) -> Iterator[Hit]:
    """Conversions of a column, except those in comparisons, which TZ003 reports."""
    in_predicates = {id(found.node) for found, _ in _predicates(select)}
    for found in select.conversions():
        if id(found.node) in in_predicates or not select.is_worth_reporting(found):
            continue
        said = None if select.statement.is_changed(found.node) else select.advice(found)
        message = "a time zone is converted for each row"
        yield found.node, message if said is None else f"{message}: {said}"


@_rule("TZ002", "TIMESTAMP compared with NOW()", fixable=True)
def _compared_with_now(select: Select) -> Iterator[Hit]:
    """A TIMESTAMP or DATE column compared with a TIMESTAMPTZ that is constant."""
    for node in select.names.nodes:
        for left, right in casts(node, select.names):
            is_list = isinstance(right, (exp.All, exp.Any)) or right is node.args.get("query")
            if zoned_parts(left, right, select.names) and not is_list:
                kind = "DATE" if select.names.kind(left) == "date" else "TIMESTAMP"
                called = "NOW(), a TIMESTAMPTZ" if has_now(right) else "a TIMESTAMPTZ"
                is_subtracted = isinstance(node, (*DIFFERENCES, exp.Anonymous))
                met = "is subtracted from or by" if is_subtracted else "is compared with"
                then = "" if is_subtracted else ", and nothing is pruned"
                said = f"a {kind} {met} {called}: the column is cast for each row{then}"
                yield node, said
                break


@_rule("TZ003", "conversion on the column side of a predicate", fixable=True)
def _converted_in_predicates(select: Select) -> Iterator[Hit]:
    """Converted columns that WHERE or ON compares with a constant."""
    bounded = _bounded(select)
    for found, node in _predicates(select):
        is_changed = select.statement.is_changed(node)
        if is_changed or bounded or select.is_worth_reporting(found):
            said = None if is_changed or bounded else select.advice(found)
            yield (
                node if is_changed or bounded is None else bounded,
                "the column is converted before it is compared, which defeats pruning: "
                f"{said or 'compare it with UTC bounds'}",
            )


def _bounded(select: Select) -> Node | None:
    """The condition of WHERE, if the rewrite adds bounds to it."""
    where = select.names.scope.expression.args.get("where")
    return where.this if where and select.statement.has_bounds(where.this) else None


def _predicates(select: Select) -> Iterator[tuple[ConversionChain, Node]]:
    """Conversions in WHERE and ON that are compared with constants, with the comparison.

    Also with the current time, where it gives bounds.
    """
    with_now = _bounded(select) is not None
    nodes = {id(node) for node in select.names.nodes}
    compared = (
        node
        for condition in select.conditions()
        for node in condition.find_all(*COMPARISONS, exp.Between, exp.In)
        if id(node) in nodes
    )
    for node in compared:
        for left, right in sides(node):
            is_today = with_now and has_now(right)
            found = conversion_chain(unwrapped(left)[1]) or (_truncated(left) if is_today else None)
            is_constant = is_today or not (right.find(exp.Query, exp.Column) or has_now(right))
            if found and found.zones and has_column(found.value) and is_constant:
                yield found, node
                break


def _truncated(node: Node) -> ConversionChain | None:
    """``date_trunc(unit, value, zone)``, which is bounded although the function stays."""
    node = without_parens(node)
    zone = node.args.get("zone") if isinstance(node, exp.TimestampTrunc) else None
    return zone and ConversionChain(node, node.this, (zone,), (node,))


MEANT_ZONES = {
    **dict.fromkeys(("EST", "EDT"), "America/New_York"),
    **dict.fromkeys(("CST", "CDT"), "America/Chicago"),
    **dict.fromkeys(("MST", "MDT"), "America/Denver"),
    **dict.fromkeys(("PST", "PDT"), "America/Los_Angeles"),
    **dict.fromkeys(("CET", "CEST", "MET"), "Europe/Berlin"),
    **dict.fromkeys(("EET", "EEST"), "Europe/Helsinki"),
    **dict.fromkeys(("AEST", "AEDT"), "Australia/Sydney"),
    **dict.fromkeys(("NZST", "NZDT"), "Pacific/Auckland"),
    "WET": "Europe/Lisbon",
    "BST": "Europe/London",
}
"""Zones with summer time that people mean by these; HST, JST and IST have no summer time."""


@_rule("TZ004", "fixed-offset abbreviation as a zone")
def _abbreviations(select: Select) -> Iterator[Hit]:
    """Abbreviations, one fixed offset all year, in conversions of rows and of NOW()."""
    own = engines.facts_of(select.statement.dialect).fixed_abbreviations
    fixed = MEANT_ZONES if own is None else own
    for found in select.conversions():
        if not (has_column(found.value) or has_now(found.value)):
            continue  # a constant: the abbreviation holds on its date
        for zone in found.zones:
            name = zone.name.upper() if isinstance(zone, exp.Literal) else ""
            if name in fixed:
                yield (
                    zone,
                    f"{name} is a fixed offset, without summer time: {MEANT_ZONES[name]} is what "
                    "is usually meant",
                )


_LAST_SECOND = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}[ T]23:59(?::59(?:\.\d{1,5})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?", re.ASCII
)
_ONE_SECOND = re.compile(r"'1'? (?:milli)?seconds?\b", re.IGNORECASE)
_WHOLE_SECONDS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
_BOUNDS: dict[type[Node], tuple[str, str]] = {
    exp.Between: ("this", "high"),
    exp.LTE: ("this", "expression"),
    exp.GTE: ("expression", "this"),
}
"""By comparison: where it has the value, and where an inclusive upper bound."""


@_rule("TZ005", "inclusive end of day")
def _ends_of_days(select: Select) -> Iterator[Hit]:
    """Upper bounds such as 23:59:59, and the inclusive end of the daily table."""
    for node in select.names.nodes:
        # a rewrite has made such a comparison, for zones that its table has
        is_beside_ours = isinstance(node.parent, exp.And) and is_ours(node.parent.this)
        if type(node) not in _BOUNDS or is_beside_ours:
            continue
        value, bound = (node.args[side] for side in _BOUNDS[type(node)])
        # a date has no seconds, and a constant is not read from a row
        is_time = has_column(value) and select.names.kind(value) in TIMES
        if is_time and _has_fractions(value) and _ends_a_day(bound):
            yield (
                node,
                "the rest of the last second is excluded: compare with < and the first instant of "
                "the next day",
            )


def _has_fractions(value: Node) -> bool:
    """Whether there may be parts of a second, which date_trunc('hour', ...) has cut off."""
    value = without_parens(value)
    unit = value.args.get("unit") if isinstance(value, exp.TimestampTrunc) else None
    return unit is None or unit.name.casefold() not in _WHOLE_SECONDS


def _ends_a_day(bound: Node) -> bool:
    bound = without_parens(bound)
    if isinstance(bound, exp.Column):
        return bound.name.casefold() == "day_ends_at_utc"
    if isinstance(bound, exp.Sub) and isinstance(bound.expression, exp.Interval):
        # a second ago ends no day, and no time lies in the last microsecond of one
        is_ago = is_now(bound.this) and not isinstance(bound.this, exp.CurrentDate)
        return not is_ago and _ONE_SECOND.search(bound.expression.sql()) is not None
    return any(
        literal.is_string and _LAST_SECOND.fullmatch(literal.name.strip()) is not None
        for literal in bound.find_all(exp.Literal)
    )


_UNTIL = 2_145_916_800  # 2038


@_rule("TZ006", "UTC hours grouped as local hours")
def _utc_hours(select: Select) -> Iterator[Hit]:
    """Hours truncated before their conversion, and hourly rows joined by their UTC hour alone."""
    for found in select.conversions():
        truncated = found.value
        if not isinstance(truncated, exp.TimestampTrunc) or not has_column(truncated):
            continue
        unit = truncated.args.get("unit")
        if unit is None or unit.name.casefold() != "hour":
            continue
        # what was truncated on the clock of a zone is converted back from there
        zone_of_hour = truncated.args.get("zone")
        inner = conversion_chain(without_parens(truncated.this))
        back = (zone_of_hour, *(inner.zones if inner else ()))
        zones = [zone for zone in found.zones if zone not in back]
        if not all(_has_whole_hours(zone, select.statement.rules) for zone in zones):
            yield (
                found.node,
                "a UTC hour is truncated and then converted: in zones with half-hour offsets it "
                "overlaps two local hours; convert first, then truncate",
            )
    joined = _tables(select, tables.HOURLY.name)
    columns = {name for _, name in select.named_in_conditions()}
    spans = {"starts_at_utc", "ends_before_utc"}
    if joined and "hour_at_utc" in columns and not columns & spans:
        yield (
            joined[0],
            "hourly rows are joined by their UTC hour alone: zones with half-hour offsets have two "
            "rows an hour; add starts_at_utc and ends_before_utc",
        )


def _tables(select: Select, *names: str) -> list[exp.Table]:
    return [
        node
        for node in select.names.nodes
        if isinstance(node, exp.Table) and node.name.casefold() in names
    ]


def _has_whole_hours(zone: Node, rules: Rules) -> bool:
    if not isinstance(zone, exp.Literal):
        return False
    name = rules.spelled(zone.name)
    if name is None:
        return True  # an abbreviation, which TZ004 reports
    starts, offsets = rules.zone(name).offset_changes(_UNTIL)
    ends = [*starts[1:], _UNTIL]
    # before 1970 few zones had whole-hour offsets
    return all(offset % 3600 == 0 for offset, end in zip(offsets, ends, strict=True) if end > 0)


_Number: TypeAlias = Literal["decimal", "float"]
_NUMBERS: dict[exp.DType, _Number] = {
    exp.DType.DECIMAL: "decimal",
    exp.DType.FLOAT: "float",
    exp.DType.DOUBLE: "float",
}
_SAME_AS_ARGUMENT = (exp.Max, exp.Min, exp.Sum, exp.Abs, exp.Round, exp.Neg, exp.Paren, exp.Nullif)


@_rule("TZ007", "DECIMAL and FLOAT branches in one CASE")
def _mixed_numbers(select: Select) -> Iterator[Hit]:
    """CASE and IF with a DECIMAL branch and a FLOAT branch: the DECIMAL becomes inexact."""
    for node in select.names.nodes:
        if {"decimal", "float"} <= {_number(branch, select) for branch in _branches(node)}:
            yield (
                node,
                "one branch is DECIMAL and another FLOAT: all of them become FLOAT, row by row; "
                "cast the branches to one type",
            )


def _branches(node: Node) -> list[Node]:
    found: list[Node | None] = []
    if isinstance(node, exp.Case):
        found = [*(part.args["true"] for part in node.args["ifs"]), node.args.get("default")]
    elif isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
        found = [node.args["true"], node.args.get("false")]
    return [branch for branch in found if branch is not None]


def _number(node: Node, select: Select) -> _Number | None:
    """Whether a value is exact or inexact; None for integers and unknown types."""
    if isinstance(node, exp.Literal):
        # digits with a point are DECIMAL to these engines; with an exponent they are FLOAT
        is_exact = not node.is_string and "." in node.name and "e" not in node.name.casefold()
        return "decimal" if is_exact else None
    if isinstance(node, exp.Cast):
        return _NUMBERS.get(node.to.this)
    if isinstance(node, exp.Column):
        declared = select.declared_type(node)
        try:
            built = exp.DataType.build(declared or "", dialect=select.statement.dialect)
        except Exception:  # a type that sqlglot does not know
            return None
        return _NUMBERS.get(built.this)
    if isinstance(node, _SAME_AS_ARGUMENT):
        return _number(node.this, select)
    if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Div)):
        sides = {_number(side, select) for side in (node.this, node.expression)}
        if "float" in sides:
            return "float"
        return "decimal" if sides == {"decimal"} else None
    kinds = {_number(branch, select) for branch in _branches(node)}
    return kinds.pop() if len(kinds) == 1 else None


_ONE_ROW = {
    tables.HOURLY.name: {"hour_at_utc", "hour_at_time_zone", "starts_at_utc", "ends_before_utc"},
    tables.DAILY.name: {"day", "day_starts_at_utc", "day_ends_at_utc", "day_ends_before_utc"},
}
"""By table: a condition must name one of these columns, or it joins every row of a zone."""


@_rule("TZ008", "conversion table joined without its span")
def _joined_without_span(select: Select) -> Iterator[Hit]:
    """Conversion tables joined by conditions that do not tell the rows of a zone apart."""
    if not select.joins:
        return
    using = {
        ("", name.name.casefold()) for join in select.joins for name in join.args.get("using") or []
    }
    named = using | select.named_in_conditions()
    for table in _tables(select, *_ONE_ROW):
        owners, columns = ("", table.alias_or_name.casefold()), _ONE_ROW[table.name.casefold()]
        if not any(owner in owners and name in columns for owner, name in named):
            yield (
                table,
                f"{table.name} is joined by the zone alone: each row matches every hour or day of "
                "its zone; add the span to the condition",
            )


@_rule("TZ009", "NOW() in a stored report")
def _stored_now(select: Select) -> Iterator[Hit]:
    """Each call of NOW() or its like in the query of a materialized view, which stores it."""
    for node in select.names.nodes if select.statement.is_stored else ():
        if is_now(node):
            yield (
                node,
                "a stored report keeps the NOW() of its last refresh: filter where it is read, or "
                "write the time into it (tzconv.rewrite() with now=)",
            )
