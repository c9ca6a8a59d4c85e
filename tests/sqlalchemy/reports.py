"""Ten reports as someone who has never heard of tzconv would write them, with SQLAlchemy.

They run on DuckDB and on PostgreSQL; each returns a statement and its parameters.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any, TypeAlias

import sqlalchemy as sa

Report: TypeAlias = Callable[[], tuple[Any, dict[str, Any]]]

metadata = sa.MetaData()
publishers = sa.Table(
    "publishers",
    metadata,
    sa.Column("id", sa.Integer),
    sa.Column("time_zone_name", sa.Text),
    sa.Column("name", sa.Text),
)
actions = sa.Table(
    "actions",
    metadata,
    sa.Column("action_event_time", sa.TIMESTAMP),
    sa.Column("action_publisher_id", sa.Integer),
    sa.Column("action_name", sa.Text),
    sa.Column("seen", sa.TIMESTAMP(timezone=True)),
    sa.Column("n", sa.Integer),
)
joined = actions.join(publishers, actions.c.action_publisher_id == publishers.c.id)


def taboolas_hours() -> tuple[Any, dict[str, Any]]:
    """Hours on the clock of each publisher, six weeks of them, with the bounds in the text."""
    return sa.text(
        """
        SELECT date_trunc('hour', a.action_event_time
                              AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name) AS h,
               count(a.action_name)
        FROM actions a
        JOIN publishers p ON a.action_publisher_id = p.id
        WHERE a.action_event_time
            BETWEEN (TIMESTAMP '2017-03-01' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
            AND (TIMESTAMP '2017-04-15 23:59:59' AT TIME ZONE p.time_zone_name AT TIME ZONE 'UTC')
          AND a.n < :most
        GROUP BY 1
        """
    ), {"most": 9}


def days_of_one_zone() -> tuple[Any, dict[str, Any]]:
    """Days in Berlin, with a LIKE whose percent sign drivers want doubled."""
    return sa.text(
        "SELECT (action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin')::date AS day, "
        "sum(n) % 7 AS rest FROM actions WHERE action_name LIKE 'cl%' AND n <> :n GROUP BY 1"
    ), {"n": 3}


def zone_as_parameter() -> tuple[Any, dict[str, Any]]:
    """The reader chooses the zone."""
    return sa.text(
        "SELECT date_trunc('day', seen AT TIME ZONE :zone) AS day, count(*) AS events "
        "FROM actions WHERE seen < :before GROUP BY 1 ORDER BY 1"
    ), {"zone": "Asia/Kolkata", "before": dt.datetime(2024, 3, 1, tzinfo=dt.UTC)}


def one_day_of_one_zone() -> tuple[Any, dict[str, Any]]:
    return sa.text(
        "SELECT count(*), min(action_event_time) FROM actions WHERE "
        "(action_event_time AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')::date "
        "= DATE '2016-11-06'"
    ), {}


def errors_of_the_last_day() -> tuple[Any, dict[str, Any]]:
    return sa.text(
        "SELECT level, count(*) FROM logs WHERE log_time + INTERVAL '1 day' >= NOW() "
        "AND level > :level GROUP BY level"
    ), {"level": 0}


def constructed_with_operators() -> tuple[Any, dict[str, Any]]:
    """As people write AT TIME ZONE in SQLAlchemy: both zones become parameters."""
    utc = actions.c.action_event_time.op("AT TIME ZONE")("UTC")
    local = utc.op("AT TIME ZONE")("Australia/Lord_Howe").label("local")
    return sa.select(local, actions.c.n % 4).where(actions.c.n.in_([1, 2, 5])), {}


def constructed_with_functions() -> tuple[Any, dict[str, Any]]:
    local = sa.func.timezone("America/St_Johns", actions.c.seen, type_=sa.TIMESTAMP)
    inner = sa.select(sa.cast(local, sa.Date).label("day"), actions.c.n).subquery()
    return sa.select(inner.c.day, sa.func.max(inner.c.n)).group_by(inner.c.day), {}


def zone_of_each_row() -> tuple[Any, dict[str, Any]]:
    local = actions.c.seen.op("AT TIME ZONE", return_type=sa.TIMESTAMP())(
        publishers.c.time_zone_name
    )
    return (
        sa.select(publishers.c.name, local.label("local"), actions.c.n)
        .select_from(joined)
        .where(publishers.c.name.like("publisher 1%"))
    ), {}


def with_cte() -> tuple[Any, dict[str, Any]]:
    recent = (
        sa.select(
            actions.c.action_publisher_id.label("id"), actions.c.action_event_time.label("at")
        )
        .where(actions.c.action_event_time >= sa.bindparam("since"))
        .cte("recent")
    )
    utc = recent.c.at.op("AT TIME ZONE")(sa.literal_column("'UTC'"))
    local = utc.op("AT TIME ZONE", return_type=sa.TIMESTAMP())(publishers.c.time_zone_name)
    return (
        sa.select(sa.cast(local, sa.Date).label("day"), publishers.c.id)
        .select_from(recent.join(publishers, recent.c.id == publishers.c.id))
        .distinct()
    ), {"since": dt.datetime(2017, 1, 1)}


def no_conversion() -> tuple[Any, dict[str, Any]]:
    return sa.select(sa.func.count(), sa.func.max(actions.c.action_event_time)), {}


ALL: dict[str, Report] = {
    report.__name__: report
    for report in (
        taboolas_hours,
        days_of_one_zone,
        zone_as_parameter,
        one_day_of_one_zone,
        errors_of_the_last_day,
        constructed_with_operators,
        constructed_with_functions,
        zone_of_each_row,
        with_cte,
        no_conversion,
    )
}
