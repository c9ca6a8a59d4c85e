"""What others keep: the same buckets as SQL, as a continuous aggregate, and as a dbt model."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from tzconv import engines
from tzconv.errors import DatabaseError
from tzconv.impact.named import parts
from tzconv.rollup import grid as grids
from tzconv.rollup.entry import Entry
from tzconv.rollup.grid import Grid
from tzconv.rollup.plan import Plan, steps
from tzconv.rollup.statements import Shape
from tzconv.sql.text import literal
from tzconv.tz import zones
from tzconv.tz.horizon import OFFSETS_UNTIL, seconds_of


def script(entry: Entry, dialect: str, since: dt.date | None) -> Iterator[str]:
    """The statements that make the table, and that compute late days anew; no database is asked."""
    entry.check(dialect)
    since = since or dt.date(dt.datetime.now(dt.UTC).year - 1, 1, 1)
    named = [*entry.zones, *([entry.zone] if entry.zone else [])]
    rules = zones.installed()
    names = rules.names if not named or "all" in named else rules.select(named)
    first = seconds_of(since)
    grid = grids.choose(grids.zones_of([rules], names), first, seconds_of(OFFSETS_UNTIL))
    shape, grid = Shape(entry, engines.engine_of(dialect)), grid.even(first)
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
    shape, grid = _others(planned)
    entry, width = shape.entry, _width(grid)
    columns = {entry.bucket: f"time_bucket(INTERVAL '{width}', {shape.moment})"}
    if grid.cuts:
        cases = "".join(
            f" WHEN {shape.between(time, None)} THEN {int(one is None)}"
            for time, one in grid.steps()[:-1]
        )
        columns[f"{entry.bucket}_part"] = f"CASE{cases} ELSE 0 END"
    back = max(entry.lookback_seconds, 2 * grid.width) // 60
    return (
        f"-- a row with {entry.bucket}_part = 1 begins at a transition\n"
        * bool(grid.cuts)
        + f"CREATE MATERIALIZED VIEW {shape.table}\nWITH (timescaledb.continuous) AS\n"
        f"{shape.grouped(columns)}\nWITH NO DATA;\n"
        f"SELECT add_continuous_aggregate_policy({literal(shape.table)},\n"
        f"  start_offset => INTERVAL '{back} minutes', end_offset => INTERVAL '{width}',\n"
        f"  schedule_interval => INTERVAL '{width}');\n"
    )


def dbt(planned: Plan) -> str:
    """An incremental model of dbt; it computes whole UTC days anew."""
    shape, grid = _others(planned)
    entry = shape.entry
    days = -(-entry.lookback_seconds // 86_400)
    model = "{{ ref('" + parts(entry.source)[-1] + "') }}"
    moment = shape.engine.utc_timestamp(shape.moment, shape.kind)
    where = (
        "{% if is_incremental() %}\n"
        f"WHERE {moment} >= (SELECT date_trunc('day', max({shape.quoted(entry.bucket)})) "
        f"- INTERVAL '{days} days' FROM {{{{ this }}}})\n"
        "{% endif %}"
    )
    select = shape.select(grid).replace(f"FROM {shape.relations}", f"FROM {model} AS t\n{where}", 1)
    return (
        "{{ config(materialized='incremental', incremental_strategy='delete+insert', "
        f"unique_key='{entry.bucket}') }}}}\n{select}\n"
    )


def _others(planned: Plan) -> tuple[Shape, Grid]:
    """Names and one width; DatabaseError for what only the job follows."""
    shape, owner = planned.shape, planned.shape.entry.owner
    if shape.members and owner is not None:
        raise DatabaseError(
            f"{shape.entry.table}: what others keep does not see that the zone of another table "
            f"changes: put {owner[3]} into keys, and a view joins the zone."
        )
    return shape, planned.grid.even(max(planned.since, grids.REGULAR))


def _width(grid: Grid) -> str:
    return f"{grid.width // 60} minutes" if grid.width >= 60 else f"{grid.width} seconds"
