"""SQL text in, SQL text out: conversions of time zones become joins and constants.

The pipeline is :func:`rewrite`: parse, find the sites of each SELECT, let the strategies settle
them, apply the edits, check. It needs no connection, no clock and no environment.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Collection, Iterator

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope
from sqlglot.tokenizer_core import TokenType

from tzconv import engines, tables
from tzconv.engines import DIALECTS
from tzconv.rewriter import judge
from tzconv.rewriter.alike import TORN, torn
from tzconv.rewriter.block import Options, QueryBlock
from tzconv.rewriter.check import check
from tzconv.rewriter.edits import Edit, apply, changes, spaced
from tzconv.rewriter.outputs import keep_names
from tzconv.rewriter.pinned import moment, pin
from tzconv.rewriter.report import Change, Left, Rewrite
from tzconv.rewriter.sites import LocalPredicate, find
from tzconv.rewriter.strategies import Strategy
from tzconv.rewriter.verdicts import strategies
from tzconv.rewriter.windows import Ranges, note
from tzconv.sql.binder import Bind
from tzconv.sql.constants import microseconds_of
from tzconv.sql.expressions import shifts_zone
from tzconv.sql.identifiers import why_cut
from tzconv.sql.names import names_of
from tzconv.sql.parse import Node, Source, parse, without_warnings
from tzconv.sql.places import line_and_column
from tzconv.sql.reasons import LeaveError, Reason
from tzconv.sql.schema import Schema, Tables, from_ddl
from tzconv.sql.script import Script, with_tables
from tzconv.sql.selects import selects_of
from tzconv.tz import zones
from tzconv.tz.zones import Rules

__all__ = ["DIALECTS", "Change", "Left", "Rewrite", "Script", "from_ddl", "is_one_query", "rewrite"]

_NO_STRATEGY = Reason("no-strategy", "no strategy applies to it")


def rewrite(  # noqa: PLR0913 - all but the text have a default
    sql: str,
    *,
    dialect: str = engines.DEFAULT,
    schema: Tables | None = None,
    rules: Rules | None = None,
    strategy: str | None = None,
    session_time_zone: str = "UTC",
    table_schema: str | None = None,
    now: str | dt.datetime | None = None,
    ranges: Ranges | None = None,
    loaded: Collection[str] | None = None,
    literals_until: dt.date | None = None,
    rows: Callable[[str], float | None] | None = None,
    script: Script | None = None,
    bind: Bind | None = None,
) -> Rewrite:
    """Rewrite all queries of a text so that no zone is converted row by row.

    ``schema`` gives column types as ``{"actions": {"action_event_time": "timestamp"}}``; ``rules``
    are the zone rules to write into the text (the installed tz release); ``strategy`` forces one by
    name; ``session_time_zone`` is the zone of the session that will run the query;
    ``table_schema`` the database schema that holds the conversion tables. ``now``, a time with its
    zone such as ``2026-01-01T00:00:00Z``, is written into the text instead of NOW() and its like,
    so that the query gives the same rows whenever it is run. ``ranges`` gives the times
    between which parameters lie, as ``{"since": (first, last)}`` for ``:since`` or ``$since``: the
    result is right for these values only. ``loaded`` are the short names of the tables that the
    database has (all); a strategy that needs another one is not chosen. Offsets and bounds are
    written into the text only for times before ``literals_until``, and come from the tables for
    later ones; None writes all of them. ``rows`` gives the number of rows that the engine expects a
    statement to convert, None where it does not know: for few rows the function is faster.
    ``script`` has the statements that run before this text. ``bind`` asks the engine for the
    columns of a statement (an empty DuckDB with the tables of ``schema`` where the dialect is
    DuckDB's): what it would not bind to the same columns is not rewritten.

    The result returns the same rows as ``sql`` wherever the rules of the database agree with
    ``rules`` and with the conversion tables. What cannot be rewritten is in ``left``, with the
    reason. ParseError names line and column of what is not SQL; CheckError means a bug in tzconv.
    """
    engine = engines.engine_of(dialect)
    chosen = strategies(dialect, strategy)
    pinned = None if now is None else moment(now)
    options = Options(
        engine,
        rules or zones.installed(),
        tuple(chosen),
        session_time_zone,
        table_schema,
        frozenset(tables.CONVERSIONS if loaded is None else loaded),
        None if literals_until is None else microseconds_of(literals_until),
        functools.cache(lambda: None if rows is None else rows(sql)),
    )
    is_utc = session_time_zone.upper() in ("UTC", "ETC/UTC", "GMT")
    known = Schema(schema or {}, dialect, session_is_utc=is_utc)
    source = parse(sql, dialect)
    has_locks = any(token.token_type == TokenType.FOR for token in source.tokens)
    blocks: list[QueryBlock] = []
    unresolved: list[Left] = []
    edits = []
    places = judge.places(source)
    one_each = len(places) == len(source.statements)
    turns = with_tables(source.statements, known, dialect, script)
    for number, (statement, tables_known, reason) in enumerate(turns):
        note(statement, ranges or {})
        why = reason or why_cut(statement, dialect)
        try:
            with without_warnings():
                scopes = selects_of(statement, has_locks=has_locks)
                fresh = functools.partial(_blocks, source, scopes, tables_known, options)
                made = fresh()
        except SqlglotError as error:  # such as one alias for two relations
            unresolved += _unresolved(source, statement, str(error))
            continue
        new = [] if why else _settle(made, chosen.values(), pinned)
        try:
            new += keep_names(source, scopes, new, engine)
        except LeaveError as error:
            new, why = [], error.reason
        new = spaced(sql, new)
        if new and one_each:
            binder = bind or judge.in_memory(statement, tables_known, options)
            why = (
                judge.objection(source, places[number], statement, new, binder) if binder else None
            )
        if why:
            made, new = fresh(), []
            for block in made:
                block.leave(why)
        edits += new
        blocks += made
    result = apply(sql, edits)
    if edits:
        check(source, edits, result, dialect)
    left = sorted((*_left(source, blocks), *unresolved), key=lambda one: (one.line, one.column))
    return Rewrite(result, changes(sql, edits), tuple(left))


def is_one_query(sql: str, dialect: str) -> bool:
    """Whether a text is a single SELECT or the like; ParseError where it is not SQL."""
    engines.engine_of(dialect)
    trees = parse(sql, dialect).statements
    return len(trees) == 1 and isinstance(trees[0], exp.Query)


def _settle(
    blocks: list[QueryBlock], strategies: Collection[Strategy], pinned: int | None
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


def _run(block: QueryBlock, strategies: Collection[Strategy], pinned: int | None) -> None:
    if pinned is not None:
        pin(block, pinned)
    for run in strategies:
        run(block)


def _blocks(
    source: Source, scopes: list[Scope], schema: Schema, options: Options
) -> list[QueryBlock]:
    blocks = []
    for scope in scopes:
        names = names_of(scope, schema)
        sites = find(names, source.range, options.engine.zone_must_be_text)
        blocks.append(QueryBlock(source, names, sites, options, sites.all()))
    return blocks


def _unresolved(source: Source, statement: Node, error: str) -> Iterator[Left]:
    """The conversions of a statement whose relations sqlglot cannot resolve."""
    reason = f"the names of the query cannot be resolved: {error}"
    if error.startswith("Alias already used"):
        reason = "two relations of a FROM have one name, or none: give each an alias of its own"
    for node in statement.walk(prune=shifts_zone):
        at = source.range(node) if shifts_zone(node) else None
        if at is not None:
            line, column = line_and_column(source.text, at[0])
            yield Left(line, column, source.text[slice(*at)], "unknown-column", reason)


def _left(source: Source, blocks: list[QueryBlock]) -> tuple[Left, ...]:
    """What no strategy settled; a predicate is reported at its conversion."""
    left: dict[tuple[int, int], Left] = {}
    for block in blocks:
        for site in block.open:
            node = site.conversion.node if isinstance(site, LocalPredicate) else site.node
            if isinstance(site, LocalPredicate) and site.conversion not in block.open:
                continue
            at = source.range(node)
            if at is None:
                continue
            reason = block.reason(site) or _NO_STRATEGY
            line, column = line_and_column(source.text, at[0])
            known = left.get(at)
            if known is None or known.code == _NO_STRATEGY.code:
                text = source.text[slice(*at)]
                left[at] = Left(line, column, text, *reason)
    return tuple(left[at] for at in sorted(left))
