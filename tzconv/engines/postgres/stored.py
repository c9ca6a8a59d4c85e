"""PostgreSQL's catalog of what stores the results of expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tzconv.engines.contents import Kind, Run, StoredObject, StoredObjects
from tzconv.sql.built import Built
from tzconv.sql.text import literal

_NOT_OURS = (
    "n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') "
    "AND n.nspname::text NOT LIKE '\\_timescaledb\\_%' AND NOT pg_is_other_temp_schema(n.oid)"
)
_OF = "JOIN pg_class c ON c.oid = {oid} JOIN pg_namespace n ON n.oid = c.relnamespace"
_TABLE = "pg_catalog.format('%I.%I', n.nspname, c.relname)"

_VIEWS = (
    "SELECT c.relkind = 'm' AND c.relispopulated, n.nspname, c.relname, pg_get_viewdef(c.oid), "
    f"{_TABLE}, pg_table_is_visible(c.oid) FROM pg_class c "
    "JOIN pg_namespace n ON n.oid = c.relnamespace "
    f"WHERE c.relkind IN ('v', 'm') AND {_NOT_OURS} ORDER BY c.oid"
)
_INDEXES = (
    "SELECT pg_catalog.format('%I.%I', n.nspname, i.relname), "
    f"{_TABLE}, pg_catalog.concat_ws(', ', pg_get_expr(x.indexprs, x.indrelid), "
    "pg_get_expr(x.indpred, x.indrelid)) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid "
    f"{_OF.format(oid='x.indrelid')} "
    f"WHERE (x.indexprs IS NOT NULL OR x.indpred IS NOT NULL) AND {_NOT_OURS} ORDER BY 1"
)
_COLUMNS = (
    "SELECT a.attgenerated::text, pg_catalog.quote_ident(a.attname), "
    f"{_TABLE}, pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d "
    "JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum "
    f"{_OF.format(oid='d.adrelid')} WHERE {_NOT_OURS} ORDER BY n.nspname, c.relname, a.attnum"
)
_CHECKS = (
    "SELECT pg_catalog.quote_ident(x.conname), "
    f"{_TABLE}, pg_get_expr(x.conbin, x.conrelid) FROM pg_constraint x "
    f"{_OF.format(oid='x.conrelid')} WHERE x.contype = 'c' AND {_NOT_OURS} ORDER BY 1, 2"
)
_PARTITIONS = (
    f"SELECT {_TABLE}, pg_get_expr(x.partexprs, x.partrelid) FROM pg_partitioned_table x "
    f"{_OF.format(oid='x.partrelid')} WHERE x.partexprs IS NOT NULL AND {_NOT_OURS} ORDER BY 1"
)
_FUNCTIONS = (
    "SELECT DISTINCT lower(p.proname::text) FROM pg_proc p "
    "JOIN pg_namespace n ON n.oid = p.pronamespace "
    "WHERE NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass::oid "
    f"AND d.objid = p.oid AND d.deptype = 'e') AND {_NOT_OURS}"
)
_AGGREGATES = (
    "SELECT pg_catalog.format('%I.%I', view_schema, view_name), view_definition "
    "FROM timescaledb_information.continuous_aggregates ORDER BY 1"
)
_GENERATED: dict[str, Kind] = {"s": "stored generated column", "v": "generated column"}
_CONVERTING = """
    SELECT n.nspname::pg_catalog.text, c.relname::pg_catalog.text,
           pg_catalog.pg_table_is_visible(c.oid), x.kind, x.name::pg_catalog.text, x.expressions,
           x.condition
    FROM (
        SELECT i.indrelid, 'index', r.relname, pg_catalog.array_to_string(ARRAY(
                   SELECT pg_catalog.pg_get_indexdef(i.indexrelid, k, true)
                   FROM pg_catalog.generate_series(1, i.indnkeyatts::pg_catalog.int4) k), ', '),
               coalesce(pg_catalog.pg_get_expr(i.indpred, i.indrelid), '')
        FROM pg_catalog.pg_index i
        JOIN pg_catalog.pg_class r ON r.oid OPERATOR(pg_catalog.=) i.indexrelid
        WHERE i.indisvalid AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)
        UNION ALL
        SELECT p.partrelid, 'partition key', r.relname,
               pg_catalog.pg_get_expr(p.partexprs, p.partrelid), ''
        FROM pg_catalog.pg_partitioned_table p
        JOIN pg_catalog.pg_class r ON r.oid OPERATOR(pg_catalog.=) p.partrelid
        WHERE p.partexprs IS NOT NULL
        UNION ALL
        SELECT s.stxrelid, 'statistics', s.stxname,
               pg_catalog.pg_get_expr(s.stxexprs, s.stxrelid), ''
        FROM pg_catalog.pg_statistic_ext s WHERE s.stxexprs IS NOT NULL
    ) x (oid, kind, name, expressions, condition)
    JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) x.oid
    JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE n.nspname OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.name
      AND pg_catalog.concat(x.expressions, x.condition)
          OPERATOR(pg_catalog.~~*) '%zone%'::pg_catalog.text
    ORDER BY 1, 2, 4, 5
    """
"""It runs in a session of the application, so no name in it depends on the search path."""


def read(run: Run) -> StoredObjects:
    """Everything with an expression in it, in the schemas of users."""
    views = run(_VIEWS)
    known: dict[str, str | None] = {}
    for _, schema, name, definition, _, is_visible in views:
        known[f"{schema}.{name}".casefold()] = definition
        if is_visible:  # definitions name it without its schema
            known[name.casefold()] = definition
    functions: dict[str, str | None] = {name: None for (name,) in run(_FUNCTIONS)}
    return StoredObjects(tuple(_objects(run, views)), known, functions)


def _objects(run: Run, views: list[Any]) -> Iterator[StoredObject]:
    for how, column, table, definition in run(_COLUMNS):
        kind = _GENERATED.get(how, "column default")
        # an UPDATE of the column that it is computed from computes it anew
        update = f"UPDATE {table} AS s SET {{column}} = s.{{column}}" if how == "s" else None
        yield StoredObject(kind, f"{table}.{column}", table, definition, update)
    for holds_rows, _, _, definition, name, _ in views:  # what reads another one comes after it
        if holds_rows:
            repair = f"REFRESH MATERIALIZED VIEW {name}"
            yield StoredObject("materialized view", name, None, definition, repair)
    if run(
        "SELECT 1 WHERE to_regclass('timescaledb_information.continuous_aggregates') IS NOT NULL"
    ):
        for name, definition in run(_AGGREGATES):
            repair = f"CALL refresh_continuous_aggregate({literal(name)}, NULL, NULL)"
            yield StoredObject("continuous aggregate", name, None, definition, repair)
    for name, table, definition in run(_INDEXES):
        yield StoredObject("index", name, table, definition, f"REINDEX INDEX {name}")
    for name, table, definition in run(_CHECKS):
        yield StoredObject("check constraint", f"{name} on {table}", table, definition)
    for table, definition in run(_PARTITIONS):
        yield StoredObject("partition key", f"the key of {table}", table, definition)


def built(run: Run) -> Iterator[Built]:
    """The indexes, partition keys and extended statistics that convert zones."""
    for schema, table, is_visible, *what in run(_CONVERTING):
        yield Built(f"{schema}.{table}".lower(), *what)
        if is_visible:
            yield Built(table.lower(), *what)
