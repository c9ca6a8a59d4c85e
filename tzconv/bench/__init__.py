"""Which shape of a query is fastest on this machine and in this database: measured, not believed.

``run`` makes events and conversion tables in a place of its own, runs each query as it is, without
any conversion, and with every strategy that applies, compares their rows, and removes the place.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tzconv import engines
from tzconv._version import __version__
from tzconv.bench import concurrency, data, firstload, measure, reports
from tzconv.bench.queries import CONSTANT_ZONE, Query, choose, standard
from tzconv.bench.results import CHOSEN, CONVERSIONS, ORIGINAL, REPORTS, Run, Say, Scaled
from tzconv.engines.backend import Backend
from tzconv.engines.scratch import Scratch, scratch
from tzconv.errors import DatabaseError, RewriteError
from tzconv.refresher import Refresh, refresh
from tzconv.rewriter.strategies import STRATEGIES
from tzconv.tz import zones

__all__ = ["BenchOptions", "Run", "prepare", "run"]


FEW_ZONES = 20
FEW_YEARS, MANY_YEARS = 2, 25


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What to measure.

    ``rows`` is the number of events a table; ``zones`` how many zones the publishers have, all for
    None (the accounts of the reports have their own); ``strategies`` are names, ``all``, or empty
    for those the rewriter uses by itself. ``concurrency`` are numbers of clients, each for
    ``seconds`` a text. ``first_load`` and ``scaling`` ask for those parts as well. ``suite`` is
    ``conversions`` or ``reports``; ``one_thread`` holds the engine to one
    thread, or one process without JIT.
    """

    url: str | None = None
    rows: int = 1_000_000
    zones: int | None = None
    queries: tuple[str, ...] = ("all",)
    strategies: tuple[str, ...] = ()
    rounds: int = 5
    concurrency: tuple[int, ...] = ()
    seconds: float = 5.0
    first_load: bool = False
    scaling: bool = False
    suite: str = CONVERSIONS
    one_thread: bool = False


def run(options: BenchOptions, say: Say, today: dt.date | None = None) -> Run:
    """Measure, and leave nothing behind. DatabaseError, OutputError or RewriteError, one sentence.

    ``say`` is told what is being done; ``today`` is the last day that has events.
    """
    today = today or dt.datetime.now(dt.UTC).date()
    dialect = engines.dialect_of_url(options.url)
    _check(options, dialect)
    asked = choose(options.queries, suite(options.suite, today, dialect))
    ours = [query for query in asked if query.tables]
    theirs = [query for query in asked if not query.tables]
    # apart, so that a query of the user's finds no made-up table of the same name, and all zones
    sets = [(options, ours), (dataclasses.replace(options, zones=None), theirs)]
    parts = [_part(one, queries, today, say) for one, queries in sets if queries]
    first = None
    if options.first_load:
        first = firstload.measure(options.url, options.zones, options.rounds, say)
    sizes = _scaling(options, ours, today, say) if options.scaling else ()
    return dataclasses.replace(
        parts[0],
        queries=tuple(query for part in parts for query in part.queries),
        concurrency=tuple(load for part in parts for load in part.concurrency),
        first_load=first,
        scaling=tuple(sizes),
    )


def suite(name: str, today: dt.date, dialect: str) -> dict[str, Query]:
    """The queries of a suite by name, as an engine spells them."""
    return reports.reports(today) if name == REPORTS else standard(today, dialect)


def _part(options: BenchOptions, asked: Sequence[Query], today: dt.date, say: Say) -> Run:
    """What is found in one scratch place."""
    with scratch(options.url, options.one_thread) as place, place.open() as backend:
        strategies = _strategies(options, backend.dialect)
        names = prepare(place, backend, options, asked, strategies, today, say)
        types = place.types(backend)
        found = []
        for query in asked:
            say(f"Measuring {query.name}.")
            found.append(
                measure.measure(backend, query, types, strategies, options.rounds, place.warm_runs)
            )
        clients = [
            load
            for count in options.concurrency
            for one in found
            for load in concurrency.both(place, one, count, options.seconds, say)
        ]
        made = {table for query in asked for table in query.tables} | {"publishers", "accounts"}
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
            tuple(clients),
            suite=options.suite,
            one_thread=options.one_thread,
        )


