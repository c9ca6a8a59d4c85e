"""What others keep: the same buckets as SQL, as a continuous aggregate, and as a dbt model."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from tzconv import engines
from tzconv.errors import DatabaseError
from tzconv.rollup import grid as grids
from tzconv.rollup.entry import Entry
from tzconv.rollup.grid import Grid
from tzconv.rollup.plan import Plan, steps
from tzconv.rollup.statements import Shape
from tzconv.tz import zones
from tzconv.tz.horizon import OFFSETS_UNTIL, seconds_of

_REGULAR = seconds_of(dt.date(1980, 1, 1))
"""Offsets are multiples of a quarter of an hour since then, and one width serves all times."""


def plain(grid: Grid, since: int) -> Grid:
    """One width for all times from ``since`` on, with the cuts that are left."""
    ends = [*(start for start, _ in grid.pieces[1:]), None]
    widths = [
        width
        for (_, width), end in zip(grid.pieces, ends, strict=True)
        if end is None or end > since
    ]
    width = min(widths)
    cuts = tuple(cut for cut in grid.cuts if cut >= since and cut % width)
    return Grid(((grid.pieces[0][0], width),), cuts)


def script(entry: Entry, dialect: str, since: dt.date | None) -> Iterator[str]:
    """The statements that make the table, and that compute late days anew; no database is asked."""
    entry.check(dialect)
    since = since or dt.date(dt.datetime.now(dt.UTC).year - 1, 1, 1)
    named = [*entry.zones, *([entry.zone] if entry.zone else [])]
    rules = zones.installed()
    names = rules.names if not named or "all" in named else rules.select(named)
    first = seconds_of(since)
    grid = grids.choose(grids.zones_of([rules], names), first, seconds_of(OFFSETS_UNTIL))
    shape, grid = Shape(entry, engines.engine_of(dialect)), plain(grid, first)
    yield (
        f"-- buckets of {_width(grid)}, exact for times from {since} on\n"
        f"CREATE TABLE {shape.table} AS\n{shape.select(grid)}"
    )
    midnight = "{midnight}"
    yield (
        f"-- later: {midnight} is a UTC midnight before the oldest late row\n"
        f"{shape.delete(f'{shape.bucket} >= {midnight}')}"
    )
    yield shape.insert(grid, f"{shape.moment} >= {midnight}")


def of_plan(planned: Plan, *, indexed: bool) -> Iterator[str]:
    """The statements of a run, without what depends on its rows and without the kept row."""
    shape, grid, state = planned.shape, planned.grid, planned.state
    if state is None or not state.is_complete:
        if state is None:
            yield from shape.create(grid, indexed=indexed)
        starts = None if state is None else state.filled_before
        for ends in steps(planned.days):
            if starts is None or ends is None or ends > starts:
                yield shape.insert(grid, shape.between(starts, ends))
                starts = ends
        return
    low = planned.low
    yield shape.delete(f"{shape.bucket} IS NULL OR {shape.between(low, None, stored=True)}")
    yield shape.insert(grid, f"{shape.moment} IS NULL")
    yield shape.insert(grid, shape.between(low, None))


def timescale(planned: Plan) -> str:
    """A continuous aggregate of TimescaleDB, and its policy.

    A cut is a column more to group by, because a continuous aggregate buckets by one width.
    """
    shape, grid = planned.shape, plain(planned.grid, max(planned.since, _REGULAR))
    entry = shape.entry
    _refuse_members(shape)
    bucket = f"time_bucket(INTERVAL '{_width(grid)}', {shape.moment})"
    columns = [(bucket, entry.bucket)]
    steps = [(time, width) for time, width in grid.steps()[:-1]]
    if grid.cuts:
        cases = "".join(
            f" WHEN {shape.between(time, None)} THEN {'1' if width is None else '0'}"
            for time, width in steps
        )
        columns.append((f"CASE{cases} ELSE 0 END", f"{entry.bucket}_part"))
    columns += [(f"t.{shape.quoted(one)}", one) for one in entry.keys]
    if entry.kept_zone is not None and entry.kept_zone not in entry.keys:
        columns.append((f"t.{shape.quoted(entry.kept_zone)}", entry.kept_zone))
    measures = [*columns, *((text, name) for name, text in entry.values.items())]
    made = ",\n".join(f"  {text} AS {shape.quoted(name)}" for text, name in measures)
    grouped = ", ".join(str(place + 1) for place in range(len(columns)))
    back = max(entry.lookback_seconds, 2 * grid.width) // 60
    return (
        f"-- a row with {entry.bucket}_part = 1 begins at a transition\n"
        * bool(grid.cuts)
        + f"CREATE MATERIALIZED VIEW {shape.table}\nWITH (timescaledb.continuous) AS\nSELECT\n"
        f"{made}\nFROM {shape.named(entry.source)} AS t\nGROUP BY {grouped}\nWITH NO DATA;\n"
        f"SELECT add_continuous_aggregate_policy('{shape.table}',\n"
        f"  start_offset => INTERVAL '{back} minutes', "
        f"end_offset => INTERVAL '{_width(grid)}',\n"
        f"  schedule_interval => INTERVAL '{_width(grid)}');\n"
    )


def dbt(planned: Plan) -> str:
    """An incremental model of dbt; it computes whole UTC days anew."""
    shape, grid = planned.shape, plain(planned.grid, max(planned.since, _REGULAR))
    entry = shape.entry
    _refuse_members(shape)
    days = -(-entry.lookback_seconds // 86_400)
    select = shape.select(grid, "{where}")
    source = shape.named(entry.source)
    model = "{{ ref('" + entry.source.rpartition(".")[2].strip('"') + "') }}"
    select = select.replace(f"FROM {source} AS t", f"FROM {model} AS t", 1)
    moment = shape.engine.utc_timestamp(shape.moment, shape.kind)
    where = (
        "{% if is_incremental() %}\n"
        f"WHERE {moment} >= (SELECT date_trunc('day', max({shape.quoted(entry.bucket)})) "
        f"- INTERVAL '{days} days' FROM {{{{ this }}}})\n"
        "{% endif %}"
    )
    return (
        "{{ config(materialized='incremental', incremental_strategy='delete+insert', "
        f"unique_key='{entry.bucket}') }}}}\n" + select.replace("WHERE {where}", where, 1) + "\n"
    )


def _width(grid: Grid) -> str:
    return f"{grid.width // 60} minutes" if grid.width >= 60 else f"{grid.width} seconds"


def _refuse_members(shape: Shape) -> None:
    owner = shape.entry.owner
    if shape.members and owner is not None:
        raise DatabaseError(
            f"{shape.entry.table}: what others keep does not see that the zone of another table "
            f"changes: put {owner[3]} into keys, and a view joins the zone."
        )
