"""What a refresh was asked for, and when one last looked, in the release table.

Each statement may run again: where DDL commits, a job that was killed has done some of them.
"""

from alembic import context, op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

RELEASE = "{schema}time_zone_conversion_release"
COLUMNS = ("selection VARCHAR(65000)", "last_checked_at TIMESTAMP")


def upgrade() -> None:
    # DuckDB undoes what was killed
    condition = "" if dialect() == "duckdb" else "IF NOT EXISTS "
    for column in COLUMNS:
        run(f"ALTER TABLE {RELEASE} ADD COLUMN {condition}{column}")


def downgrade() -> None:
    for column in COLUMNS:
        run(f"ALTER TABLE {RELEASE} DROP COLUMN IF EXISTS {column.split()[0]}")


def run(statement: str) -> None:
    op.execute(statement.replace("{schema}", schema()))


def dialect() -> str:
    return argument("dialect") or op.get_context().dialect.name


def schema() -> str:
    name = argument("schema")
    # SQLAlchemy would take a colon for the start of a parameter
    return '"' + name.replace('"', '""').replace(":", "\\:") + '".' if name else ""


def argument(name: str) -> str | None:
    return context.get_x_argument(as_dictionary=True).get(name)
