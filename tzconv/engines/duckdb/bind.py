"""The columns of a statement, from DuckDB's binder: in the user's database or an empty one.

The rewriter checks its rewrites with it: without a connection, in an empty database.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cache

import duckdb

from tzconv import tables
from tzconv.errors import interruptible
from tzconv.sql.binder import Bind, BoundColumns, CapturedError, NotBoundError
from tzconv.sql.text import identifier, literal

EMITTED = (
    r"(make_timestamp|make_timestamptz|epoch_us|arg_min|arg_max|arg_max_null|max|sum|count|error)\("
)
"""Functions that rewritten texts call by their names alone, for which a macro would be called."""
_EMITTED = re.compile(rf"\b{EMITTED}", re.IGNORECASE)
_OPERATORS = {"if", *("%", "+", "-", "*", "//", ">>", "<", ">", "<=", ">=", "=")}
"""What they write without a name that could have a schema; a macro can have such a name, too."""
_REPLACED = re.compile(
    r"\b(date_trunc|datetrunc|date|now|today|time_bucket|\w+_timestamp|current_date)\(|time\s+zone\b",
    re.IGNORECASE,
)
"""What a rewrite may replace, if it is DuckDB's own."""
_MACROS = """
    SELECT DISTINCT system.main.lower(function_name) FROM system.main.duckdb_functions()
    WHERE NOT internal AND system.main.list_contains(system.main.current_schemas(true), schema_name)
    """
_EXPLAINED = ("INSERT", "UPDATE", "DELETE", "CREATE")
_lock = threading.Lock()


def beside(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A second session with the search path of this one, which ``duplicate()`` leaves out."""
    shown = connection.execute("SELECT system.main.current_setting('search_path')")
    [(path,)], own = shown.fetchall(), connection.duplicate()
    with contextlib.suppress(duckdb.Error):  # a schema in it may not be committed
        own.execute(f"SET search_path = {literal(path)}")
    return own


@interruptible()
def bind(connection: duckdb.DuckDBPyConnection, sql: str) -> BoundColumns:
    """Names and types of the columns of a statement; its parameters are NULL."""
    try:
        statements = connection.extract_statements(sql)
        kinds = [statement.type.name for statement in statements]
        if len(kinds) != 1 or kinds[0] not in ("SELECT", *_EXPLAINED):
            raise NotBoundError("it is not one query", is_syntax=False)
        values = dict.fromkeys(statements[0].named_parameters)
        if kinds[0] in _EXPLAINED:
            connection.execute(f"EXPLAIN {sql}", values or None)
            return ()
        rows = connection.execute(f"DESCRIBE {sql}", values or None).fetchall()
    except duckdb.Error as error:
        is_syntax = isinstance(error, (duckdb.ParserException, duckdb.SyntaxException))
        raise NotBoundError(str(error).partition("\n")[0], is_syntax=is_syntax) from error
    return tuple((str(row[0]), str(row[1])) for row in rows)


def calls(sql: str) -> set[str]:
    """The functions of rewritten texts that a text calls, in lower case."""
    return {name.lower() for name in _EMITTED.findall(sql)}


def macros(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The names of macros in the path, those of this session included; it takes 10 ms."""
    return {name for (name,) in connection.execute(_MACROS).fetchall()}


def refuse_macros(macros: Callable[[], set[str]], sql: str) -> None:
    """CapturedError if a macro has the name of what a text calls, or what a rewrite of it would."""
    called = calls(sql) | {name.lower() for name in _REPLACED.findall(sql)}
    if not called:
        return
    called |= {"timezone", *_OPERATORS}  # AT TIME ZONE calls timezone()
    for name in sorted(called & macros()):
        text = f"the database has a macro {name}, which would be called instead of the function"
        raise CapturedError(text)


def bind_in_memory(
    types: Mapping[str, Mapping[str, str]], table_schema: str | None, names: Iterable[str]
) -> Bind:
    """Binds in an empty DuckDB with the tables of these names and the conversion tables.

    ``types`` has the types of columns by ``table`` or ``schema.table`` in lower case.
    """
    wanted = {name: types[name] for name in names if name in types}
    prefix = "" if table_schema is None else f"{table_schema}."
    conversions = {f"{prefix}{table.name}": table for table in tables.ALL}

    @interruptible()
    def columns_of(sql: str) -> BoundColumns:
        joined = {
            name: types.get(name) or {column.name: _type(column) for column in table.columns}
            for name, table in conversions.items()
            if table.name in sql
        }
        with _lock:
            connection = _empty()
            try:
                connection.execute("BEGIN")
                for name, columns in (wanted | joined).items():
                    _create(connection, name, columns)
                return bind(connection, sql)
            except duckdb.Error as error:  # such as a user-defined type
                raise NotBoundError(str(error).partition("\n")[0], is_syntax=False) from error
            finally:
                with contextlib.suppress(duckdb.Error):  # a Ctrl-C came before BEGIN
                    connection.execute("ROLLBACK")

    return columns_of


@cache
def _empty() -> duckdb.DuckDBPyConnection:
    # a text that is only read opens no file or address, and installs no extension
    connection = duckdb.connect(":memory:", config={"threads": 1, "enable_external_access": False})
    # a query must not find the variables of this program as tables
    connection.execute("SET python_enable_replacements = false")
    return connection


def _create(connection: duckdb.DuckDBPyConnection, name: str, columns: Mapping[str, str]) -> None:
    parts = list(map(identifier, name.split(".")))
    if len(parts) > 1:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {parts[0]}")
    listed = ", ".join(f"{identifier(column)} {text}" for column, text in columns.items())
    connection.execute(f"CREATE TABLE {'.'.join(parts)} ({listed})")


def _type(column: tables.Column) -> str:
    return "VARCHAR" if column.type in ("name", "text") else column.type
