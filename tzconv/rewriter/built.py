"""Conversions for which the database has built something: they are worth most as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.sites import Sites
from tzconv.sql.built import CODES, Built, shape, shapes
from tzconv.sql.names import Names
from tzconv.sql.parse import Node
from tzconv.sql.reasons import Reason

_WORTH = {
    "index": "the index {name} finds rows by it",
    "partition key": "{name} is partitioned by it",
    "statistics": "the statistics {name} tell the planner how many values it has",
    "generated column": "the column {name} holds it: select that column",
}
_CLAUSES = (exp.Predicate, exp.Connector, exp.Query, exp.Alias, exp.Ordered, exp.Group, exp.Tuple)


def keep_built(sites: Sites, names: Names, built: Iterable[Built]) -> Sites:
    """The sites without those that are, or are in, an expression of an index or the like."""
    for site in list(sites.conversions):
        found = next(_found(site, names, built), None)
        if found is not None:
            text = _WORTH[found.kind].format(name=found.name)
            sites = sites.without([site], Reason(CODES[found.kind], text))
    return sites


def _found(site: Conversion, names: Names, built: Iterable[Built]) -> Iterator[Built]:
    columns = list(site.node.find_all(exp.Column))
    owners = [names.owner(column) for column in columns]
    if not owners or owners[0] is None or any(one is not owners[0] for one in owners):
        return  # of several tables nothing is built
    table = owners[0].source
    if not isinstance(table, exp.Table):
        return
    named = ".".join(part.name for part in (table.args.get("db"), table.this) if part).casefold()
    own = [one for one in built if one.table == named]
    if not own:
        return
    around = [shape(node) for node in _around(site.node)]
    dialect = names.schema.dialect
    yield from (one for one in own if any(known in around for known in shapes(one, dialect)))


def _around(node: Node) -> Iterator[Node]:
    """A conversion and the expressions that it is in, up to a condition or a clause."""
    part: Node | None = node
    while part is not None and not isinstance(part, _CLAUSES):
        if not isinstance(part, exp.Paren):
            yield part
        part = part.parent
