"""What Tab completes, by click's own machinery, and once in a real bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from tests.command import run
from tzconv.cli import _COMMANDS, cli, completing
from tzconv.rewriter.strategies import STRATEGIES


def completed(*words: str) -> list[str]:
    """The completions of the last word, files as ``<file>``."""
    *before, last = words
    found = ShellComplete(cli, {}, "tzconv", "_TZCONV_COMPLETE").get_completions(before, last)
    return ["<file>" if one.type == "file" else str(one.value) for one in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("re", ["refresh", "rewrite"]),
        ("rewrite --dialect p", ["postgres"]),
        ("lint --dialect ", ["duckdb", "postgres", "redshift", "spark", "vertica"]),
        ("show europe/berl", ["Europe/Berlin"]),
        ("compare q.sql --session-time-zone Asia/Kol", ["Asia/Kolkata"]),
        ("refresh --zones Europe/Berlin,asia/kolk", ["Europe/Berlin,Asia/Kolkata"]),
        ("refresh --zones al", ["all"]),
        ("rewrite --strategy o", ["offset"]),
        ("bench --strategies now,per", ["now,period"]),
        ("status --url d", ["duckdb:///made.duckdb", "duckdb:///"]),
        ("ddl --url post", ["postgresql://"]),
        ("rewrite --schema-file ", ["<file>"]),
        ("lint ", ["<file>"]),
        ("compare ", ["<file>"]),
        ("names ", ["<file>"]),
        ("lint --format s", ["sarif"]),
        ("--config ", ["<file>"]),
        ("completion z", ["zsh"]),
    ],
)
def test_values(
    line: str, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "made.duckdb").touch()
    assert completed(*line.split(" ")) == expected


def test_every_option_of_these_names_is_completed() -> None:
    """Also those that a command declares itself."""
    context = click.Context(cli, resilient_parsing=True)
    for name in _COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        for param in command.params:
            if param.metavar == "URL" or param.name in ("dialect", "zones", "strategy"):
                assert param.type is not click.STRING, (name, param.name)


def test_the_names_of_strategies_are_all() -> None:
    assert tuple(STRATEGIES) == completing.STRATEGIES


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_and_answers(shell: str, tmp_path: Path) -> None:
    script = run("completion", shell, cwd=tmp_path)
    assert script.returncode == 0
    assert f"_TZCONV_COMPLETE={shell}_complete" in script.stdout
    probe = (
        "import sys\nsys.argv = ['tzconv']\nfrom tzconv.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    print({'numpy', 'sqlglot', 'duckdb', 'pyarrow'} & {*sys.modules}, file=sys.stderr)\n"
    )
    words = {"COMP_WORDS": "tzconv show Europe/Berl", "COMP_CWORD": "2"}
    if shell == "fish":
        words["COMP_CWORD"] = "Europe/Berl"
    done = subprocess.run(
        [sys.executable, "-c", probe],
        env={**os.environ, "_TZCONV_COMPLETE": f"{shell}_complete", **words},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Europe/Berlin" in done.stdout
    assert done.stderr == "set()\n", "whoever presses Tab waits for what is imported"


_BASH = """\
eval "$(tzconv completion bash)"
COMP_WORDS=(tzconv rewrite --dialect ver); COMP_CWORD=3
_tzconv_completion tzconv
echo "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="it runs in bash, which is missing")
def test_bash_itself(tmp_path: Path) -> None:
    program = tmp_path / "tzconv"
    start = "import sys; sys.argv[0] = 'tzconv'; from tzconv.cli import main; main()"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{start}" "$@"\n')
    program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", _BASH],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "vertica\n", done.stderr
