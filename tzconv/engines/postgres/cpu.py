"""CPU time of a PostgreSQL session on this machine, its parallel workers included.

For ``compare`` and the benchmark. Workers are children of the postmaster, like all sessions, and
end with their query. So a thread looks every millisecond for new children that are parallel workers
of the session, and reads their CPU clocks; the time after the last look, about a millisecond, is
lost.
"""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path
from typing import Self

_LOOK_EVERY = 0.001
_NAN = float("nan")


class SessionCpu:
    """Measures one session: ``with SessionCpu(pid) as cpu: ...``, then ``cpu.seconds``.

    ``pid`` is the process of the session, None if it is on another machine: then the time is NaN.
    """

    def __init__(self, pid: int | None) -> None:
        self._pid = pid
        self.seconds = self.workers_seconds = _NAN
        self._workers: dict[int, float] = {}
        self._others: set[int] = set()
        self._stopped = threading.Event()

    def __enter__(self) -> Self:
        if self._pid is not None:
            self._children = _children_file(self._pid)
            self._others = set(self._started())
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()
            self._began = used(self._pid)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pid is not None:
            spent = used(self._pid) - self._began
            self._stopped.set()
            self._thread.join()
            self.workers_seconds = sum(self._workers.values())
            self.seconds = spent + self.workers_seconds

    def _watch(self) -> None:
        mark = f"parallel worker for PID {self._pid}"
        while not self._stopped.wait(_LOOK_EVERY):
            with contextlib.suppress(OSError):
                for child in self._started():
                    if child not in self._workers:
                        name = Path(f"/proc/{child}/cmdline").read_text(errors="replace")
                        if mark not in name:
                            continue  # another session, or a process that has no name yet
                    self._workers[child] = used(child)

    def _started(self) -> set[int]:
        """The children of the postmaster, but those of before."""
        return set(map(int, self._children.read_text().split())) - self._others


def local(host: str, pid: int) -> int | None:
    """The process of a session, if it is on this machine and can be measured; else None."""
    if not host.startswith("/") and host not in ("localhost", "127.0.0.1", "::1", ""):
        return None
    try:
        # the server may be in a container that numbers its processes otherwise
        is_server = Path(f"/proc/{pid}/comm").read_text().startswith("postgres")
        _children_file(pid).read_text()
        used(pid)
    except OSError:
        return None
    return pid if is_server else None


def used(pid: int) -> float:
    """CPU seconds that a process has used, to the nanosecond; OSError if it has ended."""
    return time.clock_gettime(~pid << 3 | 2)  # what clock_getcpuclockid() of the C library returns


def _children_file(pid: int) -> Path:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return Path(f"/proc/{fields[1]}/task/{fields[1]}/children")
