"""The conversion tables: columns, types and keys, as the refresh and the rewriter use them.

The names of the tables and of their first four columns are those that Taboola published; the span
columns beside them make the tables exact for every zone. All timestamps are without time zone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import sqlalchemy as sa

ColumnType = Literal["name", "text", "timestamp", "date", "integer", "bigint", "boolean"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``length`` holds for the types ``name`` and ``text`` only."""

    name: str
    type: ColumnType
    nullable: bool = False
    length: int = 400


@dataclass(frozen=True, slots=True)
class Table:
    """One table; ``key`` names the columns that identify a row, in sort order."""

    name: str
    title: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    @property
    def order(self) -> str:
        """The column that identifies and sorts the rows of one zone."""
        return "zone_id" if self.key == ("time_zone_name",) else self.key[-1]


_ZONE = Column("time_zone_name", "name")

DAILY = Table(
    "time_zone_daily_conversion",
    "one row per zone and contiguous span of one local calendar day",
    (
        _ZONE,
        Column("day", "date"),
        Column("day_starts_at_utc", "timestamp"),
        Column("day_ends_at_utc", "timestamp"),
        Column("day_ends_before_utc", "timestamp"),
    ),
    ("time_zone_name", "day_starts_at_utc"),
)

HOURLY = Table(
    "time_zone_hourly_conversion",
    "one row per zone and span inside one UTC hour, one local hour and one offset",
    (
        Column("hour_at_utc", "timestamp"),
        _ZONE,
        Column("hour_at_time_zone", "timestamp"),
        Column("day", "date"),
        Column("starts_at_utc", "timestamp"),
        Column("ends_before_utc", "timestamp"),
        Column("utc_offset_seconds", "integer"),
    ),
    ("time_zone_name", "starts_at_utc"),
)

OFFSET = Table(
    "time_zone_offset_conversion",
    "one row per zone and span of constant UTC offset, the whole history",
    (
        _ZONE,
        Column("starts_at_utc", "timestamp"),
        Column("ends_before_utc", "timestamp"),
        Column("starts_at_time_zone", "timestamp"),
        Column("ends_before_time_zone", "timestamp"),
        Column("utc_offset_seconds", "integer"),
        Column("abbreviation", "text", length=16),
        Column("is_dst", "boolean"),
    ),
    ("time_zone_name", "starts_at_utc"),
)

ZONE = Table(
    "time_zone_conversion_zone",
    "one row per zone: its number, the zone that it is a link to, and the number of its history "
    "since 1970, which zones share",
    (
        _ZONE,
        Column("zone_id", "integer"),
        Column("canonical_name", "text"),
        Column("rules_id", "integer"),
    ),
    ("time_zone_name",),
)

ARRAYS = ("starts_at_utc", "starts_at_instant", "starts_at_time_zone", "utc_offsets")
"""More columns of the zone table where the engine looks values up in arrays: PostgreSQL."""

PERIOD = Table(
    "time_zone_period_conversion",
    "one row per history since 1970 and period of 2^42 microseconds, with the one change of offset "
    "inside it; time_zone_name is the first zone with that history",
    (
        Column("zone_period", "bigint"),
        _ZONE,
        Column("changes_at_utc", "timestamp", nullable=True),
        Column("microseconds_before", "bigint", nullable=True),
        Column("microseconds_after", "bigint", nullable=True),
        Column("changes_at_time_zone", "timestamp", nullable=True),
        Column("local_microseconds_before", "bigint", nullable=True),
        Column("local_microseconds_after", "bigint", nullable=True),
    ),
    ("zone_period",),
)

CONVERSIONS: dict[str, Table] = {
    "daily": DAILY,
    "hourly": HOURLY,
    "offset": OFFSET,
    "zone": ZONE,
    "period": PERIOD,
}
"""The conversion tables by the short name that the command line uses."""

ALWAYS = ("offset", "zone")
"""Always loaded: the rules themselves, and the numbers of the zones."""


def _counted(*names: str) -> Iterator[Column]:
    for name in names:
        yield Column(f"{name}_rows", "bigint")
        yield Column(f"{name}_checksum", "text", length=64)


RELEASE = Table(
    "time_zone_conversion_release",
    "one row per successful refresh; the newest describes what is loaded",
    (
        Column("tz_release", "text", length=40),
        Column("rules", "text", length=400),
        Column("horizon_starts_on", "date"),
        Column("horizon_ends_before", "date"),
        Column("offset_ends_before", "date"),
        Column("zone_count", "integer"),
        *_counted("daily", "hourly", "offset"),
        Column("tzconv_version", "text", length=40),
        Column("started_at", "timestamp"),
        Column("finished_at", "timestamp"),
        *_counted("zone", "period"),  # added by revision 0002; the last four by 0003 to 0005
        Column("selection", "text", nullable=True, length=65_000),
        Column("last_checked_at", "timestamp", nullable=True),
        Column("rule_changes", "text", nullable=True, length=65_000),
        Column("period_keys", "bigint", nullable=True),
    ),
    ("finished_at",),
)

BEFORE_0005: dict[str, tuple[str, ...]] = {
    ZONE.name: tuple(column.name for column in ZONE.columns[:-1]),
    PERIOD.name: (
        *("zone_period", "time_zone_name"),
        *("changes_at_utc", "utc_offset_before", "utc_offset_after"),
        *("changes_at_time_zone", "local_offset_before", "local_offset_after"),
    ),
}
"""The columns of tables that revision 0005 changes."""

ALL: tuple[Table, ...] = (*CONVERSIONS.values(), RELEASE)

MIGRATION = "time_zone_conversion_migration"
"""The table in which Alembic keeps the revision of these tables."""


def metadata(schema: str | None = None) -> sa.MetaData:
    """The tables as a SQLAlchemy ``MetaData``, for queries that join by hand.

    Each call makes a new object; ``schema`` puts the tables into that database schema.
    """
    import sqlalchemy as sa

    types: dict[str, type[sa.types.TypeEngine[Any]]] = {
        "timestamp": sa.TIMESTAMP,
        "date": sa.Date,
        "integer": sa.Integer,
        "bigint": sa.BigInteger,
        "boolean": sa.Boolean,
    }
    made = sa.MetaData(schema=schema)
    for table in ALL:
        columns = (
            sa.Column(
                column.name,
                types[column.type]() if column.type in types else sa.String(column.length),
                nullable=column.nullable,
                primary_key=column.name in table.key,
                autoincrement=False,
            )
            for column in table.columns
        )
        sa.Table(table.name, made, *columns, comment=table.title)
    return made
