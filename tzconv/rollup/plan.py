"""What a run of a rollup would do: its names and types, the kept state, the zones, and the gate."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tzconv import engines, zone_names
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError
from tzconv.refresher import loaded
from tzconv.rollup import grid as grids
from tzconv.rollup.entry import Entry
from tzconv.rollup.grid import Grid
from tzconv.rollup.statements import STATE, Shape
from tzconv.tz import zones
from tzconv.tz.horizon import seconds_of
from tzconv.tz.zones import Rules, Zone
from tzconv.view import checks, source

ROWS_AT_ONCE = 5_000_000
"""Rows of the source that a transaction of a first fill reads."""
PAYS_BELOW = 0.5
"""Rows of a rollup over rows of its source; a report takes about that share (measured)."""
_DAY = 86_400
FIRST, _LAST = seconds_of(dt.date(1, 1, 3)), seconds_of(dt.date(9999, 12, 1))
"""Times that Python can hold; others are computed in the first and the last step."""


@dataclass(frozen=True, slots=True)
class State:
    """The kept row: ``filled_before`` is in UTC seconds since 1970, None before the first fill."""

    definition: str
    grid: Grid
    zones: frozenset[str | None]
    release: str
    filled_before: int | None
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Known:
    """Rules by the names of zones: those of the loaded tables, else those of tzconv's package."""

    rules: Rules
    release: str
    until: int

    def zones(self, names: Collection[str | None]) -> list[Zone]:
        """The zones of the names that are IANA's, in any case."""
        texts = {one for one in names if one is not None}
        own = grids.zones_of(self.rules, texts)
        folded = {one.name.casefold() for one in own}
        others = {one for one in texts if one.casefold() not in folded}
        return own + grids.zones_of(zones.installed(), others)


@dataclass(frozen=True, slots=True)
class Plan:
    """``state`` is None before the first run. ``days`` count the rows of the source by UTC day,
    while the rollup is not complete. ``rows`` and ``buckets`` are those of the source and of the
    rollup, where the gate counted them. ``finer`` are zones that need a finer grid.
    """

    shape: Shape
    known: Known
    state: State | None
    grid: Grid
    zones: frozenset[str | None]
    days: tuple[tuple[int, int], ...]
    rows: int | None
    buckets: int | None
    finer: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def since(self) -> int:
        """The midnight before the first row of the source, in UTC seconds since 1970."""
        return self.days[0][0] * _DAY if self.days else 0

    @property
    def share(self) -> float | None:
        """Rows of the rollup over rows of the source; None if they were not counted."""
        return None if self.buckets is None or not self.rows else self.buckets / self.rows

    def advice(self) -> str | None:
        """Why not to make the rollup; None if it pays."""
        if self.share is None or self.share <= PAYS_BELOW:
            return None
        return (
            f"{self.shape.entry.table}: {self.buckets:,} rows for {self.rows:,} of the source "
            f"({self.share:.2f}): a report would not be faster; group by fewer keys, such as the "
            "zone and not the account, or make it all the same with --force."
        )

    def steps(self) -> Iterator[int]:
        """The times that cut a first fill into transactions of ``ROWS_AT_ONCE`` rows or a day."""
        rows = 0
        for day, count in self.days:
            if rows and rows + count > ROWS_AT_ONCE:
                yield day * _DAY
                rows = 0
            rows += count


