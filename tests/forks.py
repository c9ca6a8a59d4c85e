"""Runs the command line in forks of one process, which has imported what the commands import.

``python -m tests.forks`` reads one request a line and answers with the exit code of each. A fork
ends as any Python ends: what the interpreter does and writes at its end is seen too.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import sys
import time
from importlib import import_module
from pathlib import Path

import click

FROZEN = ("alembic.command", "psycopg", "pyarrow.parquet", "rich.console", "sqlalchemy", "sqlglot")
"""No fork looks through what these leave in memory for garbage."""
IMPORTED = (
    *("duckdb", "tzconv.engines.duckdb.load", "tzconv.engines.postgres.load", "tzconv.health"),
    *("tzconv.refresher", "tzconv.rewriter", "tzconv.target", "tzconv.tables.generate"),
)


def become(folder: Path, arguments: list[str], cwd: str, environment: dict[str, str]) -> None:
    """Make this process what ``python -m tzconv`` would be, with files for its streams."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        file = os.open(folder / name, os.O_RDWR | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    if "coverage" in sys.modules:  # what runs from here on counts for the test that asks
        measured = sys.modules["coverage"].Coverage.current()
        measured.switch_context(environment.get("PYTEST_CURRENT_TEST", ""))
    time.tzset()
    sys.path[0] = cwd
    sys.argv = ["tzconv", *arguments]


def serve() -> bool:
    """Answer requests to the end; True in a fork, which has become one of them."""
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    for line in requests:
        request = json.loads(line)
        process = os.fork()
        if process == 0:
            folder = Path(request.pop("folder"))
            become(folder, **request)
            return True
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)
    return False


if __name__ == "__main__":
    for name in FROZEN:
        import_module(name)
    gc.freeze()
    for name in IMPORTED:
        import_module(name)
    from tzconv.cli import cli

    for name in cli.list_commands(click.Context(cli)):
        cli.get_command(click.Context(cli), name)  # imports it
    if serve():
        runpy.run_module("tzconv", run_name="__main__", alter_sys=True)
