"""The engine that comes with tzconv, for ``compare`` and ``demo``, which must not name it."""

from __future__ import annotations

from duckdb import DuckDBPyConnection as Connection
from duckdb import Error, connect

from tzconv.engines.duckdb.bench import WRITING

__all__ = ["WRITING", "Connection", "Error", "connect"]