def make(backend: Backend, entry: Entry, *, count: bool = True, anew: bool = False) -> Plan:
    """Plan a run; ``count`` asks for the gate before a first one, ``anew`` for another grid."""
    entry.check(backend.dialect)
    shape = _shape(backend, entry)
    state = read_state(backend, shape)
    release, rules = loaded.read_rules(backend) if state is None or anew else (None, None)
    newest = backend.newest_release() if release is None else release
    if newest is None:
        raise DatabaseError("The database has no conversion tables: run tzconv refresh first.")
    named = f"{newest['tz_release']} {newest['finished_at']}"
    until = seconds_of(newest["offset_ends_before"])
    served = _served(backend, shape, state, all_rows=state is None or anew)
    is_same = state is not None and not anew and state.release == named
    is_same = is_same and served <= (state.zones if state is not None else frozenset())
    if rules is None:
        rules = Rules.of("", "", ()) if is_same else loaded.read_rules(backend)[1]
    known = Known(rules, named, until)
    used = served | (state.zones if state is not None and not anew else frozenset())
    notes = [] if is_same else list(unknown_names(backend, shape, known, used))
    days, rows, buckets, finer = [], None, None, []
    if state is None or anew or not state.is_complete:
        days = _days(backend, shape)
    if state is None or anew:
        grid = grids.choose(known.zones(used), days[0][0] * _DAY if days else 0, until)
    else:
        grid = state.grid
        finer = [] if is_same else grid.misfit(known.zones(used), until)
    if count and (state is None or anew):
        rows = ask(backend, f"SELECT count(*) FROM {shape.named(entry.source)} AS t")[0][0]
        buckets = ask(backend, f"SELECT count(*) FROM (\n{shape.select(grid)}\n) AS r")[0][0]
    _check_shape(backend, shape, grid)
    return Plan(
        shape,
        known,
        state,
        grid,
        frozenset(used),
        tuple(days),
        rows,
        buckets,
        tuple(finer),
        tuple(notes),
    )


