"""Questions to a session of DuckDB; the driver is the engine itself."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import duckdb

from tzconv.engines.alchemy import OURS, Alchemy, Relation, Types, types_by_name, with_database
from tzconv.engines.duckdb import bind, expected, plan
from tzconv.engines.duckdb.facts import FACTS
from tzconv.errors import DatabaseError, RewriteError
from tzconv.sql.binder import Bind, BoundColumns, NotBoundError
from tzconv.sql.reasons import Reason
from tzconv.sql.text import identifier, literal

if TYPE_CHECKING:
    from tzconv.sql.built import Built

COLUMNS = """
    SELECT CASE database_name WHEN 'temp' THEN 'temp' ELSE schema_name END, table_name,
           column_name, data_type,
           database_name = 'temp' OR schema_name = system.main.current_schema()
    FROM system.main.duckdb_columns()
    WHERE NOT internal AND (database_name = 'temp' OR database_name = system.main.current_database()
      AND (schema_name NOT IN ('main', system.main.current_schema())
        OR system.main.lower(table_name) NOT IN (
             SELECT system.main.lower(table_name) FROM system.main.duckdb_columns()
             WHERE database_name = 'temp')))  -- which hides main.name, too
    ORDER BY column_index
    """
_NAMES = re.compile(
    rf"'(?:[^']|'')*+'|(?<!\.)\"([^\"]*+)\"\.(time_zone_\w+)|\"[^\"]*+\"|(?<![.\w]){bind.EMITTED}",
    re.IGNORECASE,
)
_MAY_BE_SUBQUERY = re.compile(r"\(\s*(?:SELECT|FROM|WITH|VALUES|TABLE|\(|--|/\*)", re.IGNORECASE)
_HIDDEN = re.compile(rf"\b(?:{'|'.join(FACTS.hidden_columns)})\b", re.IGNORECASE)
_TAKES_ANY = "SELECT NOT system.main.current_setting('scalar_subquery_error_on_multiple_rows')"
_ANY_ROW = (
    "scalar_subquery_error_on_multiple_rows is off, so a scalar subquery may give any of its rows"
)
_VIEWS = """
    SELECT schema_name, view_name FROM system.main.duckdb_views()
    WHERE database_name = system.main.current_database() AND NOT internal
    """
_HOMES = """
    SELECT DISTINCT schema_name, database_name = 'temp' FROM system.main.duckdb_columns()
    WHERE (database_name = 'temp' OR (database_name = system.main.current_database()
      AND schema_name = system.main.current_schema())) AND table_name IN ({names})
    """

_ZONE = "system.main.current_setting('TimeZone')"
# a key that a STRUCT does not have is an error of the binder, and typeof() is a constant to it
_IS = "system.main.struct_extract({{{key}: true}}, {value})"
_CHECKS = {
    **{
        kind: _IS.format(key=literal(name), value="system.main.typeof({column})")
        for kind, name in (
            ("timestamp", "TIMESTAMP"),
            ("timestamptz", "TIMESTAMP WITH TIME ZONE"),
            ("date", "DATE"),
            ("time", "TIME"),
            ("interval", "INTERVAL"),
            ("text", "VARCHAR"),
        )
    },
    "number": "({column} % 1 IS NULL OR true)",
}
"""A condition that is always true, and binds only for a column of the kind."""


class DuckDBAlchemy(Alchemy):
    """Calls the driver's connection itself, but for the time zone."""

    keeps_settings = True
    follows_views = True
    session_zone = f"SELECT {_ZONE}"

    def column_types(
        self, names: Collection[str] | None = None, *, is_changing: bool = False
    ) -> Types:
        """Types of the columns of tables and views.

        DuckDB's catalog keeps the types that a view had when it was last read, so the views are
        read first. They are skipped if this session has temporary tables or an open transaction
        that has changed tables: another session cannot see those.
        """

        wanted = None if names is None else {name.lower() for name in names}
        views = {one for one in self._rows(_VIEWS) if wanted is None or one[1].lower() in wanted}
        if not is_changing and not any(schema == "temp" for schema, *_ in self._rows(COLUMNS)):
            # in a session of its own, because an error would end the caller's transaction
            with bind.beside(self.driver) as own:
                for view in list(views):
                    with contextlib.suppress(duckdb.Error):  # its tables are gone
                        own.execute(f"DESCRIBE {'.'.join(map(identifier, view))}")
                        views.remove(view)
        types = types_by_name(
            row
            for row in self._rows(COLUMNS)
            if row[:2] not in views and (wanted is None or row[1].lower() in wanted)
        )
        [(database,)] = self._rows("SELECT system.main.current_database()")
        return with_database(types, database)

    def homes(self, names: Collection[str]) -> list[tuple[str, str | None]]:
        listed = ", ".join(map(literal, sorted(names)))
        found = self._rows(_HOMES.format(names=listed))
        if any(is_temporary for _, is_temporary in found):  # main.name is that one, too
            raise DatabaseError(
                "This session has a temporary table or view with the name of a conversion table: "
                "drop it, or give it another name."
            )
        return [(schema, None) for schema, _ in found]

    def _rows(self, sql: str) -> list[Any]:
        found: list[Any] = self.driver.execute(sql).fetchall()
        return found

    @staticmethod
    def typed(sql: str, start: int, relations: Sequence[Relation], zone: str | None) -> str:
        """In each table's place a subquery whose condition the binder makes TRUE."""
        session = [] if zone is None else [_IS.format(key=literal(zone), value=_ZONE)]
        named = ["'(?:[^']|'')*'"]
        for one in sorted(relations, key=lambda relation: -relation.start):
            checks = ([] if one.is_shown else session) + [
                _CHECKS[kind].replace("{column}", identifier(column))
                for column, kind in one.kinds.items()
                if kind in _CHECKS
            ]
            if checks:
                if _HIDDEN.search(sql):  # where nobody binds it, as of a temporary table
                    raise RewriteError("A subquery with a check of column types has no rowid.")
                alias = "" if one.has_alias else f" AS {one.name.rpartition('.')[2]}"
                own = f"(SELECT * FROM {one.name} WHERE {' AND '.join(checks)}){alias}"
                sql = f"{sql[: one.start]}{own}{sql[one.end :]}"
                named += [rf"{re.escape(one.name)}(?=\.)"] if alias and "." in one.name else []

        # the columns of a subquery have no schema
        def unqualified(found: re.Match[str]) -> str:
            return found[0] if found[0][0] == "'" else found[0].rpartition(".")[2]

        return re.sub("|".join(named), unqualified, sql) if named[1:] else sql

    @staticmethod
    def protected(sql: str, original: str, types: Collection[str]) -> str:
        """Somebody may make a macro later, which the statement's own calls would mean too.

        Or a temporary table with the name of ours: a name with its database does not mean that.
        """
        own = bind.calls(original)

        def ours(found: re.Match[str]) -> str:
            schema, table, call = found.groups()
            if table in OURS and table not in original:
                ending = f".{schema}.{table}"
                of = (name.removesuffix(ending) for name in types if name.endswith(ending))
                return "".join(f"{identifier(one)}." for one in of) + found[0]
            is_ours = call and call.lower() not in own
            return f"system.main.{found[0]}" if is_ours else found[0]

        return _NAMES.sub(ours, sql)

    @staticmethod
    def is_stale(error: BaseException) -> bool:
        return isinstance(error, (duckdb.BinderException, duckdb.CatalogException))

    def explain(self, statement: str, parameters: Any = None, *, is_generic: bool = False) -> Any:
        return expected.explain(self.driver, statement, parameters)

    def expected_rows(self, explained: Any) -> float | None:
        return expected.expected_rows(self.driver, explained)

    def loss(self, before: Any, after: Any, known: Any = None) -> Reason | None:
        if before is None or after is None:
            return None
        lacking = functools.partial(expected.lacking, self.driver)
        return plan.loss(before, after, plan.indexed(self._rows), lacking)

    def built(self) -> tuple[Built, ...]:
        from tzconv.engines.duckdb import stored  # with sqlglot, which a refresh does not need

        return tuple(stored.built(self._rows))

    def bind(self) -> Bind:
        driver = self.driver
        macros = functools.cache(lambda: bind.macros(driver))  # temporary ones, too

        def columns(sql: str) -> BoundColumns:
            # the setting is the session's own: a session beside it would not have it
            if _MAY_BE_SUBQUERY.search(sql) and driver.execute(_TAKES_ANY).fetchone()[0]:
                raise NotBoundError(_ANY_ROW, is_syntax=True)
            bind.refuse_macros(macros, sql)
            with bind.beside(driver) as own:
                return bind.bind(own, sql)

        return columns

    @staticmethod
    def private(driver: Any) -> Any:
        return bind.beside(driver)


ALCHEMY = DuckDBAlchemy
