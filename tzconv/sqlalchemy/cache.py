"""A thread-safe LRU cache; the hook keeps statements and decisions in it.

It has no lock that a fork could leave locked: each step is one operation of the dictionary.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Cache(Generic[Key, Value]):
    """At most ``size`` entries; the least recently used one is dropped first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._entries: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """The value of a key, which becomes the most recently used one; None if it is absent."""
        value = self._entries.get(key)
        if value is not None:
            with contextlib.suppress(KeyError):  # another thread has dropped it meanwhile
                self._entries.move_to_end(key)
        return value

    def put(self, key: Key, value: Value) -> None:
        """Store a value, and drop the least recently used one if there are too many."""
        self._entries[key] = value
        if len(self._entries) > self.size:
            with contextlib.suppress(KeyError):
                self._entries.popitem(last=False)

    def values(self) -> list[Value]:
        """All values, the most recently used one last."""
        return list(self._entries.values())

    def drop(self, is_dropped: Callable[[Value], bool]) -> None:
        """Drop the entries with such values."""
        for key, value in list(self._entries.items()):
            if is_dropped(value):
                self._entries.pop(key, None)

    def clear(self) -> None:
        """Drop all entries."""
        self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)
