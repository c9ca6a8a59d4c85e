"""An hourly or daily conversion table is joined without saying which of its rows is meant."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tzconv import tables
from tzconv.lint.statement import Hit, Select, Statement

CODE = "TZ008"
TITLE = "conversion table joined without its span"
FIXABLE = False

_ONE_ROW = {
    tables.HOURLY.name: {"hour_at_utc", "hour_at_time_zone", "starts_at_utc", "ends_before_utc"},
    tables.DAILY.name: {"day", "day_starts_at_utc", "day_ends_at_utc", "day_ends_before_utc"},
}
"""By table: columns, one of which a condition must name, or a zone's every row is joined."""


def check(statement: Statement) -> Iterator[Hit]:
    """Joins of those tables whose conditions name none of the columns that tell rows apart."""
    for select in statement.selects:
        sources = [
            node
            for node in select.nodes
            if isinstance(node, exp.Table) and node.name.casefold() in _ONE_ROW
        ]
        if not sources or not select.expression.args.get("joins"):
            continue
        for table in sources:
            if not _is_told(table, select):
                yield Hit(
                    table,
                    f"{table.name} is joined by the zone alone, so that each row meets every hour "
                    "or day of its zone: add the span to the condition",
                )


def _is_told(table: exp.Table, select: Select) -> bool:
    columns = _ONE_ROW[table.name.casefold()]
    alias = table.alias_or_name.casefold()
    using = [
        name.name.casefold()
        for join in select.expression.args.get("joins") or []
        for name in join.args.get("using") or []
    ]
    return any(name in columns for name in using) or any(
        column.name.casefold() in columns and column.table.casefold() in ("", alias)
        for condition in select.conditions()
        for column in condition.find_all(exp.Column)
    )
