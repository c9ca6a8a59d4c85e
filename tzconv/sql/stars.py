"""Names of output columns, and what a star with EXCLUDE, REPLACE or RENAME shows of a relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sqlglot import exp

from tzconv.sql.parse import Node
from tzconv.sql.schema import Kind, Name, Schema, name_of

MODIFIERS = {"except_", "replace", "rename"}


def output_name(projection: Node, schema: Schema) -> Name:
    """The name of an output column; a cast may have that of the column inside."""
    named = projection.args.get("alias") or projection.this
    if isinstance(projection, (exp.Alias, exp.Column)) and isinstance(named, exp.Identifier):
        return name_of(named, schema.dialect)
    text = projection.output_name
    inside = (one for one in projection.find_all(exp.Identifier) if one.name == text)
    found = {name_of(one, schema.dialect) for one in inside}
    is_sure = schema.reading.casts_keep_names or projection.find(exp.Cast) is None
    return found.pop() if len(found) == 1 and is_sure else Name(text.casefold(), "")


def modified(
    star: Node,
    columns: Iterable[tuple[Name, Kind | None]],
    kind: Callable[[Node], Kind | None],
    schema: Schema,
) -> Iterator[tuple[Name, Kind | None]]:
    """What a star shows of columns with EXCLUDE, REPLACE and RENAME."""
    left_out = {one.name.casefold() for one in star.args.get("except_") or []}
    replaced = {one.alias.casefold(): one.this for one in star.args.get("replace") or []}
    renamed = {one.this.name.casefold(): one for one in star.args.get("rename") or []}
    for name, known in columns:
        if name.folded not in left_out:
            shown = kind(replaced[name.folded]) if name.folded in replaced else known
            new = renamed.get(name.folded)
            yield output_name(new, schema) if new else name, shown
