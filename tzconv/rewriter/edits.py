"""Edits of a text: the rewriter never prints SQL from a tree, it replaces ranges of characters.

Inserted text takes the line breaks and the indentation of the text around it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from tzconv.errors import CheckError
from tzconv.rewriter.report import Change
from tzconv.sql.places import line_and_column
from tzconv.sql.text import spliced

EditKind: TypeAlias = Literal[
    "expression", "joins", "conditions", "before", "bracket", "alias", "stars", "comma"
]
"""What an edit replaces, or inserts."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``text[start:end]`` by ``after``; an insertion where ``start == end``."""

    start: int
    end: int
    after: str
    rule: str
    strategy: str
    reason: str
    kind: EditKind | None = None

    def is_inside(self, start: int, end: int) -> bool:
        """Whether the edit lies in ``text[start:end]``."""
        return start <= self.start and self.end <= end

    def relative_to(self, start: int) -> Edit:
        """The edit, with places that count from ``start``."""
        return replace(self, start=self.start - start, end=self.end - start)


def spaced(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """The edits with a space where a word of theirs would touch a word of the text.

    SQL needs no white space beside a quote, a bracket or an operator, and an edit may replace one.
    """
    found = []
    for edit in edits:
        before, after = text[edit.start - 1 : edit.start], edit.after
        if _is_word(before) and _is_word(after[:1]):
            after = f" {after}"
        if _is_word(after[-1:]) and _is_word(text[edit.end : edit.end + 1]):
            after = f"{after} "
        found.append(edit if after == edit.after else replace(edit, after=after))
    return found


def _is_word(character: str) -> bool:
    """Whether a character is part of a name, a number or a quoted text."""
    return character.isalnum() or character in {"_", "$", "'", '"', "`"}


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """The edits by position, insertions at one place in the order they were made.

    CheckError where two of them overlap: both would be right alone, together they are not.
    """
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for one, other in itertools.pairwise(ordered):
        if other.start < one.end:
            raise CheckError(
                f"Two edits overlap at characters {other.start} to {one.end} ({one.strategy} and "
                f"{other.strategy}); the statement was not rewritten. Please report this query."
            )
    return ordered


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; every byte outside them stays."""
    ordered = in_order(spaced(text, edits))
    return spliced(text, ((edit.start, edit.end, edit.after) for edit in ordered))


def changes(text: str, edits: Iterable[Edit]) -> tuple[Change, ...]:
    """The edits as the report shows them."""
    return tuple(
        Change(
            edit.rule,
            edit.strategy,
            *line_and_column(text, edit.start),
            text[edit.start : edit.end],
            edit.after,
            edit.reason,
            edit.start,
            edit.end,
        )
        for edit in in_order(edits)
    )


def with_known(edits: Iterable[Edit]) -> list[Edit]:
    """The edits with bounds of the current time as a planner knows them: in no subquery."""
    return [
        replace(one, after=one.after.replace("(SELECT ", "(")) if one.rule == "today" else one
        for one in edits
    ]


def next_line(text: str, offset: int, deeper: int) -> str:
    """What begins a line after the one at ``offset``; a blank where the text has only one line."""
    if "\n" not in text:
        return " "
    return _line_start(text, offset) + " " * deeper


def reindented(text: str, offset: int, lines: str, literals: Iterable[str] = ()) -> str:
    """``lines`` with the indentation of the line at ``offset``; one line where the text is one.

    ``literals`` are those of the text with line breaks inside, which stay as they are.
    """
    if "\n" not in text:
        return " ".join(line.strip() for line in lines.split("\n"))
    for literal in literals:
        lines = lines.replace(literal, literal.replace("\n", "\0"))
    return lines.replace("\n", _line_start(text, offset)).replace("\0", "\n")


def _line_start(text: str, offset: int) -> str:
    """A line break and the white space that begins the line at ``offset``.

    The break is the nearest one: a search of the whole text, for each edit, is long in a long text.
    """
    before = text.rfind("\n", 0, offset)
    at = max(before, text.find("\n", offset))
    line = text[before + 1 : offset]
    newline = "\r\n" if text[at - 1 : at] == "\r" else "\n"
    return newline + line[: len(line) - len(line.lstrip())]
