"""Which shape of a query is fastest on this machine and in this database: measured, not believed.

``run`` makes events and conversion tables in a place of its own, runs each query as it is, without
any conversion, and with every strategy that applies, compares their rows, and removes the place.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tzconv import urls, zones
from tzconv._version import __version__
from tzconv.backends import Backend
from tzconv.bench import concurrency, data, firstload, measure
from tzconv.bench.queries import Query, choose
from tzconv.bench.results import Load, Measured, Run
from tzconv.bench.scaling import scaling
from tzconv.bench.scratch import Scratch, scratch
from tzconv.errors import DatabaseError, RewriteError
from tzconv.refresher import refresh
from tzconv.rewriter.strategies import STRATEGIES
from tzconv.rewriter.verdicts import verdicts

__all__ = ["Options", "Run", "prepare", "run"]

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Options:
    """What to measure.

    ``rows`` is the number of events a table; ``zones`` how many zones the publishers have, all for
    None; ``strategies`` are names, ``all``, or empty for those the rewriter uses by itself.
    ``concurrency`` are numbers of clients, each for ``seconds`` a text. ``first_load`` and
    ``scaling`` ask for those parts as well.
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


def run(options: Options, say: Say, today: dt.date | None = None) -> Run:
    """Measure, and leave nothing behind. DatabaseError, OutputError or RewriteError, one sentence.

    ``say`` is told what is being done; ``today`` is the last day that has events.
    """
    today = today or dt.datetime.now(dt.UTC).date()
    kind = "duckdb" if options.url is None else urls.parse(options.url).get_backend_name()
    if options.first_load and kind not in ("duckdb", "postgresql"):
        raise DatabaseError("A first load is measured on DuckDB and PostgreSQL: leave --load out.")
    asked = choose(options.queries, today, kind)
    _check(options.strategies)
    ours = [query for query in asked if query.tables]
    theirs = [query for query in asked if not query.tables]
    # apart, so that a query of the user's finds no made-up table of the same name, and all zones
    sets = [(options, ours), (dataclasses.replace(options, zones=None), theirs)]
    parts = [_part(one, queries, today, say) for one, queries in sets if queries]
    first = None
    if options.first_load:
        first = firstload.measure(options.url, options.zones, options.rounds, say)
    sizes = scaling(options, ours, today, say) if options.scaling else ()
    mine = {table for query in ours for table in query.tables} | {"publishers"}
    return Run(
        __version__,
        zones.installed().release,
        parts[0].dialect,
        parts[0].product,
        os.cpu_count() or 1,
        options.rows,
        parts[0].zones,
        options.rounds,
        today.isoformat(),
        tuple(query for part in parts for query in part.found),
        {table: columns for table, columns in parts[0].types.items() if table in mine},
        tuple(load for part in parts for load in part.clients),
        first,
        tuple(sizes),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """What was found in one scratch place."""

    dialect: str
    product: str
    zones: int
    types: dict[str, dict[str, str]]
    found: list[Measured]
    clients: list[Load]


def _part(options: Options, asked: Sequence[Query], today: dt.date, say: Say) -> _Part:
    with scratch(options.url) as place, place.open() as backend:
        strategies = _strategies(options.strategies, backend.dialect)
        names = prepare(place, backend, options, asked, strategies, today, say)
        types = place.types(backend)
        found = [
            _measured(place, backend, query, types, strategies, options.rounds, say)
            for query in asked
        ]
        clients = [
            load
            for count in options.concurrency
            for one in found
            for load in concurrency.both(place, one, count, options.seconds, say)
        ]
        product = str(backend.product())
        return _Part(backend.dialect, product, len(names), types, found, clients)


def prepare(  # noqa: PLR0913, PLR0917 # each is one choice, by its name
    place: Scratch,
    backend: Backend,
    options: Options,
    asked: Sequence[Query],
    strategies: Sequence[str],
    today: dt.date,
    say: Say,
    start: dt.date | None = None,
) -> list[str]:
    """Load the conversion tables and make the events; the zones that the publishers have.

    The tables hold two years, or what begins at ``start``.
    """
    wanted = data.some_zones(zones.installed().names, options.zones)
    short = ["offset", "utc_day", *(name for name in ("hourly", "daily") if name in strategies)]
    made = refresh(
        backend,
        zones=wanted,
        start=start or data.begin_of("history", today) - dt.timedelta(days=7),
        end=today + dt.timedelta(days=30),
        tables=short,
    )
    names = data.without_other_rules(wanted, made.disagreements, today)
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
    tables = sorted({table for query in asked for table in query.tables})
    if tables:
        say(f"Making {options.rows:,} events in each of {', '.join(tables)}.")
        with place.making(backend) as database:
            data.make(database, place.writing, names, options.rows, tables, today)
    return names


def _measured(
    place: Scratch,
    backend: Backend,
    query: Query,
    types: dict[str, dict[str, str]],
    strategies: Sequence[str],
    rounds: int,
    say: Say,
) -> Measured:
    say(f"Measuring {query.name}.")
    process = place.process(backend)
    return measure.measure(backend, process, query, types, strategies, rounds, place.warm_runs)


def _check(asked: Sequence[str]) -> None:
    for name in asked:
        if name not in ("all", *STRATEGIES):
            raise RewriteError(
                f"There is no strategy {name!r}: choose of all, {', '.join(STRATEGIES)}."
            )


def _strategies(asked: Sequence[str], dialect: str) -> list[str]:
    if "all" in asked and dialect != "spark":  # where the others have no form
        return list(STRATEGIES)
    if "all" in asked:
        return list(verdicts(dialect))
    return list(asked or verdicts(dialect))
