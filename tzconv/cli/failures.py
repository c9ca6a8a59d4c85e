"""How a command ends that fails: a sentence on standard error, with ``--json`` an object as well.

The object is the only thing on standard output, and its shape is the same for every command::

    {"error": {"code": "parse", "exit_code": 1, "message": "q.sql:1:8: ...",
               "file": "q.sql", "line": 1, "column": 8}}
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
from collections.abc import Iterable
from typing import Any

import click

from tzconv.cli import arguments, printing
from tzconv.cli.codes import ExitCode
from tzconv.errors import PlacedError, TzconvError, without_secrets


def as_dict(error: BaseException, message: str, exit_code: ExitCode) -> dict[str, Any]:
    """What ``--json`` prints of an error; ``line`` and ``column`` are null where none is known."""
    placed = error if isinstance(error, PlacedError) else None
    return {
        "code": _code(error),
        "exit_code": int(exit_code),
        "message": without_secrets(message),
        "file": placed and placed.file,
        "line": placed and placed.line,
        "column": placed and placed.column,
    }


def of_file(file: str, error: TzconvError) -> dict[str, Any]:
    """Print an error in one of several files; :func:`as_dict` of it."""
    named = arguments.naming(file, error)
    printing.error(named)
    return as_dict(named, str(named), ExitCode.ERROR) | {"file": file}


def _code(error: BaseException) -> str:
    """A word for programs, the same in every release."""
    if isinstance(error, TzconvError):
        return error.code
    if isinstance(error, click.UsageError):
        return "usage"
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return "stopped"
    return "error" if isinstance(error, click.ClickException) else "bug"


def print_json(error: BaseException, message: str, exit_code: ExitCode) -> None:
    """Print the object of an error, if the command line asks for JSON."""
    if not asks_for_json(sys.argv[1:]):
        return
    said = as_dict(error, message, exit_code)
    checks = {
        "healthy": False,
        "findings": [{"check": "error", "level": "error", "text": said["message"]}],
    }
    # a monitor reads these fields of every answer
    more = checks if {*sys.argv[1:]} & {"status", "doctor"} else {}
    text = json.dumps({"error": said, **more}, indent=2)
    with contextlib.suppress(OSError):  # a reader that has gone needs nothing
        click.echo(text)


def asks_for_json(arguments: Iterable[str]) -> bool:
    """Whether a command line has ``--json``, or another spelling of it.

    It is looked for in the texts: options that are wrong have not been read.
    """
    options = list(itertools.takewhile(lambda one: one != "--", arguments))
    pairs = itertools.pairwise(options)
    return bool({"--json", "--format=json"} & {*options}) or ("--format", "json") in pairs
