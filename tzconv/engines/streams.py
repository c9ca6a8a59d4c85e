"""The errors of a stream of rows that a driver reads: drivers raise their own instead."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator
from typing import Generic, TypeVar

from tzconv.errors import DatabaseError

T = TypeVar("T")


class Watched(Generic[T]):
    """Iterates over the items once, and remembers what that raises."""

    def __init__(self, items: Iterable[T]) -> None:
        self._items = items
        self.raised: BaseException | None = None

    def __iter__(self) -> Generator[T, None, None]:
        try:
            yield from self._items
        except GeneratorExit:  # closed by its reader
            raise
        except BaseException as error:
            self.raised = error
            raise

    @contextlib.contextmanager
    def reraised(self) -> Iterator[None]:
        """Raise the stream's own error instead of the DatabaseError that it caused."""
        try:
            yield
        except DatabaseError:
            if self.raised is not None:
                raise self.raised from None
            raise
