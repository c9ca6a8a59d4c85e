"""The GitHub Action of the repository: its steps, run by bash as a runner runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import ROOT
from tests.command import DDL, QUERY

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, RUN = ACTION["runs"]["steps"]
pytestmark = pytest.mark.skipif(
    shutil.which("bash") is None, reason="it runs in bash, which is missing"
)


def act(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """The second step with these inputs, in a folder whose tzconv is this one."""
    program = folder / "temp" / "tzconv" / "bin" / "tzconv"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tzconv "$@"\n')
    program.chmod(0o755)
    values = {name: one["default"] for name, one in ACTION["inputs"].items()}
    values |= {name.replace("_", "-"): value for name, value in inputs.items()}
    given = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], text)
        for name, text in RUN["env"].items()
    }
    # what a runner calls for `shell: bash`
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", RUN["run"]]
    environment = {**os.environ, "RUNNER_TEMP": str(folder / "temp"), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment | given,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tables.sql").write_text(DDL)
    (tmp_path / "slow reports").mkdir()
    (tmp_path / "slow reports" / "q.sql").write_text(QUERY)
    return tmp_path


def test_its_parts() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for step in (INSTALL, RUN):
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an input in a script would be run"
    used = set(re.findall(r"inputs\.([\w-]+)", "\n".join(RUN["env"].values())))
    assert used == set(ACTION["inputs"])
    assert '"$GITHUB_ACTION_PATH"' in INSTALL["run"]


def test_lint_prints_annotations_and_writes_sarif(folder: Path) -> None:
    done = act(folder, paths="slow reports\n\n", schema_file="tables.sql", sarif="found.sarif")
    assert done.returncode == 2
    assert done.stdout.startswith("::warning file=slow reports/q.sql,line=1,")
    (found,) = json.loads((folder / "found.sarif").read_text())["runs"]
    assert [one["ruleId"] for one in found["results"]] == ["TZ002"]


def test_findings_need_not_fail(folder: Path) -> None:
    given = {"paths": "slow reports", "types": "logs.log_time=timestamp"}
    assert act(folder, **given, fail="false", sarif="found.sarif").returncode == 0
    assert act(folder, **given, ignore="TZ002").returncode == 0
    assert act(folder, **given, select="TZ001").returncode == 0
    failed = act(folder, paths="gone", fail="false")
    assert failed.returncode == 1
    assert "gone: there is no such file" in failed.stderr


def test_check(folder: Path) -> None:
    done = act(folder, command="check", paths="slow reports", schema_file="tables.sql")
    assert done.returncode == 2
    assert "could be rewritten by now" in done.stdout
    dialect = act(folder, command="check", paths="slow reports", dialect="oracle")
    assert dialect.returncode == 1
    assert "choose one of" in dialect.stderr


def test_a_wrong_command(folder: Path) -> None:
    done = act(folder, command="lnt")
    assert done.returncode == 64
    assert done.stdout == "::error::There is no command 'lnt': choose lint or check.\n"


def test_inputs_are_not_run(folder: Path) -> None:
    text = "$(touch hacked)`touch hacked`'; touch hacked; '\"; touch hacked; \""
    others = [name for name in ACTION["inputs"] if name not in ("sarif", "command")]
    assert act(folder, **dict.fromkeys(others, text)).returncode == 1
    assert act(folder, command=text).returncode == 64
    assert act(folder, paths="--help").returncode == 1
    assert not list(folder.rglob("*hacked*"))
