"""What others keep: the same buckets as SQL, as a continuous aggregate, and as a dbt model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tzconv import engines
from tzconv.errors import DatabaseError
from tzconv.impact.named import parts
from tzconv.rollup import grid as grids
from tzconv.rollup.entry import Entry
from tzconv.rollup.plan import Plan, steps
from tzconv.rollup.statements import Shape
from tzconv.sql.text import literal
from tzconv.tz import zones
from tzconv.tz.horizon import OFFSETS_UNTIL, seconds_of


def script(entry: Entry, dialect: str) -> Iterator[str]:
    """The statements that make the table, and that compute late days anew; no database is asked."""
    entry.check(dialect)
    named, rules = {*entry.zones, entry.zone} - {""}, zones.installed()
    names = rules.names if not named or "all" in named else rules.select(sorted(named))
    grid = grids.choose(map(rules.zone, names), grids.REGULAR, seconds_of(OFFSETS_UNTIL))
    shape, midnight = Shape(entry, engines.engine_of(dialect)), "{midnight}"
    yield f"-- buckets of {grid.length}\nCREATE TABLE {shape.table} AS\n{shape.select(grid)}"
    yield (
        f"-- later: {midnight} is a UTC midnight before the oldest late row\n"
        f"{shape.delete(f'{shape.bucket} >= {midnight}')}"
    )
    yield shape.insert(grid, f"{shape.moment} >= {midnight}")


def of_plan(planned: Plan, *, indexed: bool) -> Iterator[str]:
    """The statements of a run, without what depends on its rows and without the kept row."""
    shape, grid, low = planned.shape, planned.grid, planned.low
    if planned.state is None:
        yield from shape.create(grid, indexed=indexed)
    else:
        yield shape.delete(f"{shape.between(low, None, stored=True)} OR {shape.bucket} IS NULL")
    bounds = [low, *(one for one in steps(planned.days) if one > low)]
    for starts, ends in itertools.pairwise(bounds):
        yield shape.insert(grid, shape.between(starts, ends))
    yield shape.insert(grid, f"{shape.between(bounds[-1], None)} OR {shape.moment} IS NULL")


def timescale(planned: Plan) -> str:
    """A continuous aggregate of TimescaleDB, and its policy.

    A cut is a column more to group by, because a continuous aggregate buckets by one width.
    """
    shape, since = _others(planned), max(planned.since, grids.REGULAR)
    grid = replace(planned.grid, cuts=tuple(cut for cut in planned.grid.cuts if cut >= since))
    entry, cut = shape.entry, f"{shape.entry.bucket}_cut"
    columns = {entry.bucket: f"time_bucket(INTERVAL '{grid.length}', {shape.moment})"}
    if grid.cuts:
        columns[cut] = f"CASE{shape.cuts(grid, shape.kind)} END"
    back = max(entry.lookback_seconds, 2 * grid.width) // 60
    return (
        f"-- exact for times from {np.datetime64(since, 's')} UTC on\n"
        + f"-- a row's bucket begins at COALESCE({cut}, {entry.bucket})\n" * bool(grid.cuts)
        + f"CREATE MATERIALIZED VIEW {shape.table}\nWITH (timescaledb.continuous) AS\n"
        f"{shape.grouped(columns)}\nWITH NO DATA;\n"
        f"SELECT add_continuous_aggregate_policy({literal(shape.table)},\n"
        f"  start_offset => INTERVAL '{back} minutes', end_offset => INTERVAL '{grid.length}',\n"
        f"  schedule_interval => INTERVAL '{grid.length}');\n"
    )


def dbt(planned: Plan) -> str:
    """An incremental model of dbt; it computes whole UTC days anew, without rows without a time."""
    shape = _others(planned)
    entry, bucket = shape.entry, shape.quoted(shape.entry.bucket)
    days = -(-entry.lookback_seconds // 86_400)
    moment = shape.engine.utc_timestamp(shape.moment, shape.kind)
    where = shape.between(None, None)
    select = shape.select(planned.grid, where).replace(
        f"FROM {shape.relations}\nWHERE {where}\n",
        f"FROM {{{{ ref('{parts(entry.source)[-1]}') }}}} AS t\nWHERE {where}\n"
        "{% if is_incremental() %}\n"
        # no row of the future may close those before it, and an empty table has no last bucket
        f"AND {moment} >= COALESCE((SELECT date_trunc('day', max({bucket})) - INTERVAL '{days} "
        f"days' FROM {{{{ this }}}} WHERE {bucket} < now() AT TIME ZONE 'UTC'), "
        "TIMESTAMP '-infinity')\n"
        "{% endif %}\n",
    )
    return (
        "{{ config(materialized='incremental', incremental_strategy='delete+insert', "
        f"unique_key='{entry.bucket}') }}}}\n{select}\n"
    )


def _others(planned: Plan) -> Shape:
    """Its names; DatabaseError for what only the job follows."""
    shape, owner = planned.shape, planned.shape.entry.owner
    if shape.members and owner is not None:
        raise DatabaseError(
            f"{shape.entry.table}: what others keep does not see that the zone of another table "
            f"changes: put {owner.foreign} into keys, and a view joins the zone."
        )
    return shape
