"""What a database has to do with time zones: its time columns, zone columns, rules and reports.

``tzconv init`` prints it. It only reads, and each question is of bounded work: tables are sampled,
and only small ones are read whole.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from tzconv import engines, tables, target
from tzconv.discovery import reports, zone_columns
from tzconv.discovery.reports import Report, Reports
from tzconv.discovery.zone_columns import ZoneColumns
from tzconv.engines.alchemy import OURS
from tzconv.engines.backend import Backend
from tzconv.engines.contents import Contents, Relation
from tzconv.errors import DatabaseError, NewerTablesError, ParseError
from tzconv.refresher import Disagreement, function_check
from tzconv.rewriter import is_one_query
from tzconv.sql.templates import is_template
from tzconv.sql.text import ALEMBIC_COLUMN, literal
from tzconv.target import Target
from tzconv.tz import horizon, zones
from tzconv.tz.horizon import OFFSETS_UNTIL, Horizon

_DATED = 5
"""Tables whose first times are looked for, those with the most rows."""
_TIMES = ("timestamp", "timestamptz")
_MOST_LINES = 60


@dataclass(frozen=True, slots=True)
class Discovery:
    """What was found.

    ``disagreements`` are those of the database's own function with the installed ``tz_release``
    since 1970. ``loaded`` is the tz release of the conversion tables, empty without tables and None
    if they cannot be read. ``tables`` have timestamps, those with the most rows first. ``first`` is
    the day of the earliest time that was found, in the column ``first_in``, and ``default_start``
    that of the daily and hourly tables. ``skipped`` are tables that were not read, with the reason.
    ``password`` says how to give one. ``chosen`` are the short names of the conversion tables that
    a refresh is to load: the default ones, the loaded ones and those that a report names.
    """

    product: str
    session_time_zone: str
    tz_release: str
    loaded: str | None
    disagreements: Sequence[Disagreement]
    tables: Sequence[Relation]
    zones: ZoneColumns
    first: dt.date | None
    first_in: str
    default_start: dt.date
    reports: Reports
    skipped: Sequence[tuple[str, str]]
    password: str
    chosen: Sequence[str]

    def best_report(self, dialect: str) -> Report | None:
        """The most expensive report that a rewrite changes and that runs as it is, to compare it.

        A file of the user's comes before the views of the database.
        """
        for one in sorted(self.reports.gaining, key=lambda one: one.kind != "file"):
            if not one.hides_constants and not is_template(one.sql) and _is_one(one.sql, dialect):
                return one
        return None

    def example(self, dialect: str) -> str:
        """A query to compare: the rows of each local day in the largest table."""
        spelling, largest = engines.facts_of(dialect).spelling, self.tables[0]
        column = next(one for one in largest.columns if one.kind in _TIMES)
        own = [one for one in self.zones.columns if one.source.startswith(f"{largest.name}.")]
        clean = [one.source[len(largest.name) + 1 :] for one in own if not one.invalid]
        zone = clean[0] if clean else literal(next(iter(self.zones.zones), "Europe/Berlin"))
        shape = spelling.instant_to_zone if column.kind == "timestamptz" else spelling.to_zone
        day = f"CAST({shape.format(value=column.name, zone=zone)} AS DATE)"
        return f"SELECT {day} AS day, count(*) AS n\nFROM {largest.name}\nGROUP BY 1\nORDER BY 1"


def discover(backend: Backend, paths: Sequence[str] = ()) -> Discovery:
    """Look at a database, and at the queries in files and folders of ``paths``.

    DatabaseError if the catalog of that engine is not read, OutputError for a wrong path.
    """
    contents = backend.contents()
    if contents is None:
        raise DatabaseError(
            f"tzconv init does not read the catalog of {backend.product()}: run tzconv names for a "
            "zone column, tzconv rewrite FOLDER --check with the same --url for its reports, and "
            "write tzconv.toml as docs/configuration.md says."
        )
    given = reports.files_of(paths)  # a wrong path is said before the database is read
    rules = zones.installed()
    with backend.transaction(read_only=True):
        relations = [one for one in contents.relations() if not _is_ours(one)]
    skipped = [(one.name, one.why_skipped) for one in relations if one.why_skipped]
    readable = [one for one in relations if not one.why_skipped]
    known: Target | None
    try:
        known = target.read(backend)
    except NewerTablesError:
        raise
    except DatabaseError:  # the conversion tables are there and cannot be read
        known = None
    found, unread = zone_columns.find(backend, contents, readable)
    timed = [one for one in readable if any(column.kind in _TIMES for column in one.columns)]
    timed.sort(key=lambda one: -(one.rows or 0))
    first, first_in = _earliest(backend, contents, timed[:_DATED])
    span = horizon.choose(None, None, backend.now().date())
    judged = reports.judge(backend, contents, known, given)
    chosen = {*backend.default_tables, *judged.joined, *(known.loaded if known else ())}
    with backend.transaction(read_only=True):
        differences = function_check.disagreements(
            backend,
            rules,
            rules.names,
            span,
            inside=Horizon(dt.date(1970, 1, 1), OFFSETS_UNTIL),
        )
    return Discovery(
        backend.product(),
        backend.session_time_zone(),
        rules.release,
        None if known is None else "" if known.rules is None else known.rules.release,
        differences,
        timed,
        found,
        first,
        first_in,
        span.start,
        judged,
        (*skipped, *unread),
        contents.password,
        [name for name in tables.CONVERSIONS if name in chosen and name not in tables.ALWAYS],
    )


def _is_one(sql: str, dialect: str) -> bool:
    try:
        return sql.count("\n") < _MOST_LINES and is_one_query(sql, dialect)
    except ParseError:
        return False


def _is_ours(relation: Relation) -> bool:
    plain = relation.name.rpartition(".")[2]
    names = {column.name for column in relation.columns}
    return plain in OURS or names == {ALEMBIC_COLUMN}


def _earliest(
    backend: Backend, contents: Contents, relations: Sequence[Relation]
) -> tuple[dt.date | None, str]:
    """The first day in the time columns of small tables, and the column that has it."""
    found: list[tuple[dt.date, str]] = []
    for relation in relations:
        for column in relation.columns:
            if column.kind not in _TIMES:
                continue
            try:
                with backend.transaction(read_only=True):
                    day = contents.earliest(relation, column.name)
            except DatabaseError:  # a column whose first time is not found costs a comment
                continue
            if day is not None:
                found.append((day, f"{relation.name}.{column.name}"))
    return min(found, default=(None, ""))
