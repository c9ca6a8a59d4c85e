"""What the hook costs, on PostgreSQL: ``python -m tests.sqlalchemy.costs``.

Medians of five interleaved rounds, as CPU time of this process or as a ratio to the same request
without the hook. Every text that converts runs as rewritten, however few rows reach it.
"""

from __future__ import annotations

import functools
import gc
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa

from tests import postgres
from tzconv.engines.postgres.write import PostgresWriter
from tzconv.refresher import refresh
from tzconv.sqlalchemy import rewrite_queries

_TABLES, _COLUMNS, _TRANSACTIONS = 1000, 21, 10_000
_REPORT = (
    "SELECT max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone) AS latest{alias} FROM {{table}}{comment} "
    "WHERE n < 5000"
)
PATTERNS: dict[str, tuple[list[str], str]] = {
    "nothing before": ([], _REPORT.format(alias="", comment="")),
    "alias temp": ([], _REPORT.format(alias=", 1 AS temp", comment="")),
    "comment": ([], _REPORT.format(alias="", comment=" /* a temp one */")),
    "set_config": (
        ["SELECT set_config('search_path', 'tenant{n}, public', true)"],
        _REPORT.format(alias="", comment=""),
    ),
    "SET LOCAL search_path": (
        ["SET LOCAL search_path = tenant{n}, public"],
        _REPORT.format(alias="", comment=""),
    ),
    "SET LOCAL ROLE": (["SET LOCAL ROLE reader{n}"], _REPORT.format(alias="", comment="")),
    "CREATE TEMP TABLE": (
        ["CREATE TEMP TABLE chosen ON COMMIT DROP AS SELECT {n} AS id"],
        _REPORT.format(alias="", comment=", chosen"),
    ),
}


def request(engine: sa.Engine, name: str, number: int, table: str = "events") -> None:
    """One transaction of a pattern; paths and roles of four tenants come in turn."""
    before, query = PATTERNS[name]
    with engine.begin() as connection:
        for statement in before:
            connection.exec_driver_sql(statement.format(n=number % 4))
        connection.exec_driver_sql(query.format(table=table)).all()


def load_few(url: str) -> None:
    """Two tables beside the events."""
    load(url, 2)


def load(url: str, tables: int = _TABLES) -> None:
    """Many tables, tenants with schemas and roles, and events."""
    refresh(url, zones=["Asia/Kolkata", "Europe/Berlin"])
    columns = ", ".join(f"c{number} int" for number in range(_COLUMNS - 3))
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for number in range(tables):
            connection.exec_driver_sql(
                f"CREATE TABLE t{number} (n int, zone text, ts timestamp, {columns})"
            )
        for number in range(4):
            connection.exec_driver_sql(f"CREATE SCHEMA tenant{number}")
            connection.exec_driver_sql(f"DROP ROLE IF EXISTS reader{number}")
            connection.exec_driver_sql(f"CREATE ROLE reader{number}")
        connection.exec_driver_sql(
            "CREATE TABLE events AS SELECT i AS n, 'Asia/Kolkata'::text AS zone, "
            "TIMESTAMP '2026-01-01' + i * INTERVAL '1 minute' AS ts "
            "FROM generate_series(1, 20000) i"
        )
        connection.exec_driver_sql("ANALYZE; GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC")
    engine.dispose()


def seconds(run: Callable[[], object], times: int) -> float:
    """CPU seconds of one run in this process."""
    started = time.process_time()
    for _ in range(times):
        run()
    return (time.process_time() - started) / times


def wall(run: Callable[[int], object], times: int) -> float:
    """Median seconds of one run."""
    taken = []
    for number in range(times):
        started = time.perf_counter()
        run(number)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def statements(url: str) -> None:
    """Known statements, and first executions of statements with 1,000 parameters."""
    engine = sa.create_engine(url)
    rewriting = rewrite_queries(engine, measure=False)
    listener: Any = rewriting._before
    listed = ", ".join(f"%(id_1_{number})s" for number in range(1000))
    given = {f"id_1_{number}": number for number in range(1000)}
    plain = f"SELECT start_time, timezone, now AS today FROM t WHERE id IN ({listed})"
    for words in WORDS:
        taken = []
        for number in range(200):
            text = f"{plain}{words} {number}"
            context = SimpleNamespace(execution_options={})
            started = time.process_time()
            listener(_UNCONNECTED, None, text, given, context, False)
            taken.append(time.process_time() - started)
        cost = statistics.median(taken) * 1e6
        print(f"first execution of 1,000 parameters{words}: {cost:.0f} us")
    with engine.connect() as connection:
        converting = PATTERNS["nothing before"][1].format(table="events")
        for name, text in (("without", plain), ("with", converting)):
            found = []
            for _ in range(5):
                context = SimpleNamespace(execution_options={})

                def known(text: str = text, context: Any = context) -> Any:
                    return listener(connection, None, text, given, context, False)

                assert (known()[0] != text) is (text == converting)
                found.append(seconds(known, 2000))
            print(f"known statement {name} a conversion: {statistics.median(found) * 1e6:.1f} us")
    rewriting.disable()
    engine.dispose()


WORDS = (
    *("", " -- AT TIME ZONE now()", " AND a <> 'now() AT TIME ZONE'", ' AND "now" = 1'),
    *(" AND set_config = 1", " AND create_time = 1", " AND a = $$ at time zone $$", " AND at = 1"),
)
_UNCONNECTED: Any = SimpleNamespace(info={}, dialect=SimpleNamespace(paramstyle="pyformat"))


def patterns(url: str) -> None:
    """Each pattern with the hook over without, then the memory of many transactions."""
    hooked, plain = sa.create_engine(url), sa.create_engine(url)
    rewriting = rewrite_queries(hooked, measure=False)
    for name in PATTERNS:
        ratios = []
        for number in range(40):
            request(hooked, name, number)
        for _ in range(5):
            with_it = wall(functools.partial(request, hooked, name), 60)
            ratios.append(with_it / wall(functools.partial(request, plain, name), 60))
        print(f"{name}: {statistics.median(ratios):.2f} of the request without the hook")
    assert all(decision.rewritten for decision in rewriting.decisions)
    rewriting.disable()
    rewriting = rewrite_queries(hooked)
    before = resident()
    for number in range(_TRANSACTIONS):
        table = f"t{number % _TABLES}"
        request(hooked, list(PATTERNS)[number % len(PATTERNS)], number, table)
    megabytes, known = (resident() - before) / 1e6, rewriting.remembered
    print(f"{_TRANSACTIONS} transactions: {megabytes:.1f} MB more, {known} decisions")
    rewriting.disable()


def resident() -> int:
    """Bytes of memory that this process has now, on Linux."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    PostgresWriter.fewest_rows = 0
    with postgres.running() as server:
        database = server.fresh("costs")
        load(database)
        statements(database)
        patterns(database)
