"""Rewriting for a SQLAlchemy engine, and conversions in one spelling for all databases.

::

    from tzconv.sqlalchemy import rewrite_queries
    rewriting = rewrite_queries(engine)     # every SELECT through this engine
    rewriting.disable()

    from tzconv.sqlalchemy import local_time, new_time, tables
    select(local_time(actions.c.action_event_time, publishers.c.time_zone_name))

``tables()`` returns the conversion tables as SQLAlchemy ``Table`` objects in a ``MetaData``, for
joins by hand.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any

from sqlalchemy.engine import Engine
from sqlalchemy.schema import MetaData

from tzconv import engines
from tzconv.errors import DatabaseError, refuse_tables, refuse_types
from tzconv.rewriter.strategies import chosen
from tzconv.sqlalchemy.catalog import declared_types
from tzconv.sqlalchemy.decide import Decision, Rewriter
from tzconv.sqlalchemy.functions import local_time, new_time
from tzconv.sqlalchemy.hook import Rewriting
from tzconv.sqlalchemy.race import Timings
from tzconv.sqlalchemy.shadow import Shadow, Shadowed
from tzconv.tables import MIGRATION
from tzconv.tables import metadata as tables
from tzconv.tz.zones import Rules

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

__all__ = [
    "Decision",
    "Rewriting",
    "Shadowed",
    "Timings",
    "include_name",
    "local_time",
    "new_time",
    "rewrite_queries",
    "tables",
]

_FUNCTION: Any = (Callable, NoneType)


def include_name(name: str | None, kind: str, parents: Mapping[str, str | None]) -> bool:
    """False for the tables of tzconv: the ``include_name`` of ``context.configure()`` in Alembic.

    ``alembic revision --autogenerate`` and ``alembic check`` would drop them, as tables that the
    application's MetaData does not have.
    """
    return kind != "table" or name not in {MIGRATION, *tables().tables}


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
    runs of a statement that joins a table alternate between the rewritten form and the original,
    and the faster one is kept; not if ``strategy`` is given. At most ``cache_size`` decisions are
    remembered; ``on_decision`` is called with each new one, and again after the timings.

    ``execution_options(tzconv=False)`` turns rewriting off for a statement, connection or engine.

    With ``shadow``, a share between 0 and 1, the caller always gets the original. That share of the
    statements to rewrite runs both ways in a thread with its own connection, and ``on_shadow`` (by
    default a logged warning of each difference) is called there with the comparison; results of
    more than ``shadow_rows`` rows are not compared.

    DatabaseError if the engine's dialect cannot be rewritten, if the engine is rewritten already,
    if shadow mode does not run on it (Vertica), and for arguments of a wrong type or out of range;
    RewriteError for an unknown strategy. Later failures are
    never raised: the statement runs as it was written, and one RuntimeWarning says so.
    """
    asked: Any = engine
    plain: Engine = getattr(asked, "sync_engine", asked)
    refuse_types(
        DatabaseError,
        ("engine", plain, Engine, "an Engine or AsyncEngine of SQLAlchemy"),
        ("schema", schema, (MetaData, Mapping, NoneType), "a MetaData or a dict of tables"),
        ("rules", rules, (Rules, NoneType), "the Rules of a tz release"),
        ("strategy", strategy, (str, NoneType), "the name of a strategy"),
        ("table_schema", table_schema, (str, NoneType), "the name of a schema"),
        ("on_decision", on_decision, _FUNCTION, "a function"),
        ("on_shadow", on_shadow, _FUNCTION, "a function"),
        ("shadow", shadow, (int, float), "a number from 0 to 1"),
        ("shadow_rows", shadow_rows, int, "a whole number"),
        ("cache_size", cache_size, int, "a whole number"),
    )
    if not isinstance(schema, MetaData):
        refuse_tables(DatabaseError, schema)
    dialect, alchemy = engines.alchemy_of(plain.dialect.name)
    chosen(dialect, strategy)
    if shadow and not alchemy.has_shadow:
        title = engines.facts_of(dialect).title
        raise DatabaseError(f"Shadow mode does not run on {title}: leave out shadow.")
    if not 0 <= shadow <= 1:
        raise DatabaseError(f"{shadow} is not a share of the statements: give shadow 0 to 1.")
    if cache_size < 1 or shadow_rows < 1:
        raise DatabaseError("cache_size and shadow_rows must be at least 1.")
    declared = declared_types(schema, plain.dialect) if isinstance(schema, MetaData) else schema
    return Rewriting(
        plain,
        {table: dict(columns) for table, columns in (declared or {}).items()},
        functools.partial(
            Rewriter,
            dialect=dialect,
            rules=rules,
            strategy=strategy,
            table_schema=table_schema,
            measure=measure and strategy is None,
            alchemy=alchemy,
        ),
        table_schema,
        on_decision=on_decision,
        shadow=Shadow(plain, shadow, on_shadow, shadow_rows) if shadow else None,
        cache_size=cache_size,
    )
