"""Bring the tables of a database to the newest revision, by the Alembic scripts in ``migrations/``.

Alembic writes the statements, and the backend runs them in the transaction of the refresh: so one
way serves every database, those without a SQLAlchemy dialect too. Who prefers ``alembic upgrade``
gets the same statements from the same files.
"""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tzconv.errors import DatabaseError
from tzconv.tables import MIGRATION

if TYPE_CHECKING:
    from tzconv.engines.backend import Backend


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
    from alembic.config import Config
    from alembic.util import CommandError

    written: list[str] = []
    buffer: Any = SimpleNamespace(write=written.append, flush=lambda: None)
    given = [f"dialect={dialect}", *([f"schema={schema}"] if schema else [])]
    config = Config(output_buffer=buffer, cmd_opts=argparse.Namespace(x=given))
    # Alembic reads a percent sign in an option as the name of another one
    config.set_main_option("script_location", str(folder()).replace("%", "%%"))
    go = command.downgrade if target == "base" or target < current != "base" else command.upgrade
    try:
        go(config, f"{current}:{target}", sql=True)
    except CommandError as error:
        raise DatabaseError(
            f"The tables have revision {current}, which this version of tzconv does not know: "
            "use the newer tzconv that made them."
        ) from error
    made = [_statement(text) for text in written]
    if current == "base" and not bare:  # Alembic would make its own table again
        made = [
            one
            for one in made
            if not (one.startswith("CREATE TABLE") and MIGRATION in one.partition("(")[0])
        ]
    return [one for one in made if one not in ("", "BEGIN", "COMMIT")]


def migrate(backend: Backend) -> list[str]:
    """Run what is missing, in the transaction that is open; the statements that were run."""
    dialect = backend.ddl_dialect or backend.dialect
    missing = statements(dialect, backend.schema, backend.migration())
    for statement in missing:
        # where DDL commits, another refresh may have made the same tables meanwhile
        is_first = statement.startswith("INSERT") and MIGRATION in statement
        if not (is_first and backend.migration() not in (None, "base")):
            backend.execute(statement)
    return missing


def _statement(text: str) -> str:
    """One statement as Alembic writes it, without comments and semicolon."""
    lines = [line for line in text.strip().splitlines() if not line.startswith("--")]
    return "\n".join(lines).strip().removesuffix(";")
