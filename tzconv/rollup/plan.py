"""What a run of a rollup would do: its names and types, the kept row, the zones, and the gate."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

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
from tzconv.view import checks, source

ROWS_AT_ONCE = 5_000_000
"""Rows of the source that a transaction of a first fill reads."""
PAYS_BELOW = 0.5
"""Rows of a rollup over rows of its source, above which a first run is refused.

A choice: of the rollups that were measured, the nearest took 0.17 and 1.08 of a report's CPU time.
"""
FIRST, _LAST = seconds_of(dt.date(1, 1, 3)), seconds_of(dt.date(9999, 12, 1))
"""Times that Python can hold; others are computed in the first and the last step."""
DAY = 86_400
Names = frozenset[str | None]


@dataclass(frozen=True, slots=True)
class State:
    """The kept row: ``filled_before`` is in UTC seconds since 1970, None before the first fill.

    The ``zones`` fit the grid by the rules of a ``release``.
    """

    definition: str
    grid: Grid
    zones: Names
    release: str
    filled_before: int | None
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """``state`` is None before the first run. ``days`` count the rows of the source by UTC day,
    while the rollup is not complete. ``rows`` and ``buckets`` are those of the source and of the
    rollup, where the gate counted them. ``finer`` are zones that need a finer grid.
    """

    shape: Shape
    state: State | None
    grid: Grid
    zones: Names
    release: str
    days: tuple[tuple[int, int], ...]
    rows: int | None = None
    buckets: int | None = None
    finer: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether all of the source was computed once."""
        return self.state is not None and self.state.is_complete

    @property
    def since(self) -> int:
        """The midnight before the first row of the source, in UTC seconds since 1970."""
        return self.days[0][0] * DAY if self.days else 0

    @property
    def low(self) -> int:
        """The time from which a run computes buckets anew."""
        before = FIRST if self.state is None else self.state.filled_before or FIRST
        return self.grid.start(max(before - self.shape.entry.lookback_seconds, FIRST))

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
            f"({self.share:.2f}), so reports gain little: group by fewer keys, such as the zone "
            "and not the account, or make it all the same with --force."
        )


def make(
    backend: Backend,
    entry: Entry,
    *,
    count: bool = False,
    anew: bool = False,
    all_rows: bool = False,
) -> Plan:
    """Plan a run; ``count`` asks the gate, ``anew`` for another grid than the kept one.

    ``all_rows`` looks at the zones of all rows of the source. DatabaseError for what cannot be kept
    exactly, and without conversion tables.
    """
    entry.check(backend.dialect)
    shape = _shape(backend, entry)
    state = None if anew else read_state(backend, shape)
    newest = backend.newest_release()
    if newest is None:
        raise DatabaseError("The database has no conversion tables: run tzconv refresh first.")
    release, until = str(newest["finished_at"]), seconds_of(newest["offset_ends_before"])
    counted = [] if state is not None and state.is_complete else days(backend, shape)
    kept = Grid() if state is None else state.grid
    made = Plan(shape, state, kept, frozenset(), release, tuple(counted))
    used = _served(backend, made, all_rows=all_rows or not made.is_complete)
    if state is not None and state.release == release and used <= state.zones:
        return replace(made, zones=used)  # a look at the rules would take longer than the run
    found = grids.zones_of((loaded.read_rules(backend)[1], zones.installed()), used)
    notes = tuple(_notes(backend, entry, used, {one.name.casefold() for one in found}))
    grid = grids.choose(found, made.since, until) if state is None else kept
    head = zone_names.ask(backend, f"{shape.select(grid)}\nLIMIT 0", f"The rollup {entry.table}")
    entry.check_types(dict(zip(head.names, head.types, strict=True)))
    finer = tuple(grid.misfit(found, until))
    made = replace(made, grid=grid, zones=used, finer=finer, notes=notes)
    if not count or state is not None:
        return made
    texts = f"{shape.named(entry.source)} AS t", f"(\n{shape.select(grid)}\n) AS r"
    rows, buckets = (int(ask(backend, f"SELECT count(*) FROM {one}")[0][0]) for one in texts)
    return replace(made, rows=rows, buckets=buckets)


