"""How Apache Superset 6.1.0 calls a ``SQL_QUERY_MUTATOR``.

``MUTATES`` is the method of ``superset/models/core.py``, without its docstring and imports, under
the Apache License 2.0. The rest of ``Database`` is what a mutator may use of it: a context with an
engine of SQLAlchemy, and fields of its row.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.pool import NullPool

MUTATES = """
def mutate_sql_based_on_config(self, sql_: str, is_split: bool = False) -> str:
    sql_mutator = app.config["SQL_QUERY_MUTATOR"]
    if sql_mutator and (is_split == app.config["MUTATE_AFTER_SPLIT"]):
        return sql_mutator(
            sql_,
            security_manager=security_manager,
            database=self,
        )
    return sql_
"""


class Database:
    """The part of Superset's model; ``engines`` counts how often a mutator took an engine."""

    impersonate_user = False
    allow_multi_catalog = False
    id = 1

    def __init__(self, url: str, mutator: Callable[..., str], *, after_split: bool = False) -> None:
        self.sqlalchemy_uri = url
        self.engines = 0
        config = {"SQL_QUERY_MUTATOR": mutator, "MUTATE_AFTER_SPLIT": after_split}
        names: dict[str, Any] = {
            "app": types.SimpleNamespace(config=config),
            "security_manager": object(),
        }
        exec(compile(MUTATES, "superset/models/core.py", "exec"), names)
        self._mutates = names["mutate_sql_based_on_config"]

    def mutate_sql_based_on_config(self, sql: str, is_split: bool = False) -> str:
        """What Superset calls before it runs a text; ``is_split`` for a single statement."""
        text: str = self._mutates(self, sql, is_split)
        return text

    @contextlib.contextmanager
    def get_sqla_engine(self) -> Iterator[sa.Engine]:
        """An engine that keeps no connection, as Superset's."""
        self.engines += 1
        is_file = self.sqlalchemy_uri.startswith("duckdb")
        options = {"read_only": True} if is_file else {}
        engine = sa.create_engine(self.sqlalchemy_uri, poolclass=NullPool, connect_args=options)
        yield engine
        engine.dispose()
