"""Standard error: words for a person, or one JSON object per line for the log of a job.

:mod:`printing` and the end of the command line write here. All text goes through :func:`visible`,
because names come from databases, files and servers, and a terminal obeys control characters.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import warnings
from typing import Any, TextIO

import click

from tzconv.errors import without_secrets

_is_json = False
_of_python = warnings.showwarning, logging.lastResort


def start(is_job: bool) -> None:
    """Write JSON lines from now on if that is a job's command and nobody reads along."""
    global _is_json  # noqa: PLW0603 - a process has one standard error
    _is_json = is_job and not is_terminal()
    # what drivers warn of are lines of the log, too
    others = (_warned, _Logged(logging.WARNING)) if _is_json else _of_python
    warnings.showwarning, logging.lastResort = others


def is_terminal() -> bool:
    """Whether somebody reads along."""
    return sys.stderr is not None and sys.stderr.isatty()


def is_json() -> bool:
    """Whether standard error gets JSON lines."""
    return _is_json


def visible(text: str) -> str:
    """A text with escapes like ``\\x1b`` for what cannot be printed."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


def event(name: str, **fields: Any) -> None:
    """One line of the log; one that cannot be written, as on a full disk, stops no job."""
    with contextlib.suppress(OSError):
        click.echo(json.dumps({"event": name, **fields}, default=str), err=True)


def message(text: str) -> None:
    """A sentence, in one line."""
    if _is_json:
        event("message", text=text)
    else:
        click.echo(visible(text), err=True)


class _Logged(logging.StreamHandler[Any]):
    def emit(self, record: logging.LogRecord) -> None:
        message(record.getMessage())


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    del filename, lineno, file, line
    event("message", text=f"{category.__name__}: {message}")


def error(text: object, exit_code: int, **fields: Any) -> None:
    """An error in one line."""
    said = without_secrets(str(text))
    if _is_json:
        event("error", text=said, exit_code=exit_code, **fields)
    else:
        click.echo(f"tzconv: {visible(said)}", err=True)