def ask(backend: Backend, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a SELECT."""
    columns = [column.to_pylist() for column in backend.query(sql).rows.columns]
    return list(zip(*columns, strict=True))


def read_state(backend: Backend, shape: Shape) -> State | None:
    """The kept row; None if there is no rollup of that name. DatabaseError for another table."""
    has_table = source.exists(backend, shape.table)  # first: another job makes both at once
    if not source.exists(backend, shape.state):
        if has_table:
            raise DatabaseError(
                f"{shape.table} exists, and tzconv rollup has not made it: name another table."
            )
        return None
    rows = ask(backend, f"SELECT {', '.join(STATE)} FROM {shape.state}")
    if len(rows) != 1:
        raise DatabaseError(f"{shape.state} has {len(rows)} rows instead of one: drop the rollup.")
    definition, grid, names, release, before, is_complete, *_ = rows[0]
    before = None if before is None else int(before)
    fit = frozenset(json.loads(names))
    return State(definition, Grid.read(grid), fit, release, before, is_complete)


def types(backend: Backend, shape: Shape) -> dict[str, str]:
    """The types of the columns of a rollup that is made."""
    found = backend.query(f"SELECT * FROM {shape.table} AS r LIMIT 0")
    return dict(zip(found.names, found.types, strict=True))


def days(backend: Backend, shape: Shape) -> list[tuple[int, int]]:
    """The rows of the source by UTC day, counted from 1970."""
    moment = shape.engine.utc_timestamp(shape.moment, shape.kind)
    rows = ask(
        backend,
        f"SELECT CAST(floor(extract(epoch FROM {moment}) / {DAY}) AS BIGINT), count(*) "
        f"FROM {shape.named(shape.entry.source)} AS t WHERE {shape.between(FIRST, _LAST)} "
        "GROUP BY 1 ORDER BY 1",
    )
    return [(int(day), int(count)) for day, count in rows]


def steps(counted: Iterable[tuple[int, int]]) -> Iterator[int | None]:
    """The times that cut days into steps of ``ROWS_AT_ONCE`` rows or a day; None at the end."""
    rows = 0
    for day, count in counted:
        if rows and rows + count > ROWS_AT_ONCE:
            yield day * DAY
            rows = 0
        rows += count
    yield None


def _notes(
    backend: Backend, entry: Entry, names: Collection[str | None], known: Collection[str]
) -> Iterator[str]:
    """A note on zones without rules; DatabaseError for one whose offsets cannot be known."""
    unknown = sorted(one for one in names if one is not None and one.casefold() not in known)
    # outside of a transaction, because the question is a statement that may fail
    accepted = backend.accepted(unknown) if unknown else {}
    for name in unknown:
        if accepted.get(name):
            raise DatabaseError(
                f"{entry.zone_column} has {name!r}, which the database converts although it is no "
                "IANA name, so its days are not known: correct it; tzconv names shows how."
            )
    if unknown:
        shown = ", ".join(map(repr, unknown[:5]))
        yield f"The database knows no zone {shown}: a report fails at those rows, as it did."


def _shape(backend: Backend, entry: Entry) -> Shape:
    engine, facts = engines.engine_of(backend.dialect), engines.facts_of(backend.dialect)
    if engine.bucket is None or backend.ddl_commits or not facts.has_ddl:
        raise DatabaseError(f"tzconv keeps no rollups on {facts.title}: print SQL with --print.")
    shape = Shape(entry, engine, schema=backend.current_schema() or "")
    owner = entry.owner
    wanted = [entry.timestamp, *entry.keys, owner[3] if owner else entry.zone_column]
    columns = ", ".join(f"t.{shape.quoted(one)}" for one in dict.fromkeys(filter(None, wanted)))
    table, title = shape.named(entry.source), f"The rollup {entry.table}"
    type_ = zone_names.ask(backend, f"SELECT {columns} FROM {table} AS t LIMIT 0", title).types[0]
    kind = type_.lower()
    if not kind.startswith("timestamp"):
        raise DatabaseError(
            f"{entry.source}.{entry.timestamp} is a {type_}: name a TIMESTAMP in UTC, or a "
            "TIMESTAMPTZ."
        )
    if "with time zone" in kind or "timestamptz" in kind:
        shape = replace(shape, kind="timestamptz")
    if owner is not None:
        zone_names.ask(backend, f"SELECT * FROM ({shape.owners()}) AS z LIMIT 0", title)
        key = zone_names.Column(shape.named(owner[0]), shape.quoted(owner[1]))
        made = source.Source(title, "", table, shape.relations, shape.moment, "", "", (), key)
        checks.refuse_repeated_keys(backend, made)
    return shape


def _served(backend: Backend, made: Plan, *, all_rows: bool) -> Names:
    """The zones that the rollup serves, as they are spelled."""
    shape, entry, state = made.shape, made.shape.entry, made.state
    names = set(zones.installed().names if "all" in entry.zones else entry.zones)
    names |= {entry.zone} if entry.zone else set()
    for name in sorted(names):
        source.known_zone(name)
    if state is not None and entry.kept_zone is not None:
        names |= {one for one in state.zones if one is not None}
    if entry.owner is not None:
        found = zone_names.counts(
            backend, f"({shape.owners()}) AS z", "z.tzconv_zone", entry.zone_column
        )
    elif entry.zone_column:
        where = f"{shape.between(made.low, None)} OR {shape.moment} IS NULL"
        relation = f"{shape.named(entry.source)} AS t WHERE {'TRUE' if all_rows else where}"
        column = f"t.{shape.quoted(entry.zone_column)}"
        found = zone_names.counts(backend, relation, column, entry.zone_column)
    else:
        return frozenset(names)
    return frozenset({*names, *found})
