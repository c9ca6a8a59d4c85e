"""What a run of a rollup would do: its names and types, the kept row, the zones, and the gate."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tzconv import engines, tables, zone_names
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError, QueryError
from tzconv.impact.named import parts
from tzconv.refresher.loaded import read_rules
from tzconv.rollup import grid as grids
from tzconv.rollup.entry import Entry
from tzconv.rollup.grid import Grid
from tzconv.rollup.statements import DAY, FIRST, HOUR, LAST, STATE, Shape
from tzconv.tz import zones
from tzconv.tz.horizon import seconds_of
from tzconv.tz.zones import Zone
from tzconv.view import checks, source

ROWS_AT_ONCE = 5_000_000
"""Rows of the source that a transaction of a first fill reads."""
PAYS_BELOW = 0.5
"""Rows of a rollup over rows of its source, above which a first run is refused.

A choice: of the rollups that were measured, the nearest took 0.17 and 1.08 of a report's CPU time.
"""
EPOCH = dt.datetime(1970, 1, 1)
_FINISHED = "CAST(extract(epoch FROM finished_at) * 1000000 AS BIGINT)"
"""A time as a number: how a database writes a time depends on its settings."""
Names = frozenset[str | None]


class State(NamedTuple):
    """The kept row: ``filled_before`` is in UTC seconds since 1970.

    The ``zones`` fit the grid by the rules of a ``release``, and the ``view`` has been made. A run
    ``finished_at`` a UTC time, None before the first complete one. The tables have the rules of
    the release ``loaded`` now. A release is the time of its refresh.
    """

    definition: str
    grid: Grid
    zones: Names
    release: str
    filled_before: int
    view: str | None
    finished_at: dt.datetime | None
    loaded: str

    @property
    def is_complete(self) -> bool:
        """Whether it has all rows of some time."""
        return self.finished_at is not None


@dataclass(slots=True)
class Plan:
    """``state`` is None before the first run. ``days`` count the rows of the source by UTC day, if
    not all were computed. ``rows`` and ``buckets`` are those of the source and of the rollup, where
    the gate counted them. ``finer`` are zones that need a finer grid.
    """

    shape: Shape
    state: State | None
    grid: Grid
    release: str
    zones: Names = frozenset()
    days: tuple[tuple[int, int], ...] = ()
    rows: int | None = None
    buckets: int | None = None
    finer: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def since(self) -> int:
        """The midnight before the first row of the source, in UTC seconds since 1970."""
        return self.days[0][0] * DAY if self.days else 0

    @property
    def low(self) -> int:
        """The time from which a run computes buckets anew."""
        if self.state is None:
            return FIRST
        back = self.shape.entry.lookback_seconds if self.state.is_complete else 0
        return max(self.grid.start(self.state.filled_before - back), FIRST)

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

    def refuse(self) -> None:
        """DatabaseError for another entry's rollup, a zone that does not fit, and the gate."""
        shape, state = self.shape, self.state
        if state is not None and state.definition != shape.entry.definition:
            tables = ", ".join(filter(None, (shape.table, shape.state, shape.members)))
            how = f"choose another table, or drop {tables} and the view over it first"
            raise shape.entry.error(f"was made by another entry: {how}")
        if self.finer:
            long = f"has buckets of {self.grid.length}, too long for {', '.join(self.finer[:5])}"
            how = f"run {shape.entry.job} --rebuild, which computes all its rows again"
            raise shape.entry.error(f"{long}: {how}")
        if (advice := self.advice()) is not None:
            raise DatabaseError(advice)


def make(
    backend: Backend,
    entry: Entry,
    *,
    count: bool = False,
    anew: bool = False,
    look: bool = True,
) -> Plan:
    """Plan a run; ``count`` asks the gate, ``anew`` chooses the grid of a first run again.

    Without a ``look`` at its zones, a complete rollup is planned without reading the source.
    DatabaseError for what cannot be kept exactly, and without conversion tables.
    """
    shape = _shape(backend, entry)
    state = read_state(backend, shape)
    if state is None or state.definition != entry.definition:
        asked = f"SELECT * FROM {shape.named(entry.source)} AS t LIMIT 0"
        there = zone_names.ask(backend, asked, f"The rollup {entry.table}")
        kinds = zip(there.names, there.types, strict=True)
        entry.check(backend.dialect, {one.casefold() for one, of in kinds if source.has_zone(of)})
    else:
        _refuse_other_types(backend, shape)
    if state is not None and state.is_complete and not (look or anew):
        return Plan(shape, state, state.grid, state.loaded)
    newest = _newest(backend)
    until = seconds_of(newest["offset_ends_before"])
    checks.refuse_repeated_keys(backend, shape.owner_key)
    if anew and state is not None:
        state = state._replace(filled_before=begins(backend, shape), finished_at=None)
    made = Plan(shape, state, state.grid if state else Grid(), newest["finished_at"].isoformat())
    if state is None or not state.is_complete:
        made.days = days(backend, shape)
    made.zones = served(backend, shape, f"{shape.named(entry.source)} AS r")
    if state is not None and not anew:
        made.zones |= state.zones
    found = _by_folded_name(backend, made.zones)
    made.notes = tuple(_notes(backend, entry, made.zones, set(found)))
    if state is None or anew:
        made.grid = grids.choose(found.values(), made.since, until)
        head = f"{shape.select(made.grid)}\nLIMIT 0"
        types = zone_names.ask(backend, head, f"The rollup {entry.table}").types
        entry.check_types(types, backend.dialect)
        if count:
            made.rows = count_rows(backend, f"{shape.named(entry.source)} AS t")
            made.buckets = count_rows(backend, f"(\n{shape.select(made.grid)}\n) AS r")
    made.finer = tuple(made.grid.misfit(found.values(), until))
    return made


