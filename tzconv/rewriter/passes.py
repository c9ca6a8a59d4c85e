"""The passes of a rewrite, in their order: read this page first.

``statements`` takes any text apart: a script into its statements, EXPLAIN or a function into the
queries inside; ``templated`` does so for each way to render a template. Each query, UPDATE and
DELETE comes here, and :data:`PASSES` is what happens to it. It needs no connection, no clock and no
environment. A pass reads what those before it have noted in :class:`Work`, and adds its own; the
examples in their docstrings follow one query on PostgreSQL.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope

from tzconv.errors import ParseError
from tzconv.rewriter import judge, sweep
from tzconv.rewriter.block import JOINING_NOTHING, Analysis, Job, QueryBlock, Strategy
from tzconv.rewriter.built import keep_built
from tzconv.rewriter.check import check
from tzconv.rewriter.edits import Edit, apply, changes, spaced, with_known
from tzconv.rewriter.groups import TORN, torn
from tzconv.rewriter.local import LocalPredicate
from tzconv.rewriter.outputs import keep_names
from tzconv.rewriter.report import Left, Rewrite, left_at
from tzconv.rewriter.sites import find
from tzconv.rewriter.strategies.now import now, pin
from tzconv.rewriter.strategies.range import range_
from tzconv.rewriter.windows import note
from tzconv.sql.binder import Plans
from tzconv.sql.built import Built
from tzconv.sql.containers import head
from tzconv.sql.fields import read_fields
from tzconv.sql.lexer import words
from tzconv.sql.names import names_of
from tzconv.sql.parse import Node, Range, Source, parse, without_warnings
from tzconv.sql.reasons import LeaveError, Reason
from tzconv.sql.schema import Schema, why_cut
from tzconv.sql.script import Script, tables_of
from tzconv.sql.selects import selects_of, written_by

_NO_STRATEGY = Reason("no-strategy", "no strategy applies to it")
_ONLY_BOUNDS = Reason(
    "statement",
    "in UPDATE and DELETE, tzconv rewrites only bounds and comparisons with NOW() in WHERE",
)


@dataclass(slots=True)
class Work:
    """One statement on its way through the passes.

    ``known`` are the column types, as the script before it has left them; ``place`` is where it
    stands in the text. ``why`` is the reason to leave all of it, ``unresolved`` the one if sqlglot
    cannot resolve its names; ``strategies`` are those that may be tried, ``built`` the indexes and
    the like whose conversions are left, ``statistics`` those that are left if the plan would lose
    parallel workers. A block is a SELECT with its sites, its edits and the reasons of what is left.
    """

    job: Job
    source: Source
    known: Schema
    plans: Plans | None
    built: tuple[Built, ...]
    statistics: tuple[Built, ...]
    why: Reason | None
    place: Range
    strategies: Mapping[str, Strategy]
    scopes: list[Scope] = field(default_factory=list)
    blocks: list[QueryBlock] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    unresolved: Reason | None = None
    sql: str = ""

    @property
    def tree(self) -> Node:
        """The statement itself."""
        return self.source.statements[0]


Pass: TypeAlias = Callable[[Work], None]


def resolve(work: Work) -> None:
    """Finds the SELECTs, which relation and type each column has, and the sites in them.

    ``a.ts AT TIME ZONE 'UTC' AT TIME ZONE p.zone`` is a Conversion of actions.ts, a TIMESTAMP, by
    publishers.zone, which is text.
    """
    try:
        with without_warnings():
            work.scopes = selects_of(work.tree)
            for scope in work.scopes:
                read_fields(names_of(scope, work.known))
            work.blocks = [_block(work, scope) for scope in work.scopes]
    except SqlglotError as error:  # such as one alias for two relations
        text = f"the names of the query cannot be resolved: {error}"
        if str(error).startswith("Alias already used"):
            text = "two relations of a FROM have one name, or none: give each an alias of its own"
        work.scopes, work.unresolved = [], Reason("unknown-column", text)
        return
    if work.job.watch is not None:
        names = tuple(block.names for block in work.blocks)
        work.job.watch(Analysis(work.source, work.tree, names, work.job.shift))


def settle(work: Work) -> None:
    """Each SELECT goes through the strategies, which make edits or note why they cannot.

    The conversion becomes ``COALESCE(a.ts + tzconv_1.utc_offsets[...], <itself>)``, and the FROM
    clause gains ``LEFT JOIN time_zone_conversion_zone AS tzconv_1 ON ...``. What GROUP BY, DISTINCT
    or ORDER BY compares is then the same expression still, or it is left.
    """
    for index, block in enumerate([] if work.why else work.blocks):
        if not block.sites.may_join_on_zone:
            _run(block, work)
        while refused := torn(work.blocks[index]):
            sites = work.blocks[index].sites.without(dict.fromkeys(refused, TORN))
            work.blocks[index] = QueryBlock(block.source, block.names, sites, block.job)
            _run(work.blocks[index], work)
        work.edits += [*work.blocks[index].edits, *work.blocks[index].beside]


def keep_columns(work: Work) -> None:
    """Output columns keep their names: ``SELECT date(a.ts ...)`` gains ``AS date``."""
    try:
        work.edits += keep_names(work.source, work.scopes, work.edits, work.job.engine)
    except LeaveError as error:
        work.why = error.reason
    work.edits = spaced(work.source.text, work.edits)


def ask_engine(work: Work) -> None:
    """The engine must bind the new text to columns of the same names and types, where it can say.

    A ``text`` that would become ``character varying`` leaves the statement as it was.
    """
    if work.why or not work.edits:
        return
    trees = {id(tree): tree for tree in (work.tree, *(s.expression.root() for s in work.scopes))}
    bind = work.job.bind or judge.in_memory(trees.values(), work.known, work.job)
    if bind is not None:
        work.why = judge.objection(work.source, work.place, work.tree, work.edits, bind)


def ask_planner(work: Work) -> None:
    """The plan of the new text must lose nothing: no index, partition, order or parallel worker.

    Else the strategies that may have cost it are left out, one kind after the other.
    """
    first = None
    while work.plans and work.edits and not work.why:
        before, after = judge.texts(work.source, work.place, work.tree, work.edits)
        _, known = judge.texts(work.source, work.place, work.tree, with_known(work.edits))
        lost = work.plans.loss(before, after, *([] if known == after else [known]))
        if lost is None:
            return
        if lost.code == "loses-estimate":
            if work.strategies.get("now") is now:
                less = {"now": functools.partial(now, but_constants=lost)}
            elif known != after:
                less = {"range": functools.partial(range_, but_relative=True)}
            else:
                return
            work.strategies = {**work.strategies, **less}
        elif lost.code == "loses-parallel" and work.statistics:
            # without them the planner expects a group for each row, which workers do not share
            work.built, work.statistics = (*work.built, *work.statistics), ()
        else:
            first = first or lost
            work.strategies = judge.fewer(work.strategies, work.edits, work.job.strategies)
        work.edits = []
        work.blocks = [_block(work, scope) for scope in work.scopes]
        if first:
            for block in work.blocks:
                block.leave(first)  # unless a strategy says why it cannot
        if not work.strategies:
            work.why = first
            return
        for each in (settle, keep_columns, ask_engine):
            each(work)


def leave(work: Work) -> None:
    """A statement with a reason against it has no edits: each of its sites has that reason."""
    if work.why:
        work.edits = []
        work.blocks = [_block(work, scope) for scope in work.scopes]
        for block in work.blocks:
            block.leave(work.why)


def edit(work: Work) -> None:
    """Replaces the characters of the edits; every other byte stays."""
    work.sql = apply(work.source.text, work.edits)


def prove(work: Work) -> None:
    """The new text parses, and outside the edits it has the old tokens; else CheckError."""
    if work.edits:
        check(work.source, work.edits, work.sql, work.job.known.dialect)


def look_again(work: Work) -> None:
    """Every conversion is changed or left with a reason: the words of the text are searched too."""
    work.left += _left(work)
    made = changes(work.source.text, work.edits)
    places = sweep.places_in_trees(
        work.source,
        work.job.known.dialect,
        [block.names for block in work.blocks],
        functools.partial(_why_outside, work),
        work.job.known.timestamps,
        sweep.covered_by(made, work.left),
    )
    work.left = sweep.swept(work.source.text, places, made, work.left)


PASSES: tuple[Pass, ...] = (
    resolve,
    settle,
    keep_columns,
    ask_engine,
    ask_planner,
    leave,
    edit,
    prove,
    look_again,
)


def rewrite_statement(sql: str, job: Job, script: Script | None) -> Rewrite:
    """Rewrite a statement that runs after a script; ParseError if it is not SQL."""
    source = parse(sql, job.known.dialect)
    [tree, *others] = source.statements
    if others:
        raise ParseError("it is several statements to sqlglot, and one to tzconv")
    known, why = tables_of(tree, job.known, job.known.dialect, script)
    note(tree, job.ranges)
    place = judge.place_of(source)
    # the planner is not asked if the caller asks for one strategy, whatever it costs
    plans, built = job.plans if len(job.strategies) > 1 else None, job.built
    statistics = judge.statistics(built)
    if plans and built:
        built = judge.served(source, place, built, plans)
    why = why or why_cut(tree, known.dialect)
    work = Work(job, source, known, plans, built, statistics, why, place, job.strategies)
    for each in PASSES:
        each(work)
    return Rewrite(work.sql, changes(sql, work.edits), tuple(work.left))


def _block(work: Work, scope: Scope) -> QueryBlock:
    names = names_of(scope, work.known)
    sites = find(names, work.source.range, work.job.engine.zone_must_be_text)
    sites.outside = sites.outside if work.job.is_whole else []
    sites = keep_built(sites, names, work.built)
    return QueryBlock(work.source, names, sites, work.job)


def _run(block: QueryBlock, work: Work) -> None:
    written = written_by(block.select)
    is_pivot = written is not None and written.endswith("PIVOT")
    if written:
        block.leave(_why_outside(work, 0) if is_pivot else _ONLY_BOUNDS)
    if work.job.pinned is not None and written_by(block.select.root()) is None:
        pin(block, work.job.pinned)
    for name, run in work.strategies.items():
        if not written or (name in JOINING_NOTHING and not is_pivot):
            run(block)


def _left(work: Work) -> list[Left]:
    """What no strategy settled; a predicate is reported at its conversion."""
    left: dict[Range, Left] = {}
    found = [(block, site) for block in work.blocks for site in block.open]
    for block, site in found:
        node = site.conversion.node if isinstance(site, LocalPredicate) else site.node
        if isinstance(site, LocalPredicate) and site.conversion not in block.open:
            continue
        at = work.source.range(node) or sweep.extent(node)
        if at is not None and (at not in left or left[at].code == _NO_STRATEGY.code):
            reason = block.reason(site) or _NO_STRATEGY
            if work.why and (work.why.code, reason.code) == ("statement-before", "unknown-type"):
                reason = work.why  # it made the types unknown: declaring them would not help
            left[at] = left_at(work.source.text, *at, reason)
    return [left[at] for at in sorted(left)]


def _why_outside(work: Work, _: int) -> Reason:
    """The reason for a conversion outside of the SELECTs that the strategies have seen."""
    if work.unresolved:
        return work.unresolved
    if isinstance(work.tree, (exp.Update, exp.Delete)):
        return _ONLY_BOUNDS
    part = head(words(work.source.text[slice(*work.place)]))
    return Reason("statement", f"tzconv does not rewrite this part of {part}")
