"""The databases that tzconv can load; each driver is imported only when its scheme is used."""

from __future__ import annotations

import importlib
from pathlib import Path

from tzconv import urls
from tzconv.backends.base import Backend, Result
from tzconv.errors import DatabaseError

__all__ = ["LOCK_TIMEOUT", "Backend", "Result", "connect"]

LOCK_TIMEOUT = 60.0
"""Seconds that a refresh waits for another one, unless told otherwise."""

_MODULES = {
    "duckdb": ("tzconv.backends.duckdb", "duckdb", ""),
    "postgresql": ("tzconv.backends.postgres", "psycopg", "postgres"),
    "spark": ("tzconv.backends.spark", "pyspark", "spark"),
    "vertica": ("tzconv.backends.vertica", "vertica_python", "vertica"),
}
"""By scheme: the module, the driver it imports, and the extra that installs it."""


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
