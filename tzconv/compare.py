"""Run a query as it is and rewritten, and compare rows and time.

Used by ``tzconv compare``, the demonstration, the benchmark and shadow mode.

Rows are compared as multisets, in a private DuckDB: NULL equals NULL, NaN equals NaN. Columns must
have the same names and types in the same order. Sums of floating-point numbers depend on the order
of addition; rows that differ only in that are the same, with a note.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from tzconv.engines import embedded
from tzconv.engines.backend import Backend, Result
from tzconv.errors import QueryError

FAILS = "the original query fails, also without tzconv:"
"""What comes before the reason."""
_TOLERANCE = 1e-9
NOISE = 1.05
"""Ratios of one run differ from those of the next by this factor."""
_UNNOTICED = 0.0002
"""Seconds that nobody notices."""
_REPEAT_SECONDS, _REPEATS = 0.05, 100


class OriginalFailsError(QueryError):
    """The original query fails; ``reason`` is the database's message."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{FAILS.capitalize()} {reason}")


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one run; ``cpu`` is NaN if the server is on another machine."""

    elapsed: float
    cpu: float

    def above(self, other: Cost, ratio: float | None = None) -> tuple[str, ...]:
        """The figures that are too high, in words, such as ``1.10 times the CPU time``.

        Too high is over ``ratio`` times the other's and 0.2 ms, or what :meth:`loses_to` says.
        """

        def limit(of: float) -> float:
            if ratio is None:
                return max(of * NOISE, of + _UNNOTICED)
            return of * ratio + _UNNOTICED

        figures = (
            (self.elapsed, other.elapsed, "as long"),
            (self.cpu, other.cpu, "the CPU time"),
        )
        return tuple(
            f"{own / max(of, 1e-9):.2f} times {words}"
            for own, of, words in figures
            if own > limit(of)
        )

    def loses_to(self, other: Cost) -> bool:
        """Whether it is slower by more than 5 % and more than 0.2 ms, elapsed or CPU."""
        return bool(self.above(other))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two queries return the same rows, and what each cost (medians, seconds).

    ``differences`` are sentences, none where the rows are the same. ``note`` says which differences
    were ignored. CPU seconds count all threads and parallel workers.
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
    def original(self) -> Cost:
        """What the original query costs."""
        return Cost(self.original_seconds, self.original_cpu_seconds)

    @property
    def rewritten(self) -> Cost:
        """What the rewritten query costs."""
        return Cost(self.rewritten_seconds, self.rewritten_cpu_seconds)

    @property
    def ratio(self) -> float:
        """Elapsed time of the rewritten query over that of the original."""
        return self.rewritten_seconds / max(self.original_seconds, 1e-9)

    @property
    def cpu_ratio(self) -> float:
        """CPU time of the rewritten query over that of the original."""
        return self.rewritten_cpu_seconds / max(self.original_cpu_seconds, 1e-9)


def compare(
    backend: Backend, original: str, rewritten: str | None, *, rounds: int = 1
) -> Comparison:
    """Run both queries ``rounds`` times in turn, in one transaction that is rolled back.

    ``rewritten`` is None for a query that stays as it is: it runs once, and NaN are the other
    figures. A fast query runs up to 100 times a round, to measure it above the noise. One
    transaction means one state of the data and one NOW(). OriginalFailsError where the original
    fails or is no SELECT; a rewritten query that fails where the original does not is a difference.
    """
    if rounds < 1:
        raise QueryError(f"{rounds} rounds compare nothing: run at least one.")

    def run_original() -> tuple[Result, Cost]:
        try:
            return timed(backend, original)
        except QueryError as error:
            raise OriginalFailsError(str(error)) from error

    note, found = None, list[str]()
    with backend.transaction(read_only=True):
        before, cost = run_original()
        costs, new_costs = [cost], list[Cost]()
        try:
            after, cost = (None, cost) if rewritten is None else timed(backend, rewritten)
        except QueryError as error:
            after, found = None, [f"the rewritten query fails: {error}"]
        if rewritten is not None and after is not None:
            new_costs.append(cost)
            found, note = differences(before, after)
            has_other_rows = found and (before.names, before.types) == (after.names, after.types)
            if has_other_rows and differences(before, run_original()[0])[0]:
                found.append(
                    "the original does not return the same rows when it runs again (a LIMIT "
                    "without a full ORDER BY, or a function like random()): make it repeatable to "
                    "compare it"
                )
            for _ in range(rounds - 1):  # only the cost of these is kept
                costs.append(run_original()[1])
                new_costs.append(timed(backend, rewritten)[1])
    first, second = median(costs), median(new_costs or [Cost(math.nan, math.nan)])
    return Comparison(
        not found,
        before.rows.num_rows,
        first.elapsed,
        second.elapsed,
        first.cpu,
        second.cpu,
        tuple(found),
        note,
    )


def shown(seconds: float) -> str:
    """A duration for people, with three digits that count at least: of ratios all do."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    milliseconds = seconds * 1000
    digits = 1
    if 0 < milliseconds < 10:
        digits = 2 - math.floor(math.log10(milliseconds))
    return f"{milliseconds:.{digits}f} ms"


