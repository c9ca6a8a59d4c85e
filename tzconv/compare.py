"""Run a query as it was and as it was rewritten, and compare what comes back.

Rows are compared as multisets, in a private DuckDB: NULL equals NULL, NaN equals NaN. Columns must
have the same names and types in the same order. Sums of floating-point numbers depend on the order
of addition; rows that differ only in that are the same, with a note.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from tzconv.backends import Backend, Result
from tzconv.errors import QueryError

_SHOWN_ROWS = 5
_TOLERANCE = 1e-9


class _RolledBack(Exception):  # noqa: N818 # not an error: the way out of a transaction
    """Ends the transaction of a comparison, so that nothing the queries do stays."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two queries return the same, and what each cost (medians, seconds).

    ``differences`` are sentences; they are empty where the queries return the same. ``note`` says
    what was allowed for. CPU seconds count all threads of the process that ran the queries.
    """

    same: bool
    rows: int
    original_seconds: float
    rewritten_seconds: float
    original_cpu_seconds: float
    rewritten_cpu_seconds: float
    differences: tuple[str, ...]
    note: str | None

    @property
    def ratio(self) -> float:
        """Elapsed time of the rewritten query over that of the original."""
        return self.rewritten_seconds / max(self.original_seconds, 1e-9)

    @property
    def cpu_ratio(self) -> float:
        """CPU time of the rewritten query over that of the original."""
        return self.rewritten_cpu_seconds / max(self.original_cpu_seconds, 1e-9)


def compare(backend: Backend, original: str, rewritten: str, *, rounds: int = 1) -> Comparison:
    """Run both queries ``rounds`` times in turn, in one transaction that is rolled back.

    One transaction means one state of the data and one NOW(). QueryError where the original fails;
    a rewritten query that fails where the original does not is a difference.
    """
    first: list[Result] = []
    second: list[Result] = []
    failure = None
    try:
        with backend.transaction():
            for _ in range(rounds):
                first.append(_run(backend, original))
                try:
                    second.append(backend.query(rewritten))
                except QueryError as error:
                    failure = f"the rewritten query fails: {error}"
                    break
            raise _RolledBack  # noqa: TRY301 # the way to leave a transaction undone
    except _RolledBack:
        pass
    if failure is not None:
        differences, note = [failure], None
    else:
        differences, note = _differences(first[0], second[0])
    return Comparison(
        not differences,
        first[0].rows.num_rows,
        statistics.median(result.seconds for result in first),
        statistics.median(result.seconds for result in second) if second else 0.0,
        statistics.median(result.cpu_seconds for result in first),
        statistics.median(result.cpu_seconds for result in second) if second else 0.0,
        tuple(differences),
        note,
    )


def _run(backend: Backend, sql: str) -> Result:
    try:
        return backend.query(sql)
    except QueryError as error:
        raise QueryError(f"The original query fails: {error}") from error


def _differences(one: Result, other: Result) -> tuple[list[str], str | None]:
    if len(one.names) != len(other.names):
        return [f"{len(one.names)} columns became {len(other.names)}"], None
    found = [
        f"column {number} was named {before!r} and is now named {after!r}"
        for number, (before, after) in enumerate(zip(one.names, other.names, strict=True), 1)
        if before != after
    ]
    found += [
        f"column {name!r} was {before} and is now {after}"
        for name, before, after in zip(one.names, one.types, other.types, strict=True)
        if before != after
    ]
    if found or not one.names:
        return found, None
    with duckdb.connect() as private:
        # TIMESTAMPTZ values are shown in UTC, whatever the machine's zone
        private.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
        private.register("one", one.rows)
        private.register("other", other.rows)
        lost = _only_in(private, "one", "other")
        added = _only_in(private, "other", "one")
        if not lost and not added:
            return [], None
        floating = [
            f"c{index}"
            for index, field in enumerate(one.rows.schema)
            if pa.types.is_floating(field.type)
        ]
        if floating and _same_but_for_rounding(private, one.rows, other.rows, floating):
            names = ", ".join(one.names[int(column[1:])] for column in floating)
            return [], f"floating-point numbers differ in their last digits: {names}"
    return [
        f"{one.rows.num_rows} rows became {other.rows.num_rows}",
        *(f"only in the original: {row}" for row in lost),
        *(f"only in the rewritten query: {row}" for row in added),
    ], None


def _only_in(private: duckdb.DuckDBPyConnection, one: str, other: str) -> list[str]:
    rows = private.execute(
        f"SELECT COLUMNS(*)::VARCHAR FROM (FROM {one} EXCEPT ALL FROM {other}) "
        f"ORDER BY ALL LIMIT {_SHOWN_ROWS}"
    ).fetchall()
    return [", ".join("NULL" if value is None else value for value in row) for row in rows]


def _same_but_for_rounding(
    private: duckdb.DuckDBPyConnection, one: pa.Table, other: pa.Table, floating: list[str]
) -> bool:
    """Whether the sorted rows agree pair by pair, floating-point columns to nine digits."""
    if one.num_rows != other.num_rows:
        return False
    exact = [name for name in one.column_names if name not in floating]
    order = ", ".join([*exact, *floating])
    agree = [f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in exact]
    agree += [
        f"(a.{name} IS NOT DISTINCT FROM b.{name} OR abs(a.{name} - b.{name}) <= "
        f"{_TOLERANCE} * greatest(abs(a.{name}), abs(b.{name})))"
        for name in floating
    ]
    rows = private.execute(
        f"SELECT count(*) FROM (SELECT *, row_number() OVER (ORDER BY {order}) AS n FROM one) a "
        f"JOIN (SELECT *, row_number() OVER (ORDER BY {order}) AS n FROM other) b USING (n) "
        f"WHERE {' AND '.join(agree)}"
    ).fetchall()
    return bool(rows[0][0] == one.num_rows)
