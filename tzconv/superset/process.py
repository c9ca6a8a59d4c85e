"""The process that rewrites for Superset: a line of JSON for each question and each answer."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
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
    """A running worker; any thread may ask it. It ends when its standard input is closed."""

    def __init__(self, python: str) -> None:
        is_own = os.path.realpath(python) == os.path.realpath(sys.executable)
        kept = {
            name: value for name, value in os.environ.items() if is_own or name not in _INHERITED
        }
        self._owner = os.getpid()
        self._numbers = itertools.count()
        self._waiting: dict[int, Future[dict[str, Any]]] = {}
        self._lock, self._writing = threading.Lock(), threading.Lock()
        # a session of its own: a Ctrl-C at Superset's terminal is not for it
        self._child = subprocess.Popen(
            [python, "-P", "-m", "tzconv.superset.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=kept,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, name="tzconv", daemon=True)
        self._reader.start()

    @property
    def is_ours(self) -> bool:
        """Whether it runs and this process has started it: a server may have forked since."""
        return self._owner == os.getpid() and self._child.poll() is None

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer. TimeoutError after ``seconds``; OSError if it has ended; BusyError."""
        until = time.monotonic() + seconds
        answer: Future[dict[str, Any]] = Future()
        with self._lock:
            if len(self._waiting) >= _MOST_WAITING:
                raise BusyError("too many queries wait for the process of tzconv")
            number = next(self._numbers)
            self._waiting[number] = answer
        try:
            self._write(json.dumps({**request, "id": number}) + "\n", seconds)
            return answer.result(max(0, until - time.monotonic()))
        except BrokenPipeError:
            raise OSError(_ENDED) from None
        except TimeoutError:
            raise TimeoutError(f"the process of tzconv took more than {seconds:g} s") from None
        finally:
            with self._lock:
                self._waiting.pop(number, None)

    def _write(self, line: str, seconds: float) -> None:
        assert self._child.stdin is not None
        # a process that hangs does not read, and writing to a full pipe waits until it ends
        timer = threading.Timer(seconds, self._child.kill)
        timer.daemon = True
        timer.start()
        try:
            with self._writing:
                self._child.stdin.write(line.encode())
                self._child.stdin.flush()
        except BrokenPipeError:
            if timer.finished.is_set():
                raise TimeoutError from None
            raise
        finally:
            timer.cancel()

    def kill(self) -> None:
        """End it; who waits for an answer gets an OSError."""
        if self._owner != os.getpid():
            return  # another process uses it
        assert self._child.stdin is not None
        self._child.kill()
        self._child.wait()
        self._reader.join()
        with contextlib.suppress(OSError):  # a question that it has not read
            self._child.stdin.close()

    def _read(self) -> None:
        assert self._child.stdout is not None
        with self._child.stdout as lines:
            for line in lines:
                answer = json.loads(line)
                with self._lock:
                    future = self._waiting.get(answer["id"])
                if future is not None and not future.done():
                    future.set_result(answer)
        with self._lock:
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(OSError(_ENDED))
