"""A plan as an SQL script, for ``tzconv refresh --dry-run --sql``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tzconv import migrate, tables
from tzconv.engines.backend import Backend
from tzconv.refresher import edges
from tzconv.refresher.plan import Plan, TablePlan
from tzconv.sql.text import constant, literal, of_zones
from tzconv.tables import Table

_ROWS_PER_INSERT = 500
_ROWS_PER_UNION = 100
"""Fewer, because each row is a SELECT."""


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
    name, key = backend.name(table.name), table.order
    if table_plan.drop:
        yield f"DELETE FROM {name} {of_zones(table_plan.drop)}"
    for run in plan.runs(table_plan).to_pylist():
        yield (
            f"DELETE FROM {name} WHERE time_zone_name = {literal(run['zone'])} "
            f"AND {key} BETWEEN {constant(run['first'])} AND {constant(run['last'])}"
        )
    if table_plan.inner is not None and table_plan.move:
        condition = edges.outside(table_plan.table, table_plan.inner)
        yield f"DELETE FROM {name} {of_zones(plan.few(table_plan.move), condition)}"
    columns = ", ".join(column.name for column in table.columns)
    one_row = backend.inserts_by_select
    size = _ROWS_PER_UNION if one_row else _ROWS_PER_INSERT
    for batch in plan.rows(table_plan):
        for start in range(0, batch.num_rows, size):
            part = [column.to_pylist() for column in batch.slice(start, size).columns]
            rows = zip(*part, strict=True)
            if one_row:
                lines = "\nUNION ALL ".join(f"SELECT {_typed(table, row)}" for row in rows)
            else:
                values = ",\n".join(f"({', '.join(map(constant, row))})" for row in rows)
                lines = f"VALUES\n{values}"
            yield f"INSERT INTO {name} ({columns}) {lines}"


def _typed(table: Table, row: Iterable[object]) -> str:
    # in a UNION a NULL must have a type
    return ", ".join(
        f"CAST(NULL AS {column.type.upper()})" if value is None else constant(value)
        for column, value in zip(table.columns, row, strict=True)
    )


def text(backend: Backend, plan: Plan) -> Iterable[str]:
    """The statements as a script, in pieces."""
    return (f"{statement};\n" for statement in statements(backend, plan))
