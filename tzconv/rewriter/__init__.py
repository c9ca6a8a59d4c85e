"""SQL text in, SQL text out: conversions of time zones become joins and constants.

:func:`rewrite` takes any text; read the page ``passes`` first. It needs no connection, no clock and
no environment.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Collection, Iterable, Mapping
from types import NoneType
from typing import Any

from sqlglot import exp

from tzconv import engines, tables
from tzconv.engines import DIALECTS
from tzconv.errors import RewriteError, refuse_tables, refuse_types
from tzconv.rewriter.block import Analysis, Job, Ranges
from tzconv.rewriter.report import Change, Left, Rewrite
from tzconv.rewriter.statements import rewrite_text
from tzconv.rewriter.strategies import chosen
from tzconv.rewriter.strategies.now import moment
from tzconv.sql.binder import Bind, Plans
from tzconv.sql.built import Built
from tzconv.sql.constants import microseconds_of
from tzconv.sql.depth import room
from tzconv.sql.parse import parse
from tzconv.sql.schema import Schema, Tables
from tzconv.sql.script import Script, from_ddl
from tzconv.tz import spellings, zones
from tzconv.tz.zones import Rules

__all__ = [
    "DIALECTS",
    "Analysis",
    "Change",
    "Left",
    "Rewrite",
    "Script",
    "from_ddl",
    "is_one_query",
    "rewrite",
]

_FUNCTION: Any = (Callable, NoneType)


def rewrite(  # noqa: PLR0913 - all but the text have a default
    sql: str,
    *,
    dialect: str = engines.DEFAULT,
    schema: Tables | None = None,
    rules: Rules | None = None,
    strategy: str | None = None,
    session_time_zone: str | None = None,
    table_schema: str | None = None,
    now: str | dt.datetime | None = None,
    ranges: Ranges | None = None,
    loaded: Collection[str] | None = None,
    literals_until: dt.date | None = None,
    rows: Callable[[str], float | None] | None = None,
    script: Script | None = None,
    bind: Bind | None = None,
    watch: Callable[[Analysis], None] | None = None,
    plans: Plans | None = None,
    built: Iterable[Built] = (),
    is_whole: bool = True,
) -> Rewrite:
    """Rewrite all queries of a text so that no zone is converted row by row.

    ``schema`` gives column types as ``{"actions": {"action_event_time": "timestamp"}}``; ``rules``
    are the zone rules to write into the text (the installed tz release); ``strategy`` forces one by
    name; ``session_time_zone`` is the zone of the session that will run the query (UTC, if it is
    not given, but then a cast of a TIMESTAMP to TIMESTAMPTZ may be of any zone);
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
    DuckDB's): what it would not bind to the same columns is not rewritten. ``plans`` says what the
    engine's plan of a rewritten statement loses against that of the original, such as an index:
    then less of it is rewritten, or nothing. ``built`` has expressions for which there is an index
    or the like: conversions that equal one are left, with ``plans`` if the engine uses it.
    Where a part of ``sql`` may be missing when it runs, as the block of a template, ``is_whole`` is
    False: then no filter bounds what a query inside of it converts.
    ``watch`` is called with each statement as it was parsed and its names resolved, queries inside
    another one included.

    The result returns the same rows as ``sql`` wherever the rules of the database agree with
    ``rules`` and with the conversion tables. What cannot be rewritten is in ``left``, with the
    reason. ParseError names line and column of what is not SQL; UnknownZoneError means a session
    time zone that no database has; CheckError a bug in tzconv.
    """
    functions = ("rows", rows), ("bind", bind), ("watch", watch)
    refuse_tables(RewriteError, schema)
    refuse_types(
        RewriteError,
        ("sql", sql, str, "a text of SQL"),
        ("dialect", dialect, str, "the name of a dialect"),
        ("rules", rules, (Rules, NoneType), "the Rules of a tz release"),
        ("session_time_zone", session_time_zone, (str, NoneType), "the name of a time zone"),
        ("table_schema", table_schema, (str, NoneType), "the name of a schema"),
        ("now", now, (str, dt.datetime, NoneType), "a time with its zone"),
        ("ranges", ranges, (Mapping, NoneType), "two times for each parameter"),
        ("loaded", loaded, (Collection, NoneType), "the short names of tables"),
        ("literals_until", literals_until, (dt.date, NoneType), "a date"),
        ("script", script, (Script, NoneType), "a Script"),
        *((name, given, _FUNCTION, "a function") for name, given in functions),
    )
    dialect = engines.named(dialect)
    strategies = chosen(dialect, strategy)
    rules = rules or zones.installed()
    session = "UTC" if session_time_zone is None else session_time_zone
    _refuse_zone(session, rules)
    is_utc, is_known = session.upper() in ("UTC", "ETC/UTC", "GMT"), session_time_zone is not None
    job = Job(
        engines.engine_of(dialect),
        Schema(schema or {}, dialect, session_is_utc=is_utc, session_is_known=is_known),
        rules,
        strategies,
        session,
        table_schema,
        frozenset(tables.CONVERSIONS if loaded is None else loaded),
        None if literals_until is None else microseconds_of(literals_until),
        None if now is None else moment(now),
        ranges or {},
        functools.cache(rows or (lambda _: None)),
        bind,
        plans,
        watch,
        () if strategy else tuple(built),
        is_whole=is_whole,
    )
    with room(sql):
        return rewrite_text(sql, job, script)


def _refuse_zone(zone: str, rules: Rules) -> None:
    """UnknownZoneError for a name that is no time zone of a session in any database."""
    if zone in rules.names:
        return
    package = zones.installed()
    kind = spellings.read(zone, frozenset(package.names), package.links).kind
    is_name = "/" in zone and not zone.startswith(("posix/", "right/"))
    if kind in ("empty", "windows", "rails") or (kind == "unknown" and is_name):
        raise spellings.unknown_zone(zone, package.names, package.links, package.release)


def is_one_query(sql: str, dialect: str) -> bool:
    """Whether a text is a single SELECT or the like; ParseError where it is not SQL."""
    dialect = engines.named(dialect)
    trees = parse(sql, dialect).statements
    return len(trees) == 1 and isinstance(trees[0], exp.Query)
