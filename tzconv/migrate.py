"""Bring the tables of a database to the newest revision, by the Alembic scripts in ``migrations/``.

Alembic writes the statements, and the backend runs them in the transaction of the refresh: so one
way serves every database, those without a SQLAlchemy dialect too. Who prefers ``alembic upgrade``
gets the same statements from the same files.
"""

from __future__ import annotations

import argparse
import functools
import io
from pathlib import Path
from typing import TYPE_CHECKING

from tzconv.errors import DatabaseError
from tzconv.tables import MIGRATION

if TYPE_CHECKING:
    from alembic.config import Config

    from tzconv.backends import Backend


def folder() -> Path:
    """The folder of the scripts: inside an installed package, or beside it in a checkout."""
    inside = Path(__file__).parent / "migrations"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "migrations"


@functools.cache
def newest() -> str:
    """The revision of the newest script."""
    # by name, because to ask Alembic would take longer than a refresh with nothing to do
    return max(path.stem[:4] for path in (folder() / "versions").glob("[0-9]*.py"))


def statements(
    dialect: str, schema: str | None, current: str | None, target: str | None = None
) -> list[str]:
    """The statements from revision ``current`` to ``target``, or to the newest.

    ``current`` is None where nothing is there, and ``base`` where only Alembic's table is.

    A ``target`` before ``current``, or ``base``, takes the tables back. DatabaseError where
    ``current`` is a revision that this version of tzconv does not know.
    """
    target = target or newest()
    bare, current = current is None, current or "base"
    if current == target:
        return []
    from alembic import command
    from alembic.util import CommandError

    config, written = _config(dialect, schema)
    go = command.downgrade if target == "base" or target < current != "base" else command.upgrade
    try:
        go(config, f"{current}:{target}", sql=True)
    except CommandError as error:
        raise DatabaseError(
            f"The tables have revision {current}, which this version of tzconv does not know: "
            "use the newer tzconv that made them."
        ) from error
    if current == "base" and not bare:  # Alembic would make its own table again
        return [one for one in written.statements if not _makes_version_table(one)]
    return written.statements


def migrate(backend: Backend) -> list[str]:
    """Run what is missing, in the transaction that is open; the statements that were run."""
    # the files that Spark reads are those of a DuckDB
    dialect = "duckdb" if backend.dialect == "spark" else backend.dialect
    missing = statements(dialect, backend.schema, backend.migration())
    for statement in missing:
        # where DDL commits, another refresh may have made the same tables meanwhile
        if not (_writes_version(statement) and backend.migration() == newest()):
            backend.execute(statement)
    return missing


def _writes_version(statement: str) -> bool:
    return not statement.startswith(("CREATE", "ALTER", "DROP")) and MIGRATION in statement


def _makes_version_table(statement: str) -> bool:
    return statement.startswith("CREATE TABLE") and MIGRATION in statement.partition("(")[0]


class _Written(io.StringIO):
    """Takes what Alembic writes, one statement at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.statements: list[str] = []

    def write(self, text: str) -> int:
        lines = [line for line in text.strip().splitlines() if not line.startswith("--")]
        statement = "\n".join(lines).strip().removesuffix(";")
        if statement and statement not in ("BEGIN", "COMMIT"):
            self.statements.append(statement)
        return len(text)


def _config(dialect: str, schema: str | None) -> tuple[Config, _Written]:
    from alembic.config import Config

    written = _Written()
    given = [f"dialect={dialect}", *([f"schema={schema}"] if schema else [])]
    config = Config(output_buffer=written, cmd_opts=argparse.Namespace(x=given))
    # Alembic reads a percent sign in an option as the name of another one
    config.set_main_option("script_location", str(folder()).replace("%", "%%"))
    return config, written
