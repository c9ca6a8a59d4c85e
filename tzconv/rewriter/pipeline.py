"""A parsed text: find the sites of each SELECT, let the strategies settle them, apply, check.

It needs no connection, no clock and no environment.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope
from sqlglot.tokenizer_core import TokenType

from tzconv.rewriter import judge, sweep
from tzconv.rewriter.alike import TORN, torn
from tzconv.rewriter.analysis import Analysis, Watch
from tzconv.rewriter.block import Options, QueryBlock
from tzconv.rewriter.built import keep_built
from tzconv.rewriter.check import check
from tzconv.rewriter.edits import Edit, apply, changes, spaced
from tzconv.rewriter.outputs import keep_names
from tzconv.rewriter.pinned import pin
from tzconv.rewriter.report import Left, Rewrite
from tzconv.rewriter.sites import LocalPredicate, find
from tzconv.rewriter.strategies import Strategy
from tzconv.rewriter.windows import Ranges, note
from tzconv.sql.binder import Bind
from tzconv.sql.containers import head
from tzconv.sql.expressions import shifts_zone
from tzconv.sql.identifiers import why_cut
from tzconv.sql.lexer import words
from tzconv.sql.names import names_of
from tzconv.sql.parse import Node, Range, Source, parse, without_warnings
from tzconv.sql.reasons import LeaveError, Reason
from tzconv.sql.schema import Schema
from tzconv.sql.script import Script, with_tables
from tzconv.sql.selects import selects_of
from tzconv.sql.writes import written_by

_NO_STRATEGY = Reason("no-strategy", "no strategy applies to it")
_ONLY_BOUNDS = Reason(
    "statement",
    "in UPDATE and DELETE, tzconv rewrites only bounds and comparisons with NOW() in WHERE",
)


@dataclass(frozen=True)
class Job:
    """What :func:`tzconv.rewrite` is told beside the text and the script before it."""

    dialect: str
    known: Schema
    options: Options
    strategies: Mapping[str, Strategy]
    pinned: int | None
    ranges: Ranges
    rows: Callable[[str], float | None] | None
    bind: Bind | None
    plans: judge.Plans | None = None
    watch: Watch | None = None
    shift: int = 0

    def inside(self, start: int) -> Job:
        """The job for a query that begins at ``start`` in the text of this one."""
        return self if self.watch is None else replace(self, shift=self.shift + start)

    @functools.cached_property
    def timestamps(self) -> set[str]:
        """The names of TIMESTAMP and DATE columns, in lower case."""
        return self.known.timestamps()


def rewrite_parsed(sql: str, job: Job, script: Script | None) -> Rewrite:
    """Rewrite the statements of a text that runs after a script; ParseError if it is not SQL."""
    options = replace(
        job.options,
        expected_rows=functools.cache(lambda: None if job.rows is None else job.rows(sql)),
    )
    source = parse(sql, job.dialect)
    has_locks = any(token.token_type == TokenType.FOR for token in source.tokens)
    blocks: list[QueryBlock] = []
    unresolved: list[Left] = []
    edits = []
    places = judge.places(source)
    one_each = len(places) == len(source.statements)
    turns = with_tables(source.statements, job.known, job.dialect, script)
    for number, (statement, tables_known, reason) in enumerate(turns):
        note(statement, job.ranges)
        why = reason or why_cut(statement, job.dialect)
        try:
            with without_warnings():
                scopes = selects_of(statement, has_locks=has_locks, with_writes=True)
                work = Work(source, scopes, tables_known, options)
                made = work.blocks()
        except SqlglotError as error:  # such as one alias for two relations
            unresolved += _unresolved(source, statement, str(error))
            continue
        if job.watch is not None:
            names = tuple(block.names for block in made)
            job.watch(Analysis(source, statement, names, job.shift))
        new: list[Edit] = []
        place = places[number] if one_each else None
        if not why:
            made, new, why = _judged(work, made, statement, place, job)
        if why:
            made, new = work.blocks(why), []
        edits += new
        blocks += made
    result = apply(sql, edits)
    if edits:
        check(source, edits, result, job.dialect)
    made_changes, found = changes(sql, edits), [*_left(source, blocks), *unresolved]
    selects = [block.names for block in blocks]
    why_outside = functools.partial(_why_outside, source, places if one_each else [])
    covered = sweep.covered_by(made_changes, found)
    swept = sweep.places_in_trees(
        source, job.dialect, selects, why_outside, job.timestamps, covered
    )
    return Rewrite(result, made_changes, tuple(sweep.swept(sql, swept, made_changes, found)))


@dataclass(frozen=True)
class Work:
    """A statement whose names are resolved, with which each try begins anew."""

    source: Source
    scopes: list[Scope]
    schema: Schema
    options: Options

    def blocks(self, why: Reason | None = None) -> list[QueryBlock]:
        """Its SELECTs with all their sites open; ``why`` they stay so if nothing else is said."""
        blocks = []
        for scope in self.scopes:
            names = names_of(scope, self.schema)
            sites = find(names, self.source.range, self.options.engine.zone_must_be_text)
            sites = keep_built(sites, names, self.options.built)
            blocks.append(QueryBlock(self.source, names, sites, self.options, sites.all()))
            if why is not None:
                blocks[-1].leave(why)
        return blocks


def _judged(
    work: Work, made: list[QueryBlock], statement: Node, place: Range | None, job: Job
) -> tuple[list[QueryBlock], list[Edit], Reason | None]:
    """The edits that the engine binds and whose plan loses nothing, or why there are none."""
    strategies, binder = job.strategies, job.bind
    lost: Reason | None = None
    plans = job.plans if place is not None and len(job.strategies) > 1 else None
    if plans is not None and place is not None and work.options.built:
        served = judge.served(work.source, place, work.options.built, plans)
        work = replace(work, options=replace(work.options, built=served))
        made = work.blocks()
    while True:
        new = _settle(made, strategies, job.pinned)
        try:
            new += keep_names(work.source, work.scopes, new, work.options.engine)
        except LeaveError as error:
            return made, [], error.reason
        new = spaced(work.source.text, new)
        if not new or place is None:
            return made, new, None if new else lost
        if binder is None:
            trees = [statement, *(scope.expression.root() for scope in work.scopes)]
            each = {id(tree): tree for tree in trees}.values()
            binder = judge.in_memory(each, work.schema, work.options)
        why = judge.objection(work.source, place, statement, new, binder) if binder else None
        if why is not None or plans is None:
            return made, new, why
        found = judge.loss(work.source, place, statement, new, plans)
        lost = lost or found
        if found is None or lost is None:
            return made, new, None
        strategies = judge.fewer(strategies, new)
        if not strategies:
            return made, new, lost
        made = work.blocks(lost)


def _why_outside(source: Source, places: list[Range], anchor: int) -> Reason:
    """The reason for a conversion outside of the SELECTs of a statement."""
    for (start, end), tree in zip(places, source.statements, strict=False):
        if start <= anchor < end:
            if isinstance(tree, (exp.Update, exp.Delete)):
                return _ONLY_BOUNDS
            return Reason(
                "statement",
                f"tzconv does not rewrite this part of {head(words(source.text[start:end]))}",
            )
    return Reason("statement", "tzconv does not rewrite this statement")


def _settle(
    blocks: list[QueryBlock], strategies: Mapping[str, Strategy], pinned: int | None
) -> list[Edit]:
    """Run the strategies: the edits they make, without those that make equal expressions differ."""
    for index, block in enumerate(blocks):
        if not block.sites.may_join_on_zone:
            _run(block, strategies, pinned)
        while refused := torn(blocks[index]):
            sites = blocks[index].sites.without(refused, TORN)
            blocks[index] = QueryBlock(block.source, block.names, sites, block.options, sites.all())
            _run(blocks[index], strategies, pinned)
    return [edit for block in blocks for edit in block.all_edits()]


def _run(block: QueryBlock, strategies: Mapping[str, Strategy], pinned: int | None) -> None:
    is_written = written_by(block.select) is not None
    if is_written:
        block.leave(_ONLY_BOUNDS)
    if pinned is not None and written_by(block.select.root()) is None:
        pin(block, pinned)
    for name, run in strategies.items():
        if not is_written or name in judge.JOINING_NOTHING:
            run(block)


def _unresolved(source: Source, statement: Node, error: str) -> Iterator[Left]:
    """The conversions of a statement whose relations sqlglot cannot resolve."""
    reason = f"the names of the query cannot be resolved: {error}"
    if error.startswith("Alias already used"):
        reason = "two relations of a FROM have one name, or none: give each an alias of its own"
    for node in statement.walk(prune=shifts_zone):
        at = source.range(node) if shifts_zone(node) else None
        if at is not None:
            yield sweep.left_at(source.text, *at, Reason("unknown-column", reason))


def _left(source: Source, blocks: list[QueryBlock]) -> list[Left]:
    """What no strategy settled; a predicate is reported at its conversion."""
    left: dict[Range, Left] = {}
    for block in blocks:
        for site in block.open:
            node = site.conversion.node if isinstance(site, LocalPredicate) else site.node
            if isinstance(site, LocalPredicate) and site.conversion not in block.open:
                continue
            at = source.range(node) or sweep.extent(node)
            if at is None:
                continue
            known = left.get(at)
            if known is None or known.code == _NO_STRATEGY.code:
                left[at] = sweep.left_at(source.text, *at, block.reason(site) or _NO_STRATEGY)
    return [left[at] for at in sorted(left)]
