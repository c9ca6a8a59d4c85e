"""The engine that comes with tzconv, for work of its own: comparing rows, making events."""

from __future__ import annotations

from duckdb import DuckDBPyConnection as Connection
from duckdb import Error, connect

from tzconv.engines.duckdb.bench import WRITING

__all__ = ["WRITING", "Connection", "Error", "connect"]
