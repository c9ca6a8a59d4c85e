"""A view over a fact table that has the local time of each row as ready columns.

For tools that write their own SQL and cannot call the rewriter. Its text is the natural query, with
the function of the database, rewritten like any other query. It is compared with the function on
all rows before it is created.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tzconv import engines, rewriter, target
from tzconv.compare import Comparison, compare
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError, QueryError
from tzconv.view import checks, source
from tzconv.view.source import Source
from tzconv.zone_names import ask

COLUMNS: Mapping[str, str] = {
    "time": "{time}",
    "hour": "date_trunc('hour', {time})",
    "day": "CAST({time} AS date)",
    "week": "CAST(date_trunc('week', {time}) AS date)",
    "month": "CAST(date_trunc('month', {time}) AS date)",
}
"""The local columns as SQL text, by their names in ``--columns``."""


@dataclass(frozen=True, slots=True)
class View:
    """A view that may be created.

    ``options`` are those of its CREATE VIEW, ``query`` is its text, ``native`` the same with the
    function. ``columns`` are the names of the local columns by their kind;
    ``strategies`` say how conversions were rewritten, ``notes`` are sentences for the user.
    """

    name: str
    options: str
    source: Source
    columns: Mapping[str, str]
    native: str
    query: str
    strategies: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def sql(self) -> str:
        """The CREATE VIEW statement."""
        return f"CREATE VIEW {self.name}{self.options} AS\n{self.query}"


def plan(
    backend: Backend,
    column: str,
    *,
    zone_column: str | None = None,
    zone: str | None = None,
    key: str | None = None,
    name: str | None = None,
    columns: Sequence[str] = ("time", "hour", "day"),
) -> View:
    """The view over the table of ``column``, a UTC time; nothing is written.

    ``zone_column`` has the zone of each row: a column of the same table, or ``TABLE.COLUMN`` of
    another one that ``key``, ``COLUMN=COLUMN``, joins. ``zone`` is one zone for all rows instead.
    DatabaseError if the conversion tables are not loaded, if the function has other rules for a
    zone of the rows, and for names and types that do not fit.
    """
    options = _options(backend)
    of = source.read(backend, column, zone_column=zone_column, zone=zone, key=key)
    place = source.view_name(name, of.table, engines.engine_of(backend.dialect).quote)
    if source.exists(backend, place):
        raise DatabaseError(f"{place} exists already: choose another --name, or drop it first.")
    there = ask(backend, f"SELECT * FROM {of.table} AS t LIMIT 0", of.title).names
    names = _column_names(columns, there)
    if zone is not None and source.known_zone(zone) not in options["rules"]:
        raise DatabaseError(f"The tables have no zone {zone}: run tzconv refresh --zones all.")
    notes = list(checks.refuse_zones(backend, of))
    checks.refuse_repeated_keys(backend, of.owner)
    native = _text(of, names)
    rights, note = backend.view_rights()
    notes += [note] if note else []
    result = rewriter.rewrite(native, **options)
    left = [one for one in result.left if one.code != "fixed-offset"]  # in UTC it may stay
    if left or not (result.changes or result.left):
        reasons = dict.fromkeys(one.reason for one in left)
        why = "; ".join(reasons) or "no strategy for it is faster here"
        raise DatabaseError(f"{column}: the conversion would stay as it is ({why}).")
    strategies = tuple(dict.fromkeys(change.strategy for change in result.changes))
    return View(place, rights, of, names, native, result.sql, strategies, tuple(notes))


def verify(backend: Backend, view: View, *, rounds: int = 3) -> Comparison:
    """Compare the view with the function on all rows, and time a report on both.

    The report counts the rows of each local day. QueryError if rows differ; ``rows`` are those of
    the view.
    """
    with backend.transaction(read_only=True):
        rows = checks.refuse_differences(
            backend, view.source, view.native, f"(\n{view.query}\n)", view.columns
        )
    day = f"CAST(r.{view.columns['time']} AS date)"
    report = f"SELECT {day} AS day, count(*) AS number FROM (\n{{}}\n) AS r GROUP BY {day}"
    native, query = (report.replace("{}", text) for text in (view.native, view.query))
    found = compare(backend, native, query, rounds=rounds)
    if not found.same:
        raise QueryError(f"The view differs from the function: {'; '.join(found.differences)}.")
    return replace(found, rows=rows)


def create(backend: Backend, view: View) -> None:
    """Create the view and compare it with the function again, in one transaction.

    DatabaseError on engines that commit a CREATE VIEW at once.
    """
    facts = engines.facts_of(backend.dialect)
    if backend.ddl_commits or not facts.has_ddl:
        raise DatabaseError(
            f"tzconv creates no views on {facts.title}, where it cannot undo one: run the printed "
            "statement yourself."
        )
    with backend.transaction():
        execute(backend, view)


def execute(backend: Backend, view: View) -> None:
    """The same inside of a transaction."""
    backend.execute(view.sql)
    checks.refuse_differences(backend, view.source, view.native, view.name, view.columns)


def _options(backend: Backend) -> dict[str, Any]:
    """The arguments of the rewrite, for a text that is kept and meant in every session."""
    found = target.anywhere(target.read(backend), backend)
    # more rows will come: the measurement decides, not how many there are today
    options = found.options(kept=True) | {"rows": None, "plans": None}
    periods = engines.engine_of(backend.dialect).periods
    if periods is not None and periods.checked:
        # a later refresh may empty the period table, and only an outer join can be read then
        fewer = periods.inner_from - 1
        options["rows"] = lambda _: fewer
    return options


def _text(of: Source, names: Mapping[str, str]) -> str:
    """The query with the function of the database."""
    time = f"v.{names['time']}"
    more = [
        f", {COLUMNS[kind].format(time=time)} AS {name}"
        for kind, name in names.items()
        if kind != "time"
    ]
    return (
        f"SELECT v.*{''.join(more)}\nFROM (\n"
        f"    SELECT t.*, {of.time} AS {names['time']}\n"
        f"    FROM {of.relations}\n) AS v"
    )


def _column_names(kinds: Sequence[str], there: Sequence[str]) -> dict[str, str]:
    """Names that the table does not have: ``local_day``, or else ``local_day_2`` and so on."""
    unknown = [kind for kind in kinds if kind not in COLUMNS]
    if unknown:
        raise DatabaseError(
            f"There is no local column {unknown[0]!r}: choose from {', '.join(COLUMNS)}."
        )
    kinds = [kind for kind in COLUMNS if kind in {"time", *kinds}]
    taken = {name.casefold() for name in there}
    suffix, number = "", 1
    while any(f"local_{kind}{suffix}" in taken for kind in kinds):
        number += 1
        suffix = f"_{number}"
    return {kind: f"local_{kind}{suffix}" for kind in kinds}
