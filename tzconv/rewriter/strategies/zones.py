"""Zone operands: constants, columns and subqueries, and whether the tables can look them up."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tzconv.engines.write import Engine
from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.conversions import columns_text
from tzconv.rewriter.purity import is_computed_once, is_fixed, is_repeatable
from tzconv.sql.constants import SECOND
from tzconv.sql.expressions import outside, without_parens
from tzconv.sql.names import names_of
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason
from tzconv.sql.schema import Schema
from tzconv.tz.horizon import OFFSETS_UNTIL, seconds_of

UNKNOWN = Reason(
    "unknown-column",
    "the tables of its columns are unknown (correlated subquery, SEMI JOIN, or no schema)",
)
_QUOTED = (exp.RawString, exp.ByteString, exp.UnicodeString, exp.National)
COVERED_UNTIL = seconds_of(OFFSETS_UNTIL) * SECOND
"""The offsets of every zone are loaded up to then, whatever the horizon is."""


def without_fixed(engine: Engine, column: str) -> list[str]:
    """Conditions that leave out the names which an engine reads as offsets, not as zones."""
    names = ", ".join(f"'{name}'" for name in engine.fixed_names)
    return [f"{column} NOT IN ({names})"] if names else []


def is_of_no_row(block: QueryBlock, zone: Node) -> bool:
    """Whether all rows have one zone: a constant, a parameter, or a subquery of one value."""
    inner = without_parens(zone)
    if not isinstance(inner, exp.Subquery):
        return is_fixed(inner)
    scopes = block.names.scope.subquery_scopes
    scope = next((one for one in scopes if one.expression is inner.this), None)
    is_text = scope is not None and block.names.kind(inner) == "text"
    number, schema = _one_row(inner), block.names.schema
    if not is_text or scope is None or (number is not None and block.source.range(number) is None):
        return False
    return _is_steady(scope, schema, is_one=number is not None)


def _one_row(subquery: exp.Subquery) -> Node | None:
    """The number of a LIMIT 1, which counts rows: not of a LIMIT 1%."""
    limit = subquery.this.args.get("limit")
    is_plain = isinstance(limit, exp.Limit) and not limit.args.get("limit_options")
    number = limit.expression if is_plain else None
    return number if isinstance(number, exp.Literal) and number.name == "1" else None


def looked_up(block: QueryBlock, zone: Node) -> str:
    """The text of a zone where it is looked up, which may be computed at another time than it is.

    A LIMIT 1 picks any row, perhaps another one each time. So there it is the value of the only
    row; of two rows none is looked up, and the function converts.
    """
    inner = without_parens(zone)
    number = _one_row(inner) if isinstance(inner, exp.Subquery) else None
    if number is None:
        return block.text(zone)
    start, end = (at - block.place(inner)[0] for at in block.place(number))
    both = f"{block.text(inner)[:start]}2{block.text(inner)[end:]}"
    return f"(SELECT max(tzconv_zone) FROM {both} AS tzconv_0(tzconv_zone) HAVING count(*) = 1)"  # noqa: S608


def _is_steady(scope: exp.Table | Scope, schema: Schema, *, is_one: bool = False) -> bool:
    """Whether a relation gives the same rows each time, whatever the row around it."""
    if isinstance(scope, exp.Table):
        return isinstance(scope.this, exp.Identifier)  # no function
    select, names = scope.expression, names_of(scope, schema)
    plain = _PLAIN | ({"limit", "order"} if is_one else set())
    if not isinstance(select, exp.Select) or {k for k, one in select.args.items() if one} - plain:
        return False
    where = select.args.get("where")
    parts = [*(one.unalias() for one in select.expressions), *([where.this] if where else [])]
    columns = [column for part in parts for column in part.find_all(exp.Column)]
    sources = [owner.source for owner in names.owners.values()]
    return (
        all(is_computed_once(part) and not part.find(exp.Window) for part in parts)
        and None not in map(names.owner, columns)
        and not select.find(exp.TableSample)
        and all(_is_steady(one, schema) for one in sources)
    )


_PLAIN = {"expressions", "from_", "where"}
"""The clauses of a SELECT without joins, groups and limits."""


def is_outer(block: QueryBlock, column: exp.Column, value: Node) -> bool:
    """Whether a zone's column is one of the query around, where the value is of this query's rows.

    EXISTS and IN may be joins to an engine, as long as they depend on that query in WHERE alone.
    """
    select, names = block.select, block.names
    outer = names.outer_for(column.table, column.db) if block.engine.joins_outer_zones else None
    return (
        outer is not None
        and outer.owner(column) is not None
        and not isinstance(outside(select), (exp.Exists, exp.In, exp.Any, exp.All))
        and any(map(names.owner, value.find_all(exp.Column)))
    )


def why_not_of_rows(block: QueryBlock, zone: Node, value: Node | None = None) -> Reason | None:
    """The reason why a zone cannot be looked up by name; None for one made of columns.

    With the ``value`` that is converted, they may be of the query around.
    """
    if isinstance(without_parens(zone), _QUOTED):
        return Reason("unsupported", "a constant zone is understood between single quotes alone")
    if is_of_no_row(block, zone):
        return None
    columns = list(zone.find_all(exp.Column))
    if not columns or not is_repeatable(zone):
        text = "the zone is neither a column nor made of columns and constants alone"
        return Reason("unsupported", text)
    unknown = [
        column
        for column in columns
        if block.names.owner(column) is None
        and not (value is not None and is_outer(block, column, value))
    ]
    if unknown and all(column.table for column in unknown):
        return _why_unknown(block, unknown[0])
    if unknown:
        text = f"the table of {columns_text(zone)} is unknown: qualify it, or declare its columns"
        return Reason("unknown-column", text)
    return None


def _why_unknown(block: QueryBlock, column: exp.Column) -> Reason:
    """Why a column with a table is of none of the relations."""
    of_row = column.parts[0].name.casefold() in block.names.owners
    if block.names.outer_for(column.table, column.db) is not None:
        text = f"{column.sql()} is of the query around it: write a join in place of the subquery"
    elif column.db and (of_row or block.names.schema.reading.has_fields):
        text = f"{column.sql()} may be a field: declare the struct, or name the field in a CTE"
    else:
        return UNKNOWN
    return Reason("unknown-column", text)
