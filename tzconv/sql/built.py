"""What a database has built for expressions: indexes, partition keys, statistics, columns.

An engine finds it by the expression alone, so a conversion that equals such an expression is worth
more as it is written than any rewrite of it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from sqlglot import exp

from tzconv.errors import ParseError
from tzconv.sql.expressions import without_parens, zone_conversion
from tzconv.sql.identifiers import declared
from tzconv.sql.parse import Node, parse, reader_of
from tzconv.sql.reasons import Code

Kind: TypeAlias = Literal["index", "partition key", "statistics", "generated column"]
CODES: dict[Kind, Code] = {
    "index": "loses-index",
    "partition key": "loses-partition",
    "statistics": "loses-statistics",
    "generated column": "loses-column",
}
_COMPARES = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)
_STATISTICS = re.compile(
    r"STATISTICS\s+(?:IF\s+NOT\s+EXISTS\s+)?([^\s(]+)?\s*(?:\([\w\s,]*\)\s*)?ON\b(.*)\bFROM\s+(\S+)\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)


class Built(NamedTuple):
    """``expressions``, a list in SQL or a condition, for which ``table`` has something built.

    ``table`` is ``events`` or ``public.events`` in lower case; ``name`` is that of the index or of
    what else it is.
    """

    table: str
    kind: Kind
    name: str
    expressions: str


def shapes(built: Built, dialect: str) -> tuple[Node, ...]:
    """The expressions as :func:`shape` gives them, those that a condition compares one by one."""
    return _shapes(built.expressions, dialect)


@functools.lru_cache(maxsize=1000)
def _shapes(expressions: str, dialect: str) -> tuple[Node, ...]:
    try:
        [tree] = parse(f"SELECT {expressions}", dialect, with_places=False).statements
    except (ParseError, ValueError):
        return ()
    found = [side for one in tree.expressions for side in _compared(one)]
    return tuple(shape(one) for one in found if not isinstance(without_parens(one), exp.Column))


def _compared(node: Node) -> Iterator[Node]:
    node = without_parens(node)
    if isinstance(node, (exp.Connector, exp.Not)):
        for one in node.iter_expressions():
            yield from _compared(one)
    elif isinstance(node, _COMPARES):
        yield from (one for one in node.iter_expressions() if one.find(exp.Column))
    else:
        yield node


def shape(node: Node) -> Node:
    """An expression to compare with others: however it is spelled, and of whatever alias.

    Two that are equal are so for one table.
    """
    return node.copy().transform(_plain)


def _plain(node: Node) -> Node:
    node = without_parens(node)
    found = zone_conversion(node)
    if found is not None:
        return exp.AtTimeZone(this=found[1], zone=found[0])
    if isinstance(node, exp.Cast):
        literal = without_parens(node.this)
        is_text = node.to.this in (exp.DType.TEXT, exp.DType.VARCHAR)
        if is_text and literal.is_string and not node.to.expressions:
            node = literal
    if isinstance(node, exp.Column):
        return exp.column(node.name.casefold())
    if isinstance(node, exp.TimestampTrunc):
        unit = node.args.get("unit")
        text = without_parens(unit.this if isinstance(unit, exp.Cast) else unit) if unit else None
        return exp.TimestampTrunc(
            this=node.this,
            unit=exp.var((text.name if text else "").upper()),
            zone=node.args.get("zone"),
        )
    if isinstance(node, exp.Date) and not node.expressions and not node.args.get("zone"):
        return exp.cast(node.this, "date")
    return node


def from_ddl(statement: Node, dialect: str) -> Iterator[Built]:
    """What CREATE INDEX, CREATE STATISTICS and CREATE TABLE build for expressions."""
    if isinstance(statement, exp.Command) and statement.name.upper() == "CREATE":
        yield from _statistics(str(statement.args.get("expression") or ""))
        return
    if not isinstance(statement, exp.Create):
        return
    made = statement.this
    if isinstance(made, exp.Index) and isinstance(made.args.get("table"), exp.Table):
        parameters = made.args.get("params")
        columns = list(parameters.args.get("columns") or ()) if parameters else []
        where = parameters.args.get("where") if parameters else None
        found = [one.this if isinstance(one, exp.Ordered) else one for one in columns]
        found += [where.this] if where else []
        yield from _of(made.args["table"], "index", made.name or "without a name", found, dialect)
    elif isinstance(made, exp.Schema) and isinstance(made.this, exp.Table):
        for column in made.find_all(exp.ColumnDef):
            for one in column.find_all(
                exp.GeneratedAsIdentityColumnConstraint, exp.ComputedColumnConstraint
            ):
                generated = one.args.get("expression") or one.this
                if isinstance(generated, exp.Condition):
                    yield from _of(made.this, "generated column", column.name, [generated], dialect)
        for key in statement.find_all(exp.PartitionedByProperty):
            keys = key.this.expressions if isinstance(key.this, exp.Schema) else [key.this]
            yield from _of(made.this, "partition key", f"of {made.this.name}", keys, dialect)


def _of(
    table: exp.Table, kind: Kind, name: str, nodes: list[Node], dialect: str
) -> Iterator[Built]:
    texts = [
        one.sql(dialect=reader_of(dialect))
        for one in nodes
        if not isinstance(without_parens(one), (exp.Column, exp.Identifier))
    ]
    if texts:
        known, db = declared(table.this, dialect).casefold(), table.args.get("db")
        names = [known, *([f"{declared(db, dialect)}.{known}".casefold()] if db else [])]
        yield from (Built(one, kind, name, ", ".join(texts)) for one in names)


def _statistics(text: str) -> Iterator[Built]:
    found = _STATISTICS.fullmatch(text.strip())
    if found is not None:
        table = found[3].strip('";').casefold()
        names = dict.fromkeys((table, table.rpartition(".")[2]))
        name = found[1] or "without a name"
        yield from (Built(one, "statistics", name, found[2].strip()) for one in names)
