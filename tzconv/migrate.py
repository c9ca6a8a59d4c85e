"""Migrates the tables to the newest revision, by the Alembic scripts in ``migrations/``.

Alembic writes the statements and the backend runs them in the transaction of the refresh, which
also works for databases without a SQLAlchemy dialect. ``alembic upgrade`` runs the same statements.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tzconv import tables
from tzconv.errors import NewerTablesError
from tzconv.sql.text import ALEMBIC_COLUMN, literal
from tzconv.tables import MIGRATION

if TYPE_CHECKING:
    from tzconv.engines.backend import Backend

_ALEMBIC = threading.Lock()


def folder() -> Path:
    """The folder of the scripts: inside an installed package, or beside it in a checkout."""
    inside = Path(__file__).parent / "migrations"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "migrations"


@functools.cache
def newest() -> str:
    """The revision of the newest script."""
    # by file name: asking Alembic takes longer than a refresh with nothing to do
    return max(path.stem[:4] for path in (folder() / "versions").glob("[0-9]*.py"))


def check(backend: Backend) -> None:
    """NewerTablesError if a newer tzconv has made the tables."""
    if ALEMBIC_COLUMN not in dict(backend.columns(MIGRATION) or ()):
        return
    refuse_newer(str(backend.migration()), backend.newest_release)


def refuse_newer(current: str, release: Callable[[], Mapping[str, Any] | None]) -> None:
    """NewerTablesError if this version of tzconv does not know a revision; ``release`` is read."""
    if current != "base" and current > newest():
        raise NewerTablesError(_newer(current, (release() or {}).get("tzconv_version")))


def _newer(revision: str, version: str | None) -> str:
    maker = f"tzconv {version}" if version else "the newer tzconv that made them"
    return (
        f"The tables have revision {revision}, and this version of tzconv knows {newest()}: use "
        f"{maker}. To go back to this one, drop the tables "
        f"{', '.join(table.name for table in tables.ALL)} and {MIGRATION}, and run tzconv refresh."
    )


def statements(
    dialect: str, schema: str | None, current: str | None, target: str | None = None
) -> list[str]:
    """The statements from revision ``current`` to ``target``, or to the newest.

    ``current`` is None in an empty database, and ``base`` where only Alembic's table exists. A
    ``target`` before ``current``, or ``base``, downgrades. NewerTablesError where ``current`` is a
    revision that this version of tzconv does not know.
    """
    target = target or newest()
    is_empty, current = current is None, current or "base"
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
        with _alone():
            go(config, f"{current}:{target}", sql=True)
    except CommandError as error:
        raise NewerTablesError(_newer(current, None)) from error
    made = []
    for text in written:
        lines = (line for line in text.strip().splitlines() if not line.startswith("--"))
        statement = "\n".join(lines).strip().removesuffix(";")
        is_own = statement.startswith("CREATE TABLE") and MIGRATION in statement.partition("(")[0]
        has_own = current == "base" and not is_empty  # Alembic would create its own table again
        if statement not in ("", "BEGIN", "COMMIT") and not (is_own and has_own):
            made.append(statement)
    return made


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Alembic keeps a run in its modules: one thread at a time, and perhaps inside a user's run."""
    from alembic import context, op

    with _ALEMBIC:
        before = [(vars(module), dict(vars(module))) for module in (context, op)]
        try:
            yield
        finally:
            for module, names in before:
                module.update(names)


def migrate(backend: Backend) -> list[str]:
    """Run the missing statements in the open transaction, and return them."""
    dialect = backend.ddl_dialect or backend.dialect
    current = backend.migration()
    is_behind = current in (None, "base") or current < newest()
    missing = _lost(backend, current) if is_behind else []
    missing = missing or statements(dialect, backend.own_schema, current)
    for statement in missing:
        # where DDL commits, another refresh may have made the same tables meanwhile
        is_first = statement.startswith("INSERT")
        if not (is_first and backend.migration() not in (None, "base")):
            backend.execute_own(statement)
    return missing


def _lost(backend: Backend, current: str | None) -> list[str]:
    """The statements that restore a lost or older revision, if the tables have the newest shape.

    Without the release table the others say it: the migration would add their columns again, and
    drop period rows that the plan of the refresh counts on.

    Where DDL commits, an empty database gets the newest tables at once. Two first jobs that take
    turns at each statement of the history could leave a table in its shape of an old revision.
    """
    missing = backend.missing_tables()
    if backend.ddl_commits and current == "base" and len(missing) == len(tables.ALL):
        # the revision first: the next statement commits it, so a second job finds all or nothing
        return [_insert(backend), *map(backend.create_statement, missing)]
    known = [tables.RELEASE]
    if tables.RELEASE in missing:
        known = [table for table in (tables.ZONE, tables.PERIOD) if table not in missing]
    if not (known and all(map(backend.has_columns, known))):
        return []
    name = backend.name(tables.MIGRATION)
    return [
        f"CREATE TABLE IF NOT EXISTS {name} ({ALEMBIC_COLUMN} VARCHAR(32) NOT NULL)",
        *([] if current in (None, "base") else [f"DELETE FROM {name}"]),  # noqa: S608 # ours
        _insert(backend),
    ]


def _insert(backend: Backend) -> str:
    name = backend.name(tables.MIGRATION)
    return f"INSERT INTO {name} ({ALEMBIC_COLUMN}) VALUES ({literal(newest())})"  # noqa: S608 # ours
