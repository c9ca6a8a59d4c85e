"""When a relation of a FROM clause may be replaced by one that has more rows and columns.

The replaced relation keeps its alias and its columns; for each row of the others exactly one of its
rows still matches. That holds only where every join is inner and nothing counts the columns.
"""

from __future__ import annotations

from sqlglot import exp

from tzconv.rewriter.block import Block
from tzconv.rewriter.conversions import OUR_PREFIX
from tzconv.rewriter.names import Owner
from tzconv.rewriter.nodes import Interpolate
from tzconv.rewriter.purity import positional
from tzconv.rewriter.strategies.zones import inside
from tzconv.rewriter.windows import conjuncts

_ORDERED = (
    *(exp.ArrayAgg, exp.GroupConcat, exp.First, exp.Last),
    *(exp.JSONArrayAgg, exp.JSONObjectAgg, exp.JSONBObjectAgg),
)
"""Aggregates whose result depends on the order of their rows."""
_ORDERED_CALLS = frozenset({"jsonb_agg", "xmlagg", "json_agg_strict", "jsonb_agg_strict"})
_PLAIN = (
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Is, exp.Between, exp.Like),
    *(exp.And, exp.Or, exp.Not, exp.Paren, exp.Null, exp.Boolean, exp.Literal, exp.Neg),
    *(exp.Column, exp.Identifier, exp.Cast, exp.DataType, exp.Placeholder, exp.Parameter),
)
"""What a condition may be made of to be worth repeating, and to be cheap and without effects."""
_ROW_BY_ROW = ("laterals", "pivots", "sample", "match", "timeseries")
_HIDDEN = frozenset({"rowid", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "_metadata"})
"""Columns that tables have and derived tables have not."""


def why_not_joined(block: Block, owner: Owner) -> str | None:
    """The reason why ``owner`` may not get more rows and columns; None where it may."""
    return _relation(block, owner) or _joins(block.select) or why_not_replaced(block, owner)


def why_not_replaced(block: Block, owner: Owner) -> str | None:
    """The reason why ``owner`` may not get more columns; None where it may."""
    return (
        _relation(block, owner)
        or _clauses(block.select)
        or _columns(block, owner)
        or _which_rows(block.select)
        or _order_of_rows(block)
    )


def why_not_extended(block: Block) -> str | None:
    """The reason why no relation may be joined after all others; None where one may."""
    select = block.select
    for join in select.args.get("joins") or []:
        plain = not (join.side or join.kind or join.method or join.args.get("on"))
        if (plain and not join.args.get("using")) or isinstance(join.this, exp.Lateral):
            return "the relations are separated by commas: a join would see the last one only"
        if join.kind in ("SEMI", "ANTI", "ASOF", "POSITIONAL") or join.method not in ("", None):
            return f"a {join.method or join.kind} join shows or matches all columns there are"
    for node in block.names.nodes:
        inner = node.unalias() if isinstance(node, exp.Alias) else node
        star = isinstance(inner, exp.Star) and isinstance(node.parent, exp.Select)
        if star or isinstance(node, exp.Columns):
            return "SELECT * would show the columns of a joined table"
        if isinstance(node, exp.Column) and node.name.startswith(OUR_PREFIX):
            return f"columns whose names begin with {OUR_PREFIX} are used already"
    return _clauses(select) or _which_rows(select) or _order_of_rows(block)


def _relation(block: Block, owner: Owner) -> str | None:
    if not isinstance(owner.node, exp.Table):
        return f"the zone comes from {owner.alias}, which is not a plain table"
    if block.source.table_range(owner.node) is None:
        return f"more is said of {owner.alias} than its name and alias"
    return None


def _joins(select: exp.Select) -> str | None:
    for join in select.args.get("joins") or []:
        outer = join.side or join.method or join.kind not in ("", "INNER", "CROSS")
        if outer or isinstance(join.this, exp.Lateral):
            kind = " ".join(filter(None, [join.method, join.side, join.kind])) or "LATERAL"
            return f"a {kind} join: added rows would show where nothing matches"
    return None


