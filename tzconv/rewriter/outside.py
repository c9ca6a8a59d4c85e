"""Conditions of the query around a derived table or a CTE, as conditions of the times inside.

``WHERE day > '2026-03-08'`` over ``(SELECT (ts AT TIME ZONE 'Asia/Tokyo')::date AS day FROM events)
AS x`` leaves rows out that need not be read: it is one of ``(ts AT TIME ZONE 'Asia/Tokyo')::date``.
So is one over the columns of ``LATERAL (SELECT ... AS day) AS x``, of a UNION, or of the SELECT
itself where WHERE sees aliases.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from tzconv.rewriter.comparisons import INNER, conjuncts, required
from tzconv.rewriter.conversions import Conversion
from tzconv.rewriter.purity import is_repeatable
from tzconv.sql.expressions import upwards
from tzconv.sql.names import Names, names_of
from tzconv.sql.parse import Node
from tzconv.sql.schema import Name
from tzconv.sql.stars import output_name
from tzconv.sql.visible import Owner, is_computed

_PLAIN = {"expressions", "from_", "joins", "where", "with_", "group", "having", "order", "distinct"}
"""Clauses of a SELECT that leave rows out one by one, or whole groups of them."""
_BRANCHES = {"this", "expression", "distinct", "with_", "order", "alias", "joins"}
"""The same of parentheses, UNION, EXCEPT and INTERSECT: equal rows meet the same conditions."""
_COUNTED = ("sample", "pivots", "match", "connect", "locks")
"""What reads, or locks, rows that WHERE leaves out."""
_READER, _NAMED = "tzconv_reader", "tzconv_named"
_UNSTEADY = (exp.Anonymous, exp.Rand, exp.Uuid, exp.NextValueFor)


def conditions(
    names: Names, conversions: Mapping[int, Conversion]
) -> Iterator[tuple[Node, dict[int, Conversion], Names, Node | None]]:
    """Conditions with what they name written out, and the conversions by the nodes in them.

    ``conversions`` are those of the SELECT by the identity of their nodes. The conditions are
    copies, whose constants mean what they mean to the names that come with them. Last comes the
    condition of ON beside which such a one holds too, if it is no condition of all rows.
    """
    for reader in _readers(names) if conversions else ():
        sides = _equalities(reader)
        equal = [it for it in sides if _written_out(it[1], reader, names, conversions)[1]]
        for condition in required(reader.scope.expression):
            if not any(id(part) in conversions for part in condition.walk()):
                copy, found = _written_out(condition, reader, names, conversions)
                if found:
                    yield copy, found, reader, None
            for column, other, on, nullable in equal:
                instead, found = _written_out(other, reader, names, conversions)
                passed = _passed_on(condition, reader, column, instead)
                times = [one.value for one in found.values()] if reader is names else [other]
                if passed is not None and (not nullable or _is_of(times, nullable, reader)):
                    yield passed, found, reader, on if reader is names else None


def _is_of(expressions: Iterable[Node], relation: Node, names: Names) -> bool:
    """Whether all columns of some expressions are those of one relation."""
    columns = (one for it in expressions for one in it.find_all(exp.Column))
    owners = (names.owner(one) for one in columns)
    return all(
        one is not None and any(it is relation for it in upwards(one.node)) for one in owners
    )


def _equalities(
    names: Names,
) -> Iterator[tuple[exp.Column, Node, Node | None, Node | None]]:
    """What ON and WHERE say to be equal to a column: only rows for which it is count.

    In the ON of a LEFT JOIN that goes for the rows of the joined relation, the last of four.
    """
    select = names.scope.expression
    for one in conjuncts(select.args.get("where")):
        yield from ((*both, None, None) for both in _equal(one, names))
    for join in select.args.get("joins") or []:
        if join.method or join.side not in ("", "LEFT") or join.kind not in (*INNER, "OUTER"):
            continue
        for one in conjuncts(join.args.get("on")):
            for column, other in _equal(one, names):
                yield column, other, one, join.this if join.side else None


def _equal(condition: Node, names: Names) -> Iterator[tuple[exp.Column, Node]]:
    if isinstance(condition, exp.EQ):
        for column, other in (
            (condition.this, condition.expression),
            (condition.expression, condition.this),
        ):
            kind = names.kind(column)
            if isinstance(column, exp.Column) and kind is not None and kind == names.kind(other):
                yield column, other


def _passed_on(condition: Node, names: Names, column: exp.Column, instead: Node) -> Node | None:
    """A copy of a condition for what is equal to a column that it names once; else None."""
    copy, owner, name = condition.copy(), names.owner(column), column.name.casefold()
    named = [
        copied
        for one, copied in zip(condition.walk(), copy.walk(), strict=True)
        if isinstance(one, exp.Column) and one.name.casefold() == name and owner
        if names.owner(one) is owner
    ]
    if len(named) != 1 or named[0] is copy:
        return None
    named[0].replace(instead)
    return copy


def _written_out(
    node: Node, of: Names, names: Names, conversions: Mapping[int, Conversion]
) -> tuple[Node, dict[int, Conversion]]:
    """A copy of an expression with what its columns are in ``names``, and the conversions in it."""
    copy = node.copy()
    parts = list(zip(node.walk(), copy.walk(), strict=True))
    found = {id(new): conversions[id(old)] for old, new in parts if id(old) in conversions}
    columns = [(one, new) for one, new in parts if isinstance(one, exp.Column)]
    # what has two columns bounds neither, and to follow both of each is to follow 2 ** depth
    for column, copied in columns if len(columns) == 1 and not found else ():
        owner, name = of.owner(column), column.name.casefold()
        shown = _shown(of, owner, name, names) if owner else _of_alias(of, column)
        if shown:
            inner, inside = _written_out(*shown, names, conversions)
            found |= inside
            if inside:
                copy = inner if copied is copy else copy
                copied.replace(inner)
    return copy, found


def _shown(of: Names, owner: Owner, name: str, names: Names) -> tuple[Node, Names] | None:
    """What a column of a derived table is in the SELECT there, perhaps behind a star."""
    known = (of.columns_by(owner.alias.casefold()) or {}).get(name)
    read = of.query_of(owner.node, owner.source)
    if known is None or known[1] is None or read is None or any(read[1:]):
        return None  # of two columns of that name, or another name for it
    scope = read[0]
    if isinstance(scope.expression, exp.SetOperation):
        return _of_branch(scope, known[0], names)
    query = scope.expression
    selects = query.selects if isinstance(query, exp.Select) else []
    shown = [one.unalias() for one in selects if output_name(one, names.schema) == known[0]]
    inner = of if is_computed(scope, names.schema) else names_of(scope, names.schema)
    if len(shown) == 1:
        return shown[0], inner
    owners = [one for key, one in inner.owners.items() if name in (inner.columns_by(key) or {})]
    is_same = not (shown or any(any(star.args.values()) for star in query.find_all(exp.Star)))
    return _shown(inner, owners[0], name, names) if is_same and len(owners) == 1 else None


def _of_alias(of: Names, column: exp.Column) -> tuple[Node, Names] | None:
    """The output column that a name in WHERE stands for, or in one of those to its right."""
    name, parts = column.name.casefold(), of.scope.expression.expressions
    is_named = any(one.alias.casefold() == name for one in parts)
    if column.table or not is_named or not of.schema.reading.where_sees_aliases:
        return None
    path = {id(one) for one in upwards(column)}
    before = itertools.takewhile(lambda one: id(one) not in path, parts)
    found = [one.unalias() for one in before if one.alias.casefold() == name]
    is_other = of.may_be_column(name) or None in of.shown_by(column, None)
    return (found[0], of) if len(found) == 1 and not is_other else None


def _of_branch(union: Scope, name: Name, names: Names) -> tuple[Node, Names] | None:
    """What a column of a set operation is in the branch that reads, or is, this SELECT."""
    first = union
    while first.set_operation_scopes:
        first = first.set_operation_scopes[0]
    branch = next((one for one in _readers(names) if _whole(one.scope) is union), None)
    if branch is None:
        return None
    parts, shown = first.expression.expressions, branch.scope.expression.expressions
    named = [output_name(one, names.schema) for one in parts]
    if named.count(name) != 1 or any(one.is_star for one in (*parts, *shown)):
        return None
    return shown[named.index(name)].unalias(), branch


def _whole(scope: Scope) -> Scope:
    """The set operation around all that a SELECT is a branch of; else the SELECT itself."""
    around = scope.parent
    while around is not None and any(one is scope for one in around.set_operation_scopes):
        scope, around = around, around.parent
    return scope


def _readers(names: Names) -> Iterator[Names]:
    """The SELECT itself, and those around it that read its rows, one after the other."""
    reader: Names | None = names
    seen = set[int]()  # a CTE may read a table of its own name
    while reader is not None and id(reader) not in seen:
        yield reader
        seen.add(id(reader))
        reader = _reader(reader)


def _reader(names: Names) -> Names | None:
    """The one SELECT that reads the rows of this one, if what it leaves out changes no others."""
    known = vars(names.scope)  # each of many CTEs asks for the readers of those after it
    if _READER not in known:
        known[_READER] = _read_by(names)
    found: Names | None = known[_READER]
    return found


def _read_by(names: Names) -> Names | None:
    scope, query = names.scope, names.scope.expression
    shown = [one.unalias() for part in query.expressions for one in _computed(part)]
    distinct = query.args.get("distinct")
    is_plain = _clauses(query) <= _PLAIN and not (distinct and distinct.args.get("on"))
    if not is_plain or any(one.find(exp.Window) for one in shown):
        return None
    for one in upwards(query.parent):
        if not isinstance(one, (exp.Subquery, exp.SetOperation)):
            break
        if not _clauses(one) <= _BRANCHES:
            return None
        if one.args.get("alias"):
            break
    scope = _whole(scope)
    parent: Scope | None = scope.parent
    if parent is not None and scope.is_cte:
        parent = _reader_of_cte(scope.expression, parent)
    elif parent is not None and isinstance(parent.expression, exp.Lateral):
        parent = parent.parent
    elif not scope.is_derived_table:
        return None
    if parent is None or not all(map(_is_steady, shown)) or _reads_all(parent.expression):
        return None
    return names_of(parent, names.schema)


def _clauses(query: Node) -> set[str]:
    return {key for key, one in query.args.items() if one}


def _is_steady(shown: Node) -> bool:
    """Whether an output column is the same whichever other rows and groups are computed."""
    return is_repeatable(shown) or bool(shown.find(exp.AggFunc) and not shown.find(*_UNSTEADY))


def _computed(projection: Node) -> list[Node]:
    """A projection itself; of a star only what REPLACE computes."""
    star = projection.find(exp.Star) if projection.is_star else None
    return [projection] if star is None else star.args.get("replace") or []


def _reads_all(query: Node) -> bool:
    """Whether rows that WHERE leaves out may matter before, as in a sample or an ASOF JOIN."""
    if not isinstance(query, exp.Select):
        return True
    clauses = [query.args.get("from_"), *(query.args.get("joins") or [])]
    walks = [one.walk(prune=lambda node: isinstance(node, exp.Select)) for one in clauses if one]
    relations = [query, *(one for walk in walks for one in walk)]
    joins = [one for one in relations if isinstance(one, exp.Join)]
    is_counted = any(one.args.get(key) for one in relations for key in _COUNTED)
    return is_counted or any(join.method or join.kind not in (*INNER, "OUTER") for join in joins)


def _reader_of_cte(query: Node, parent: Scope) -> Scope | None:
    """The SELECT that alone reads a CTE; a function may read it by a text, as query_table('l')."""
    cte = query.find_ancestor(exp.CTE)
    with_ = cte.parent if cte is not None else None
    if cte is None or not isinstance(with_, exp.With) or with_.recursive:
        return None
    tables, words, scopes = _named(parent)
    name = cte.alias.casefold()
    read = tables.get(name, [])
    select = read[0].find_ancestor(exp.Select) if len(read) == 1 and name not in words else None
    return scopes.get(id(select))


def _named(parent: Scope) -> tuple[dict[str, list[exp.Table]], set[str], dict[int, Scope]]:
    """Of a statement: its tables by name, the words in its literals, its scopes; found once."""
    known = vars(parent)
    if _NAMED not in known:
        tables: dict[str, list[exp.Table]] = {}
        words = set[str]()
        for one in parent.expression.find_all(exp.Table, exp.Literal):
            if isinstance(one, exp.Table):
                tables.setdefault(one.name.casefold(), []).append(one)
            else:
                words.update(re.findall(r"\w+", one.name.casefold()))
        known[_NAMED] = tables, words, {id(one.expression): one for one in parent.traverse()}
    found: tuple[dict[str, list[exp.Table]], set[str], dict[int, Scope]] = known[_NAMED]
    return found
