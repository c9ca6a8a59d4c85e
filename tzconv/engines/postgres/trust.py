"""What makes a conversion table of PostgreSQL another one than tzconv made, by its catalog.

A table with the right columns may still belong to somebody else, or have a trigger that changes
what a refresh writes, or a policy that hides rows from some readers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from tzconv import tables
from tzconv.engines.backend import Backend
from tzconv.sql.text import identifier, literal
from tzconv.tables import Table

if TYPE_CHECKING:
    import psycopg

# a superuser counts as a member of every role: only real membership is asked, and none of a
# superuser, whose rights an owner would get by a trigger
_OWNER = """
    WITH RECURSIVE mine AS (
        SELECT oid FROM pg_roles WHERE rolname = current_user AND NOT rolsuper
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
    SELECT c.relname::text, 'the constraint ' || quote_ident(k.conname::text), 'drop it'
    FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid
    WHERE {where} AND k.contype NOT IN ('p', 'n')
    UNION ALL
    SELECT c.relname::text, 'the index ' || quote_ident(i.relname::text) || ' of an expression',
           'drop it'
    FROM pg_class c JOIN pg_index x ON x.indrelid = c.oid JOIN pg_class i ON i.oid = x.indexrelid
    WHERE {where} AND (x.indexprs IS NOT NULL OR x.indpred IS NOT NULL)
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


class Trusted(Backend, Protocol):
    """What a backend knows of the owners, keys and additions of its tables."""

    _connection: psycopg.Connection[Any]

    def _schema_oid(self) -> int:
        """The number of the schema of our tables; 0 without one."""

    def distrusted(self) -> Iterator[tuple[str, bool]]:
        yield from super().distrusted()
        where = self._ours([*(table.name for table in tables.ALL), tables.MIGRATION])
        release = self._ours([tables.RELEASE.name])
        # a reader or a superuser who looks is not the job
        may_write = (
            "SELECT has_table_privilege(c.oid, 'INSERT') AND NOT (SELECT rolsuper FROM pg_roles "
            f"WHERE rolname = current_user) FROM pg_class c WHERE {release}"
        )
        is_job = self._run(may_write) != [(False,)]
        for text in self._of_others(where, "refresh"):
            yield text, is_job
        others = _OTHERS.format(where=where, release=literal(tables.RELEASE.name))
        for table, what, remedy in self._run(others):
            yield f"{table} has {what}, which tzconv did not make: {remedy}.", True
        known = {table.name: list(table.key) for table in tables.ALL}
        for name, constraint, columns in self._run(_KEYS.format(where=where)):
            if known.get(name, columns) != columns:
                text = (
                    f"{name} has a primary key of {', '.join(columns)} instead of "
                    f"{', '.join(known[name])}: ALTER TABLE {name} DROP CONSTRAINT "
                    f"{identifier(constraint)}, and run tzconv refresh --repair."
                )
                yield text, True

    def of_other_roles(self, names: Iterable[str], command: str) -> Iterable[str]:
        listed = ", ".join(f"to_regclass({literal(name)})::oid" for name in names)
        return self._of_others(f"c.oid IN ({listed})", command)

    def _of_others(self, where: str, command: str) -> Iterator[str]:
        rows = self._run(_OWNER.format(where=where))
        for owner, found in itertools.groupby(rows, lambda row: row[1]):
            yield (
                f"{', '.join(table for table, _ in found)}: owned by {identifier(owner)}, whose "
                f"code a {command} could run: run tzconv {command} as {identifier(owner)}, ALTER "
                "TABLE ... OWNER TO the role that runs it, or drop them."
            )

    def selection_writers(self) -> list[str]:
        where = self._ours([tables.RELEASE.name])
        return [name for (name,) in self._run(_WRITERS.format(where=where))]

    def _ours(self, names: list[str]) -> str:
        """The condition of our tables of those names."""
        listed = ", ".join(map(literal, names))
        return f"c.relnamespace = {self._schema_oid()}::oid AND c.relname IN ({listed})"

    def missing_keys(self) -> list[Table]:
        where = self._ours([table.name for table in tables.ALL])
        known = {name for name, *_ in self._run(_KEYS.format(where=where))}
        there = self._there()
        return [one for one in tables.ALL if one.name in there.keys() - known]

    def add_key(self, table: Table) -> None:
        key = ", ".join(table.key)
        self._run(f"ALTER TABLE {self.name(table.name)} ADD PRIMARY KEY ({key})")

    def view_rights(self) -> tuple[str, str | None]:
        if self._connection.info.server_version >= 150000:
            return " WITH (security_invoker = true)", None
        text = (
            "Before PostgreSQL 15 a view reads with its owner's rights: row-level security does "
            "not limit its readers."
        )
        return "", text