def timed(backend: Backend, sql: str) -> tuple[Result, Cost]:
    """The rows, and the cost of one run: the median of several if the query is fast."""
    results = [backend.query(sql)]
    spent = results[0].seconds
    while spent < _REPEAT_SECONDS and len(results) < _REPEATS:
        results.append(backend.query(sql))
        spent += results[-1].seconds
    return results[0], median(Cost(result.seconds, result.cpu_seconds) for result in results)


def median(costs: Iterable[Cost]) -> Cost:
    """The median of elapsed and of CPU seconds, each for itself."""
    elapsed, cpu = zip(*((cost.elapsed, cost.cpu) for cost in costs), strict=True)
    return Cost(statistics.median(elapsed), statistics.median(cpu))


def differences(one: Result, other: Result) -> tuple[list[str], str | None]:
    """How the second result differs, in sentences, none where they are the same; and the note."""
    if len(one.names) != len(other.names):
        return [f"{len(one.names)} columns became {len(other.names)}"], None
    names = enumerate(zip(one.names, other.names, strict=True), 1)
    types = zip(one.names, one.types, other.types, strict=True)
    found = [
        f"column {number} was named {before!r} and is now named {after!r}"
        for number, (before, after) in names
        if before != after
    ]
    found += [
        f"column {name!r} was {before} and is now {after}"
        for name, before, after in types
        if before != after
    ]
    if found or one.rows.equals(other.rows):  # equal in order too, as they mostly are
        return found, None
    with embedded.connect() as private:
        # TIMESTAMPTZ values are printed in UTC, whatever the machine's zone
        private.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
        private.register("one", one.rows)
        private.register("other", other.rows)
        lost, lost_rows = _only_in(private, "one", "other")
        added, added_rows = _only_in(private, "other", "one")
        if not lost and not added:
            return [], None
        floating = [
            f"c{index}"
            for index, fields in enumerate(zip(one.rows.schema, other.rows.schema, strict=True))
            if all(pa.types.is_floating(field.type) for field in fields)
        ]
        if floating and lost == added and _same_but_for_rounding(private, one.rows, floating):
            rounded = ", ".join(one.names[int(column[1:])] for column in floating)
            return [], f"floating-point numbers differ in their last digits: {rounded}"
    return [
        f"{one.rows.num_rows} rows became {other.rows.num_rows}: {lost} gone, {added} new",
        *(f"only in the original: {row}" for row in lost_rows),
        *(f"only in the rewritten query: {row}" for row in added_rows),
    ], None


def _only_in(private: embedded.Connection, one: str, other: str) -> tuple[int, list[str]]:
    """How many rows of ``one`` the other lacks, and the first of them as text."""
    private.execute(f"CREATE TEMP TABLE only_in_{one} AS FROM {one} EXCEPT ALL FROM {other}")
    count = private.execute(f"SELECT count(*) FROM only_in_{one}").fetchall()[0][0]
    rows = private.execute(
        f"SELECT COLUMNS(*)::VARCHAR FROM only_in_{one} ORDER BY ALL LIMIT 5"
    ).fetchall()
    return count, [", ".join("NULL" if value is None else value for value in row) for row in rows]


def _same_but_for_rounding(
    private: embedded.Connection, rows: pa.Table, floating: list[str]
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
