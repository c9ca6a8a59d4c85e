"""The database's planner as judge of a rewritten statement, for the hook."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tzconv.sql.reasons import Reason
from tzconv.sqlalchemy.catalog import Session
from tzconv.sqlalchemy.parameters import Marked


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans texts with the parameters of the statement that is ``written``.

    ``deciding`` is held by its caller and let go while the database is asked: an async engine then
    switches to other tasks of the same thread, and one of them might wait for the lock.
    """

    session: Session
    written: tuple[str, Any]
    marked: Marked
    deciding: threading.Lock

    def loss(self, before: str, after: str) -> Reason | None:
        """What the plan of the text ``after`` loses against that of the statement."""
        del before  # with the values of some parameters in it
        text, fit = self.marked.unmark(after)
        sent = self.written[1]
        if fit is not None and sent is not None:
            sent = fit(sent)
        with self._asking():
            return self.session.loss(self.written, (text, sent))

    def indexes(self, statement: str) -> frozenset[str] | None:
        """The indexes that the plan of the statement uses."""
        del statement
        with self._asking():
            return self.session.indexes(*self.written)

    @contextlib.contextmanager
    def _asking(self) -> Iterator[None]:
        self.deciding.release()
        try:
            yield
        finally:
            self.deciding.acquire()
