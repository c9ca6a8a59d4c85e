"""The databases and SQL dialects that tzconv knows: one folder each, found by name.

All packages come here for an engine. It is imported when it is first asked for, and its driver when
a URL needs it.
"""

from __future__ import annotations

import difflib
import functools
import importlib
from typing import TYPE_CHECKING, Any

from tzconv.engines import urls
from tzconv.errors import DatabaseError, RewriteError

if TYPE_CHECKING:
    from tzconv.engines.alchemy import Alchemy
    from tzconv.engines.backend import Backend
    from tzconv.engines.facts import Facts
    from tzconv.engines.scratch import Scratch
    from tzconv.engines.write import Engine

DIALECTS = ("duckdb", "postgres", "redshift", "spark", "vertica")
"""The engines, by the names of their dialects and folders."""
DEFAULT = "duckdb"
"""The engine that comes with tzconv, and the default dialect."""
LOCK_TIMEOUT = 60.0
"""Seconds that a refresh waits for another one by default."""


def named(dialect: str) -> str:
    """The dialect of that name or alias; RewriteError if it is not supported."""
    if dialect in DIALECTS:
        return dialect
    folded = dialect.lower()
    found = [one for one in DIALECTS if folded in (one, *facts_of(one).aliases)]
    if found:
        return found[0]
    near = difflib.get_close_matches(folded, DIALECTS, n=1)
    meant = f"did you mean {near[0]}? The dialects are" if near else "choose one of"
    raise RewriteError(f"The dialect {dialect!r} is not supported: {meant} {', '.join(DIALECTS)}.")


def facts_of(dialect: str) -> Facts:
    """What is known of an engine; RewriteError if the dialect is not supported."""
    if dialect not in DIALECTS:
        return facts_of(named(dialect))
    facts: Facts = _module(dialect, "facts").FACTS
    return facts


def engine_of(dialect: str) -> Engine:
    """How an engine writes SQL; RewriteError if the dialect is not supported."""
    facts_of(dialect)
    engine: Engine = _module(dialect, "write").WRITER
    return engine


def alchemy_of(scheme: str) -> tuple[str, type[Alchemy]]:
    """The dialect for SQLAlchemy's name of one, and the questions to its sessions.

    DatabaseError if queries of that dialect cannot be rewritten.
    """
    known = {facts_of(one).scheme: one for one in DIALECTS if facts_of(one).has_alchemy}
    if scheme not in known:
        raise DatabaseError(
            f"Queries of {scheme!r} cannot be rewritten: use an engine of {' or '.join(known)}."
        )
    return known[scheme], _module(known[scheme], "alchemy").ALCHEMY


def script_of(dialect: str) -> str:
    """The CREATE TABLE statements of an engine as a script; DatabaseError if it has none."""
    if not facts_of(dialect).has_ddl:
        having = [one for one in DIALECTS if facts_of(one).has_ddl]
        raise DatabaseError(
            f"{facts_of(dialect).title} needs no CREATE TABLE statements: tzconv refresh makes its "
            f"tables; choose one of {', '.join(having)}."
        )
    script: str = _module(named(dialect), "ddl").script()
    return script


def scratch_of(url: str | None, *, one_thread: bool) -> Scratch:
    """A place for the benchmark in a database; DatabaseError if it cannot be opened."""
    dialect = dialect_of_url(url)
    if url is not None and dialect != DEFAULT:
        connect(url).__exit__()  # raises if the URL is wrong or the driver is missing
    place: Scratch = _module(dialect, "bench").scratch(url, one_thread)
    return place


def dialect_of_url(url: str | None) -> str:
    """The dialect of a URL; DatabaseError if its scheme is not supported."""
    scheme = urls.parse(url).get_backend_name()
    for dialect in DIALECTS:
        facts = facts_of(dialect)
        if scheme in (facts.scheme, *facts.aliases):
            if facts.driver:
                return dialect
            raise DatabaseError(
                f"tzconv does not connect to {facts.title}: rewrite its queries with --dialect "
                f"{dialect} --schema-file DDL.sql, and load the tables as docs/{dialect}.md says."
            )
    known = (f"{facts.scheme}://" for facts in map(facts_of, DIALECTS) if facts.driver)
    raise DatabaseError(
        f"The URL scheme {scheme!r} is not supported: choose one of {', '.join(known)}."
    )


def refuse_others(backend: object) -> None:
    """DatabaseError for what is no open backend, such as a connection of a driver."""
    if not hasattr(backend, "expected_rows"):
        raise DatabaseError(f"database={backend!r} cannot be used: give a URL.")


def connect(
    url: str | None = None,
    *,
    read_only: bool = False,
    schema: str | None = None,
    lock_timeout: float = 0,
) -> Backend:
    """Open the database of a URL, ``duckdb:///tzconv.duckdb`` by default.

    ``read_only`` refuses to create a file and lets other processes read at the same time;
    ``schema`` is where the conversion tables are; ``lock_timeout`` is in seconds. DatabaseError,
    one sentence, if the database cannot be opened.
    """
    if url is not None and urls.is_file(url):
        raise DatabaseError(f"{url} is a file, not a URL: write it as {urls.of_file(url)}.")
    if schema is not None and (not schema or not urls.is_text(schema)):
        raise DatabaseError("That is not the name of a schema: name one with --db-schema.")
    dialect, parsed = dialect_of_url(url), urls.parse(url)
    facts = facts_of(dialect)
    driver = f"{facts.scheme}+{facts.driver}"
    if parsed.drivername not in (facts.scheme, driver, *facts.aliases):
        raise DatabaseError(f"The driver of {parsed.drivername}:// is not used: write {driver}://.")
    try:
        load = _module(dialect, "load")
    except ImportError as error:
        if (error.name or "").partition(".")[0] != facts.driver:
            raise
        raise DatabaseError(
            f"The driver {facts.driver} is not installed: pip install 'tzconv[{dialect}]'."
        ) from error
    options = {"read_only": read_only, "schema": schema, "lock_timeout": lock_timeout}
    try:
        backend: Backend = load.connect(parsed, **options)
    except (TypeError, ValueError):  # of the driver; its text may repeat a part of the URL
        raise DatabaseError(
            f"The driver {facts.driver} does not take this URL: check its host, port and options."
        ) from None
    return backend


@functools.cache
def _module(dialect: str, name: str) -> Any:
    return importlib.import_module(f"tzconv.engines.{dialect}.{name}")
