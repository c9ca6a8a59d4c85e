"""Waiting for what a test needs, as long as a busy machine may take."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import Popen

SECONDS = 300.0
"""Longer than anything takes that is not broken: a test that passes never waits as long."""


def eventually(condition: Callable[[], object], seconds: float = SECONDS) -> bool:
    """Whether it comes true in time."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def until_it_grows(file: Path, job: Popen[str], size: int = 0) -> None:
    """Return when a job has written a megabyte more to a file, or has ended."""
    enough = size + 1_000_000
    assert eventually(
        lambda: job.poll() is not None or (file.exists() and file.stat().st_size > enough)
    )


class HangError(BaseException):
    """What would take for ever was stopped. No Exception, which the code at work may catch."""


@contextlib.contextmanager
def no_hang(seconds: float = SECONDS) -> Iterator[None]:
    """Stop what takes longer, also inside a regular expression; for the main thread."""

    def stop(*_: object) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
