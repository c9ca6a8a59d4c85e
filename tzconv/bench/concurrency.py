"""Many clients at once: throughput, latency, and how long the server waits for a CPU."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

from tzconv.backends import Backend
from tzconv.bench.costs import Meter
from tzconv.bench.results import CHOSEN, ORIGINAL, Load, Measured
from tzconv.bench.scratch import Scratch
from tzconv.errors import QueryError

Say = Callable[[str], None]


def both(place: Scratch, query: Measured, clients: int, seconds: float, say: Say) -> Iterator[Load]:
    """The original and what the rewriter chooses, each run by so many clients for so long."""
    for name in (ORIGINAL, CHOSEN):
        variant = query.variant(name)
        if variant is None or variant.problem is not None:
            continue
        say(f"Running {query.name}, {name}, with {clients} clients.")
        yield measure(place, query.name, name, variant.sql, clients, seconds)


def measure(
    place: Scratch, query: str, variant: str, sql: str, clients: int, seconds: float
) -> Load:
    """Run the text over and over on each of ``clients`` connections until ``seconds`` are over.

    A query that has begun is finished, and counts. QueryError where one fails.
    """
    with contextlib.ExitStack() as stack:
        backends = [stack.enter_context(place.open()) for _ in range(clients)]
        workers = [_Client(backend, sql) for backend in backends]
        processes = {place.process(backend) for backend in backends}
        meter = Meter(processes)
        until = time.perf_counter() + seconds
        try:
            for worker in workers:
                worker.until = until
                worker.start()
            for worker in workers:
                worker.join()
        except BaseException:
            for worker in workers:
                worker.until = 0
                worker.backend.interrupt()
            for worker in workers:
                worker.join()
            raise
        cost = meter.cost()
    for worker in workers:
        if worker.error is not None:
            raise QueryError(f"{query} fails with {clients} clients: {worker.error}")
    latencies = np.array([latency for worker in workers for latency in worker.latencies])
    p50, p95, p99 = (float(value) for value in np.quantile(latencies, (0.5, 0.95, 0.99)))
    return Load(
        query,
        variant,
        clients,
        cost.wall,
        len(latencies),
        len(latencies) / cost.wall,
        p50,
        p95,
        p99,
        None if cost.cpu is None else cost.cpu / cost.wall / (os.cpu_count() or 1),
        cost.user,
        cost.system,
        None if cost.waited is None else cost.waited / cost.wall / clients,
    )


class _Client(threading.Thread):
    def __init__(self, backend: Backend, sql: str) -> None:
        super().__init__(daemon=True)
        self.backend, self.sql = backend, sql
        self.until = 0.0
        self.latencies: list[float] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.latencies or time.perf_counter() < self.until:
                began = time.perf_counter()
                self.backend.query(self.sql)
                self.latencies.append(time.perf_counter() - began)
        except (QueryError, KeyboardInterrupt) as error:
            self.error = error
