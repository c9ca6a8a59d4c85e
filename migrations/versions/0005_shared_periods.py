"""Zones with the same rules since 1970 share the rows of the period table, of twice the length.

The rows of the zone table stay, with the numbers of the zones; a refresh fills in the others.

Each statement may run again: where DDL commits, a job that was killed has done some of them.
"""

from alembic import context, op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

ZONE = "{schema}time_zone_conversion_zone"
PERIOD = "{schema}time_zone_period_conversion"
RELEASE = "{schema}time_zone_conversion_release"

COLUMNS = """
    zone_period BIGINT NOT NULL,
    time_zone_name VARCHAR(400) NOT NULL,
    changes_at_utc TIMESTAMP,
    microseconds_before BIGINT,
    microseconds_after BIGINT,
    changes_at_time_zone TIMESTAMP,
    local_microseconds_before BIGINT,
    local_microseconds_after BIGINT"""

COLUMNS_BEFORE = """
    zone_period BIGINT NOT NULL,
    time_zone_name VARCHAR(400) NOT NULL,
    changes_at_utc TIMESTAMP,
    utc_offset_before BIGINT,
    utc_offset_after BIGINT,
    changes_at_time_zone TIMESTAMP,
    local_offset_before BIGINT,
    local_offset_after BIGINT"""


def upgrade() -> None:
    create(COLUMNS)
    if dialect() == "duckdb":  # before 2.0 it adds no column that is NOT NULL
        run(f"ALTER TABLE {ZONE} ADD COLUMN rules_id INTEGER DEFAULT -1")
        run(f"ALTER TABLE {ZONE} ALTER COLUMN rules_id SET NOT NULL")
    else:
        add(f"{ZONE} ADD COLUMN {{condition}}rules_id INTEGER DEFAULT -1 NOT NULL")
    if dialect() == "postgresql":  # a table of ours has no defaults
        run(f"ALTER TABLE {ZONE} ALTER COLUMN rules_id DROP DEFAULT")
    add(f"{RELEASE} ADD COLUMN {{condition}}period_keys BIGINT")


def downgrade() -> None:
    create(COLUMNS_BEFORE)
    run(f"ALTER TABLE {ZONE} DROP COLUMN IF EXISTS rules_id")
    run(f"ALTER TABLE {RELEASE} DROP COLUMN IF EXISTS period_keys")


def create(columns: str) -> None:
    run(f"DROP TABLE IF EXISTS {PERIOD}")
    key, after = ",\n    PRIMARY KEY (zone_period)", ""
    if dialect() == "duckdb":
        key = ""
    elif dialect() == "vertica":
        first, *others = columns.split(",")
        columns = ",".join(
            [f"{first} ENCODING COMMONDELTA_COMP", *(f"{one} ENCODING AUTO" for one in others)]
        )
        key = (
            ",\n    CONSTRAINT time_zone_period_conversion_pk"
            "\n        PRIMARY KEY (zone_period) DISABLED"
        )
        after = "\nORDER BY zone_period\nUNSEGMENTED ALL NODES"
    run(f"CREATE TABLE IF NOT EXISTS {PERIOD} ({columns}{key}\n){after}")


def add(change: str) -> None:
    # DuckDB undoes what was killed
    condition = "" if dialect() == "duckdb" else "IF NOT EXISTS "
    run(f"ALTER TABLE {change.replace('{condition}', condition)}")


def run(statement: str) -> None:
    op.execute(statement.replace("{schema}", schema()))


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
