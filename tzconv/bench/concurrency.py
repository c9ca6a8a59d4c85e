"""Measures many clients at once: throughput, latency, and the server's wait for a CPU."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from tzconv.bench.results import CHOSEN, ORIGINAL, Load, Measured, Say
from tzconv.engines.backend import Backend
from tzconv.engines.scratch import Scratch
from tzconv.errors import QueryError


def both(place: Scratch, query: Measured, clients: int, seconds: float, say: Say) -> Iterator[Load]:
    """Run the original and the rewriter's choice by so many clients for so long.

    A query that has begun is finished, and counts. QueryError where one fails.
    """
    for name in (ORIGINAL, CHOSEN):
        variant = query.variant(name)
        if variant is not None and variant.problem is None:
            say(f"Running {query.name}, {name}, with {clients} clients.")
            yield _load(place, query.name, name, variant.sql, clients, seconds)


def _load(place: Scratch, query: str, variant: str, sql: str, clients: int, seconds: float) -> Load:
    stopped = threading.Event()

    def run(backend: Backend) -> list[float]:
        latencies: list[float] = []
        while not latencies or (time.perf_counter() < until and not stopped.is_set()):
            started = time.perf_counter()
            backend.query(sql)
            latencies.append(time.perf_counter() - started)
        return latencies

    with contextlib.ExitStack() as stack:
        backends = [stack.enter_context(place.open()) for _ in range(clients)]
        processes = {place.process(backend) for backend in backends}
        before, began = _machine(processes), time.perf_counter()
        until = began + seconds
        with ThreadPoolExecutor(clients) as threads:
            try:
                latencies = np.concatenate([*threads.map(run, backends)])
            except BaseException as error:
                stopped.set()
                for backend in backends:
                    backend.interrupt()
                if isinstance(error, QueryError):
                    raise QueryError(f"{query} fails with {clients} clients: {error}") from error
                raise
        spent, elapsed = _machine(processes) - before, time.perf_counter() - began
    busy, ticks, waited = spent.tolist()
    is_here = processes != {None}
    p50, p95, p99 = np.quantile(latencies, (0.5, 0.95, 0.99)).tolist()
    return Load(
        query,
        variant,
        clients,
        elapsed,
        len(latencies),
        len(latencies) / elapsed,
        p50,
        p95,
        p99,
        busy / max(ticks, 1) if is_here else None,
        waited / (elapsed * clients) if is_here else None,
    )


def _machine(processes: Iterable[int | None]) -> np.ndarray:
    """Ticks of all CPUs, busy and in all, and seconds for which the processes waited for a CPU."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().split()[1:9]]
    waited = 0
    for process in processes:
        for file in Path(f"/proc/{process}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):  # a thread that has just ended
                waited += int(file.read_text().split()[1])
    return np.array([sum(ticks) - ticks[3] - ticks[4], sum(ticks), waited / 1e9])
