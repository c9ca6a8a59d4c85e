"""Which reports a rewrite would change: past queries, views, and files."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from tzconv import files, tables
from tzconv.engines.backend import Backend
from tzconv.engines.contents import Contents, StoredQuery
from tzconv.errors import CheckError, DatabaseError, OutputError, ParseError
from tzconv.rewriter import Rewrite, rewrite, templated
from tzconv.sql.declarations import Declared
from tzconv.sql.reasons import QUIET
from tzconv.target import Target
from tzconv.tz import zones
from tzconv.tz.horizon import OFFSETS_UNTIL

_MOST_QUERIES = 500
_HIDDEN_ZONE = re.compile(r"(?i)(\bat\s+time\s+zone\s+)\$\d+(?=\s+at\s+time\s+zone\b)")
"""The zone of a TIMESTAMP before it is converted, where its constant is hidden: UTC in most texts,
and any other would make the query a conversion from one zone to another."""


@dataclass(frozen=True, slots=True)
class Report:
    """A query that converts time zones for each row.

    ``changes`` are the strategies that a rewrite would use, a place each; ``left`` the reasons for
    the other places. ``error`` says why it was not read. ``calls`` and ``seconds`` are those of the
    database's history, ``rows`` its estimate of how many rows are converted.
    """

    kind: Literal["file", "view", "query"]
    name: str
    sql: str
    changes: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    error: str = ""
    calls: int | None = None
    seconds: float | None = None
    rows: float | None = None
    hides_constants: bool = False


@dataclass(frozen=True, slots=True)
class Reports:
    """``converting`` are the reports that convert, the most expensive first, of ``looked_at``.

    ``notes`` are sentences about views and past queries that were not read, ``joined`` the short
    names of the conversion tables that a report names.
    """

    converting: Sequence[Report]
    looked_at: int
    notes: Sequence[str]
    joined: Sequence[str]

    @property
    def gaining(self) -> list[Report]:
        """Those that a rewrite would change."""
        return [one for one in self.converting if one.changes]


def files_of(paths: Sequence[str]) -> list[files.SqlFile | OutputError]:
    """The files of folders; one in a folder that cannot be read is an error of its own."""

    def read(name: str) -> files.SqlFile | OutputError:
        try:
            return files.read(name)
        except OutputError as error:
            if name in paths:
                raise
            return error

    return list(map(read, files.find(paths)))


def judge(
    backend: Backend,
    contents: Contents,
    known: Target | None,
    given: Sequence[files.SqlFile | OutputError],
) -> Reports:
    """Rewrite what the database knows and the given files, and keep what converts."""
    found: list[StoredQuery] = []
    notes: list[str] = []
    try:
        with backend.transaction(read_only=True):
            found += contents.views()
    except DatabaseError as error:  # one of their tables is locked
        notes.append(f"The views cannot be read ({str(error).rstrip('.')}).")
    try:
        with backend.transaction(read_only=True):
            history = contents.history(_MOST_QUERIES)
        found += history.queries
        notes += filter(None, [history.note])
    except DatabaseError as error:
        notes.append(f"The history of queries cannot be read ({str(error).rstrip('.')}).")
    options = _options(backend, known)
    of_query = functools.partial(rewrite, **options)
    of_file = functools.partial(
        templated.rewrite_each,
        rewrite=of_query,
        declared=Declared(options["schema"]),
        dialect=options["dialect"],
    )
    judged = [_judged(Report(**asdict(one)), of_query, backend) for one in found]
    for file in given:
        if isinstance(file, OutputError):
            judged.append(Report("file", str(file).partition(":")[0], "", error=str(file)))
        else:
            judged.append(_judged(Report("file", file.name, file.text), of_file, backend))
    converting = [one for one in judged if one.changes or one.left or one.error]
    # those with a measured time first, then by rows; what is not rewritten after the others
    converting.sort(key=lambda one: (not one.changes, -(one.seconds or 0.0), -(one.rows or 0.0)))
    texts = "\n".join(one.sql.lower() for one in judged)
    joined = [name for name, table in tables.CONVERSIONS.items() if table.name in texts]
    return Reports(converting, len(judged), tuple(notes), joined)


def _options(backend: Backend, known: Target | None) -> dict[str, Any]:
    """As if the tables were loaded, where they are not: then nothing can bind to them yet."""
    if known is None or known.rules is None:
        known = Target(
            backend.dialect,
            backend.column_types(),
            backend.session_time_zone(),
            backend.schema,
            zones.installed(),
            OFFSETS_UNTIL,
            frozenset(backend.default_tables),
            backend.expected_rows,
            built=backend.built(),
        )
    return known.options(kept=True)


def _judged(report: Report, rewritten: Callable[[str], Rewrite], backend: Backend) -> Report:
    sql = _HIDDEN_ZONE.sub(r"\1'UTC'", report.sql) if report.hides_constants else report.sql
    try:
        result = rewritten(sql)
    except (ParseError, CheckError) as error:
        return replace(report, error=str(error))
    rows = None
    if (result.changes or result.left) and not report.hides_constants:
        rows = backend.expected_rows(sql)
    return replace(
        report,
        changes=tuple(one.strategy for one in result.changes),
        left=tuple(one.reason for one in result.left if one.code not in QUIET),
        rows=rows,
    )
