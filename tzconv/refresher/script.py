"""A plan as the SQL that would do it, for people who run it themselves or want to read it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import Any

from tzconv import checksums, migrate, tables
from tzconv.backends import Backend
from tzconv.backends.sql import identifier, literal
from tzconv.refresher.plan import Plan, TablePlan
from tzconv.tables import Table

_ROWS_PER_INSERT = 500


def statements(backend: Backend, plan: Plan) -> Iterator[str]:
    """All statements in order, without semicolons, BEGIN and COMMIT included."""
    if not plan.needed:
        return
    yield "BEGIN"
    yield from migrate.statements(backend.dialect, backend.schema, backend.migration())
    for table_plan in plan.tables:
        yield from _of_table(backend, plan, table_plan)
    yield _release(backend, plan)
    yield "COMMIT"


def _of_table(backend: Backend, plan: Plan, table_plan: TablePlan) -> Iterator[str]:
    table = tables.CONVERSIONS[table_plan.table]
    name, key = _name(backend, table), table.key[1]
    if table_plan.drop:
        zones = ", ".join(map(literal, table_plan.drop))
        yield f"DELETE FROM {name} WHERE time_zone_name IN ({zones})"
    for run in plan.runs(table_plan.table).to_pylist():
        yield (
            f"DELETE FROM {name} WHERE time_zone_name = {literal(run['zone'])} "
            f"AND {key} BETWEEN {_value(run['first'])} AND {_value(run['last'])}"
        )
    columns = ", ".join(column.name for column in table.columns)
    for rows in _in_parts(plan, table_plan):
        lines = ",\n".join(f"({', '.join(map(_value, row))})" for row in rows)
        yield f"INSERT INTO {name} ({columns}) VALUES\n{lines}"


def _in_parts(plan: Plan, table_plan: TablePlan) -> Iterator[list[tuple[Any, ...]]]:
    if not (table_plan.add or table_plan.edit):
        return
    for batch in plan.rows(table_plan.table):
        for start in range(0, batch.num_rows, _ROWS_PER_INSERT):
            part = batch.slice(start, _ROWS_PER_INSERT)
            yield list(zip(*(column.to_pylist() for column in part.columns), strict=True))


def _release(backend: Backend, plan: Plan) -> str:
    row = plan.wanted.release()
    for name, sums in plan.sums.items():
        row[f"{name}_rows"] = sum(rows for rows, _, _ in sums.values())
        row[f"{name}_checksum"] = checksums.digest(sums)
    now = "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS TIMESTAMP)"
    values = {name: _value(value) for name, value in row.items()}
    values |= {"started_at": now, "finished_at": now}
    columns = [column.name for column in tables.RELEASE.columns]
    return (
        f"INSERT INTO {_name(backend, tables.RELEASE)} ({', '.join(columns)}) "
        f"VALUES ({', '.join(values[column] for column in columns)})"
    )


def _name(backend: Backend, table: Table) -> str:
    return f"{identifier(backend.schema)}.{table.name}" if backend.schema else table.name


def _value(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(' ')}'"
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    return literal(str(value))


def text(backend: Backend, plan: Plan) -> Iterable[str]:
    """The statements as a script, in pieces."""
    for statement in statements(backend, plan):
        yield f"{statement};\n"
