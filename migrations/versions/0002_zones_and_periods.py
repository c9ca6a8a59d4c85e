"""The zone and the period table in place of the UTC-day table.

On PostgreSQL a zone's row also has its changes as arrays. They are stored PLAIN, and so are the
names beside them, so that reading a row never decompresses or fetches a value from elsewhere.

Each statement may run again: where DDL commits, a job that was killed has done some of them.
"""

from alembic import context, op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = {
    "time_zone_conversion_zone": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_conversion_zone (
    time_zone_name VARCHAR(400) NOT NULL,
    zone_id INTEGER NOT NULL,
    canonical_name VARCHAR(400) NOT NULL,
    PRIMARY KEY (time_zone_name)
)
""",
    "time_zone_period_conversion": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_period_conversion (
    zone_period BIGINT NOT NULL,
    time_zone_name VARCHAR(400) NOT NULL,
    changes_at_utc TIMESTAMP,
    utc_offset_before BIGINT,
    utc_offset_after BIGINT,
    changes_at_time_zone TIMESTAMP,
    local_offset_before BIGINT,
    local_offset_after BIGINT,
    PRIMARY KEY (zone_period)
)
""",
}

ARRAYS = """
CREATE TABLE IF NOT EXISTS {schema}time_zone_conversion_zone (
    time_zone_name VARCHAR(400) NOT NULL,
    zone_id INTEGER NOT NULL,
    canonical_name VARCHAR(400) NOT NULL,
    starts_at_utc TIMESTAMP[],
    starts_at_instant TIMESTAMPTZ[],
    starts_at_time_zone TIMESTAMP[],
    utc_offsets INTERVAL[],
    PRIMARY KEY (time_zone_name)
)
"""

PLAIN = """
ALTER TABLE {schema}time_zone_conversion_zone
    ALTER COLUMN time_zone_name SET STORAGE PLAIN,
    ALTER COLUMN canonical_name SET STORAGE PLAIN,
    ALTER COLUMN starts_at_utc SET STORAGE PLAIN,
    ALTER COLUMN starts_at_instant SET STORAGE PLAIN,
    ALTER COLUMN starts_at_time_zone SET STORAGE PLAIN,
    ALTER COLUMN utc_offsets SET STORAGE PLAIN
"""

VERTICA = {
    "time_zone_conversion_zone": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_conversion_zone (
    time_zone_name VARCHAR(400) NOT NULL ENCODING AUTO,
    zone_id INTEGER NOT NULL ENCODING AUTO,
    canonical_name VARCHAR(400) NOT NULL ENCODING AUTO,
    CONSTRAINT time_zone_conversion_zone_pk
        PRIMARY KEY (time_zone_name) DISABLED
)
ORDER BY time_zone_name
UNSEGMENTED ALL NODES
""",
    "time_zone_period_conversion": """
CREATE TABLE IF NOT EXISTS {schema}time_zone_period_conversion (
    zone_period BIGINT NOT NULL ENCODING COMMONDELTA_COMP,
    time_zone_name VARCHAR(400) NOT NULL ENCODING AUTO,
    changes_at_utc TIMESTAMP ENCODING AUTO,
    utc_offset_before BIGINT ENCODING AUTO,
    utc_offset_after BIGINT ENCODING AUTO,
    changes_at_time_zone TIMESTAMP ENCODING AUTO,
    local_offset_before BIGINT ENCODING AUTO,
    local_offset_after BIGINT ENCODING AUTO,
    CONSTRAINT time_zone_period_conversion_pk
        PRIMARY KEY (zone_period) DISABLED
)
ORDER BY zone_period
UNSEGMENTED ALL NODES
""",
}

UTC_DAY = """
CREATE TABLE IF NOT EXISTS {schema}time_zone_utc_day_conversion (
    time_zone_name VARCHAR(400) NOT NULL,
    utc_day DATE NOT NULL,
    utc_offset_seconds INTEGER NOT NULL,
    changes_at_utc TIMESTAMP,
    utc_offset_seconds_after INTEGER NOT NULL,
    PRIMARY KEY (time_zone_name, utc_day)
)
"""

VERTICA_UTC_DAY = """
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
"""

RELEASE = "{schema}time_zone_conversion_release"
NO_ROWS = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""The checksum of a table without rows, which the new tables are until a refresh fills them."""


def upgrade() -> None:
    for statement in (VERTICA if dialect() == "vertica" else TABLES).values():
        run(statement if dialect() != "postgresql" or "zone_id" not in statement else ARRAYS)
    if dialect() == "postgresql":
        run(PLAIN)
    count("zone", "period")
    forget("utc_day")
    run("DROP TABLE IF EXISTS {schema}time_zone_utc_day_conversion")


def downgrade() -> None:
    run(VERTICA_UTC_DAY if dialect() == "vertica" else UTC_DAY)
    count("utc_day")
    forget("zone", "period")
    for table in reversed(TABLES):
        run(f"DROP TABLE IF EXISTS {{schema}}{table}")


def count(*names: str) -> None:
    for name in names:
        for column, kind, default in (
            (f"{name}_rows", "BIGINT", "0"),
            (f"{name}_checksum", "VARCHAR(64)", f"'{NO_ROWS}'"),
        ):
            if dialect() == "duckdb":  # before 2.0 it adds no column that is NOT NULL
                run(f"ALTER TABLE {RELEASE} ADD COLUMN {column} {kind} DEFAULT {default}")
                run(f"ALTER TABLE {RELEASE} ALTER COLUMN {column} SET NOT NULL")
            else:
                run(
                    f"ALTER TABLE {RELEASE} ADD COLUMN IF NOT EXISTS {column} {kind} "
                    f"DEFAULT {default} NOT NULL"
                )


def forget(*names: str) -> None:
    for name in names:
        for column in (f"{name}_rows", f"{name}_checksum"):
            run(f"ALTER TABLE {RELEASE} DROP COLUMN IF EXISTS {column}")


def run(statement: str) -> None:
    text = statement.strip().replace("{schema}", schema())
    if dialect() == "duckdb":
        text = text.partition(",\n    PRIMARY KEY")[0] + ("\n)" if "PRIMARY KEY" in text else "")
    op.execute(text)


def dialect() -> str:
    # tzconv calls it postgres, SQLAlchemy postgresql
    name = argument("dialect") or op.get_context().dialect.name
    return "postgresql" if name == "postgres" else name


def schema() -> str:
    name = argument("schema")
    # SQLAlchemy would take a colon for the start of a parameter
    return '"' + name.replace('"', '""').replace(":", "\\:") + '".' if name else ""


def argument(name: str) -> str | None:
    return context.get_x_argument(as_dictionary=True).get(name)
