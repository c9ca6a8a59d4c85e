"""Whether a kept table may be joined to the relations of a SELECT, and its stars written out.

A join may change the order in which an engine gives the rows. Clauses of the SELECT may depend on
it, and so may those of the queries that read its rows, where nothing on the way makes the order
irrelevant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from tzconv.engines import foreign
from tzconv.rewriter.aggregates import is_one_row, own_nodes, why_ordered
from tzconv.rewriter.block import QueryBlock
from tzconv.rewriter.edits import Edit
from tzconv.sql.expressions import outside, upwards
from tzconv.sql.nodes import Interpolate
from tzconv.sql.parse import Node, Source, TablesByName
from tzconv.sql.reasons import Reason
from tzconv.sql.selects import locked_by
from tzconv.sql.text import identifier

_COUNTERS = foreign.of_all(lambda facts: facts.numbering_functions)
_IN_ORDER = ("ASOF", "POSITIONAL")
_FIRST = "a join may change which rows come first"
_KEYS = "of two rows with one key, a join may change which comes first"
_ROW_BY_ROW = ("laterals", "pivots", "sample", "match", "timeseries", "unnests", "connect")
_HIDDEN = foreign.of_all(lambda facts: facts.hidden_columns)
_OF_STAR = ("except_", "replace", "rename")
_WITH_STAR = (exp.Select, exp.Column, exp.Count)
_EXPANDED = "lists the relations of the query, so that * does not show the joined tables"

_FEW = Reason("few-rows", "few rows are left before it, and a join would convert all of them")
_SORTING = (exp.Window, exp.Distinct, exp.Order)
_SORTED = "a sort would move the offsets of each row: convert in a CTE. With --url the plan decides"


def why_sorted(block: QueryBlock, site: Node) -> Reason | None:
    """The reason where a sort comes between the join and the conversion, and nobody is asked."""
    path = list(upwards(site, block.select))[:-1]
    # what groups or windows are sorted by is computed before
    is_key = any(one.arg_key in ("partition_by", "order") for one in path[:-1])
    is_inside = any(isinstance(one, exp.AggFunc) for one in path)
    is_key |= bool(block.select.args.get("group")) and not is_inside
    is_after = path[-1].arg_key in ("expressions", "having", "order") and not is_key
    if not is_after or block.job.plans is not None or block.is_forced:
        return None
    nodes = (one for one in block.names.nodes if isinstance(one, _SORTING))
    passes = any(isinstance(one.parent, exp.AggFunc) or one.key == "window" for one in nodes)
    return Reason("loses-order", _SORTED) if passes else None


def why_not_joined(block: QueryBlock) -> Reason | None:  # noqa: PLR0911 # one after the other
    """The reason why no kept table may be joined to the relations of a SELECT; None where it may.

    The join changes neither rows nor the other relations: only what lists all relations or all
    columns, or depends on row order, would notice it.
    """
    select = block.select
    for join in select.args.get("joins") or []:
        if join.kind in ("SEMI", "ANTI"):
            return Reason("no-join", f"tzconv joins no table beside a {join.kind} JOIN")
        if join.method:
            return Reason("shows-columns", f"a {join.method} join compares or shows all columns")
    for node in block.names.nodes:
        if isinstance(node, exp.Columns):
            return Reason("shows-columns", "COLUMNS() would show the columns of a joined table")
        if isinstance(node, exp.Star) and not isinstance(node.parent, _WITH_STAR):
            text = "* would show the columns of a joined table: list the columns"
            return Reason("shows-columns", text)
        if isinstance(node, exp.PositionalColumn):
            text = "#n counts the columns of all relations: write the name of the column"
            return Reason("shows-columns", text)
    hidden = {
        column.name
        for column in select.find_all(exp.Column)
        if not column.table and column.name.casefold() in _HIDDEN
    }
    if hidden:
        text = f"{hidden.pop()} belongs to one table only while no other is joined: qualify it"
        return Reason("shows-columns", text)
    if block.names.scope.is_correlated_subquery and not block.engine.joins_in_subqueries:
        text = f"{block.engine.name} may refuse a correlated subquery with one more join"
        return Reason("no-join", text)
    if _is_updatable_view(block):
        text = "a view over one table can be written to, and could not with a join"
        return Reason("updatable-view", text)
    reason = why_not_expanded(block) or _clauses(select) or why_order_matters(select, block.source)
    return reason or (None if block.is_forced or block.job.plans else _why_few(block))


def _why_few(block: QueryBlock) -> Reason | None:
    """The reason where the text says that few rows are left before any is converted."""
    query: Node | None = block.select if block.engine.late_rows and not block.sites.bounds else None
    inside = {id(n) for one in block.sites.conversions for n in upwards(one.node, block.select)}
    names, windows = set[str](), set[str]()  # what is converted, and what windows compute
    known = set[int]()  # a CTE may read a table of its own name
    while isinstance(query, exp.Select) and id(query) not in known:
        known.add(id(query))
        where, qualify, order, limit = map(query.args.get, ("where", "qualify", "order", "limit"))
        if where and _uses(where, windows):
            return _FEW
        for place, one in enumerate(query.selects, 1):
            is_converted = id(one) in inside or _uses(one, names)
            is_window = bool(one.find(exp.Window, exp.AggFunc)) or _uses(one, windows)
            if is_window and is_converted:
                return None
            shown = names if is_converted else windows if is_window else set[str]()
            shown |= {one.alias_or_name.casefold(), str(place)}
        parts = (where, qualify, limit and order, *(query.args.get("joins") or []))
        is_used = any(one and (id(one) in inside or _uses(one, names)) for one in parts)
        if is_used or qualify or query.args.get("group") or query.args.get("distinct"):
            return _FEW if qualify and not is_used else None
        if order and limit:
            tables = [isinstance(one.source, exp.Table) for one in block.names.owners.values()]
            is_few = limit.text("expression") in map(str, range(block.engine.late_rows + 1))
            return _FEW if is_few and tables == [True] and not windows else None
        while isinstance(query.parent, exp.Subquery):
            query = query.parent
        readers = list(_readers(query, block.source.tables(query.root())))
        query = readers[0][0] if len(readers) == 1 and readers[0][1] else None
    return None


def _uses(node: Node, names: set[str]) -> bool:
    found = any(one.name.casefold() in names for one in node.find_all(exp.Column))
    return found or any(one.this.name in names for one in node.find_all(exp.Ordered))


def why_not_expanded(block: QueryBlock) -> Reason | None:
    """The reason why SELECT * would show a joined table; None where it would not."""
    for star in bare_stars(block.select):
        # of one relation, what is said of its columns may stay behind the star
        plain = len(relations_of(block.select)) == 1 or not any(map(star.args.get, _OF_STAR))
        using = any(join.args.get("using") for join in block.select.args.get("joins") or [])
        if not plain or using or "start" not in star.meta or not _stars(block):
            text = "SELECT * would show the columns of a joined table: list the columns"
            return Reason("shows-columns", text)
    return None


def expanded_stars(block: QueryBlock, strategy: str) -> list[Edit]:
    """Edits that write ``a.*, b.*`` for ``*``, so that it does not show joined tables."""
    stars = ", ".join(_stars(block))
    places = [star.meta["start"] for star in bare_stars(block.select)]
    return [Edit(at, at + 1, stars, "utc_to_zone", strategy, _EXPANDED, "stars") for at in places]


def relations_of(select: exp.Select) -> list[Node]:
    """The relations of its FROM clause in order."""
    clause = select.args.get("from_")
    first = [clause.this] if clause is not None else []
    return [*first, *(join.this for join in select.args.get("joins") or [])]


def bare_stars(select: exp.Select) -> list[exp.Star]:
    """The stars of a SELECT that show all relations."""
    return [part for part in select.expressions if isinstance(part, exp.Star)]


def _stars(block: QueryBlock) -> list[str]:
    """``a.*`` for each relation; none where some relation has no name."""
    names = []
    for relation in relations_of(block.select):
        alias = relation.args.get("alias")
        name = alias.this if alias else relation.this
        if (
            not isinstance(name, exp.Identifier)
            or "start" not in name.meta
            or any(map(relation.args.get, ("joins", "pivots")))  # PIVOT may name it anew
        ):
            return []
        text = block.source.text[name.meta["start"] : name.meta["end"] + 1]
        if text.startswith("'"):  # DuckDB takes a literal for an alias, but not before a star
            text = identifier(name.name, block.engine.quote)
        names.append(f"{text}.*")
    return names


def _is_updatable_view(block: QueryBlock) -> bool:
    """Whether the SELECT is a view that its engine lets people write to."""
    create = outside(block.select)
    if not isinstance(create, exp.Create) or create.kind != "VIEW":
        return False
    if create.find(exp.MaterializedProperty):
        return False
    if not block.engine.views_are_updatable or block.select.args.get("joins"):
        return False
    clauses = ("group", "having", "distinct", "limit", "offset", "with_")
    return not any(block.select.args.get(clause) for clause in clauses)


def _clauses(select: exp.Select) -> Reason | None:
    if any(join.find(Interpolate) for join in select.args.get("joins") or []):
        text = "an event series join takes the row before, and added rows would change which"
        return Reason("row-order", text)
    if select.root().args.get("epoch"):
        text = "AT EPOCH reads an older state of the tables, which may be empty"
        return Reason("unsupported", text)
    # FOR UPDATE of a SELECT around this one locks its rows too
    if any(_locks_others(one) for one in upwards(select) if isinstance(one, exp.Query)):
        return Reason("locks", "FOR UPDATE would lock the rows of the joined conversion table too")
    clauses = (one for one in _ROW_BY_ROW if one != "laterals" or bare_stars(select))
    if any(map(select.args.get, clauses)):
        text = "a clause of this SELECT depends on the rows of its relations one by one"
        return Reason("row-order", text)
    return None


def _locks_others(query: exp.Query) -> bool:
    """Whether FOR UPDATE, perhaps after its parentheses, locks more than rows of named tables."""
    named, select = locked_by(query), query.unnest()
    if named is None:
        return True
    names = {name.casefold() for name in named}
    return any(
        not isinstance(relation, exp.Table)
        for relation in (relations_of(select) if isinstance(select, exp.Select) else ())
        if relation.alias_or_name.casefold() in names
    )


def why_order_matters(select: exp.Select, source: Source) -> Reason | None:
    """The reason why the rows of a SELECT must keep their order; None where they need not."""
    root = select.root()
    reason = _noted(root, _why_of_statement) or _noted(select, _why)
    return reason or _why_outside(select, source.tables(root))


def _noted(node: Node, why: Callable[[Node], Reason | None]) -> Reason | None:
    """The reason, computed once per node: every strategy asks, for each SELECT of a statement."""
    key = f"tzconv{why.__name__}"
    if key not in node.meta:
        node.meta[key] = why(node)
    found: Reason | None = node.meta[key]
    return found


def _why_of_statement(root: Node) -> Reason | None:
    if isinstance(root, exp.Insert) and root.args.get("conflict"):
        return Reason("row-order", f"ON CONFLICT: {_KEYS}")
    if isinstance(root, exp.Insert) and (instead := root.args.get("alternative")):
        return Reason("row-order", f"INSERT OR {instead}: {_KEYS}")
    if any(_is_counter(node) for node in root.find_all(exp.Anonymous, exp.Column)):
        text = "a sequence numbers rows in their order, which a join may change"
        return Reason("row-order", text)
    return None


def _is_counter(node: Node) -> bool:
    """Whether a node is the next number of a sequence; Vertica also writes it as a column of it."""
    if isinstance(node, exp.Column) and not (node.table and node.name.casefold() == "nextval"):
        return False
    return node.name.casefold() in _COUNTERS


def _why(query: Node) -> Reason | None:
    return _why_limited(query) or why_ordered(query)


def _why_limited(query: Node) -> Reason | None:
    if query.args.get("order") or (is_one_row(query) and _is_outermost(query)):
        return None
    offset = query.args.get("offset")
    skips = offset is not None and offset.expression != exp.Literal.number(0)  # to fence a plan
    limit = query.args.get("limit")
    over = limit.args.get("over") if isinstance(limit, exp.Limit) else None
    is_sorted = over is not None and over.args.get("order")  # LIMIT 1 OVER (… ORDER BY …)
    if isinstance(query, exp.Limit) or (limit and not is_sorted) or skips:
        return Reason("row-order", f"LIMIT without ORDER BY: {_FIRST}")
    distinct = query.args.get("distinct")
    if isinstance(distinct, exp.Distinct) and distinct.args.get("on"):
        return Reason("row-order", f"DISTINCT ON without ORDER BY: {_FIRST}")
    return None


def _why_joined(query: Node) -> Reason | None:
    for node in own_nodes(query):
        if isinstance(node, exp.Join) and (kind := node.method or node.kind) in _IN_ORDER:
            text = f"{kind} JOIN depends on the order of rows, which another join may change"
            return Reason("row-order", text)
        if isinstance(node, exp.TableSample):
            return Reason("row-order", "a sample: a join may change which rows are in it")
    return None


def _why_outside(select: exp.Select, tables: TablesByName) -> Reason | None:
    waiting: list[Node] = [select]
    known = {id(select)}
    for query in waiting:
        inner, is_fixed = query, bool(query.args.get("order"))
        # ARRAY((SELECT ...) LIMIT 3): sqlglot has the LIMIT of an argument there
        while isinstance(inner.parent, (exp.Subquery, exp.Limit)) and inner.arg_key == "this":
            inner = inner.parent
            reason = None if is_fixed else _why_limited(inner)
            if reason is not None:
                return _in_outer(reason)
            is_fixed = is_fixed or bool(inner.args.get("order"))
        if is_one_row(query) and not _may_be_correlated(inner):
            continue
        if isinstance(inner.parent, exp.Array) and not is_fixed:
            return Reason("row-order", f"ARRAY() of a query without ORDER BY: {_FIRST}")
        for reader, is_alone in _readers(inner, tables):
            if is_fixed and is_alone and reader.find(exp.TableSample) is None:
                continue
            reason = _noted(reader, _why) or _noted(reader, _why_joined)
            if reason is not None:
                return _in_outer(reason)
            if id(reader) not in known:
                known.add(id(reader))
                waiting.append(reader)
    return None


def _in_outer(reason: Reason) -> Reason:
    return Reason(reason.code, f"in an outer query, {reason.text}")


def _readers(query: Node, tables: TablesByName) -> Iterator[tuple[Node, bool]]:
    """The queries that read the rows of a query, and whether its rows come in their order.

    The rows of a CTE are read by all that have its name.
    """
    around = query.parent
    if isinstance(around, exp.CTE):
        scope = around.parent.parent if around.parent is not None else None
        for table in tables.get(around.alias.casefold(), ()) if scope is not None else ():
            if not table.db and any(one is scope for one in upwards(table)):
                yield from _readers(table, tables)
    elif isinstance(around, exp.SetOperation):
        yield around, True
    else:
        reader = query.find_ancestor(exp.Select, exp.SetOperation)
        if reader is not None:
            is_alone = isinstance(around, exp.From) and not any(
                reader.args.get(clause) for clause in ("joins", "laterals")
            )
            yield reader, is_alone


def _is_outermost(query: Node) -> bool:
    """Whether no query is around it, whose columns its aggregates may be of."""
    return query.find_ancestor(exp.Select, exp.SetOperation) is None


def _may_be_correlated(query: Node) -> bool:
    """Whether a subquery in an expression or a LATERAL may use columns of the outer query."""
    if isinstance(query.parent, (exp.From, exp.Join, exp.CTE, exp.SetOperation)):
        return False
    inside = {one.alias_or_name.casefold() for one in query.find_all(exp.Table, exp.Subquery)}
    return any(column.table.casefold() not in inside for column in query.find_all(exp.Column))
