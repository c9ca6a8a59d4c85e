"""What a database has built for expressions: indexes, partition keys, statistics.

An engine finds it by the expression alone, so a conversion that equals such an expression is worth
more as it is written than any rewrite of it. A generated column is none of these: no engine reads
it for a query that has its expression.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from sqlglot import exp

from tzconv.errors import ParseError
from tzconv.sql.expressions import without_parens, zone_conversion
from tzconv.sql.parse import Node, parse, reader_of
from tzconv.sql.reasons import Code
from tzconv.sql.schema import declared

Kind: TypeAlias = Literal["index", "partition key", "statistics"]
CODES: dict[Kind, Code] = {
    "index": "loses-index",
    "partition key": "loses-partition",
    "statistics": "loses-statistics",
}
Shape: TypeAlias = tuple[object, ...]
"""An expression as :func:`shape` reads it."""
_STATISTICS = re.compile(
    r"STATISTICS\s+(?:IF\s+NOT\s+EXISTS\s+)?([^\s(]+)?\s*(?:\([\w\s,]*\)\s*)?ON\b(.*)\bFROM\s+(\S+)",
    re.IGNORECASE | re.DOTALL,
)


class Built(NamedTuple):
    """``expressions``, a list in SQL, for which ``table`` has something built.

    ``table`` is ``events`` or ``public.events`` in lower case; ``name`` is that of the index or of
    what else it is. ``condition`` is that of a partial index, empty without one.
    """

    table: str
    kind: Kind
    name: str
    expressions: str
    condition: str = ""


@functools.lru_cache(maxsize=1000)
def listed(expressions: str, dialect: str) -> tuple[Node, ...]:
    """The expressions of a list in SQL; empty if it cannot be read, or holds none."""
    try:
        [tree] = parse(f"SELECT {expressions}", dialect).statements
    except (ParseError, ValueError):
        return ()
    return tuple(tree.expressions)


def shape(node: Node) -> Shape:
    """An expression to compare with others of one table, however it is spelled."""
    node = without_parens(node)
    found = zone_conversion(node)
    if found is not None:
        return "at", shape(found[0]), shape(found[1])
    if isinstance(node, exp.Column):
        return "column", node.name.casefold()
    if isinstance(node, exp.Date) and not node.expressions:
        return "cast", "DATE", shape(node.this)
    if isinstance(node, exp.Cast):
        literal = without_parens(node.this)
        is_text = node.to.this in (exp.DType.TEXT, exp.DType.VARCHAR) and not node.to.expressions
        if literal.is_string and is_text:
            return shape(literal)
        return "cast", node.to.sql(), shape(node.this)
    if isinstance(node, exp.TimestampTrunc):
        unit, zone = node.args.get("unit"), node.args.get("zone")
        if isinstance(unit, exp.Cast):
            unit = unit.this
        named = unit.name.upper() if unit is not None else ""
        return "trunc", named, shape(node.this), shape(zone) if zone is not None else ()
    parts = [
        (key, shape(one) if isinstance(one, exp.Expr) else one)
        for key, value in node.args.items()
        for one in (value if isinstance(value, list) else [value])
        if one is not None and one is not False and key != "quoted"
    ]
    return type(node).__name__, *parts


def from_ddl(statement: Node, dialect: str) -> Iterator[Built]:
    """What CREATE INDEX, CREATE STATISTICS and CREATE TABLE build for expressions."""
    if isinstance(statement, exp.Command) and statement.name.upper() == "CREATE":
        yield from _statistics(str(statement.args.get("expression") or ""))
    if not isinstance(statement, exp.Create):
        return
    made = statement.this
    if isinstance(made, exp.Index) and isinstance(made.args.get("table"), exp.Table):
        parameters = made.args.get("params")
        columns = list(parameters.args.get("columns") or ()) if parameters else []
        where = parameters.args.get("where") if parameters else None
        keys = [one.this if isinstance(one, exp.Ordered) else one for one in columns]
        name = made.name or "without a name"
        yield from _of(made.args["table"], "index", name, keys, dialect, where and where.this)
    elif isinstance(made, exp.Schema) and isinstance(made.this, exp.Table):
        for key in statement.find_all(exp.PartitionedByProperty):
            # RANGE (...) is a call to sqlglot
            is_list = isinstance(key.this, (exp.Schema, exp.Anonymous, exp.List))
            keys = key.this.expressions if is_list else [key.this]
            yield from _of(made.this, "partition key", made.this.name, keys, dialect)


def _of(
    table: exp.Table,
    kind: Kind,
    name: str,
    keys: list[Node],
    dialect: str,
    condition: Node | None = None,
) -> Iterator[Built]:
    if all(isinstance(one, (exp.Column, exp.Identifier)) for one in keys) and condition is None:
        return
    reader = reader_of(dialect)
    texts = ", ".join(one.sql(dialect=reader) for one in keys)
    where = condition.sql(dialect=reader) if condition is not None else ""
    known, db = declared(table.this, dialect).casefold(), table.args.get("db")
    names = [known, *([f"{declared(db, dialect)}.{known}".casefold()] if db else [])]
    yield from (Built(one, kind, name, texts, where) for one in names)


def _statistics(text: str) -> Iterator[Built]:
    found = _STATISTICS.match(text.strip())
    if found is not None:
        table = found[3].strip('";').casefold()
        names = dict.fromkeys((table, table.rpartition(".")[2]))
        name = found[1] or "without a name"
        yield from (Built(one, "statistics", name, found[2].strip()) for one in names)
