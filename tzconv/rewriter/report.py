"""What a rewrite did and what it left, as data that the library returns and the CLI prints."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from tzconv.sql.places import line_and_column
from tzconv.sql.reasons import Code, Reason

_Place = TypeVar("_Place", "Change", "Left")


@dataclass(frozen=True, slots=True)
class Change:
    """One edit of the text: ``sql[start:end]``, which read ``before``, became ``after``.

    ``rule`` says what was found, ``strategy`` how it was rewritten, ``reason`` why that is right.
    ``line`` and ``column`` count from 1, ``start`` and ``end`` are character offsets from 0.
    """

    rule: str
    strategy: str
    line: int
    column: int
    before: str
    after: str
    reason: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Left:
    """One place that was found and left as it was; ``code`` stays the same between releases.

    ``text`` is ``sql[start:end]``.
    """

    line: int
    column: int
    text: str
    code: Code
    reason: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The result of :func:`tzconv.rewrite`: the SQL, what was changed in it and what was left."""

    sql: str
    changes: tuple[Change, ...]
    left: tuple[Left, ...]

    def as_dict(self) -> dict[str, Any]:
        """The form that ``tzconv rewrite --json`` prints."""
        return asdict(self)


def left_at(text: str, start: int, end: int, reason: Reason) -> Left:
    """``text[start:end]`` as a place that is left."""
    return Left(*line_and_column(text, start), text[start:end], *reason, start, end)


def placed(one: _Place, text: str, start: int, end: int) -> _Place:
    """A change or what is left of a part of a text, where it stands in the whole: at ``start``."""
    line, column = line_and_column(text, start)
    return replace(one, line=line, column=column, start=start, end=end)
