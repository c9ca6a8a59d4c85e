"""DuckDB's catalog of what stores the results of expressions; it has no materialized views."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb

from tzconv.engines.contents import Kind, Run, StoredObject, StoredObjects
from tzconv.errors import ParseError
from tzconv.sql.built import Built, from_ddl
from tzconv.sql.parse import parse
from tzconv.sql.text import identifier

_HERE = "database_name = system.main.current_database()"
_INDEXES = (
    f"SELECT schema_name, index_name, table_name, sql FROM system.main.duckdb_indexes() "
    f"WHERE {_HERE} "
    "AND sql IS NOT NULL ORDER BY ALL"
)
if int(duckdb.__version__.partition(".")[0]) > 1:
    _IS_GENERATED = "is_generated"
    _DEFINED = "coalesce(generation_expression, column_default)"
else:  # only the text of the table says that a column is generated
    _IS_GENERATED = """
        system.main.regexp_matches(t.sql, system.main.concat('[(,] ?"?',
            system.main.regexp_escape(system.main.replace(column_name, '"', '""')),
            '"? [^(),]+([(][^()]*[)])? GENERATED ALWAYS'))
        """
    _DEFINED = "column_default"
_COLUMNS = f"""
    SELECT c.schema_name, c.table_name, column_name, {_IS_GENERATED}, {_DEFINED}
    FROM system.main.duckdb_columns() c JOIN system.main.duckdb_tables() t USING (table_oid)
    WHERE c.{_HERE} AND t.{_HERE} AND NOT c.internal AND {_DEFINED} IS NOT NULL
    ORDER BY c.schema_name, c.table_name, column_index
    """
_CHECKS = (
    "SELECT schema_name, table_name, constraint_name, expression "
    "FROM system.main.duckdb_constraints() "
    f"WHERE {_HERE} AND constraint_type = 'CHECK' ORDER BY ALL"
)
_VIEWS = (
    "SELECT schema_name, view_name, sql FROM system.main.duckdb_views() "
    f"WHERE {_HERE} AND NOT internal"
)
_MACROS = (
    "SELECT DISTINCT system.main.lower(function_name), macro_definition "
    "FROM system.main.duckdb_functions() "
    f"WHERE {_HERE} AND NOT internal"
)
_CONVERTING_INDEXES = """
    SELECT schema_name, table_name, schema_name = system.main.current_schema(), sql
    FROM system.main.duckdb_indexes()
    WHERE database_name = system.main.current_database() AND sql ILIKE '%zone%'
    ORDER BY ALL
    """


def read(run: Run) -> StoredObjects:
    """Everything with an expression in it, in the schemas of users."""
    views: dict[str, str | None] = {}
    for schema, name, definition in run(_VIEWS):
        views[f"{schema}.{name}".casefold()] = views[name.casefold()] = definition
    return StoredObjects(tuple(_objects(run)), views, dict(run(_MACROS)))


def _objects(run: Run) -> Iterator[StoredObject]:
    for schema, name, table, sql in run(_INDEXES):
        index, of = _named(schema, name), _named(schema, table)
        # it has no REINDEX
        yield StoredObject("index", index, of, sql, f"DROP INDEX {index}; {sql.rstrip(';')}")
    for schema, table, column, is_generated, definition in run(_COLUMNS):
        name = _named(schema, table)
        kind: Kind = "generated column" if is_generated else "column default"
        yield StoredObject(kind, f"{name}.{identifier(column)}", name, definition)
    for schema, table, name, definition in run(_CHECKS):
        of = _named(schema, table)
        yield StoredObject("check constraint", f"{name or 'CHECK'} on {of}", of, definition)


def _named(schema: str, name: str) -> str:
    return f"{identifier(schema)}.{identifier(name)}"


def built(run: Run) -> Iterator[Built]:
    """The indexes on expressions that convert zones."""
    for schema, table, is_visible, sql in run(_CONVERTING_INDEXES):
        try:
            # before 2.0 the catalog names the schema of a function
            [statement] = parse(sql.replace("main.timezone(", "timezone("), "duckdb").statements
        except (ParseError, ValueError):
            continue
        for one in from_ddl(statement, "duckdb"):
            names = [f"{schema}.{table}", *([table] if is_visible else [])]
            if "." not in one.table:
                yield from (one._replace(table=name.casefold()) for name in names)
