"""Fields of structs, such as ``e.payload.tz``, which the parser takes for columns."""

from __future__ import annotations

from sqlglot import exp

from tzconv.sql.expressions import is_variable
from tzconv.sql.names import Names
from tzconv.sql.parse import FIELD, Node


def read_fields(names: Names) -> None:
    """Make fields of the names in a SELECT that are no columns, where the struct is known.

    Engines take a name for a column of a relation first. If a relation has the name of the struct,
    only ``relation.struct.field`` is clear.
    """
    columns = [one for one in names.nodes if isinstance(one, exp.Column) and one.table]
    for column in columns if names.schema.reading.has_fields else []:
        first, *parts = column.parts
        is_relation = isinstance(first, exp.Identifier) and names.by_alias(first) is not None
        if is_variable(column) or names.owner(column) or (is_relation and len(parts) == 1):
            continue
        read: Node = exp.Column(this=first.copy())
        if is_relation:
            read = exp.Column(this=parts.pop(0).copy(), table=first.copy())
        for part in parts:
            read = exp.Dot(this=read, expression=part.copy())
        column.replace(read)
        if names.kind(read) is None:
            read.replace(column)
        else:
            for one in read.find_all(exp.Dot):
                one.meta[FIELD] = column
    del names.nodes
