"""The databases that tzconv can load; each driver is imported only when its scheme is used."""

from __future__ import annotations

import importlib
from pathlib import Path

from tzconv import urls
from tzconv.backends.base import Backend, Disagreement, Result
from tzconv.errors import DatabaseError

__all__ = ["Backend", "Disagreement", "Result", "connect"]

_MODULES = {"duckdb": "tzconv.backends.duckdb"}


def connect(url: str | None = None, *, read_only: bool = False) -> Backend:
    """Open the database of a URL, ``duckdb:///tzconv.duckdb`` by default.

    ``read_only`` refuses to create a file and lets other processes read at the same time.
    DatabaseError, one sentence, where that fails.
    """
    if url is not None and "://" not in url and Path(url).suffix:
        raise DatabaseError(f"{url} is a file, not a URL: write it as duckdb:///{url}.")
    parsed = urls.parse(urls.DEFAULT if url is None else url)
    scheme = parsed.get_backend_name()
    if scheme not in _MODULES:
        raise DatabaseError(
            f"The URL scheme {scheme!r} is not supported: choose one of "
            f"{', '.join(f'{known}://' for known in _MODULES)}."
        )
    backend: Backend = importlib.import_module(_MODULES[scheme]).connect(parsed, read_only)
    return backend
