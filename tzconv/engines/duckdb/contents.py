"""DuckDB's tables, samples of them, and its views; it keeps no history of queries."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from tzconv.engines.contents import (
    MOST_LETTERS,
    Column,
    ColumnKind,
    Contents,
    History,
    Relation,
    Run,
    StoredQuery,
    first_day,
    named,
)

_SMALL = 5_000_000
"""Rows whose texts are counted in a fraction of a second."""
_COLUMNS = """
    SELECT c.schema_name, c.schema_name = system.main.current_schema(), c.table_name,
           t.estimated_size,
           c.column_name, c.data_type
    FROM system.main.duckdb_columns() c JOIN system.main.duckdb_tables() t
         USING (database_name, schema_name, table_name)
    WHERE database_name = system.main.current_database() AND NOT c.internal
    ORDER BY c.schema_name, c.table_name, c.column_index
    """
# before 2.0 the catalog names the schema of AT TIME ZONE's function
_VIEWS = """
    SELECT schema_name, schema_name = system.main.current_schema(), view_name,
        replace(sql, 'main.timezone(', 'timezone(')
    FROM system.main.duckdb_views()
    WHERE database_name = system.main.current_database() AND NOT internal
    ORDER BY schema_name, view_name
    """
_RESERVED = (
    "SELECT keyword_name FROM system.main.duckdb_keywords() WHERE keyword_category = 'reserved'"
)
_QUOTED = r'"(?:[^"]|"")*"'
_BEFORE_SELECT = re.compile(
    rf"CREATE\s+VIEW\s+(?:{_QUOTED}|[^\"\s(])+(?:\s*\((?:{_QUOTED}|[^\")])*\))?\s+AS\s+"
)
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DECIMAL", "DOUBLE", "FLOAT")


class DuckDBContents(Contents):
    """The catalog of the open file."""

    password = ""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._reserved = frozenset(name for (name,) in run(_RESERVED))

    def relations(self) -> list[Relation]:
        found = []
        for (*path, rows), columns in groupby(self._run(_COLUMNS), lambda row: row[:4]):
            kept = tuple(
                Column(named(name, self._reserved), kind, of)
                for *_, name, kind in columns
                if (of := _kind(kind)) is not None
            )
            if kept:
                found.append(Relation(self._name(*path), kept, float(rows), rows <= _SMALL))
        return found

    def sample(self, relation: Relation, names: Sequence[str], rows: int) -> list[Sequence[Any]]:
        texts = ", ".join(
            f"system.main.left({name}::VARCHAR, {MOST_LETTERS + 1})" for name in names
        )
        # a row group is 122,880 rows: a share of them, not the oldest rows alone
        some = "" if relation.is_small else " TABLESAMPLE SYSTEM (1%)"
        return self._run(f"SELECT {texts} FROM {relation.name}{some} LIMIT {rows}")

    def earliest(self, relation: Relation, name: str) -> dt.date | None:
        # without infinity, which no date holds; a text, because Python needs pytz for TIMESTAMPTZ
        day = (
            f"system.main.min({name}::DATE)::VARCHAR FROM {relation.name} "
            f"WHERE system.main.isfinite({name})"
        )
        if not relation.is_small:
            return None
        [(text,)] = self._run(f"SELECT {day}")
        return None if text is None or len(text) != 10 else first_day(dt.date.fromisoformat(text))

    def views(self) -> list[StoredQuery]:
        return [
            StoredQuery(self._name(*path), _BEFORE_SELECT.sub("", sql, count=1), "view")
            for *path, sql in self._run(_VIEWS)
        ]

    def history(self, most: int) -> History:
        return History(
            (),
            "DuckDB keeps no history of queries (its own log ends with the program that runs it): "
            "name a folder of queries with --reports.",
        )

    def _name(self, schema: str, is_current: bool, name: str) -> str:
        own = named(name, self._reserved)
        return own if is_current else f"{named(schema, self._reserved)}.{own}"


def _kind(text: str) -> ColumnKind | None:
    if text.startswith("TIMESTAMP"):
        is_instant = text == "TIMESTAMP WITH TIME ZONE"
        return "timestamptz" if is_instant else None if text.endswith("]") else "timestamp"
    if text == "VARCHAR" or (text.startswith("ENUM(") and not text.endswith("]")):
        return "text"
    return "number" if text.partition("(")[0] in _NUMBERS and not text.endswith("]") else None
