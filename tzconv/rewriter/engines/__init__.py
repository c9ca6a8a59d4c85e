"""How each engine writes what a rewrite needs: one small class an engine, all of the same shape."""

from __future__ import annotations

from tzconv.errors import RewriteError
from tzconv.rewriter.engines.base import Ends, Engine, UnknownNameError, quoted
from tzconv.rewriter.engines.duckdb import DuckDB
from tzconv.rewriter.engines.postgres import Postgres
from tzconv.rewriter.engines.spark import Spark
from tzconv.rewriter.engines.vertica import Vertica

__all__ = ["DIALECTS", "Ends", "Engine", "UnknownNameError", "engine_of", "quoted"]

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
