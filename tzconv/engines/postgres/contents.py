"""PostgreSQL's tables, samples of them, its views, and what pg_stat_statements has seen."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from tzconv.engines.contents import (
    MOST_LETTERS,
    Column,
    Contents,
    History,
    Relation,
    Run,
    StoredQuery,
    first_day,
)
from tzconv.sql.text import literal

_SMALL = 64_000_000
"""Bytes of a table that is read in a second."""
_PAGES = 200
"""Pages of a large table that a sample reads, wherever they are."""
# what an extension has made, such as spatial_ref_sys, is not the user's
_OF_USERS = """
    n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
    AND n.nspname::text NOT LIKE '\\_timescaledb\\_%' AND NOT pg_is_other_temp_schema(n.oid)
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass::oid
                    AND d.objid = c.oid AND d.deptype = 'e')
    """
_NAME = """
    CASE WHEN pg_table_is_visible(c.oid) THEN pg_catalog.quote_ident(c.relname)
    ELSE pg_catalog.format('%I.%I', n.nspname, c.relname) END
    """
_COLUMNS = f"""
    SELECT {_NAME}, c.oid::bigint,
           CASE WHEN row_security_active(c.oid) THEN 'policies' ELSE c.relkind::text END,
           c.reltuples::float8,
           has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT'),
           pg_catalog.quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
           CASE WHEN b.oid = 1114::oid THEN 'timestamp' WHEN b.oid = 1184::oid THEN 'timestamptz'
           WHEN b.typtype = 'e' OR b.typcategory = 'S' THEN 'text' ELSE 'number' END
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_type t ON t.oid = a.atttypid
    JOIN pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'm', 'f', 'p')
      AND NOT c.relispartition AND {_OF_USERS}
      AND (b.oid IN (1114::oid, 1184::oid) OR b.typtype = 'e' OR b.typcategory IN ('S', 'N'))
      -- a sample would run a cast that a user has made: system functions have lower numbers
      AND NOT EXISTS (SELECT 1 FROM pg_cast k WHERE k.castsource = b.oid
                      AND k.casttarget = 25::oid AND k.castfunc >= 16384::oid)
    ORDER BY n.nspname, c.relname, c.oid, a.attnum
    """
# asking a table for its size would wait for one that is locked: only where nobody has counted
_SIZE = (
    "CASE WHEN {0}.relpages > 0 THEN {0}.relpages * 8192::bigint ELSE pg_relation_size({0}.oid) END"
)
_PARTS = f"""
    SELECT c.oid::bigint, sum({_SIZE.format("l")}),
           sum(l.reltuples) FILTER (WHERE l.reltuples > 0)
    FROM pg_class c, pg_partition_tree(c.oid) p JOIN pg_class l ON l.oid = p.relid
    WHERE c.relkind = 'p' AND NOT c.relispartition AND p.isleaf GROUP BY 1
    UNION ALL SELECT c.oid::bigint, {_SIZE.format("c")}, c.reltuples FROM pg_class c
    WHERE c.relkind IN ('r', 'm') AND NOT c.relispartition
    """
_VIEWS = f"""
    SELECT {_NAME}, pg_get_viewdef(c.oid) FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('v', 'm') AND {_OF_USERS} ORDER BY n.nspname, c.relname
    """
_STATISTICS = """
    SELECT pg_catalog.quote_ident(n.nspname), has_schema_privilege(n.oid, 'USAGE')
           AND has_any_column_privilege(c.oid, 'SELECT')
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname = 'pg_stat_statements' AND c.relkind IN ('v', 'r', 'm')
      -- anybody can make a view of that name, with calls of functions in it
      AND (EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass::oid
                   AND d.objid = c.oid AND d.deptype = 'e')
           OR (SELECT r.rolsuper FROM pg_roles r WHERE r.oid = c.relowner))
    ORDER BY pg_table_is_visible(c.oid) DESC LIMIT 1
    """
_QUERIES = """
    SELECT query, sum(calls)::bigint, sum(total_exec_time)::float8 / 1000
    FROM {schema}.pg_stat_statements
    WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (query = '<insufficient privilege>' OR (query ~* '^[^a-z]*(select|with|insert|create)\\M'
      AND query ~* 'time\\s*zone|timezone|date_trunc|\\mnow\\M|current_|localtime'))
    GROUP BY 1 ORDER BY 3 DESC LIMIT {most}
    """
_NOT_READ = {
    "f": "it is a foreign table",
    # which are code of its owner's
    "policies": "its row-level policies hold for the user of the URL",
}
"""Why the rows of a relation are not read, by its kind."""
_ANOTHER = "Or name a folder of queries with --reports."


class PostgresContents(Contents):
    """The catalog of the open database."""

    password = "set PGPASSWORD, or use the password file ~/.pgpass"

    def __init__(self, run: Run) -> None:
        self._ask = run

    def relations(self) -> list[Relation]:
        sizes = {oid: (size, rows) for oid, size, rows in self._run(_PARTS)}
        found = []
        for (name, oid, kind, rows), columns in groupby(self._run(_COLUMNS), lambda row: row[:4]):
            known = [(row[4], Column(*row[5:])) for row in columns]
            readable = tuple(column for may_read, column in known if may_read)
            size, estimate = sizes.get(oid, (0, rows))
            why_not = _NOT_READ.get(kind)
            if not readable:
                why_not = "the user of the URL may not read it"
            has_rows = estimate is not None and estimate >= 0 and not (estimate == 0 and size)
            found.append(
                Relation(
                    name,
                    readable or tuple(column for _, column in known),
                    float(estimate) if has_rows else None,
                    kind != "f" and (size or 0) <= _SMALL,
                    why_not,
                )
            )
        return found

    def sample(self, relation: Relation, names: Sequence[str], rows: int) -> list[Sequence[Any]]:
        texts = ", ".join(f"left({name}::text, {MOST_LETTERS + 1})" for name in names)
        return self._run(f"SELECT {texts} FROM {relation.name}{self._some(relation)} LIMIT {rows}")

    def earliest(self, relation: Relation, name: str) -> dt.date | None:
        if not relation.is_small:
            return None
        finite = f"WHERE isfinite({name})"  # no date of Python's is infinity, or before year 1
        sql = f"SELECT greatest(min({name}::date), '1900-01-01') FROM {relation.name} {finite}"
        [(day,)] = self._run(sql)
        return first_day(day)

    def views(self) -> list[StoredQuery]:
        return [StoredQuery(name, sql, "view") for name, sql in self._run(_VIEWS)]

    def history(self, most: int) -> History:
        found = self._run(_STATISTICS)
        if not found:
            return History(
                (),
                "pg_stat_statements is not installed, so the database does not say which queries "
                f"it runs: CREATE EXTENSION pg_stat_statements. {_ANOTHER}",
            )
        [(schema, may_read)] = found
        if not may_read:
            text = "The user of the URL may not read pg_stat_statements: grant pg_read_all_stats."
            return History((), f"{text} {_ANOTHER}")
        rows = self._run(_QUERIES.format(schema=schema, most=most))
        shown = [row for row in rows if row[0] != "<insufficient privilege>"]
        note = "" if shown or rows else "pg_stat_statements has no query that may convert times."
        if len(shown) < len(rows):
            note = (
                "pg_stat_statements hides the queries of other users: grant pg_read_all_stats to "
                "the user of the URL."
            )
        queries = [
            StoredQuery("pg_stat_statements", sql, "query", calls, seconds, "$1" in sql)
            for sql, calls, seconds in shown
        ]
        return History(queries, note)

    def _some(self, relation: Relation) -> str:
        """Pages all over a large table, not its oldest rows alone; all of a small one."""
        if relation.is_small:
            return ""
        table = f"{literal(relation.name)}::regclass"
        [(size,)] = self._run(
            f"SELECT greatest(pg_relation_size({table}), (SELECT sum(pg_relation_size(relid)) "
            f"FROM pg_partition_tree({table})))::float8"
        )
        pages = size / 8192
        return f" TABLESAMPLE SYSTEM ({min(100.0, 100 * _PAGES / max(pages, 1)):.6f})"

    def _run(self, sql: str) -> list[Any]:
        self._ask("SET LOCAL statement_timeout = '10s'")  # until the transaction ends
        return self._ask(sql)
