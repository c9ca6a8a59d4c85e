"""What makes a conversion table of PostgreSQL another one than tzconv made, by its catalog.

A table with the right columns may still belong to somebody else, or have a trigger that changes
what a refresh writes, or a policy that hides rows from some readers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from tzconv import tables
from tzconv.sql.text import identifier, literal
from tzconv.tables import Table

Run = Callable[[str], list[Any]]

# a superuser counts as a member of every role: only real membership is asked
_OWNER = """
    WITH RECURSIVE mine AS (
        SELECT oid FROM pg_roles WHERE rolname = current_user
        UNION SELECT m.roleid FROM pg_auth_members m JOIN mine ON mine.oid = m.member
    )
    SELECT c.relname::text, r.rolname::text FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
    WHERE {where} AND NOT r.rolsuper AND r.oid NOT IN (SELECT oid FROM mine) ORDER BY 2, 1
    """
# a migration gave the release table defaults, which are never used
_OTHERS = """
    SELECT c.relname::text, 'the trigger ' || quote_ident(t.tgname::text), 'drop it'
    FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid WHERE {where} AND NOT t.tgisinternal
    UNION ALL
    SELECT c.relname::text, 'the rule ' || quote_ident(r.rulename::text), 'drop it'
    FROM pg_class c JOIN pg_rewrite r ON r.ev_class = c.oid WHERE {where} AND c.relkind = 'r'
    UNION ALL
    SELECT c.relname::text, 'row-level security',
           'drop its policies and ALTER TABLE ... DISABLE ROW LEVEL SECURITY'
    FROM pg_class c WHERE {where} AND (c.relrowsecurity
          OR EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid))
    UNION ALL
    SELECT DISTINCT c.relname::text, 'a parent or child table', 'ALTER TABLE ... NO INHERIT'
    FROM pg_class c JOIN pg_inherits i ON c.oid IN (i.inhrelid, i.inhparent) WHERE {where}
    UNION ALL
    SELECT c.relname::text, 'a default, generated or identity column, '
           || quote_ident(a.attname::text), 'drop the default'
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE {where} AND a.attnum > 0 AND NOT a.attisdropped AND (a.attgenerated <> ''
          OR a.attidentity <> '' OR a.atthasdef AND c.relname <> {release})
    UNION ALL
    SELECT c.relname::text, 'a collation of its own, of ' || quote_ident(a.attname::text),
           'drop the table, and run tzconv refresh'
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE {where} AND a.attnum > 0 AND NOT a.attisdropped AND a.attcollation NOT IN (0, 100)
    ORDER BY 1, 2
    """
_KEYS = """
    SELECT c.relname::text, k.conname::text, (
        SELECT array_agg(a.attname::text ORDER BY u.n)
        FROM unnest(k.conkey) WITH ORDINALITY AS u (number, n)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.number)
    FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid
    WHERE {where} AND k.contype = 'p' AND NOT k.condeferrable
    """
_WRITERS = """
    SELECT DISTINCT CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname::text) END
    FROM pg_class c CROSS JOIN LATERAL (
        SELECT grantee, privilege_type FROM aclexplode(c.relacl)
        UNION ALL SELECT x.grantee, x.privilege_type
        FROM pg_attribute a CROSS JOIN aclexplode(a.attacl) x WHERE a.attrelid = c.oid
    ) g LEFT JOIN pg_roles r ON r.oid = g.grantee
    WHERE {where} AND g.privilege_type IN ('INSERT', 'UPDATE') AND g.grantee <> c.relowner
      AND r.rolname IS DISTINCT FROM current_user AND r.rolsuper IS NOT TRUE ORDER BY 1
    """


def keys(run: Run, where: str) -> dict[str, list[str]]:
    """The columns of each table's primary key."""
    return {name: columns for name, _, columns in run(_KEYS.format(where=where))}


def owners(run: Run, where: str) -> Iterator[str]:
    """Sentences about tables of another role than this session's, its groups, or a superuser."""
    rows = run(_OWNER.format(where=where))
    for owner, found in itertools.groupby(rows, lambda row: row[1]):
        yield (
            f"{', '.join(table for table, _ in found)}: owned by {identifier(owner)}, who can "
            "change the rows: ALTER TABLE ... OWNER TO the role that runs tzconv refresh, or drop "
            "them."
        )


def additions(run: Run, where: str, known: list[Table]) -> Iterator[str]:
    """Sentences about what somebody has added to the tables."""
    for table, what, remedy in run(_OTHERS.format(where=where, release=literal(tables.RELEASE.name))):
        yield f"{table} has {what}, which tzconv did not make: {remedy}."
    there = {table.name: table for table in known}
    for name, constraint, columns in run(_KEYS.format(where=where)):
        if name in there and list(there[name].key) != columns:
            yield (
                f"{name} has a primary key of {', '.join(columns)} instead of "
                f"{', '.join(there[name].key)}: ALTER TABLE {name} DROP CONSTRAINT "
                f"{identifier(constraint)}, and run tzconv refresh --repair."
            )


def writers(run: Run, where: str) -> list[str]:
    """Roles that may write to a table, besides its owner, this session's role and superusers."""
    return [name for (name,) in run(_WRITERS.format(where=where))]


def named(schema_oid: int, names: list[str]) -> str:
    """The condition of the tables of those names."""
    listed = ", ".join(map(literal, names))
    return f"c.relnamespace = {schema_oid}::oid AND c.relname IN ({listed})"