def refuse_long_buckets(backend: Backend, shape: Shape, grid: Grid) -> None:
    """DatabaseError if rows kept from earlier grids have longer buckets than their zone needs."""
    entry, owner, names = shape.entry, shape.entry.owner, named(shape.entry)
    until = seconds_of(_newest(backend)["offset_ends_before"])
    for ends, one in grid.kept:
        if owner is not None and entry.kept_zone is None:
            of = f"{shape.stored(owner.foreign)} = z.tzconv_key"
            within = shape.between(FIRST + DAY, ends, stored=True)
            rows = f"{shape.table} AS r WHERE {of} AND {within}"
            owners = f"({shape.owners}) AS z WHERE EXISTS (SELECT 1 FROM {rows})"
            names |= set(zone_names.counts(backend, owners, "z.tzconv_zone", entry.zone_column))
        if long := one.misfit(_by_folded_name(backend, names).values(), until):
            kept = f"keeps rows without events in buckets of {one.length}"
            how = f"run {entry.job} --rebuild --allow-delete, which lets them go"
            raise entry.error(f"{kept}, too long for {', '.join(long[:5])}: {how}")


def refuse_other_owners(backend: Backend, entry: Entry) -> None:
    """DatabaseError if a table of the rollup belongs to a role whose triggers the job would run."""
    shape = Shape(entry, engines.engine_of(backend.dialect), backend.current_schema() or "")
    names = filter(None, (shape.table, shape.state, shape.members))
    for text in backend.of_other_roles(names, "rollup"):
        raise DatabaseError(text)


def _refuse_other_types(backend: Backend, shape: Shape) -> None:
    """DatabaseError if the source has other types since: the kept columns would round or cut."""
    names = [*shape.entry.columns, *shape.entry.values]
    fresh = shape.select(Grid(), "FALSE")
    both = f"SELECT * FROM ({fresh}) AS fresh, {shape.table} AS kept WHERE FALSE"
    types = zone_names.ask(backend, both, f"The rollup {shape.entry.table}").types
    for name, now, before in zip(names, types, types[len(names) :], strict=False):
        if before != now and name != shape.entry.kept_zone:
            how = f"drop {shape.table} and the tables and the view beside it, and make it again"
            text = f"keeps {name!r} as {before}, and its source gives {now} now: {how}"
            raise shape.entry.error(text)


def _by_folded_name(backend: Backend, names: Names) -> dict[str, Zone]:
    """The zones of some names, whatever their case, by the database's rules or the installed."""
    found: dict[str, Zone] = {}
    rules = read_rules(backend)[1], zones.installed()
    for name in sorted(filter(None, names), key=str.casefold):
        for one in rules:
            if (known := one.spelled(name)) is not None:
                found.setdefault(name.casefold(), one.zone(known))
    return found


def count_rows(backend: Backend, relation: str) -> int:
    """The rows of a relation."""
    return int(backend.query(f"SELECT count(*) FROM {relation}").tuples()[0][0])


def read_state(backend: Backend, shape: Shape) -> State | None:
    """The kept row; None if there is no rollup of that name. DatabaseError for another table."""
    last = f"(SELECT max({_FINISHED}) FROM {backend.name(tables.RELEASE.name)})"
    kept = f"SELECT {', '.join([*STATE][:-1])}, {_FINISHED}, {last} FROM {shape.state}"
    try:
        # a table is visible before its rows, in a snapshot of just before another job's commit
        rows = backend.query(kept).tuples() or backend.query(kept).tuples()
    except QueryError:
        _newest(backend)
        if not source.exists(backend, shape.table):
            return None
        if source.exists(backend, shape.state):  # another job has just made both
            return read_state(backend, shape)
        raise DatabaseError(
            f"{shape.table} exists, and tzconv rollup has not made it: name another table."
        ) from None
    if len(rows) != 1:
        raise DatabaseError(f"{shape.state} has {len(rows)} rows instead of one: drop the rollup.")
    [(definition, grid, names, release, before, view, finished, last)] = rows
    at, loaded = (one and EPOCH + dt.timedelta(microseconds=int(one)) for one in (finished, last))
    loaded = (loaded or _newest(backend)["finished_at"]).isoformat()
    fit = frozenset(json.loads(names))
    return State(definition, Grid.read(grid), fit, release, int(before), view, at, loaded)