def _clauses(select: exp.Select) -> str | None:
    if any(join.method == "NATURAL" for join in select.args.get("joins") or []):
        return "a NATURAL join would compare the added columns too"
    if any(join.find(Interpolate) for join in select.args.get("joins") or []):
        return "an event series join takes the last row before: added rows would change which"
    if select.root().args.get("epoch"):
        return "AT EPOCH: the conversion tables may have been empty at that time"
    if select.args.get("locks"):
        return "FOR UPDATE locks the rows of tables, not those of derived tables"
    if any(select.args.get(clause) for clause in _ROW_BY_ROW):
        return "a clause of this SELECT depends on the rows of its relations one by one"
    return None


def _columns(block: Block, owner: Owner) -> str | None:
    alias = owner.alias.casefold()
    for projection in block.select.expressions:
        inner = projection.unalias()
        star_of = inner.table.casefold() if isinstance(inner, exp.Column) else ""
        if projection.is_star and star_of in ("", alias):
            return f"SELECT * would show the columns added to {owner.alias}"
    if any(name.startswith(OUR_PREFIX) for name in block.names.columns(owner) or ()):
        return f"{owner.alias} has columns whose names begin with {OUR_PREFIX} already"
    known = block.names.columns(owner) if isinstance(owner.source, exp.Table) else None
    for node in block.names.nodes:
        if isinstance(node, exp.Columns):
            return f"COLUMNS() would see the columns added to {owner.alias}"
        if not isinstance(node, exp.Column):
            continue
        table = node.table.casefold()
        whole = isinstance(node.this, exp.Star) and not isinstance(node.parent, exp.Select)
        if (table == alias and whole) or (not table and node.name.casefold() == alias):
            return f"{owner.alias} is used as a whole row"
        if table == "_metadata":  # what Spark knows of the file of a row
            return f"{node.sql()} would not be found in the relation put in its place"
        if table != alias:
            continue
        if node.args.get("db") or node.name in _HIDDEN:
            return f"{node.sql()} would not be found in the relation put in its place"
        if known and node.name.casefold() not in known:
            return f"{node.sql()} is not among the known columns of {owner.alias}"
    return None


def own_conditions(block: Block, owner: Owner, alias: str) -> list[str]:
    """The conditions of the WHERE clause on ``owner`` alone, as they read inside of it.

    They let the derived table skip rows that the query would skip anyway.
    """
    joins = block.select.args.get("joins") or []
    if any(join.side in ("LEFT", "RIGHT", "FULL") for join in joins):
        return []
    found = []
    for node in conjuncts(block.select.args.get("where")):
        columns = list(node.find_all(exp.Column))
        if not columns or positional(node) or block.source.range(node) is None:
            continue
        if not all(isinstance(part, _PLAIN) for part in node.walk()):
            continue
        if any(cast.this.find(exp.Column) for cast in node.find_all(exp.Cast)):
            continue  # the cast might fail for rows that the query never reaches
        if all(block.names.owner(column) is owner for column in columns):
            found.append(f"({inside(block, node, alias)})")
    return found


def _order_of_rows(block: Block) -> str | None:
    for node in block.names.nodes:
        known = isinstance(node, _ORDERED) or (
            isinstance(node, exp.Anonymous) and node.name.casefold() in _ORDERED_CALLS
        )
        ordered = known and node.find(exp.Order) is None
        if ordered and not isinstance(node.parent, exp.WithinGroup):
            return f"{node.key.upper()} without ORDER BY: a join may change the order of its rows"
    return None


def _which_rows(select: exp.Select) -> str | None:
    if select.args.get("order"):
        return None
    if any(select.args.get(clause) for clause in ("limit", "offset", "fetch")):
        return "LIMIT without ORDER BY: a join may change which rows come first"
    distinct = select.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        return "DISTINCT ON without ORDER BY: a join may change which rows come first"
    return None
