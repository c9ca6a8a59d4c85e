"""Waiting for a lock that another process holds, as the backends do it."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tzconv.errors import BusyError

_PAUSE_SECONDS = 0.2


def attempts(timeout: float) -> Iterator[bool]:
    """One item for each attempt in ``timeout`` seconds, with pauses: whether it is the last."""
    until = time.monotonic() + timeout
    while time.monotonic() < until:
        yield False
        time.sleep(_PAUSE_SECONDS)
    yield True


def busy(holder: str, timeout: float) -> BusyError:
    """The error of a refresh that has waited for another one."""
    return BusyError(
        f"Another refresh is at work on these tables: {holder}; waited {timeout:g} s: try again "
        "later, or wait longer with --lock-timeout."
    )
