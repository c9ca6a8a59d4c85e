"""The engine's binder and planner as judges of a rewrite: what is given up, and in which order."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from tzconv.rewriter.block import JOINING_NOTHING, Job, Strategy
from tzconv.rewriter.edits import Edit, apply
from tzconv.sql.binder import Bind, CapturedError, NotBoundError, Plans
from tzconv.sql.built import Built
from tzconv.sql.parse import Node, Range, Source, noted_range
from tzconv.sql.reasons import Reason
from tzconv.sql.schema import Schema


def served(source: Source, place: Range, built: Iterable[Built], plans: Plans) -> tuple[Built, ...]:
    """The members of ``built`` that the plan of a statement uses; their conversions stay.

    Whether statistics are worth more than a rewrite is seen in its plan.
    """
    start, end = place
    text = source.text[start:end]
    known = [one for one in built if one.table.rpartition(".")[2] in text.casefold()]
    if not known:
        return ()
    used = plans.indexes(text)
    return tuple(
        one
        for one in known
        if one.kind == "partition key"
        or (one.kind == "index" and (used is None or one.name in used))
    )


def statistics(built: Iterable[Built]) -> tuple[Built, ...]:
    """What tells a planner how many values an expression has: an index on all rows does, too."""
    return tuple(
        one
        if one.kind == "statistics"
        else one._replace(kind="statistics", name=f"of the index {one.name}")
        for one in built
        if one.kind == "statistics" or (one.kind == "index" and not one.condition)
    )


def objection(
    source: Source, place: Range, tree: Node, edits: Iterable[Edit], bind: Bind
) -> Reason | None:
    """Why the engine does not take a rewritten statement for the same; None where it does.

    None also where it does not bind the statement as it was: a table may be missing where it is
    asked, and parameters may be written as the driver reads them. Names that mean something else
    are an objection there, too.
    """
    before, rewritten = texts(source, place, tree, edits)
    columns = None
    try:
        columns = bind(before)
    except CapturedError as error:
        return Reason("engine-refuses", str(error))
    except NotBoundError as error:
        if error.is_syntax and not any(tree.find_all(exp.Placeholder, exp.Parameter)):
            return Reason("engine-refuses", f"the engine refuses the statement: {error}")
    try:
        after = bind(rewritten)
    except NotBoundError as error:
        if columns is None and not isinstance(error, CapturedError):
            return None
        text = f"the engine refuses the rewritten statement: {error}"
        return Reason("engine-refuses", text)
    for old, new in itertools.zip_longest(after if columns is None else columns, after):
        if old != new:
            described = [" ".join(one) if one else "none" for one in (old, new)]
            text = (
                f"a column of the rewritten statement would be {described[1]}, not {described[0]}"
            )
            return Reason("engine-refuses", text)
    return None


def texts(source: Source, place: Range, tree: Node, edits: Iterable[Edit]) -> tuple[str, str]:
    """The statement as it was and with its edits."""
    start, end = place
    if isinstance(tree, exp.Create):
        # a view or a table takes names and types from its query, which the engine describes alone
        pairs = itertools.pairwise(source.tokens)
        start = next((two.start for one, two in pairs if one.token_type == TokenType.ALIAS), start)
        end = (noted_range(tree.expression) or place)[1]  # before WITH NO DATA
    inside = [edit.relative_to(start) for edit in edits if edit.is_inside(start, end)]
    before = source.text[start:end]
    return before, apply(before, inside)


def fewer(
    strategies: Mapping[str, Strategy], edits: Iterable[Edit], every: Mapping[str, Strategy]
) -> dict[str, Strategy]:
    """The strategies to try after the plan of these edits has lost something; none to give up.

    First without the bounds that keep their predicate, then with them and nothing that joins.
    """
    used = {edit.strategy for edit in edits}
    joining = used - set(JOINING_NOTHING)
    if joining and "range" in used:
        return {name: run for name, run in strategies.items() if name != "range"}
    if joining:
        known = {**every, **strategies}
        return {name: run for name, run in known.items() if name in JOINING_NOTHING}
    if used == {"now", "range"}:
        return {name: run for name, run in strategies.items() if name == "now"}
    return {}


def place_of(source: Source) -> Range:
    """Where the one statement of a text stands, without its semicolon."""
    own = [one for one in source.tokens if one.token_type != TokenType.SEMICOLON]
    return own[0].start, own[-1].end + 1


def in_memory(trees: Iterable[Node], known: Schema, job: Job) -> Bind | None:
    """A binder that knows the tables which a statement names; None where it is no library.

    ``trees`` are the statement and what was made of it to resolve its names.
    """
    tables = (table for tree in trees for table in tree.find_all(exp.Table))
    parts = ((table.args.get("db"), table.this) for table in tables)
    names = {".".join(part.name for part in both if part).casefold() for both in parts}
    return job.engine.bind_in_memory(known.tables, job.table_schema, names)
