"""Reads from a database what a rewrite needs: column types, session, rules and loaded tables.

The rules come from the loaded tables only, so that the literals in a query and the rows that it
joins are of one release, whatever ``tzdata`` package is installed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from tzconv import engines, migrate, tables
from tzconv.engines.alchemy import home
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError
from tzconv.refresher import loaded
from tzconv.rewriter.kept import history_until
from tzconv.sql.binder import Bind, Plans
from tzconv.sql.built import Built
from tzconv.sql.schema import by_ends
from tzconv.tz import zones
from tzconv.tz.zones import Rules


@dataclass(frozen=True, slots=True)
class Target:
    """What a database says about arguments of :func:`tzconv.rewrite`, each under its name.

    ``rules`` are those of the loaded offset table and hold until ``literals_until``; both are None
    in a database without conversion tables.
    """

    dialect: str
    schema: dict[str, dict[str, str]]
    session_time_zone: str
    table_schema: str | None
    rules: Rules | None
    literals_until: dt.date | None
    loaded: frozenset[str]
    rows: Callable[[str], float | None] | None = None
    bind: Bind | None = None
    plans: Plans | None = None
    built: tuple[Built, ...] = ()

    def options(self, *, kept: bool = False, strategy: str | None = None) -> dict[str, Any]:
        """The arguments of :func:`tzconv.rewrite` but ``strategy``.

        ``kept`` is for a text that will also run after later refreshes: only offsets and bounds of
        the past are written into it, and later ones are read from the tables. DatabaseError where
        no tables are loaded, unless the ``strategy`` needs none.
        """
        rules, until = self.rules, self.literals_until  # the function converts later times
        if rules is None and strategy in ("now", "range"):
            rules = zones.installed()
            until = history_until(rules.release)
        if rules is None or until is None:
            place = "" if self.table_schema is None else f" in its schema {self.table_schema!r}"
            also = "" if self.table_schema is None else " and --db-schema"
            place += " (--db-schema names that of tzconv's own tables)" if also else ""
            raise DatabaseError(
                f"The database has no conversion tables{place}, and a rewritten query needs them: "
                f"run tzconv refresh with the same --url{also} first. "
                "Only the strategies now and range need none."
            )
        until = min(until, history_until(rules.release)) if kept else until
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        return found | {"rules": rules, "literals_until": until}


def read(backend: Backend, session_time_zone: str | None = None) -> Target:
    """Read types, settings and rules of an open database; of its rows only the offset table's.

    NewerTablesError where a newer tzconv has made the tables.
    ``session_time_zone`` is that of the session that will run the query (that of ``backend``).
    """
    types, session = backend.column_types(), session_time_zone or backend.session_time_zone()
    prefix = "" if backend.schema is None else f"{backend.schema}.".casefold()
    readable = {name.casefold() for name in types}
    if f"{prefix}{tables.MIGRATION}" in readable:  # reports need no right to read it
        migrate.check(backend)
    release, rules = loaded.read_rules(backend)
    is_loaded = release is not None and bool(rules.names)
    return Target(
        backend.dialect,
        types,
        session,
        backend.schema,
        _with_zone(rules, session) if is_loaded else None,
        release["offset_ends_before"] if release is not None and is_loaded else None,
        frozenset(
            name
            for name, table in tables.CONVERSIONS.items()
            if (release or {}).get(f"{name}_rows") and f"{prefix}{table.name}" in readable
        ),
        backend.expected_rows,
        backend.bind,
        backend,
        backend.built(),
    )


def anywhere(found: Target, backend: Backend) -> Target:
    """The same for a text that may run with another search path.

    The conversion tables are named with their schema, and a name without one is known only if all
    tables of that name have the same columns. DatabaseError if somebody else may have made them.
    """
    schema = found.table_schema
    if schema is None:
        schema = home(backend.homes(), "--db-schema")
    if schema is None:
        current = backend.current_schema()
        if current and f"{current}.{tables.OFFSET.name}".casefold() in map(
            str.casefold, found.schema
        ):
            schema = current
    ends: dict[str, list[dict[str, str]]] = {}
    for name, columns in found.schema.items():
        for end in list(by_ends(name.split("."), {}))[1:]:
            ends.setdefault(end, []).append(columns)
    types = {
        name: columns
        for name, columns in found.schema.items()
        if all(other == columns for other in ends.get(name, ()))
    }
    return replace(found, table_schema=schema, schema=types)


def _with_zone(rules: Rules, session: str) -> Rules:
    """The rules with the zone of the session: NOW() is in that zone even if it is not loaded."""
    package = zones.installed()
    name = package.spelled(session)
    if name is None or name in rules:
        return rules
    known = [*map(rules.zone, rules.names), package.zone(name)]
    return Rules.of(rules.release, rules.source, known)


def read_options(
    database: str | Backend | None = None, *, schema: str | None = None, kept: bool = False
) -> dict[str, Any]:
    """The arguments of :func:`tzconv.rewrite` for queries of a database, read from it.

    ``database`` is a URL (``duckdb:///tzconv.duckdb`` by default) or an open backend, ``schema``
    the one of the conversion tables. ``kept`` is for texts that are stored: they follow later
    refreshes. DatabaseError where the database cannot be read or has no conversion tables.
    """
    if not (database is None or isinstance(database, str)):
        engines.refuse_others(database)
        return read(database).options(kept=kept)
    with engines.connect(database, read_only=True, schema=schema) as backend:
        # the connection is closed when the arguments are used
        return read(backend).options(kept=kept) | {"rows": None, "bind": None, "plans": None}
