"""How a backend waits for a lock."""

from __future__ import annotations

import itertools
import time

import pytest

from tzconv.engines import locks


def test_attempts_pause_and_the_last_one_comes_after_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    attempts = [(last, now[0]) for last in itertools.islice(locks.attempts(3), 100)]
    assert [last for last, _ in attempts] == [False] * (len(attempts) - 1) + [True]
    assert 5 <= len(attempts) <= 50, "neither at every moment nor once a second"
    assert 103 <= attempts[-1][1] < 104
    assert list(locks.attempts(0)) == [True]
