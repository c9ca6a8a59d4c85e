"""The command line as a person starts it, and what is expected of a message."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests import ROOT

QUERY = "SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'\n"
DDL = "CREATE TABLE logs (log_time TIMESTAMP NOT NULL, level INTEGER);\n"


_FORKED = re.compile(r"TZ$|TZCONV_")
"""What the program reads when it is at work, not when it starts."""
_FORKS = version("duckdb") >= "2"
"""Before that, an import of DuckDB starts threads, and a fork without them aborts at its end."""


def run(
    *arguments: str, cwd: Path, stdin: str | bytes = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own: a fork, where that is the same."""
    start = _forked if _FORKS and all(map(_FORKED.match, environment)) else _started
    given = stdin if isinstance(stdin, bytes) else stdin.encode()
    return start(list(arguments), cwd, given, {**os.environ, "TZ": "UTC", **environment})


def start(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The same in a new Python."""
    return _started(list(arguments), cwd, b"", {**os.environ, "TZ": "UTC"})


def _started(
    arguments: list[str], cwd: Path, stdin: bytes, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tzconv", *arguments]
    done = subprocess.run(
        command, cwd=cwd, input=stdin, capture_output=True, env=environment, check=False
    )
    return subprocess.CompletedProcess(
        command, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def _forked(
    arguments: list[str], cwd: Path, stdin: bytes, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    with _one_at_a_time, tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "stdin").write_bytes(stdin)
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        request = {"folder": folder, "arguments": arguments, "cwd": str(cwd.resolve())}
        server.stdin.write(json.dumps({**request, "environment": environment}) + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        assert answer, "tests.forks has ended: see its standard error"
        code = int(answer)
        out, err = ((Path(folder) / name).read_bytes().decode() for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess(arguments, code, out, err)


_one_at_a_time = threading.Lock()


@functools.cache
def _server() -> subprocess.Popen[str]:
    """It ends with this process, which holds the other end of its standard input."""
    command = [sys.executable, "-m", "tests.forks"]
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def log(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """The lines of a job's standard error, each of which is a JSON object."""
    return [json.loads(line) for line in done.stderr.splitlines()]


def changed(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether a refresh that has succeeded says that it has changed something."""
    assert done.returncode == 0, done
    assert "Loaded tz release" in done.stderr or "Nothing to do: tz release" in done.stderr, done
    return "Loaded tz release" in done.stderr


def assert_one_sentence(done: subprocess.CompletedProcess[str], *said: str) -> None:
    """Exit 1, nothing on standard output, and one line that names the thing."""
    assert done.returncode == 1, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("tzconv: ")
    for text in said:
        assert text in done.stderr
