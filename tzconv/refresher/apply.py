"""Apply a plan inside the open transaction, and check the rows there before the commit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import pyarrow as pa

from tzconv import tables
from tzconv.engines.backend import Backend
from tzconv.errors import DatabaseError
from tzconv.refresher import rows
from tzconv.refresher.plan import Plan, TablePlan
from tzconv.tables import generate

Progress = Callable[[str, int, int], None]
"""Called with a table's short name, the number of loaded zones and the number of all zones."""


def apply(
    backend: Backend, planned: Plan, progress: Progress | None, *, new: bool
) -> dict[str, int]:
    """Delete and insert rows by the plan; returns the number of rows of each table.

    ``new`` says that this refresh has made the tables. DatabaseError if the rows in the database
    differ from the generated ones.
    """
    derived: set[str] = set()
    for one in planned.tables:
        if one.touched:
            _delete(backend, planned, one)
            if one.add or one.move:
                _load(backend, planned, one, progress, new=new)
            _verify(backend, planned, one, new=new)
            derived |= one.touched if one.table in tables.ALWAYS else frozenset()
    if derived:  # the database computes its own columns; then check the table that has them
        for statement in backend.derivation(planned.few(derived)):
            backend.execute_own(statement)
        _check_invariants(backend, "zone", None)  # all zones, because numbers are unique
    release = planned.release()
    return {name: release[f"{name}_rows"] for name in tables.CONVERSIONS}


def _delete(backend: Backend, planned: Plan, one: TablePlan) -> None:
    table, (count, _) = tables.CONVERSIONS[one.table], one.before
    if one.drop:
        is_all = not one.move and one.deleted == count
        backend.delete(table, None if is_all else one.drop)
    if one.inner is not None:
        backend.delete(table, _moved(backend, planned, one), rows.outside(one.table, one.inner))


def _load(
    backend: Backend, planned: Plan, one: TablePlan, progress: Progress | None, *, new: bool
) -> None:
    """Insert the rows; the checksums that the plan lacks are added to it."""
    schema, zones = generate.arrow_schema(one.table), {*one.add, *one.move}
    unknown, done = zones - one.come.keys(), set[str]()

    def batches() -> Iterator[pa.RecordBatch]:
        for some in planned.rows(one):
            rows.add(one.come, one.table, some, only=unknown)
            yield rows.batch(one.table, some)
            for zone in some[0]:
                if progress is not None and zone not in done:
                    done.add(zone)
                    progress(one.table, len(done), len(zones))

    table = tables.CONVERSIONS[one.table]
    backend.load(table, pa.RecordBatchReader.from_batches(schema, batches()), new=new)


def _verify(backend: Backend, planned: Plan, one: TablePlan, *, new: bool) -> None:
    """Compare the changed rows in the database with the generated ones."""
    table, whole = tables.CONVERSIONS[one.table], {*one.drop, *one.add}
    found = backend.checksums(table, planned.few(whole)) if whole else {}
    wrong = {zone for zone in whole if found.get(zone) != one.come.get(zone)}
    if one.inner is not None:
        moved, condition = _moved(backend, planned, one), rows.outside(one.table, one.inner)
        found = backend.checksums(table, moved, condition)
        wrong |= {zone for zone in one.move if found.get(zone) != one.come.get(zone)}
    if wrong:
        raise DatabaseError(
            f"{table.name} has other rows than were loaded for {len(wrong)} zones, {min(wrong)} "
            "first: nothing was changed; look for a trigger or a rule on that table."
        )
    if new or one.table == "zone":
        return
    if one.add:
        _check_invariants(backend, one.table, planned.few(one.add))
    for condition in rows.around(one.table, one.inner) if one.inner else ():
        _check_invariants(backend, one.table, _moved(backend, planned, one), condition)


def _moved(backend: Backend, planned: Plan, one: TablePlan) -> Collection[str] | None:
    """The zones with a moved horizon; None where a query for all rows finds theirs faster."""
    return one.move if backend.lists_zones else planned.few(one.move)


def _check_invariants(
    backend: Backend, name: str, touched: Collection[str] | None, condition: str = ""
) -> None:
    table = tables.CONVERSIONS[name]
    for zone, wrong in backend.broken(table, touched, condition).items():
        raise DatabaseError(
            f"{table.name} would have {wrong} for {zone}: nothing was changed; please report this."
        )