def _newest(backend: Backend) -> dict[str, Any]:
    """The release row; DatabaseError without conversion tables."""
    newest = backend.newest_release()
    if newest is None:
        raise DatabaseError("The database has no conversion tables: run tzconv refresh first.")
    return newest


def days(backend: Backend, shape: Shape) -> tuple[tuple[int, int], ...]:
    """The rows of the source by UTC day, counted from 1970; ``FIRST`` has all that are earlier."""
    day = shape.day(shape.engine.utc_timestamp(shape.moment, shape.kind))
    found = backend.query(
        f"SELECT {day}, count(*) FROM {shape.named(shape.entry.source)} AS t "
        f"WHERE {shape.between(None, LAST)} GROUP BY 1 ORDER BY 1"
    )
    return tuple((int(day), int(count)) for day, count in found.tuples())


def begins(backend: Backend, shape: Shape) -> int:
    """The time before which rows stay, because the source may have let theirs go; ``LAST``: all.

    A full hour, so that no bucket of an earlier grid is around it. That of the source's first row
    stays too if there are earlier rows: it may have lost a part.
    """
    first = shape.engine.utc_timestamp(f"min({shape.moment})", shape.kind)
    [(count, hour)] = backend.query(
        f"SELECT count(*), {shape.day(first, HOUR)} FROM {shape.named(shape.entry.source)} AS t "
        f"WHERE {shape.between(FIRST + DAY, LAST)}"
    ).tuples()
    if not int(count):
        return LAST
    begin = int(hour) * HOUR
    earlier = shape.between(FIRST + DAY, begin, stored=True)
    return begin + HOUR * (count_rows(backend, f"{shape.table} AS r WHERE {earlier}") > 0)


def steps(counted: Iterable[tuple[int, int]]) -> list[int]:
    """The times that cut days into steps of ``ROWS_AT_ONCE`` rows or a day."""
    found, rows = [], 0
    for day, count in counted:
        if rows and rows + count > ROWS_AT_ONCE:
            found.append(day * DAY)
            rows = 0
        rows += count
    return found


def named(entry: Entry) -> Names:
    """The zones that an entry names."""
    names = {source.known_zone(one) for one in {*entry.zones, entry.zone} - {"all", ""}}
    return frozenset(names.union(zones.installed().names if "all" in entry.zones else ()))


def served(backend: Backend, shape: Shape, relation: str) -> Names:
    """The zones that the rollup serves, as they are spelled: those of its owner, or of r."""
    entry = shape.entry
    if not entry.zone_column:
        return named(entry)
    column = shape.stored(entry.zone_column)
    if shape.owners:
        relation, column = f"({shape.owners}) AS z", "z.tzconv_zone"
    return named(entry).union(zone_names.counts(backend, relation, column, entry.zone_column))


def _notes(backend: Backend, entry: Entry, names: Names, known: set[str]) -> Iterator[str]:
    """A note on zones without rules; DatabaseError for one whose offsets cannot be known."""
    unknown = sorted(one for one in names if one is not None and one.casefold() not in known)
    # outside of a transaction, because the question is a statement that may fail
    accepted = backend.accepted(unknown) if unknown else {}
    for name in filter(accepted.get, unknown):
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
    schema, owner = backend.current_schema(), entry.owner
    if schema is None and len(parts(entry.table)) == 1:
        how = f'name one, as in table = "reporting.{entry.table}"'
        raise entry.error(f"has no schema, because none of the search path exists: {how}")
    shape = Shape(entry, engine, schema or "")
    wanted = [entry.timestamp, *entry.keys, owner.foreign if owner else entry.zone_column]
    columns = ", ".join(f"t.{shape.quoted(one)}" for one in wanted if one)
    sql = f"SELECT {columns} FROM {shape.named(entry.source)} AS t LIMIT 0"
    kind = zone_names.ask(backend, sql, f"The rollup {entry.table}").types[0]
    shape.kind = source.kind_of_time(f"{entry.source}.{entry.timestamp}", kind)
    if kind.casefold().endswith("_ns"):  # our constants are outside of its range
        shape.moment = f"CAST({shape.moment} AS TIMESTAMP)"
    return shape
