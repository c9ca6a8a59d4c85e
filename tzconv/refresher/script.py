"""A plan for its readers: as JSON, and as the SQL script of ``tzconv refresh --dry-run --sql``."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tzconv import migrate, tables
from tzconv.engines.backend import Backend
from tzconv.refresher import guards, rows
from tzconv.refresher.plan import Plan, TablePlan
from tzconv.sql.text import constant, of_zones
from tzconv.tables import Table

_ROWS_PER_INSERT = 500
_ROWS_PER_UNION = 100
"""Fewer, because each row is a SELECT."""


def as_dict(plan: Plan, bytes_per_row: Mapping[str, float] | None) -> dict[str, Any]:
    """The plan as plain values; ``bytes`` are estimated from ``bytes_per_row``, None without it."""
    release, wanted = plan.loaded.release, plan.wanted.release()
    described = ("tz_release", "rules", "horizon_starts_on", "horizon_ends_before", "zone_count")
    return {
        "needed": plan.needed,
        "from": None if release is None else {key: release[key] for key in described},
        "to": {key: wanted[key] for key in described},
        "damages": plan.loaded.damages,
        "stops": dict(guards.found(plan)),
        "zones_added": plan.added,
        "zones_dropped": plan.dropped,
        "zones_left_out": plan.wanted.left_out,
        "zones_with_other_abbreviations": plan.renamed,
        "changes": [dataclasses.asdict(change) for change in plan.changes],
        "tables": [
            {
                "table": table.table,
                "zones": len(table.touched),
                "delete": table.deleted,
                "insert": table.inserted,
                "bytes": None
                if bytes_per_row is None
                else round(table.inserted * bytes_per_row[table.table]),
            }
            for table in plan.tables
        ],
    }


def statements(backend: Backend, plan: Plan) -> Iterator[str]:
    """All statements in order, without semicolons, BEGIN and COMMIT included."""
    if not plan.needed:
        return
    migration = migrate.statements(backend.dialect, backend.schema, backend.migration())
    if backend.ddl_commits:
        yield from [*migration, "COMMIT", "BEGIN"] if migration else ["BEGIN"]
    else:
        yield from ["BEGIN", *migration]
    for table_plan in plan.tables:
        yield from _of_table(backend, plan, table_plan)
    touched = {zone for one in plan.tables if one.table in tables.ALWAYS for zone in one.touched}
    if touched:
        yield from backend.derivation(plan.few(touched))
    now = "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS TIMESTAMP)"
    values = {name: constant(value) for name, value in plan.release().items()}
    values |= dict.fromkeys(("started_at", "finished_at", "last_checked_at"), now)
    yield backend.release_insert(values)
    yield "COMMIT"


def _of_table(backend: Backend, plan: Plan, table_plan: TablePlan) -> Iterator[str]:
    table = tables.CONVERSIONS[table_plan.table]
    name = backend.name(table.name)
    if table_plan.drop:
        yield f"DELETE FROM {name} {of_zones(table_plan.drop)}"
    if table_plan.inner is not None:
        condition = rows.outside(table_plan.table, table_plan.inner)
        yield f"DELETE FROM {name} {of_zones(plan.few(table_plan.move), condition)}"
    columns = ", ".join(column.name for column in table.columns)
    one_row = backend.inserts_by_select
    size = _ROWS_PER_UNION if one_row else _ROWS_PER_INSERT
    for some in plan.rows(table_plan):
        batch = rows.batch(table_plan.table, some)
        for start in range(0, batch.num_rows, size):
            part = [column.to_pylist() for column in batch.slice(start, size).columns]
            if one_row:
                selects = (f"SELECT {_typed(table, row)}" for row in zip(*part, strict=True))
                lines = "\nUNION ALL ".join(selects)
            else:
                values = (f"({', '.join(map(constant, row))})" for row in zip(*part, strict=True))
                lines = "VALUES\n" + ",\n".join(values)
            yield f"INSERT INTO {name} ({columns}) {lines}"


def _typed(table: Table, row: Iterable[object]) -> str:
    # in a UNION a NULL must have a type
    return ", ".join(
        f"CAST(NULL AS {column.type.upper()})" if value is None else constant(value)
        for column, value in zip(table.columns, row, strict=True)
    )
