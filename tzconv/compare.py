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
_NOT_REPEATABLE = (
    "the original does not return the same rows when it runs again (a LIMIT without a full ORDER "
    "BY, or a function like random()): make it repeatable to compare it"
)


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

    One transaction means one state of the data and one NOW(). QueryError where the original fails
    or is no SELECT; a rewritten query that fails where the original does not is a difference.
    """
    if rounds < 1:
        raise QueryError(f"{rounds} rounds compare nothing: run at least one.")
    with backend.transaction(read_only=True):
        one = _run(backend, original)
        before, after = [_cost(one)], []
        try:
            other = backend.query(rewritten)
        except QueryError as error:
            found, note = [f"the rewritten query fails: {error}"], None
        else:
            after.append(_cost(other))
            found, note = differences(one, other)
            if found and _shape(one) == _shape(other):
                again = _run(backend, original)
                found += [_NOT_REPEATABLE] if differences(one, again)[0] else []
            for _ in range(rounds - 1):  # only the cost of these is kept
                before.append(_cost(_run(backend, original)))
                after.append(_cost(backend.query(rewritten)))
    return Comparison(
        not found,
        one.rows.num_rows,
        _median(before, 0),
        _median(after, 0),
        _median(before, 1),
        _median(after, 1),
        tuple(found),
        note,
    )


def _cost(result: Result) -> tuple[float, float]:
    return result.seconds, result.cpu_seconds


def _median(costs: list[tuple[float, float]], index: int) -> float:
    return statistics.median(cost[index] for cost in costs) if costs else 0.0


def _shape(result: Result) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return result.names, result.types


def _run(backend: Backend, sql: str) -> Result:
    try:
        return backend.query(sql)
    except QueryError as error:
        raise QueryError(f"The original query fails: {error}") from error


def differences(one: Result, other: Result) -> tuple[list[str], str | None]:
    """How the second result differs, in sentences, none where they are the same; and the note."""
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
    if found or one.rows.equals(other.rows):  # equal in order too, as they mostly are
        return found, None
    if not one.names:
        return [f"{one.rows.num_rows} rows became {other.rows.num_rows}"], None
    with duckdb.connect() as private:
        # TIMESTAMPTZ values are shown in UTC, whatever the machine's zone
        private.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
        private.register("one", one.rows)
        private.register("other", other.rows)
        lost, lost_rows = _only_in(private, "one", "other")
        added, added_rows = _only_in(private, "other", "one")
        if not lost and not added:
            return [], None
        floating = [
            f"c{index}"
            for index, field in enumerate(one.rows.schema)
            if pa.types.is_floating(field.type)
        ]
        if floating and lost == added and _same_but_for_rounding(private, one.rows, floating):
            names = ", ".join(one.names[int(column[1:])] for column in floating)
            return [], f"floating-point numbers differ in their last digits: {names}"
    return [
        f"{one.rows.num_rows} rows became {other.rows.num_rows}: {lost} gone, {added} new",
        *(f"only in the original: {row}" for row in lost_rows),
        *(f"only in the rewritten query: {row}" for row in added_rows),
    ], None


def _only_in(private: duckdb.DuckDBPyConnection, one: str, other: str) -> tuple[int, list[str]]:
    """How many rows of ``one`` the other lacks, and the first of them as text."""
    private.execute(f"CREATE TEMP TABLE only_in_{one} AS FROM {one} EXCEPT ALL FROM {other}")
    count = private.execute(f"SELECT count(*) FROM only_in_{one}").fetchall()[0][0]
    rows = private.execute(
        f"SELECT COLUMNS(*)::VARCHAR FROM only_in_{one} ORDER BY ALL LIMIT {_SHOWN_ROWS}"
    ).fetchall()
    return count, [", ".join("NULL" if value is None else value for value in row) for row in rows]


def _same_but_for_rounding(
    private: duckdb.DuckDBPyConnection, rows: pa.Table, floating: list[str]
) -> bool:
    """Whether the rows that differ agree pair by pair, floating-point columns to nine digits."""
    exact = [name for name in rows.column_names if name not in floating]
    # Pairs are found by eight digits: by all of them, two rows that round apart would cross over.
    order = ", ".join([*exact, *(f"format('{{:.7e}}', {name}::DOUBLE)" for name in floating)])
    agree = [f"a.{name} IS NOT DISTINCT FROM b.{name}" for name in exact]
    agree += [
        f"(a.{name} IS NOT DISTINCT FROM b.{name} OR "
        # to DuckDB NaN equals NaN and lies above infinity, so neither may reach the subtraction
        f"(isfinite(a.{name}) AND isfinite(b.{name}) AND abs(a.{name} - b.{name}) <= "
        f"{_TOLERANCE} * greatest(abs(a.{name}), abs(b.{name}))))"
        for name in floating
    ]
    apart = private.execute(
        f"SELECT count(*) FROM "
        f"(SELECT *, row_number() OVER (ORDER BY {order}) AS n FROM only_in_one) a JOIN "
        f"(SELECT *, row_number() OVER (ORDER BY {order}) AS n FROM only_in_other) b USING (n) "
        f"WHERE ({' AND '.join(agree)}) IS NOT TRUE"
    ).fetchall()
    return bool(apart[0][0] == 0)
