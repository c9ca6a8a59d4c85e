"""Line breaks and indentation of inserted text, after the text around it."""

from __future__ import annotations

from collections.abc import Iterable


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
    at = text.find("\n", offset)
    at = text.rfind("\n", 0, offset) if at < 0 else at
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    newline = "\r\n" if text[at - 1 : at] == "\r" else "\n"
    return newline + line[: len(line) - len(line.lstrip())]
