"""PostgreSQL's catalog of what is built for expressions: the planner finds it by their form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tzconv.engines.alchemy import Ask
from tzconv.sql.built import Built

_OBJECTS = """
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


def read(ask: Ask) -> tuple[Built, ...]:
    """The indexes, partition keys and extended statistics that convert zones."""
    return tuple(_built(ask(_OBJECTS)))


def _built(rows: list[Any]) -> Iterator[Built]:
    for schema, table, is_visible, *what in rows:
        yield Built(f"{schema}.{table}".lower(), *what)
        if is_visible:
            yield Built(table.lower(), *what)
