"""Measures which form of a query is fastest on this machine and in this database.

``run`` is the library behind ``tzconv bench``. It makes events and conversion tables in a scratch
schema or file, runs each query as written, without conversions, and with the strategies, compares
their rows, and removes what it made.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass

from tzconv import engines
from tzconv._version import __version__
from tzconv.bench import data, firstload, measure, queries
from tzconv.bench.queries import CONSTANT_ZONE, Query
from tzconv.bench.results import CONVERSIONS, TUNED, Run, Say
from tzconv.engines.backend import Backend
from tzconv.engines.scratch import Scratch, scratch
from tzconv.errors import DatabaseError, RewriteError
from tzconv.refresher import Refresh, refresh
from tzconv.rewriter.strategies import STRATEGIES
from tzconv.tz import zones

__all__ = ["BenchOptions", "Run", "prepare", "run"]


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What to measure.

    ``rows`` is the number of events a table; ``zones`` how many zones the publishers have, all for
    None (the accounts of the reports have their own); ``strategies`` are names, ``all``, or empty
    for those the rewriter uses by itself. ``first_load`` adds that part. ``suite`` is
    ``conversions``, ``reports`` or ``tuned``; ``one_thread`` holds the engine to one thread, or one
    process without JIT.
    """

    url: str | None = None
    rows: int = 1_000_000
    zones: int | None = None
    queries: tuple[str, ...] = ("all",)
    strategies: tuple[str, ...] = ()
    rounds: int = 5
    first_load: bool = False
    suite: str = CONVERSIONS
    one_thread: bool = False


def run(options: BenchOptions, say: Say, today: dt.date | None = None) -> Run:
    """Measure, and leave nothing behind. DatabaseError, OutputError or RewriteError, one sentence.

    ``say`` gets a line about each step; ``today`` is the last day that has events.
    """
    today = today or dt.datetime.now(dt.UTC).date()
    dialect = engines.dialect_of_url(options.url)
    _check(options, dialect)
    if options.suite != CONVERSIONS:
        known = queries.reports(today, options.suite)
    else:
        known = queries.standard(today, dialect)
    chosen = queries.choose(options.queries, known)
    ours = [query for query in chosen if query.tables]
    theirs = [query for query in chosen if not query.tables]
    for query in theirs:  # before minutes of loading
        measure.check(query, dialect)
    # apart, so that a query of the user's finds no made-up table of the same name, and all zones
    sets = [(options, ours), (dataclasses.replace(options, zones=None), theirs)]
    parts = [_part(one, part, today, say) for one, part in sets if part]
    first = None
    if options.first_load:
        first = firstload.measure(options.url, options.zones, options.rounds, say)
    return dataclasses.replace(
        parts[0],
        queries=tuple(query for part in parts for query in part.queries),
        first_load=first,
    )


def _part(options: BenchOptions, chosen: Sequence[Query], today: dt.date, say: Say) -> Run:
    """Measure these queries in one scratch place."""
    with scratch(options.url, options.one_thread) as place, place.open() as backend:
        strategies = _strategies(options, backend.dialect)
        names = prepare(place, backend, options, chosen, strategies, today, say)
        types = place.types(backend)
        found = []
        for query in chosen:
            say(f"Measuring {query.name}.")
            found.append(
                measure.measure(backend, query, types, strategies, options.rounds, place.warm_runs)
            )
        made = {table for query in chosen for table in query.tables} | {"publishers", "accounts"}
        return Run(
            __version__,
            zones.installed().release,
            backend.dialect,
            backend.product(),
            os.cpu_count() or 1,
            options.rows,
            len(names),
            options.rounds,
            today.isoformat(),
            tuple(found),
            {table: columns for table, columns in types.items() if table in made},
            suite=options.suite,
            one_thread=options.one_thread,
        )


def prepare(
    place: Scratch,
    backend: Backend,
    options: BenchOptions,
    chosen: Sequence[Query],
    strategies: Sequence[str],
    today: dt.date,
    say: Say,
) -> list[str]:
    """Load the conversion tables and make the events; the names of the zones that have events.

    The tables hold two years. For the reports they are those that ``tzconv refresh`` loads by
    default.
    """
    tables = sorted({table for query in chosen for table in query.tables})
    if options.suite != CONVERSIONS:
        loaded = refresh(backend)
        now = backend.now()  # whatever ``today`` is: the reports ask for NOW()
        first = data.begin_of_reports(now).date()
        names = _usable(data.ACCOUNT_ZONES, loaded, first, now.date(), say)
        tuned = place.tuned if options.suite == TUNED else ()
        make = functools.partial(
            data.make_reports, now=now, indexes=place.indexes_reports, tuned=tuned
        )
    else:
        wanted = data.some_zones(zones.installed().names, options.zones)
        large = {"daily", "hourly"} - {*strategies}
        loaded = refresh(
            backend,
            zones={*wanted, CONSTANT_ZONE},
            start=data.begin_of("history", today) - dt.timedelta(days=7),
            end=today + dt.timedelta(days=30),
            tables=[name for name in (*backend.default_tables, "hourly") if name not in large],
        )
        first = min(data.begin_of(table, today) for table in ("history", *tables))
        names = _usable(wanted, loaded, first, today, say)
        make = functools.partial(data.make, tables=tables, today=today)
    if tables:
        say(f"Making {options.rows:,} events in {' and in '.join(tables)}.")
        with place.making(backend) as execute:
            make(execute, place.writing, names, options.rows)
    return names


def _usable(
    wanted: Sequence[str], loaded: Refresh, first: dt.date, today: dt.date, say: Say
) -> list[str]:
    """The zones in which the rewritten queries must return what the original ones do."""
    names = data.zones_that_agree(wanted, loaded.disagreements, first, today)
    if not names:
        raise DatabaseError(
            "The database's own function disagrees with the tables for all of these zones: "
            "nothing can be compared; ask for more with --zone-count."
        )
    say(
        f"Loaded {sum(loaded.rows.values()):,} rows of conversion tables, {loaded.zone_count} "
        f"zones, {loaded.seconds:.0f} s."
    )
    if len(names) < len(wanted):
        say(
            f"{len(wanted) - len(names)} zones have no events: there the database's own function "
            "disagrees with the tables."
        )
    return names


def _check(options: BenchOptions, dialect: str) -> None:
    is_measured = engines.facts_of(dialect).has_full_bench
    all_facts = [engines.facts_of(one) for one in engines.DIALECTS]
    titles = " and ".join(one.title for one in all_facts if one.has_full_bench)
    if options.first_load and not is_measured:
        raise DatabaseError(f"A first load is measured on {titles}: leave --load out.")
    if not is_measured and (options.one_thread or options.suite != CONVERSIONS):
        raise DatabaseError(
            f"Reports, and one thread alone, are measured on {titles}: leave --suite and "
            "--one-thread out."
        )
    for name in options.strategies:
        if name not in ("all", *STRATEGIES):
            raise RewriteError(
                f"There is no strategy {name!r}: choose of all, {', '.join(STRATEGIES)}."
            )


def _strategies(options: BenchOptions, dialect: str) -> list[str]:
    facts = engines.facts_of(dialect)
    if "all" in options.strategies and facts.has_all_strategies:
        return list(STRATEGIES)
    if options.strategies and "all" not in options.strategies:
        return list(options.strategies)
    # of a report only the rewriter's choice counts
    by_itself = options.suite != CONVERSIONS and not options.strategies
    return [] if by_itself else list(facts.verdicts)