def _scaling(
    options: BenchOptions, queries: Sequence[Query], today: dt.date, say: Say
) -> Iterator[Scaled]:
    """Each query of made-up events at the usual size, and with one thing changed at a time.

    The cost should grow with the rows of the user's own tables and with nothing else.
    """
    half = max(1, options.rows // 2)
    sizes = [
        (options, FEW_YEARS),
        (dataclasses.replace(options, rows=half), FEW_YEARS),
        (dataclasses.replace(options, zones=FEW_ZONES), FEW_YEARS),
        (options, MANY_YEARS),
    ]
    for size, years in sizes if queries else []:
        say(f"With {size.rows:,} events, {size.zones or 'all'} zones, {years} years of tables:")
        with scratch(size.url, size.one_thread) as place, place.open() as backend:
            start = today - dt.timedelta(days=round(years * 365.25) + 7)
            names = prepare(place, backend, size, queries, (), today, say, start)
            types = place.types(backend)
            for query in queries:
                found = measure.measure(backend, query, types, (), size.rounds)
                original, chosen = found.variant(ORIGINAL), found.variant(CHOSEN)
                if original is not None and chosen is not None:
                    costs = (one.cpu or one.wall or 0.0 for one in (original, chosen))
                    yield Scaled(query.name, size.rows, len(names), years, *costs)


def prepare(  # noqa: PLR0913, PLR0917 # each is one choice, by its name
    place: Scratch,
    backend: Backend,
    options: BenchOptions,
    asked: Sequence[Query],
    strategies: Sequence[str],
    today: dt.date,
    say: Say,
    start: dt.date | None = None,
) -> list[str]:
    """Load the conversion tables and make the events; the zones that have events.

    The tables hold two years, or what begins at ``start``; for the reports they are those that
    ``tzconv refresh`` loads by itself.
    """
    tables = sorted({table for query in asked for table in query.tables})
    if options.suite == REPORTS:
        wanted: Sequence[str] = reports.ZONES
        made = refresh(backend)
        now = backend.now()  # whatever ``today`` is: the reports ask for NOW()
        names = _usable(wanted, made, reports.begin(now).date(), now.date(), say)
    else:
        wanted = data.some_zones(zones.installed().names, options.zones)
        kept = (*backend.default_tables, "hourly")
        made = refresh(
            backend,
            zones={*wanted, CONSTANT_ZONE},
            start=start or data.begin_of("history", today) - dt.timedelta(days=7),
            end=today + dt.timedelta(days=30),
            tables=[name for name in kept if name in strategies or name not in ("daily", "hourly")],
        )
        first = min(data.begin_of(table, today) for table in ("history", *tables))
        names = _usable(wanted, made, first, today, say)
    if tables:
        say(f"Making {options.rows:,} events in {' and in '.join(tables)}.")
        with place.making(backend) as execute:
            if options.suite == REPORTS:
                indexes = place.indexes_reports
                reports.make(execute, place.writing, names, options.rows, now, indexes=indexes)
            else:
                data.make(execute, place.writing, names, options.rows, tables, today)
    return names


def _usable(
    wanted: Sequence[str], made: Refresh, first: dt.date, today: dt.date, say: Say
) -> list[str]:
    """The zones in which the rewritten queries must return what the original ones do."""
    names = data.without_other_rules(wanted, made.disagreements, first, today)
    if not names:
        raise DatabaseError(
            "The database's own function has other rules than the tables for all of these zones: "
            "nothing can be compared; ask for more with --zones."
        )
    say(
        f"Loaded {sum(made.rows.values()):,} rows of conversion tables, {made.zone_count} zones, "
        f"{made.seconds:.0f} s."
    )
    if len(names) < len(wanted):
        say(
            f"{len(wanted) - len(names)} zones have no events: there the database's own function "
            "has other rules than the tables."
        )
    return names


def _check(options: BenchOptions, dialect: str) -> None:
    measured = engines.facts_of(dialect).has_full_bench
    all_facts = [engines.facts_of(one) for one in engines.DIALECTS]
    titles = " and ".join(one.title for one in all_facts if one.has_full_bench)
    if options.first_load and not measured:
        raise DatabaseError(f"A first load is measured on {titles}: leave --load out.")
    if not measured and (options.one_thread or options.suite == REPORTS):
        raise DatabaseError(
            f"Reports, and one thread alone, are measured on {titles}: leave --suite and "
            "--one-thread out."
        )
    if options.scaling and options.suite == REPORTS:
        raise DatabaseError("--scaling belongs to the suite of conversions: leave one of them out.")
    for name in options.strategies:
        if name not in ("all", *STRATEGIES):
            raise RewriteError(
                f"There is no strategy {name!r}: choose of all, {', '.join(STRATEGIES)}."
            )


def _strategies(options: BenchOptions, dialect: str) -> list[str]:
    asked = options.strategies
    if options.suite == REPORTS and not asked:
        return []  # what counts there is the rewriter's choice
    if "all" in asked and engines.facts_of(dialect).has_all_strategies:
        return list(STRATEGIES)
    return list(engines.facts_of(dialect).verdicts if "all" in asked or not asked else asked)
