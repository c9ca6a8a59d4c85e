"""A report over the events as the same report over a rollup, for ``tzconv compare``."""

from __future__ import annotations

from sqlglot import exp

from tzconv.engines.backend import Backend
from tzconv.errors import QueryError
from tzconv.impact.named import parts
from tzconv.rollup.entry import MERGED, Owner, aggregate
from tzconv.rollup.statements import Shape
from tzconv.sql.parse import Node, expression_of, parse, reader_of


def over_rollup(text: str, shape: Shape, backend: Backend) -> str:
    """The text of the report over the rollup; QueryError if it asks for what that lacks."""
    entry, dialect, reader = shape.entry, backend.dialect, reader_of(backend.dialect)
    made = backend.query(f"SELECT * FROM {shape.table} AS r LIMIT 0")
    types = dict(zip([*entry.columns, *entry.values], made.types, strict=False))
    table, query = _find(text, shape, dialect)
    alias = (table.args.get("alias") or table).this
    for one in list(query.expressions):
        if not isinstance(one, (exp.Alias, exp.Column, exp.Star)):
            shown = shape.engine.output_name(one.sql(reader))
            one.replace(exp.alias_(one.copy(), shown or "", quoted=True))
    _without_owner(query, shape, alias)
    others = bool(query.args.get("joins"))
    known = {_plain(aggregate(value, dialect), {""}): name for name, value in entry.values.items()}
    own, merged = {"", alias.name.casefold()}, set[int]()
    for node in [*query.find_all(exp.Filter, exp.AggFunc)]:
        if node.find_ancestor(exp.Select) is not query or isinstance(node.parent, exp.Filter):
            continue
        if isinstance(node.parent, exp.Window) and query.args.get("group"):
            continue  # it is one of the groups' values
        name = known.get(_plain(node, own))
        if name is None:
            raise QueryError(
                f"The rollup {entry.table} does not keep {node.sql(reader)}: it keeps "
                f"{', '.join(entry.values.values())}."
            )
        column = exp.column(exp.to_identifier(name, quoted=True), table=alias.copy())
        call = node.this if isinstance(node, exp.Filter) else node
        value = f"{MERGED[type(call)]}({column.sql(reader)})"
        value = f"COALESCE({value}, 0)" if isinstance(call, exp.Count) else value
        tree_of_value = expression_of(f"SELECT CAST({value} AS {types[name]})", dialect)[0]
        merged |= {id(column) for column in tree_of_value.find_all(exp.Column)}
        node.replace(tree_of_value)
    if not (merged or query.args.get("group") or query.args.get("distinct")):
        raise QueryError(f"The report shows single rows of {entry.source}: a rollup has none.")
    kept = {one.casefold() for one in entry.columns}
    kept |= {one.alias.casefold() for one in query.expressions}
    for column in [one for one in query.find_all(exp.Column) if id(one) not in merged]:
        qualifier = column.table.casefold()
        is_time = column.name.casefold() == entry.timestamp.casefold()
        if qualifier not in own or (not qualifier and others and not is_time):
            continue
        if is_time:
            column.set("this", exp.to_identifier(entry.bucket, quoted=True))
            if shape.kind == "timestamptz":
                zoned = exp.AtTimeZone(this=column.copy(), zone=exp.Literal.string("UTC"))
                column.replace(exp.Paren(this=zoned))
        elif column.name.casefold() not in kept:
            raise QueryError(
                f"The report reads {column.name} of {entry.source}, and the rollup {entry.table} "
                f"keeps {', '.join(entry.columns)}."
            )
    *schema, name = parts(entry.table)
    place = exp.table_(name, db=[*schema, shape.schema or None][0], quoted=True)
    place.set("alias", exp.TableAlias(this=alias.copy()))
    table.replace(place)
    return str(query.root().sql(reader))


def _find(text: str, shape: Shape, dialect: str) -> tuple[exp.Table, exp.Select]:
    """The only place of the source in the report, and the query that reads it."""
    source = shape.entry.source
    read = [one for tree in parse(text, dialect).statements for one in tree.find_all(exp.Table)]
    tables = [one for one in read if _names(one, source, shape)]
    if len(tables) != 1:
        raise QueryError(
            f"The report reads {source} {len(tables)} times: a rollup can stand for it once."
        )
    query = tables[0].find_ancestor(exp.Select)
    if query is None:
        raise QueryError(f"The report reads {source} outside of a SELECT.")
    return tables[0], query


def _without_owner(query: exp.Select, shape: Shape, alias: Node) -> None:
    """Take the zones' table out of the query if the rollup keeps the zone."""
    owner = shape.entry.owner
    if owner is None or not shape.members:
        return
    for join in list(query.args.get("joins") or ()):
        if isinstance(join.this, exp.Table) and _names(join.this, owner.table, shape):
            other = join.this.alias_or_name.casefold()
            if join.side not in ("", "LEFT") or not _is_key(join, other, owner):
                raise QueryError(
                    f"The report joins {owner.table} by more, or by less, than "
                    f"{owner.foreign} = {owner.key}, by which the rollup has its zones."
                )
            for column in query.find_all(exp.Column):
                named = column.table.casefold(), column.name.casefold()
                if named == (other, owner.zone.casefold()):
                    column.set("table", alias.copy())
            join.pop()


def _is_key(join: exp.Join, other: str, owner: Owner) -> bool:
    """Whether a join to the zones' table has the condition of the rollup and no more."""
    on, foreign, key = join.args.get("on"), owner.foreign.casefold(), owner.key.casefold()
    using = [*(join.args.get("using") or ())] * 2
    sides = [on.left, on.right] if isinstance(on, exp.EQ) else using
    return sorted(one.name.casefold() for one in sides) == sorted([foreign, key]) and all(
        one.name.casefold() == (key if one.table.casefold() == other else foreign)
        for one in sides
        if isinstance(one, exp.Column) and one.table
    )


def _names(table: exp.Table, name: str, shape: Shape) -> bool:
    *schema, own = (one.casefold() for one in parts(name))
    db = schema[-1] if schema else shape.schema.casefold()
    return table.db.casefold() in ("", db) and table.name.casefold() == own


def _plain(node: Node, own: set[str]) -> str:
    """An aggregate for comparison, without the qualifiers of its own columns."""
    copied = node.copy()
    for column in copied.find_all(exp.Column):
        if column.table.casefold() in own:
            column.set("table", None)
    for one in copied.find_all(exp.Identifier):
        one.args.update(this=one.name.casefold(), quoted=False)
    return str(copied.sql(normalize_functions="upper", comments=False))
