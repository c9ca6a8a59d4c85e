"""Where in a FROM clause a kept table may be joined, so that its condition and its users see it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlglot import exp

from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.purity import is_guarded, may_fail
from tzconv.rewriter.sites import NO_PLACE
from tzconv.rewriter.strategies.relations import relations_of
from tzconv.rewriter.strategies.zones import UNKNOWN, is_of_no_row
from tzconv.sql.expressions import unnested, upwards
from tzconv.sql.parse import Node, noted_range
from tzconv.sql.reasons import LeaveError, Reason
from tzconv.sql.visible import is_comma

_CLAUSES = (exp.Join, exp.From)
_FIRST = "it is in the first relation, and nothing can be joined before that"
_AFTER = Reason(
    "no-join",
    "LATERAL VIEW stands after all joins: write it in a CTE, and convert its columns outside",
)
_SEPARATE = "it takes columns of relations separated by a comma: write JOIN"
_CAPTURED = (
    "it takes columns of relations separated by a comma, and as a CROSS JOIN that could change "
    "what the names in a later ON or USING mean: qualify them, or write JOIN"
)


class Place(NamedTuple):
    """The character after which a table is joined, and the commas to be CROSS JOINs for it.

    A JOIN binds tighter than a comma, so what is joined sees no relation before the last comma.
    With ``opens`` a parenthesis is opened there, and closed behind the joined table.
    """

    at: int
    commas: tuple[int, ...] = ()
    opens: int | None = None


def place_of_join(block: QueryBlock, columns: Iterable[exp.Column], site: Node) -> Place:
    """Where a table is joined that depends on ``columns``, for ``site``.

    Joined last, it leaves the plan of the relations before it alone. LeaveError where there is no
    such place.
    """
    relations, limit = relations_of(block.select), block.engine.join_limit
    is_full = limit is not None and len(relations) >= limit
    joins = [None, *(block.select.args.get("joins") or [])]
    needed, nodes = [], []
    for column in columns:
        owner = block.names.owner(column)
        index = None if owner is None else _index(relations, owner.node)
        if owner is None or index is None:
            is_after = owner is not None and owner.node.arg_key == "laterals"
            raise LeaveError(*(_AFTER if is_after else UNKNOWN))
        needed.append(index)
        nodes.append(owner.node)
    around = next(one for one in upwards(site) if isinstance(one, _CLAUSES) or one is block.select)
    if isinstance(around, exp.From):
        raise LeaveError("no-join", _FIRST)
    last = max(needed, default=len(relations) - 1)
    if isinstance(around, exp.Join):
        at = next((i for i, join in enumerate(joins) if join is around), 0) - 1
        is_own = nodes and all(node is around.this for node in nodes)
        if is_own and not is_full and (inside := _inside(block, around)) is not None:
            return inside
        if at < last or is_full:
            raise LeaveError("no-join", "it is in the ON clause that joins its zone")
    else:
        at = last
        while at + 1 < len(relations) and not is_comma(joins[at + 1]):
            at += 1
    first = min(needed, default=at)
    commas = [join for join in joins[first + 1 : at + 1] if is_comma(join)]
    if is_full and any(map(is_comma, joins)):
        text = f"{limit} relations or more, separated by commas: a join would fix their order"
        raise LeaveError("no-join", text)
    if commas and any(join and join.side in ("RIGHT", "FULL") for join in joins):
        raise LeaveError("no-join", _SEPARATE)
    if commas and _may_capture(joins, relations, first, at):
        raise LeaveError("no-join", _CAPTURED)
    found = noted_range(joins[at] or block.select.args["from_"])
    starts = [range_[0] for join in commas if join and (range_ := noted_range(join))]
    certain = all(block.source.text[start] == "," for start in starts)
    if found is None or not certain or len(starts) < len(commas):
        raise LeaveError(*NO_PLACE)
    return Place(found[1], tuple(starts))


def fails_early(block: QueryBlock, site: Node, zone: Node, *values: Node) -> bool:
    """Whether a join may fail on a zone or a value of rows that the query leaves out by then.

    An engine joins a kept table before a subquery in WHERE leaves rows out, and also for a column
    that the query around does not read; some join it before the other relations.
    """
    failing = [one for one in (zone, *values) if may_fail(one, block.names)]
    if not failing or is_guarded(site):
        return bool(failing)
    of_rows = [one for one in failing if not is_of_no_row(block, one)]
    where = block.select.args.get("where")
    if (where and where.find(exp.Query)) or not _is_read(block.select, site):
        return bool(of_rows)
    return len(block.names.owners) > 1 and zone in of_rows


def _is_read(select: exp.Select, site: Node) -> bool:
    """Whether a query that has the rows of a SELECT reads the column with ``site``."""
    root = select.root()
    if isinstance(root, exp.Create) and root.kind == "VIEW":
        return False
    part = next(one for one in upwards(site) if one.parent is select)
    around = select.find_ancestor(exp.From, exp.Join, exp.CTE, exp.Select)
    if around is None or isinstance(around, exp.Select) or part.arg_key != "expressions":
        return True
    name = part.alias_or_name.casefold()
    return any(
        (isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count))
        or (isinstance(node, exp.Column) and node.name.casefold() == name)
        for node in root.walk(prune=lambda node: node is select)
    )


def is_of_relation(block: QueryBlock, site: Conversion) -> bool:
    """Whether LATERAL, UNNEST or the argument of a function in FROM holds a conversion.

    Or UNNEST computes its zone, or the time in a constant zone.
    """
    columns = [*site.zone.find_all(exp.Column)] or site.value.find_all(exp.Column)
    owners = map(block.names.owner, columns)
    around = upwards(site.node, block.select)
    step = next(one for one in around if isinstance(one.parent, _CLAUSES) or one is block.select)
    is_inside = isinstance(step.parent, _CLAUSES) and step.arg_key == "this"
    return is_inside or any(one and unnested(one.node) for one in owners)


def _inside(block: QueryBlock, join: exp.Join) -> Place | None:
    """The place beside the one relation of a join, for an ON that is a single comparison with it.

    Beside another condition the engine may find few rows first, which it could not do here.
    """
    relation, on = join.this, join.args.get("on")
    is_table = isinstance(relation, exp.Table) and isinstance(relation.this, exp.Identifier)
    alias = relation.args.get("alias")
    named = [relation.parts[0], alias.this if alias else relation.this] if is_table else []
    is_plain = not join.method and join.side in ("", "LEFT") and join.kind in ("", "INNER")
    if not (is_plain and named and isinstance(on, exp.EQ)):
        return None
    if any("start" not in name.meta for name in named):
        return None
    text, start, end = block.source.text, named[0].meta["start"], named[1].meta["end"] + 1
    is_sure = text[:start].rstrip().upper().endswith("JOIN")
    is_sure = is_sure and text[end:].lstrip()[:3].upper() in ("ON ", "ON(", "ON\n")
    return Place(end, (), start) if is_sure else None


def _may_capture(joins: list[exp.Join | None], relations: list[Node], first: int, at: int) -> bool:
    """Whether an ON or USING could find other columns once the commas up to ``at`` are gone.

    It sees the relations of its own tree, which begins behind the comma before it.
    """
    begins = max(i for i in range(first + 1) if i == 0 or is_comma(joins[i]))
    for i, join in enumerate(joins[: at + 1]):
        if join is None or is_comma(join):
            own = i
        elif own > begins and _finds(join, relations[own : i + 1], relations[begins:own]):
            return True
    return False


def _finds(join: exp.Join, seen: list[Node], added: list[Node]) -> bool:
    """Whether a join may find a column in the relations ``added`` to those it has ``seen``."""
    on = join.args.get("on")
    if join.args.get("using"):
        return True
    if on is None:
        return False
    names = _aliases([*seen, on]) - _aliases(added)
    return any(
        len(column.parts) != 2 or column.table.casefold() not in names
        for column in on.find_all(exp.Column)
    )


def _aliases(nodes: list[Node]) -> set[str]:
    relations = (exp.Table, exp.Subquery, exp.Lateral, exp.Unnest, exp.Values)
    return {part.alias_or_name.casefold() for node in nodes for part in node.find_all(*relations)}


def _index(relations: list[Node], node: Node | None) -> int | None:
    """The index of the relation that a node is or is part of, as in ``(a JOIN b ON ...)``."""
    found = (i for around in upwards(node) for i, one in enumerate(relations) if one is around)
    return next(found, None)