def ask(backend: Backend, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a SELECT."""
    columns = [column.to_pylist() for column in backend.query(sql).rows.columns]
    return list(zip(*columns, strict=True))


def read_state(backend: Backend, shape: Shape) -> State | None:
    """The kept row; None if there is no rollup of that name. DatabaseError for another table."""
    if not source.exists(backend, shape.state):
        if source.exists(backend, shape.table):
            raise DatabaseError(
                f"{shape.table} exists, and tzconv rollup has not made it: name another table."
            )
        return None
    rows = ask(backend, f"SELECT {', '.join(STATE)} FROM {shape.state}")
    if len(rows) != 1:
        raise DatabaseError(f"{shape.state} has {len(rows)} rows instead of one: drop the rollup.")
    definition, grid, names, release, before, is_complete, *_ = rows[0]
    before = None if before is None else int(before)
    found = frozenset(json.loads(names))
    return State(definition, Grid.read(grid), found, release, before, bool(is_complete))


def unknown_names(
    backend: Backend, shape: Shape, known: Known, names: Collection[str | None]
) -> Iterator[str]:
    """Notes on zones without rules; DatabaseError for one whose offsets cannot be known.

    Outside of a transaction, because the database is asked whether it takes them.
    """
    there = {zone.name.casefold() for zone in known.zones(names)}
    unknown = sorted(one for one in names if one is not None and one.casefold() not in there)
    if not unknown:
        return
    accepted = backend.accepted(unknown)
    taken = [one for one in unknown if accepted.get(one)]
    if taken:
        raise DatabaseError(
            f"{shape.entry.zone_column} has {taken[0]!r}, which the database converts and which "
            "is no IANA name, so its days are not known: correct it; tzconv names shows how."
        )
    shown = ", ".join(map(repr, unknown[:5]))
    yield f"The database knows no zone {shown}: a report fails at those rows, as on the source."


def _shape(backend: Backend, entry: Entry) -> Shape:
    engine = engines.engine_of(backend.dialect)
    if (
        engine.bucket is None
        or backend.ddl_commits
        or not engines.facts_of(backend.dialect).has_ddl
    ):
        raise DatabaseError(
            f"tzconv keeps no rollups on {engines.facts_of(backend.dialect).title}: print the SQL "
            "with --print."
        )
    shape = Shape(entry, engine, schema=backend.current_schema() or "")
    _, _, zone, foreign = entry.owner or ("", "", "", "")
    own = [] if entry.owner else [entry.zone_column]
    wanted = [entry.timestamp, *entry.keys, foreign, *own]
    columns = ", ".join(f"t.{shape.quoted(one)}" for one in dict.fromkeys(filter(None, wanted)))
    table = shape.named(entry.source)
    found = zone_names.ask(
        backend, f"SELECT {columns} FROM {table} AS t LIMIT 0", f"The rollup {entry.table}"
    )
    kind = found.types[0].lower()
    if not kind.startswith("timestamp"):
        raise DatabaseError(
            f"{entry.source}.{entry.timestamp} is a {found.types[0]}: name a TIMESTAMP in UTC, or a "
            "TIMESTAMPTZ."
        )
    is_zoned = "with time zone" in kind or "timestamptz" in kind
    if is_zoned:
        shape = Shape(entry, engine, "timestamptz", shape.schema)
    if entry.owner is not None:
        zone_names.ask(
            backend, f"SELECT tzconv_zone FROM ({shape.owners()}) AS z LIMIT 0", entry.zone_column
        )
        _, key, zone, _ = entry.owner
        own_key = zone_names.Column(shape.named(entry.owner[0]), shape.quoted(key))
        made = source.Source(
            entry.table, zone, table, shape.relations, shape.moment, "", "", (), own_key
        )
        checks.refuse_repeated_keys(backend, made)
    return shape


def _check_shape(backend: Backend, shape: Shape, grid: Grid) -> None:
    """DatabaseError if the aggregates cannot be computed, or are not exact."""
    sql = f"{shape.select(grid)}\nLIMIT 0"
    found = zone_names.ask(backend, sql, f"The rollup {shape.entry.table}")
    types = dict(zip(found.names, found.types, strict=True))
    shape.entry.check_types(types)


def _served(
    backend: Backend, shape: Shape, state: State | None, *, all_rows: bool
) -> frozenset[str | None]:
    """The zones that the rollup serves, as they are spelled.

    Those in a column of the source are read from ``all_rows``, or else as rows are inserted.
    """
    entry = shape.entry
    names = set(zones.installed().names if "all" in entry.zones else entry.zones)
    names |= {entry.zone} if entry.zone else set()
    for name in sorted(names):
        source.known_zone(name)
    if entry.owner is not None:
        relation, column = f"({shape.owners()}) AS z", "z.tzconv_zone"
    elif entry.zone_column and all_rows:
        relation = f"{shape.named(entry.source)} AS t"
        column = f"t.{shape.quoted(entry.zone_column)}"
    else:
        return frozenset(names)
    return frozenset(names | set(zone_names.counts(backend, relation, column, entry.zone_column)))


def first_day(backend: Backend, shape: Shape) -> int | None:
    """The UTC day of the first row of the source, counted from 1970."""
    where = shape.between(FIRST, _LAST)
    sql = f"SELECT {_day(shape, 'min')} FROM {shape.named(shape.entry.source)} AS t WHERE {where}"
    found = ask(backend, sql)[0][0]
    return None if found is None else int(found)


def low_of(state: State, entry: Entry) -> int:
    """The time from which a run computes buckets anew."""
    before = FIRST if state.filled_before is None else state.filled_before
    return floor(state.grid, max(before - entry.lookback_seconds, FIRST))


def floor(grid: Grid, seconds: int) -> int:
    """The start of the bucket of one time."""
    return int(grid.floor(np.array([seconds]))[0])


def _days(backend: Backend, shape: Shape) -> list[tuple[int, int]]:
    """The rows of the source by UTC day, counted from 1970."""
    rows = ask(
        backend,
        f"SELECT {_day(shape)}, count(*) FROM {shape.named(shape.entry.source)} AS t "
        f"WHERE {shape.between(FIRST, _LAST)} GROUP BY 1 ORDER BY 1",
    )
    return [(int(day), int(count)) for day, count in rows]


def _day(shape: Shape, aggregate: str = "") -> str:
    moment = shape.engine.utc_timestamp(shape.moment, shape.kind)
    return f"CAST(floor(extract(epoch FROM {aggregate}({moment})) / {_DAY}) AS BIGINT)"
