"""CPU time of a session with parallel workers, against the postmaster's own CPU counters."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import postgres
from tzconv import engines
from tzconv.engines.postgres import cpu

SETTINGS = "autovacuum = off\nmin_parallel_table_scan_size = 0\nparallel_setup_cost = 0\n"
QUERY = "SELECT k, max(md5(n::text)), count(*) FROM numbers GROUP BY 1"


def _children_seconds(session: int) -> float:
    """CPU time of all children of the session's postmaster that have ended, in ticks."""

    def fields(process: int | str) -> list[str]:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()

    postmaster = fields(fields(session)[1])
    return (int(postmaster[13]) + int(postmaster[14])) / os.sysconf("SC_CLK_TCK")


def _own_seconds(process: int) -> float:
    """CPU time of one process, without its children."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


def test_parallel_workers_are_counted() -> None:
    with postgres.running(SETTINGS) as server:
        with server.connect() as connection:
            connection.execute(
                "CREATE TABLE numbers AS SELECT n, n % 7 AS k FROM generate_series(1, 300000) s(n)"
            )
            connection.execute("ANALYZE numbers")
        with server.connect() as connection:
            process = connection.info.backend_pid
            assert cpu.local(str(server.folder), process) == process
            plan = connection.execute("EXPLAIN (ANALYZE, TIMING OFF) " + QUERY).fetchall()
            assert any("Workers Launched: 2" in str(line) for (line,) in plan), plan
            began, workers = _children_seconds(process), 0.0
            while (spent := _children_seconds(process) - began) < 0.6:
                with cpu.SessionCpu(process) as used:
                    connection.execute(QUERY, prepare=False)
                # where others keep the processors, the leader may do all of it
                assert used.seconds > used.workers_seconds >= 0
                workers += used.workers_seconds
            # ticks, and at most some milliseconds of each worker that nobody saw
            assert 0.7 * spent < workers < 1.05 * spent + 0.02
            connection.execute("SET max_parallel_workers_per_gather = 0")
            with cpu.SessionCpu(process) as alone:
                connection.execute(QUERY, prepare=False)
            assert alone.workers_seconds == 0
            assert alone.seconds > 0
        with engines.connect(server.url()) as backend:
            backend.execute("SET max_parallel_workers_per_gather = 2")
            process = int(backend.query("SELECT pg_backend_pid()").rows["c0"][0].as_py())
            before = _own_seconds(process)
            counted = backend.query(QUERY).cpu_seconds
            assert counted > _own_seconds(process) - before, "the workers count"


@pytest.mark.parametrize(
    ("host", "process"),
    [("db.example.com", os.getpid()), ("/tmp", os.getpid()), ("localhost", 2**30)],
    ids=["another machine", "no PostgreSQL", "no process"],
)
def test_a_server_elsewhere_has_no_figures(host: str, process: int) -> None:
    """Another machine; a process of that number that is no PostgreSQL; no such process."""
    assert cpu.local(host, process) is None
    with cpu.SessionCpu(None) as used:
        pass
    assert used.seconds != used.seconds, "not a number"
