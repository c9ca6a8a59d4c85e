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
from tzconv.refresher import edges
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
            if touched := table_plan.touched:
                touched |= _apply_to(backend, planned, table_plan, rows, new=new)
                derived |= touched if table_plan.table in tables.ALWAYS else frozenset()
    if derived:  # the database computes its own columns; then check the table that has them
        for statement in backend.derivation(planned.few(derived)):
            backend.execute_own(statement)
        _check_invariants(backend, "zone", None)  # all zones, because numbers are unique
    release = planned.release()
    return {name: release[f"{name}_rows"] for name in tables.CONVERSIONS}


def _apply_to(
    backend: Backend, planned: Plan, table_plan: TablePlan, rows: _Rows, *, new: bool
) -> frozenset[str]:
    """Change one table and check it; returns the zones that were wrong and were replaced."""
    name = table_plan.table
    table, sums = tables.CONVERSIONS[name], planned.sums[name]
    _delete(backend, planned, table_plan)
    if table_plan.inserts:
        backend.load(table, rows.of(table_plan), new=new)
    if new and backend.whole(table) == checksums.total(sums.inserted.values()):
        return frozenset()  # one checksum proves a new table
    wrong = _differing(backend, planned, table_plan)
    if wrong:  # the rows were not those of the release row: replace these zones completely
        _replace(backend, planned, name, wrong)
    if not new and name != "zone":
        whole = (table_plan.touched - {*table_plan.move}) | {*wrong}
        if whole:
            _check_invariants(backend, name, planned.few(whole))
        for condition in edges.around(name, table_plan.inner) if table_plan.inner else ():
            _check_invariants(backend, name, _listed(backend, planned, table_plan), condition)
    return frozenset(wrong)


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
        self._others = [one for one in others if one.inserts]
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
    name, zones = table_plan.table, table_plan.inserts
    done = itertools.count(1)

    def zone_done(_: str) -> None:
        if progress is not None:
            progress(name, next(done), zones)

    table, sums = tables.CONVERSIONS[name], planned.sums[name]
    columns = [column.name for column in table.columns if column.name != "time_zone_name"]
    known = frozenset(sums.inserted)
    for batch in planned.rows(table_plan, zone_done):
        zone = batch.column("time_zone_name")[0].as_py() if batch.num_rows else ""
        if zone and zone not in known:
            values = {column: arrow.values_of(batch.column(column)) for column in columns}
            part = backend.sums_of(table, zone, values)
            before = [sums.inserted[zone]] if zone in sums.inserted else []
            sums.inserted[zone] = sums.whole[zone] = checksums.total([*before, part])
        yield batch


def _delete(backend: Backend, planned: Plan, table_plan: TablePlan) -> None:
    if table_plan.empty:
        return
    table = tables.CONVERSIONS[table_plan.table]
    names = planned.loaded.names  # none without an offset table: the others may have rows
    if names and set(table_plan.drop) >= set(names):
        backend.delete_all(table)
        return
    backend.delete_zones(table, table_plan.drop)
    runs = planned.runs(table_plan)
    if runs.num_rows:
        backend.delete_runs(table, runs)
    if table_plan.inner is not None and table_plan.move:
        condition = edges.outside(table_plan.table, table_plan.inner)
        backend.delete_where(table, _listed(backend, planned, table_plan), condition)


def _listed(backend: Backend, planned: Plan, table_plan: TablePlan) -> Collection[str] | None:
    """The zones with a moved horizon; None where a query for all rows finds theirs faster."""
    return table_plan.move if backend.lists_zones else planned.few(table_plan.move)


def _differing(backend: Backend, planned: Plan, table_plan: TablePlan) -> list[str]:
    """Changed zones whose rows in the database differ from the generated ones."""
    table, sums = tables.CONVERSIONS[table_plan.table], planned.sums[table_plan.table]
    wrong: set[str] = set()
    moved = frozenset(table_plan.move)
    if whole := table_plan.touched - moved:
        selected = planned.few(whole)
        found = backend.checksums(table, selected)
        others = found.keys() - {*planned.wanted.names} if selected is None else set()
        wrong |= {zone for zone in whole | others if found.get(zone) != sums.whole.get(zone)}
    if moved and table_plan.inner is not None:
        condition = edges.outside(table_plan.table, table_plan.inner)
        found = backend.checksums(table, _listed(backend, planned, table_plan), condition)
        none = checksums.total([])
        wrong |= {zone for zone in moved if found.get(zone, none) != sums.inserted[zone]}
    return sorted(wrong)


def _replace(backend: Backend, planned: Plan, name: str, zones: list[str]) -> None:
    table, wanted = tables.CONVERSIONS[name], planned.wanted
    backend.delete_zones(table, zones)
    again = [zone for zone in zones if zone in wanted.names and name in wanted.tables]
    if again:
        backend.load(table, generate.stream(name, wanted.rules, again, wanted.horizon), new=False)
    expected = wanted.sums(backend, name, again)
    found = backend.checksums(table, zones)
    wrong = [zone for zone in zones if found.get(zone) != expected.get(zone)]
    if wrong:
        raise DatabaseError(
            f"{table.name} has other rows than were loaded for {len(wrong)} zones, {wrong[0]} "
            "first: nothing was changed; look for a trigger or a rule on that table."
        )


def _check_invariants(
    backend: Backend, name: str, touched: Collection[str] | None, condition: str = ""
) -> None:
    table = tables.CONVERSIONS[name]
    for zone, wrong in backend.broken(table, touched, condition).items():
        raise DatabaseError(
            f"{table.name} would have {wrong} for {zone}: nothing was changed; please report this."
        )
