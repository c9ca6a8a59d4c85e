"""The conversion tables and the release table, with their keys.

DuckDB gets no keys: loading takes four times as long with their indexes, and no join uses them.
Vertica gets its physical design, and keys that are declared and not enforced.
"""

import re

from alembic import context, op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = {
    "time_zone_daily_conversion": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_daily_conversion (
    time_zone_name VARCHAR(400) NOT NULL,
    day DATE NOT NULL,
    day_starts_at_utc TIMESTAMP NOT NULL,
    day_ends_at_utc TIMESTAMP NOT NULL,
    day_ends_before_utc TIMESTAMP NOT NULL,
    PRIMARY KEY (time_zone_name, day_starts_at_utc)
)
""",
    "time_zone_hourly_conversion": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_hourly_conversion (
    hour_at_utc TIMESTAMP NOT NULL,
    time_zone_name VARCHAR(400) NOT NULL,
    hour_at_time_zone TIMESTAMP NOT NULL,
    day DATE NOT NULL,
    starts_at_utc TIMESTAMP NOT NULL,
    ends_before_utc TIMESTAMP NOT NULL,
    utc_offset_seconds INTEGER NOT NULL,
    PRIMARY KEY (time_zone_name, starts_at_utc)
)
""",
    "time_zone_offset_conversion": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_offset_conversion (
    time_zone_name VARCHAR(400) NOT NULL,
    starts_at_utc TIMESTAMP NOT NULL,
    ends_before_utc TIMESTAMP NOT NULL,
    starts_at_time_zone TIMESTAMP NOT NULL,
    ends_before_time_zone TIMESTAMP NOT NULL,
    utc_offset_seconds INTEGER NOT NULL,
    abbreviation VARCHAR(16) NOT NULL,
    is_dst BOOLEAN NOT NULL,
    PRIMARY KEY (time_zone_name, starts_at_utc)
)
""",
    "time_zone_utc_day_conversion": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_utc_day_conversion (
    time_zone_name VARCHAR(400) NOT NULL,
    utc_day DATE NOT NULL,
    utc_offset_seconds INTEGER NOT NULL,
    changes_at_utc TIMESTAMP,
    utc_offset_seconds_after INTEGER NOT NULL,
    PRIMARY KEY (time_zone_name, utc_day)
)
""",
    "time_zone_conversion_release": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_conversion_release (
    tz_release VARCHAR(40) NOT NULL,
    rules VARCHAR(400) NOT NULL,
    horizon_starts_on DATE NOT NULL,
    horizon_ends_before DATE NOT NULL,
    offset_ends_before DATE NOT NULL,
    zone_count INTEGER NOT NULL,
    daily_rows BIGINT NOT NULL,
    daily_checksum VARCHAR(64) NOT NULL,
    hourly_rows BIGINT NOT NULL,
    hourly_checksum VARCHAR(64) NOT NULL,
    offset_rows BIGINT NOT NULL,
    offset_checksum VARCHAR(64) NOT NULL,
    utc_day_rows BIGINT NOT NULL,
    utc_day_checksum VARCHAR(64) NOT NULL,
    tzconv_version VARCHAR(40) NOT NULL,
    started_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP NOT NULL,
    PRIMARY KEY (finished_at)
)
""",
}

VERTICA = {
    "time_zone_daily_conversion": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_daily_conversion (
    time_zone_name VARCHAR(400) NOT NULL ENCODING RLE,
    day DATE NOT NULL ENCODING COMMONDELTA_COMP,
    day_starts_at_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    day_ends_at_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    day_ends_before_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    CONSTRAINT time_zone_daily_conversion_pk
        PRIMARY KEY (time_zone_name, day_starts_at_utc) DISABLED
)
ORDER BY time_zone_name, day_starts_at_utc
UNSEGMENTED ALL NODES
""",
    "time_zone_hourly_conversion": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_hourly_conversion (
    hour_at_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    time_zone_name VARCHAR(400) NOT NULL ENCODING RLE,
    hour_at_time_zone TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    day DATE NOT NULL ENCODING RLE,
    starts_at_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    ends_before_utc TIMESTAMP NOT NULL ENCODING COMMONDELTA_COMP,
    utc_offset_seconds INTEGER NOT NULL ENCODING RLE,
    CONSTRAINT time_zone_hourly_conversion_pk
        PRIMARY KEY (time_zone_name, starts_at_utc) DISABLED
)
ORDER BY time_zone_name, starts_at_utc
UNSEGMENTED ALL NODES
""",
    "time_zone_offset_conversion": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_offset_conversion (
    time_zone_name VARCHAR(400) NOT NULL ENCODING RLE,
    starts_at_utc TIMESTAMP NOT NULL ENCODING AUTO,
    ends_before_utc TIMESTAMP NOT NULL ENCODING AUTO,
    starts_at_time_zone TIMESTAMP NOT NULL ENCODING AUTO,
    ends_before_time_zone TIMESTAMP NOT NULL ENCODING AUTO,
    utc_offset_seconds INTEGER NOT NULL ENCODING AUTO,
    abbreviation VARCHAR(16) NOT NULL ENCODING AUTO,
    is_dst BOOLEAN NOT NULL ENCODING RLE,
    CONSTRAINT time_zone_offset_conversion_pk
        PRIMARY KEY (time_zone_name, starts_at_utc) DISABLED
)
ORDER BY time_zone_name, starts_at_utc
UNSEGMENTED ALL NODES
""",
    "time_zone_utc_day_conversion": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_utc_day_conversion (
    time_zone_name VARCHAR(400) NOT NULL ENCODING RLE,
    utc_day DATE NOT NULL ENCODING COMMONDELTA_COMP,
    utc_offset_seconds INTEGER NOT NULL ENCODING RLE,
    changes_at_utc TIMESTAMP ENCODING RLE,
    utc_offset_seconds_after INTEGER NOT NULL ENCODING RLE,
    CONSTRAINT time_zone_utc_day_conversion_pk
        PRIMARY KEY (time_zone_name, utc_day) DISABLED
)
ORDER BY time_zone_name, utc_day
UNSEGMENTED ALL NODES
""",
    "time_zone_conversion_release": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_conversion_release (
    tz_release VARCHAR(40) NOT NULL,
    rules VARCHAR(400) NOT NULL,
    horizon_starts_on DATE NOT NULL,
    horizon_ends_before DATE NOT NULL,
    offset_ends_before DATE NOT NULL,
    zone_count INTEGER NOT NULL,
    daily_rows BIGINT NOT NULL,
    daily_checksum VARCHAR(64) NOT NULL,
    hourly_rows BIGINT NOT NULL,
    hourly_checksum VARCHAR(64) NOT NULL,
    offset_rows BIGINT NOT NULL,
    offset_checksum VARCHAR(64) NOT NULL,
    utc_day_rows BIGINT NOT NULL,
    utc_day_checksum VARCHAR(64) NOT NULL,
    tzconv_version VARCHAR(40) NOT NULL,
    started_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP NOT NULL,
    CONSTRAINT time_zone_conversion_release_pk PRIMARY KEY (finished_at) DISABLED
)
ORDER BY finished_at
UNSEGMENTED ALL NODES
""",
}


def upgrade() -> None:
    for statement in (VERTICA if dialect() == "vertica" else TABLES).values():
        text = statement.strip().replace("{schema}", schema())
        if dialect() == "duckdb":
            text = re.sub(r",\n    PRIMARY KEY .*", "", text)
        op.execute(text)


def downgrade() -> None:
    for table in reversed(TABLES):
        op.execute(f"DROP TABLE {schema()}{table}")


def dialect() -> str:
    return argument("dialect") or op.get_context().dialect.name


def schema() -> str:
    name = argument("schema")
    # SQLAlchemy would take a colon for the start of a parameter
    return '"' + name.replace('"', '""').replace(":", "\\:") + '".' if name else ""


def argument(name: str) -> str | None:
    return context.get_x_argument(as_dictionary=True).get(name)
