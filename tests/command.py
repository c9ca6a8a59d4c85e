"""The command line as a person starts it, and what is expected of a message."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

QUERY = "SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'\n"
DDL = "CREATE TABLE logs (log_time TIMESTAMP NOT NULL, level INTEGER);\n"


def run(
    *arguments: str, cwd: Path, stdin: str | bytes = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "tzconv", *arguments],
        cwd=cwd,
        input=stdin if isinstance(stdin, bytes) else stdin.encode(),
        capture_output=True,
        env={**os.environ, "TZ": "UTC", **environment},
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def assert_one_sentence(done: subprocess.CompletedProcess[str], *said: str) -> None:
    """Exit 1, nothing on standard output, and one line that names the thing."""
    assert done.returncode == 1, done
    assert done.stdout == ""
    assert done.stderr.startswith("tzconv: ")
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert "Traceback" not in done.stderr
    for text in said:
        assert text in done.stderr
