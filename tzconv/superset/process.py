"""The process that rewrites for Superset: a line of JSON for each question and each answer."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

_INHERITED = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
"""They belong to Superset's Python; another one must not import its packages."""
_MOST_WAITING = 16
_ENDED = (
    "the process of tzconv has ended: check that TZCONV_PYTHON is a Python that has tzconv with "
    "its dependencies"
)


class BusyError(Exception):
    """Too many queries wait for answers; the process is sound."""


class Process:
    """A running worker; any thread may ask it. It ends when its standard input is closed.

    It answers one question after the other, so one thread asks them in turn.
    """

    def __init__(self, python: str) -> None:
        is_own = os.path.realpath(python) == os.path.realpath(sys.executable)
        kept = {
            name: value for name, value in os.environ.items() if is_own or name not in _INHERITED
        }
        self._owner = os.getpid()
        self._asker = ThreadPoolExecutor(1, "tzconv")
        self._free = threading.BoundedSemaphore(_MOST_WAITING)
        # a session of its own: a Ctrl-C at Superset's terminal is not for it
        self._child = subprocess.Popen(
            [python, "-P", "-m", "tzconv.superset.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=kept,
            start_new_session=True,
        )

    @property
    def is_ours(self) -> bool:
        """Whether it runs and this process has started it: a server may have forked since."""
        return self._owner == os.getpid() and self._child.poll() is None

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer. TimeoutError after ``seconds``; OSError if it has ended; BusyError."""
        if not self._free.acquire(blocking=False):
            raise BusyError("too many queries wait for the process of tzconv")
        try:
            return self._asker.submit(self._exchange, request).result(seconds)
        except TimeoutError:
            # it may hang, and then the thread waits in a read or a write until it ends
            self._child.kill()
            raise TimeoutError(f"the process of tzconv took more than {seconds:g} s") from None
        except RuntimeError:  # kill() was called meanwhile
            raise OSError(_ENDED) from None
        finally:
            self._free.release()

    def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        try:
            self._child.stdin.write(json.dumps(request).encode() + b"\n")
            self._child.stdin.flush()
            line = self._child.stdout.readline()
        except (OSError, ValueError):  # a pipe that is broken, or was closed
            line = b""
        if not line:
            raise OSError(_ENDED)
        answer: dict[str, Any] = json.loads(line)
        return answer

    def kill(self) -> None:
        """End it; who waits for an answer gets an OSError."""
        if self._owner != os.getpid():
            return  # another process uses it
        self._child.kill()
        self._child.wait()
        self._asker.shutdown()
        for pipe in (self._child.stdin, self._child.stdout):
            with contextlib.suppress(OSError):  # a question that it has not read
                pipe.close()  # type: ignore[union-attr] # both are pipes
