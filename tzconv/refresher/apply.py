"""Turn the loaded rows into the wanted ones inside the open transaction, and check them there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

import pyarrow as pa

from tzconv import arrow, checksums, generate, tables
from tzconv.backends import Backend
from tzconv.checksums import Sums
from tzconv.errors import DatabaseError
from tzconv.refresher.plan import Plan, TablePlan

Progress = Callable[[str, int, int], None]
"""Called with a table's short name, the number of zones loaded and the number of all zones."""


def apply(
    backend: Backend, planned: Plan, progress: Progress | None, *, new: bool
) -> dict[str, int]:
    """Delete and insert what the plan says; the rows of each table afterwards.

    ``new`` says that this refresh has made the tables. DatabaseError where the database does not
    hold what was generated.
    """
    order, others = planned.tables, planned.tables[:0]
    if new and backend.builds_index:
        # the largest first: while the database builds its index, the rows of the others are made
        order = tuple(sorted(order, key=lambda one: one.table != "hourly"))
        others = order[1:]
    with _Rows(backend, planned, progress, others) as made:
        for table_plan in order:
            if table_plan.nothing:
                planned.sums.setdefault(table_plan.table, {})
                continue
            _delete(backend, planned, table_plan)
            if table_plan.add or table_plan.edit:
                rows = made.of(table_plan)
                backend.load(tables.CONVERSIONS[table_plan.table], rows, new=new)
            if new and _is_whole(backend, planned, table_plan.table):
                continue
            wrong = _differing(backend, planned, table_plan)
            if wrong:  # the rows were not what the release row said: replace those zones altogether
                _replace(backend, planned, table_plan.table, wrong)
            if not new:
                _check_invariants(backend, planned, table_plan)
    return {name: sum(rows for rows, _, _ in sums.values()) for name, sums in planned.sums.items()}


class _Rows:
    """The rows to insert, table by table; those of ``others`` are made beside the database.

    They are begun when the rows of the first table have all been sent.
    """

    def __init__(
        self,
        backend: Backend,
        planned: Plan,
        progress: Progress | None,
        others: Iterable[TablePlan],
    ) -> None:
        self._backend = backend
        self._planned = planned
        self._progress = progress
        self._others = [one for one in others if one.add or one.edit]
        self._worker: ThreadPoolExecutor | None = None
        self._made: dict[str, Future[list[pa.RecordBatch]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._worker is not None:
            self._worker.shutdown(cancel_futures=True)

    def of(self, table_plan: TablePlan) -> pa.RecordBatchReader:
        """The rows of a table, which come once; what passes is summed into the plan."""
        if table_plan.table in self._made:
            made = self._made[table_plan.table].result()
            return pa.RecordBatchReader.from_batches(generate.arrow_schema(table_plan.table), made)
        rows = self._stream(table_plan)
        if not self._others:
            return rows
        return pa.RecordBatchReader.from_batches(rows.schema, self._and_others(rows))

    def _and_others(self, rows: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        yield from _ahead(rows)
        self._worker = ThreadPoolExecutor(1)
        self._made = {one.table: self._worker.submit(self._list, one) for one in self._others}
        self._others = []

    def _list(self, table_plan: TablePlan) -> list[pa.RecordBatch]:
        return list(self._stream(table_plan))

    def _stream(self, table_plan: TablePlan) -> pa.RecordBatchReader:
        name, total = table_plan.table, len(table_plan.add) + len(table_plan.edit)
        rows = self._planned.rows(name, _counter(name, total, self._progress))
        if name in self._planned.sums:
            return rows
        return _counting(self._backend, self._planned, name, rows)


def _ahead(rows: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """The same batches, each made while the one before it is sent."""
    batches = iter(rows)
    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = worker.submit(next, batches, None)
            yield batch


def _counting(
    backend: Backend, planned: Plan, name: str, rows: pa.RecordBatchReader
) -> pa.RecordBatchReader:
    """The same stream; what passes is counted and summed into the plan."""
    table = tables.CONVERSIONS[name]
    sums = planned.sums.setdefault(name, {})

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in rows:
            if batch.num_rows:
                zone = batch.column("time_zone_name")[0].as_py()
                columns = {
                    column.name: arrow.values_of(batch.column(column.name))
                    for column in table.columns
                    if column.name != "time_zone_name"
                }
                part = backend.sums_of(table, zone, columns)
                sums[zone] = checksums.add(sums[zone], part) if zone in sums else part
            yield batch

    return pa.RecordBatchReader.from_batches(rows.schema, batches())


def _delete(backend: Backend, planned: Plan, table_plan: TablePlan) -> None:
    if table_plan.empty:
        return
    table = tables.CONVERSIONS[table_plan.table]
    if set(table_plan.drop) >= set(planned.loaded.rules.names):
        backend.delete_all(table)
        return
    backend.delete_zones(table, table_plan.drop)
    runs = planned.runs(table_plan.table)
    if runs.num_rows:
        backend.delete_runs(table, runs)


def _differing(backend: Backend, planned: Plan, table_plan: TablePlan) -> list[str]:
    """Touched zones whose rows in the database are not those that were generated."""
    expected = planned.sums[table_plan.table]
    # to ask about most zones by name is slower than to ask about all
    few = len(table_plan.touched) * 2 < len(planned.wanted.names)
    touched = table_plan.touched
    there = backend.checksums(tables.CONVERSIONS[table_plan.table], touched if few else None)
    zones = touched if few else touched | there.keys() | expected.keys()
    return sorted(zone for zone in zones if there.get(zone) != expected.get(zone))


def _is_whole(backend: Backend, planned: Plan, name: str) -> bool:
    """Of a new table one sum says that its rows are those that were generated."""
    whole = backend.whole(tables.CONVERSIONS[name])
    if whole is None:
        return False
    expected: Sums = (0, 0, 0)
    for part in planned.sums[name].values():
        expected = checksums.add(expected, part)
    return whole == expected


def _replace(backend: Backend, planned: Plan, name: str, zones: list[str]) -> None:
    table, asked = tables.CONVERSIONS[name], planned.wanted
    backend.delete_zones(table, zones)
    again = [zone for zone in zones if zone in planned.sums[name]]
    if again:
        backend.load(table, generate.stream(name, asked.rules, again, asked.horizon), new=False)
    there = backend.checksums(table, zones)
    wrong = [zone for zone in zones if there.get(zone) != planned.sums[name].get(zone)]
    if wrong:
        raise DatabaseError(
            f"{table.name} does not hold what was generated for {len(wrong)} zones, "
            f"{wrong[0]} first: nothing was changed; look for a trigger or a rule on that table."
        )


def _check_invariants(backend: Backend, planned: Plan, table_plan: TablePlan) -> None:
    table = tables.CONVERSIONS[table_plan.table]
    touched = table_plan.touched
    few = len(touched) * 2 < len(planned.wanted.names)
    for zone, wrong in backend.broken(table, touched if few else None).items():
        raise DatabaseError(
            f"{table.name} would have {wrong} for {zone}: nothing was changed; please report this."
        )


def _counter(name: str, total: int, progress: Progress | None) -> Callable[[str], None]:
    done = 0

    def zone_done(_: str) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(name, done, total)

    return zone_done
