"""Turn rewriting on for a SQLAlchemy engine, and write conversions once for all databases.

::

    from tzconv.sqlalchemy import rewrite_queries
    rewriting = rewrite_queries(engine)     # every SELECT through this engine
    rewriting.disable()

    from tzconv.sqlalchemy import local_time, new_time, tables
    select(local_time(actions.c.action_event_time, publishers.c.time_zone_name))

``tables()`` makes the conversion tables as SQLAlchemy ``Table`` objects in a ``MetaData``, for
people who join by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sqlalchemy.engine import Engine
from sqlalchemy.schema import MetaData

from tzconv import engines
from tzconv.errors import DatabaseError
from tzconv.sqlalchemy.decide import Decision
from tzconv.sqlalchemy.functions import local_time, new_time
from tzconv.sqlalchemy.hook import Rewriting
from tzconv.sqlalchemy.race import Timings
from tzconv.sqlalchemy.shadow import Shadow, Shadowed
from tzconv.tables import metadata as tables

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from tzconv.tz.zones import Rules

__all__ = [
    "Decision",
    "Rewriting",
    "Shadowed",
    "Timings",
    "local_time",
    "new_time",
    "rewrite_queries",
    "tables",
]


def rewrite_queries(  # noqa: PLR0913 - all but the engine have a default
    engine: Engine | AsyncEngine,
    *,
    schema: MetaData | Mapping[str, Mapping[str, str]] | None = None,
    rules: Rules | None = None,
    strategy: str | None = None,
    table_schema: str | None = None,
    measure: bool = True,
    on_decision: Callable[[Decision], object] | None = None,
    shadow: float = 0,
    on_shadow: Callable[[Shadowed], object] | None = None,
    shadow_rows: int = 100_000,
    cache_size: int = 1000,
) -> Rewriting:
    """Rewrite every SELECT through ``engine``, textual or constructed, when it is executed.

    Column types and zone rules are read once from the database; types in ``schema``, a ``MetaData``
    or ``{"actions": {"action_event_time": "timestamp"}}``, and ``rules`` win. ``rules``,
    ``strategy`` and ``table_schema`` are those of :func:`tzconv.rewrite`.

    A statement that would convert few rows runs as it was written. With ``measure``, the first six
    runs of a statement that joins a table take the rewritten form and the original by turns, and
    the faster one is kept; not where ``strategy`` is given. At most ``cache_size`` decisions are
    remembered; ``on_decision`` is called with each new one, and again when timings have decided.

    With ``execution_options(tzconv=False)`` a statement, connection or engine is left alone.

    With ``shadow``, a share between 0 and 1, nothing is rewritten for the caller. Of the statements
    that would be, that share is run both ways in a thread with a connection of its own, and
    ``on_shadow`` (a logged warning of each difference) is called there with what was found; results
    of more than ``shadow_rows`` rows are not compared.

    DatabaseError for an engine whose dialect cannot be rewritten, for shadow mode where it
    does not run (Vertica), and for numbers out of range.
    Later failures are never raised: the statement runs as it was written, and a RuntimeWarning says
    so, once.
    """
    plain = engine if isinstance(engine, Engine) else engine.sync_engine
    dialect, alchemy = engines.alchemy_of(plain.dialect.name)
    if shadow and not alchemy.has_shadow:
        title = engines.facts_of(dialect).title
        raise DatabaseError(f"Shadow mode does not run on {title}: leave out shadow.")
    if not 0 <= shadow <= 1:
        raise DatabaseError(f"{shadow} is no share of the statements: give 0 to 1 as shadow.")
    if cache_size < 1 or shadow_rows < 1:
        raise DatabaseError("The cache and the rows to compare need a size of at least 1.")
    return Rewriting(
        plain,
        schema=schema,
        rules=rules,
        strategy=strategy,
        table_schema=table_schema,
        measure=measure,
        on_decision=on_decision,
        shadow=Shadow(plain, shadow, on_shadow, shadow_rows) if shadow else None,
        cache_size=cache_size,
    )
