"""A plan as the SQL that would do it, for people who run it themselves or want to read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tzconv import checksums, migrate, tables
from tzconv.backends import Backend
from tzconv.backends.sql import constant, identifier, literal
from tzconv.refresher.plan import Plan, TablePlan
from tzconv.tables import Table

_ROWS_PER_INSERT = 500
_ONE_ROW_OF_VALUES = frozenset({"vertica"})
_ROWS_PER_UNION = 100
"""Fewer where each row is a SELECT of its own."""


def statements(backend: Backend, plan: Plan) -> Iterator[str]:
    """All statements in order, without semicolons, BEGIN and COMMIT included."""
    if not plan.needed:
        return
    migration = migrate.statements(backend.dialect, backend.schema, backend.migration())
    if backend.ddl_commits:
        yield from migration
        if migration:
            yield "COMMIT"
        yield "BEGIN"
    else:
        yield "BEGIN"
        yield from migration
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
            f"AND {key} BETWEEN {constant(run['first'])} AND {constant(run['last'])}"
        )
    columns = ", ".join(column.name for column in table.columns)
    one_row = backend.dialect in _ONE_ROW_OF_VALUES
    for rows in _in_parts(plan, table_plan, _ROWS_PER_UNION if one_row else _ROWS_PER_INSERT):
        if one_row:
            lines = "\nUNION ALL ".join(f"SELECT {', '.join(map(_typed, row))}" for row in rows)
        else:
            lines = "VALUES\n" + ",\n".join(f"({', '.join(map(constant, row))})" for row in rows)
        yield f"INSERT INTO {name} ({columns}) {lines}"


def _typed(value: object) -> str:
    # in a UNION a NULL must have a type, and only times may be NULL
    return "CAST(NULL AS TIMESTAMP)" if value is None else constant(value)


def _in_parts(plan: Plan, table_plan: TablePlan, size: int) -> Iterator[list[tuple[Any, ...]]]:
    if not (table_plan.add or table_plan.edit):
        return
    for batch in plan.rows(table_plan.table):
        for start in range(0, batch.num_rows, size):
            part = batch.slice(start, size)
            yield list(zip(*(column.to_pylist() for column in part.columns), strict=True))


def _release(backend: Backend, plan: Plan) -> str:
    row = plan.wanted.release()
    for name, sums in plan.sums.items():
        row[f"{name}_rows"] = sum(rows for rows, _, _ in sums.values())
        row[f"{name}_checksum"] = checksums.digest(sums)
    now = "CAST(CURRENT_TIMESTAMP AT TIME ZONE 'UTC' AS TIMESTAMP)"
    values = {name: constant(value) for name, value in row.items()}
    values |= {"started_at": now, "finished_at": now}
    columns = [column.name for column in tables.RELEASE.columns]
    return (
        f"INSERT INTO {_name(backend, tables.RELEASE)} ({', '.join(columns)}) "
        f"VALUES ({', '.join(values[column] for column in columns)})"
    )


def _name(backend: Backend, table: Table) -> str:
    return f"{identifier(backend.schema)}.{table.name}" if backend.schema else table.name


def text(backend: Backend, plan: Plan) -> Iterable[str]:
    """The statements as a script, in pieces."""
    for statement in statements(backend, plan):
        yield f"{statement};\n"
