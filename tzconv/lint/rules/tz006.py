"""UTC hours are taken for local hours, which they are not in zones with half-hour offsets."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv import tables
from tzconv.lint.conversions import conversions
from tzconv.lint.statement import Hit, Statement
from tzconv.rewriter.names import without_parens
from tzconv.rewriter.parse import Node
from tzconv.zones import Rules

CODE = "TZ006"
TITLE = "UTC hours grouped as local hours"
FIXABLE = False

_SINCE = 0  # 1970: before that few zones had whole-hour offsets
_UNTIL = 2_145_916_800  # 2038
_SPAN = {"starts_at_utc", "ends_before_utc"}


def check(statement: Statement) -> Iterator[Hit]:
    """Hours that are cut before they are converted, and hourly rows found by their UTC hour."""
    for select in statement.selects:
        for found in conversions(select):
            cut = without_parens(found.value)
            if not isinstance(cut, exp.TimestampTrunc) or not cut.find(exp.Column):
                continue
            unit = cut.args.get("unit")
            if unit is None or unit.name.casefold() != "hour" or not found.zones:
                continue
            if not all(_has_whole_hours(zone, statement.rules) for zone in found.zones):
                yield Hit(
                    found.node,
                    "a UTC hour is cut and then converted: in zones with half-hour offsets it lies "
                    "in two local hours; convert first, cut afterwards",
                )
        joined = [
            table
            for table in select.nodes
            if isinstance(table, exp.Table) and table.name.casefold() == tables.HOURLY.name
        ]
        columns = {
            column.name.casefold()
            for condition in select.conditions()
            for column in condition.find_all(exp.Column)
        }
        if joined and "hour_at_utc" in columns and not columns & _SPAN:
            yield Hit(
                joined[0],
                "hourly rows are found by their UTC hour alone: zones with half-hour offsets have "
                "two rows in it; add starts_at_utc and ends_before_utc",
            )


def _has_whole_hours(zone: Node, rules: Rules) -> bool:
    if not isinstance(zone, exp.Literal):
        return False
    names = {name.casefold(): name for name in rules.names}
    name = names.get(zone.name.casefold())
    if name is None:
        return True  # an abbreviation; TZ004 has a word on it
    starts, offsets = rules.zone(name).timeline(_UNTIL).offset_changes()
    ends = [*starts[1:], _UNTIL]
    return all(
        offset % 3600 == 0 for offset, end in zip(offsets, ends, strict=True) if end > _SINCE
    )
