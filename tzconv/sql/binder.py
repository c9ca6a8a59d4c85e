"""What an engine says of a statement before it runs: that it binds, and to which columns.

A rewrite must bind where the original does, to columns of the same names and types. The engine is
the judge of that; nothing is run to ask it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from tzconv.sql.reasons import Reason

BoundColumns: TypeAlias = tuple[tuple[str, str], ...]
"""Names and types of the columns of a query; empty for other statements."""
Bind: TypeAlias = Callable[[str], BoundColumns]
"""The columns of a single statement; NotBoundError where the engine does not bind it."""


class NotBoundError(Exception):
    """An engine does not bind a statement; ``is_syntax`` says that it cannot even read it."""

    def __init__(self, message: str, *, is_syntax: bool) -> None:
        super().__init__(message)
        self.is_syntax = is_syntax


class CapturedError(NotBoundError):
    """A name that rewritten statements use means something else there: nothing is rewritten."""

    def __init__(self, message: str) -> None:
        super().__init__(message, is_syntax=False)


class Plans(Protocol):
    """The engine's planner; it runs nothing. None where it does not plan a statement."""

    def loss(self, before: str, after: str, *known: str) -> Reason | None:
        """What the plan of ``after`` loses; ``known`` is its text with bounds a planner knows."""

    def indexes(self, statement: str) -> frozenset[str] | None:
        """The indexes that the plan uses; None too if the engine does not say."""
