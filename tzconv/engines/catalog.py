"""Column types of the user's own tables, as a database's catalog tells them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

Types: TypeAlias = dict[str, dict[str, str]]
"""Types as SQL text, by ``table`` or ``schema.table`` and by column."""


def types_by_name(columns: Iterable[Sequence[Any]], path: Sequence[str] = ()) -> Types:
    """By ``schema.table``, and by ``table`` where that is enough.

    Rows have schema, table, column and type, and whether the table is found without its schema;
    where they lack the last, ``path`` has the schemas of the search path.
    """
    types: Types = {}
    for schema, table, column, text, *found in columns:
        types.setdefault(f"{schema}.{table}", {})[column] = text
        if any(found):
            types.setdefault(table, {})[column] = text
    for schema in path:
        for name, columns_of_table in list(types.items()):
            if name.startswith(f"{schema}."):
                types.setdefault(name.removeprefix(f"{schema}."), columns_of_table)
    return types
