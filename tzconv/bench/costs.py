"""What a process has used: CPU time, user and system apart, and time spent waiting for a CPU."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds. ``cpu`` is exact where the kernel keeps it; ``user`` and ``system`` divide it.

    Everything but ``wall`` is None for a process on another machine. ``waited`` is the time that
    its threads were ready to run and no CPU was free; None where the kernel does not keep it.
    """

    wall: float
    cpu: float | None = None
    user: float | None = None
    system: float | None = None
    waited: float | None = None


class Meter:
    """Reads what some processes have used since the meter was made."""

    def __init__(self, processes: Iterable[int | None]) -> None:
        self._processes = [one for one in processes if one is not None]
        self._began = self._read()

    def cost(self) -> Cost:
        """What they used until now."""
        now = self._read()
        wall = now[0] - self._began[0]
        if not self._processes:
            return Cost(wall)
        user, system, ran, waited = (
            later - earlier for later, earlier in zip(now[1:], self._began[1:], strict=True)
        )
        if os.getpid() in self._processes or ran <= 0:
            return Cost(wall, user + system, user, system, waited if ran > 0 else None)
        # the two parts come in ticks of a hundredth of a second, their sum in nanoseconds
        share = system / (user + system) if user + system > 0 else 0.0
        return Cost(wall, ran, ran * (1 - share), ran * share, waited)

    def _read(self) -> tuple[float, ...]:
        used = [_used(process) for process in self._processes]
        return time.perf_counter(), *(sum(column) for column in zip(*used, strict=True))


def _used(process: int) -> tuple[float, float, float, float]:
    if process == os.getpid():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime, usage.ru_stime, *_scheduled(Path("/proc/self/task").glob("*"))
    folder = Path(f"/proc/{process}")
    try:
        fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0, 0.0, 0.0, 0.0
    return int(fields[11]) / _TICKS, int(fields[12]) / _TICKS, *_scheduled([folder])


def _scheduled(folders: Iterable[Path]) -> tuple[float, float]:
    """Seconds on a CPU and seconds of waiting for one; zeros where the kernel does not tell."""
    ran = waited = 0
    for folder in folders:
        try:
            fields = (folder / "schedstat").read_text(encoding="ascii").split()
        except OSError:  # a thread that has just ended, or a kernel without the figures
            continue
        ran, waited = ran + int(fields[0]), waited + int(fields[1])
    return ran / 1e9, waited / 1e9
