"""The databases and SQL dialects that tzconv knows: a folder each, found by name.

Nothing of an engine is imported before somebody asks for it, and a driver only where a URL does.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from tzconv.engines import urls
from tzconv.engines.duckdb.write import DuckDB
from tzconv.engines.postgres.write import Postgres
from tzconv.engines.spark.write import Spark
from tzconv.engines.vertica.write import Vertica
from tzconv.engines.write import Engine
from tzconv.errors import DatabaseError, RewriteError

if TYPE_CHECKING:
    from tzconv.engines.backend import Backend

__all__ = ["DIALECTS", "LOCK_TIMEOUT", "connect", "engine_of"]

LOCK_TIMEOUT = 60.0
"""Seconds that a refresh waits for another one, unless told otherwise."""

_MODULES = {
    "duckdb": ("tzconv.engines.duckdb.load", "duckdb", ""),
    "postgresql": ("tzconv.engines.postgres.load", "psycopg", "postgres"),
    "spark": ("tzconv.engines.spark.load", "pyspark", "spark"),
    "vertica": ("tzconv.engines.vertica.load", "vertica_python", "vertica"),
}
"""By scheme: the module, the driver it imports, and the extra that installs it."""

_ENGINES: dict[str, Engine] = {one.name: one for one in (DuckDB(), Postgres(), Spark(), Vertica())}
DIALECTS: tuple[str, ...] = tuple(_ENGINES)
"""The dialects that can be rewritten."""


def engine_of(dialect: str) -> Engine:
    """The engine of a dialect; RewriteError for one that is not supported."""
    if dialect not in _ENGINES:
        raise RewriteError(
            f"The dialect {dialect!r} is not supported: choose one of {', '.join(DIALECTS)}."
        )
    return _ENGINES[dialect]


def connect(
    url: str | None = None,
    *,
    read_only: bool = False,
    schema: str | None = None,
    lock_timeout: float = 0,
) -> Backend:
    """Open the database of a URL, ``duckdb:///tzconv.duckdb`` by default.

    ``read_only`` refuses to create a file and lets other processes read at the same time;
    ``schema`` is where the conversion tables are; ``lock_timeout`` is in seconds. DatabaseError,
    one sentence, where the database cannot be opened.
    """
    if url is not None and "://" not in url and Path(url).suffix:
        raise DatabaseError(f"{url} is a file, not a URL: write it as duckdb:///{url}.")
    if schema is not None and (not schema or "\0" in schema):
        raise DatabaseError("That is not the name of a schema: name one with --db-schema.")
    parsed = urls.parse(urls.DEFAULT if url is None else url)
    scheme = parsed.get_backend_name()
    if scheme not in _MODULES:
        raise DatabaseError(
            f"The URL scheme {scheme!r} is not supported: choose one of "
            f"{', '.join(f'{known}://' for known in _MODULES)}."
        )
    module, driver, extra = _MODULES[scheme]
    try:
        imported = importlib.import_module(module)
    except ImportError as error:
        if (error.name or "").partition(".")[0] != driver:
            raise
        raise DatabaseError(
            f"The driver {driver} is not installed: pip install 'tzconv[{extra}]'."
        ) from error
    backend: Backend = imported.connect(
        parsed, read_only=read_only, schema=schema, lock_timeout=lock_timeout
    )
    return backend
