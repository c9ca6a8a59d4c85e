"""What a refresh changed in the rules, in the release table: which stored answers are outdated.

The statement may run again: where DDL commits, a job that was killed has done it.
"""

from alembic import context, op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

RELEASE = "{schema}time_zone_conversion_release"


def upgrade() -> None:
    # DuckDB undoes what was killed
    condition = "" if dialect() == "duckdb" else "IF NOT EXISTS "
    run(f"ALTER TABLE {RELEASE} ADD COLUMN {condition}rule_changes VARCHAR(65000)")


def downgrade() -> None:
    run(f"ALTER TABLE {RELEASE} DROP COLUMN IF EXISTS rule_changes")


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
