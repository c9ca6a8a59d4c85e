"""Apply a plan inside the open transaction, and check the rows there before the commit."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

import pyarrow as pa

from tzconv import tables
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError
from tzconv.refresher.plan import Plan, TablePlan
from tzconv.tables import arrow, checksums, generate

Progress = Callable[[str, int, int], None]
"""Called with a table's short name, the number of loaded zones and the number of all zones."""


def apply(
    backend: Backend, planned: Plan, progress: Progress | None, *, new: bool
) -> dict[str, int]:
    """Delete and insert rows by the plan; returns the number of rows of each table.

    ``new`` says that this refresh has made the tables. DatabaseError if the rows in the database
    differ from the generated ones.
    """
    order, others = planned.tables, planned.tables[:0]
    if new and backend.builds_index:
        # the largest first: while the database builds its index, we generate the other tables
        order = tuple(sorted(order, key=lambda one: one.table != "hourly"))
        others = order[1:]
    derived: set[str] = set()
    with _Rows(backend, planned, progress, others) as rows:
        for table_plan in order:
            name, touched = table_plan.table, table_plan.touched
            if name in tables.ALWAYS:
                derived |= touched
            if not touched:
                planned.sums.setdefault(name, {})
                continue
            _delete(backend, planned, table_plan)
            if table_plan.add or table_plan.edit:
                backend.load(tables.CONVERSIONS[name], rows.of(table_plan), new=new)
            total = checksums.total(planned.sums[name].values())
            if new and backend.whole(tables.CONVERSIONS[name]) == total:
                continue  # one checksum proves a new table
            wrong = _differing(backend, planned, table_plan)
            if wrong:  # the rows were not those of the release row: replace these zones completely
                _replace(backend, planned, name, wrong)
                derived |= set(wrong) if name in tables.ALWAYS else set()
            if not new and name != "zone":
                _check_invariants(backend, name, planned.few(touched))
    if derived:  # the database computes its own columns; then check the table that has them
        for statement in backend.derivation(planned.few(derived)):
            backend.execute(statement)
        _check_invariants(backend, "zone", None)  # all zones, because numbers are unique
    return {name: checksums.total(sums.values())[0] for name, sums in planned.sums.items()}


class _Rows:
    """The rows to insert, table by table.

    A thread generates those of ``others`` once all rows of the first table have been sent.
    """

    def __init__(
        self,
        backend: Backend,
        planned: Plan,
        progress: Progress | None,
        others: Iterable[TablePlan],
    ) -> None:
        self._stream = functools.partial(_stream, backend, planned, progress)
        self._others = [one for one in others if one.add or one.edit]
        self._worker = ThreadPoolExecutor(1)
        self._made: dict[str, Future[list[pa.RecordBatch]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._worker.shutdown(cancel_futures=True)

    def of(self, table_plan: TablePlan) -> pa.RecordBatchReader:
        """The rows of a table, once; their checksums are added to the plan."""
        schema = generate.arrow_schema(table_plan.table)
        if table_plan.table in self._made:
            return pa.RecordBatchReader.from_batches(schema, self._made[table_plan.table].result())
        rows = self._stream(table_plan)
        return pa.RecordBatchReader.from_batches(
            schema, self._and_others(rows) if self._others else rows
        )

    def _and_others(self, rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same batches, each generated while the one before is sent; then the other tables."""
        with ThreadPoolExecutor(1) as ahead:  # ends with the stream, even if it is not read fully
            coming = ahead.submit(next, rows, None)
            while (batch := coming.result()) is not None:
                coming = ahead.submit(next, rows, None)
                yield batch
        for one in self._others:
            self._made[one.table] = self._worker.submit(list, self._stream(one))
        self._others = []


def _stream(
    backend: Backend, planned: Plan, progress: Progress | None, table_plan: TablePlan
) -> Iterator[pa.RecordBatch]:
    """The rows of a table; in a first load their checksums are added to the plan."""
    name, zones = table_plan.table, len(table_plan.add) + len(table_plan.edit)
    done = itertools.count(1)

    def zone_done(_: str) -> None:
        if progress is not None:
            progress(name, next(done), zones)

    table = tables.CONVERSIONS[name]
    columns = [column.name for column in table.columns if column.name != "time_zone_name"]
    known, sums = name in planned.sums, planned.sums.setdefault(name, {})
    for batch in planned.rows(table_plan, zone_done):
        if batch.num_rows and not known:
            zone = batch.column("time_zone_name")[0].as_py()
            values = {column: arrow.values_of(batch.column(column)) for column in columns}
            part = backend.sums_of(table, zone, values)
            sums[zone] = checksums.total([part, sums[zone]] if zone in sums else [part])
        yield batch


def _delete(backend: Backend, planned: Plan, table_plan: TablePlan) -> None:
    if table_plan.empty:
        return
    table = tables.CONVERSIONS[table_plan.table]
    if set(table_plan.drop) >= set(planned.loaded.rules.names):
        backend.delete_all(table)
        return
    backend.delete_zones(table, table_plan.drop)
    runs = planned.runs(table_plan)
    if runs.num_rows:
        backend.delete_runs(table, runs)


def _differing(backend: Backend, planned: Plan, table_plan: TablePlan) -> list[str]:
    """Changed zones whose rows in the database differ from the generated ones."""
    expected, touched = planned.sums[table_plan.table], table_plan.touched
    selected = planned.few(touched)
    found = backend.checksums(tables.CONVERSIONS[table_plan.table], selected)
    zones = touched if selected is not None else touched | found.keys() | expected.keys()
    return sorted(zone for zone in zones if found.get(zone) != expected.get(zone))


def _replace(backend: Backend, planned: Plan, name: str, zones: list[str]) -> None:
    table, wanted = tables.CONVERSIONS[name], planned.wanted
    backend.delete_zones(table, zones)
    again = [zone for zone in zones if zone in planned.sums[name]]
    if again:
        backend.load(table, generate.stream(name, wanted.rules, again, wanted.horizon), new=False)
    found = backend.checksums(table, zones)
    wrong = [zone for zone in zones if found.get(zone) != planned.sums[name].get(zone)]
    if wrong:
        raise DatabaseError(
            f"{table.name} has other rows than were loaded for {len(wrong)} zones, {wrong[0]} "
            "first: nothing was changed; look for a trigger or a rule on that table."
        )


def _check_invariants(backend: Backend, name: str, touched: Collection[str] | None) -> None:
    table = tables.CONVERSIONS[name]
    for zone, wrong in backend.broken(table, touched).items():
        raise DatabaseError(
            f"{table.name} would have {wrong} for {zone}: nothing was changed; please report this."
        )
