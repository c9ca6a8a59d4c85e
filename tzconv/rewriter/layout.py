"""Line breaks and indentation of inserted text, after the text around it."""

from __future__ import annotations


def indentation(text: str, offset: int) -> str:
    """The white space at the beginning of the line that ``offset`` is on."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip())]


def next_line(text: str, offset: int, deeper: int) -> str:
    """What begins a line after the one at ``offset``; a blank where the text has only one line."""
    if "\n" not in text:
        return " "
    return _newline(text, offset) + indentation(text, offset) + " " * deeper


def reindented(text: str, offset: int, lines: str) -> str:
    """``lines`` with the indentation of the line at ``offset``; one line where the text is one."""
    if "\n" not in text:
        return " ".join(line.strip() for line in lines.split("\n"))
    return lines.replace("\n", _newline(text, offset) + indentation(text, offset))


def _newline(text: str, offset: int) -> str:
    """The nearest one: a search of the whole text, for each edit, is long in a long text."""
    at = text.find("\n", offset)
    at = text.rfind("\n", 0, offset) if at < 0 else at
    return "\r\n" if text[at - 1 : at] == "\r" else "\n"
