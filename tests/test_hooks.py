"""The hooks that the repository offers to pre-commit: each command, run on a file."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import ROOT

FILE = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
HOOKS = {one["id"]: [*shlex.split(one["entry"]), *one["args"]] for one in FILE}
SLOW = "SELECT * FROM logs WHERE (log_time AT TIME ZONE 'UTC')::timestamp >= NOW()"
FAST = "SELECT 1"


@pytest.mark.parametrize("name", HOOKS)
def test_hooks_find_what_is_slow(name: str, tmp_path: Path) -> None:
    (tmp_path / "tzconv.toml").write_text('dialect = "duckdb"\ntypes = "logs.log_time=timestamptz"')
    program, *arguments = HOOKS[name]
    assert program == "tzconv"
    codes = []
    for text in (SLOW, FAST):
        (tmp_path / "-query.sql").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "tzconv", *arguments, "-query.sql"]
        codes.append(
            subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode
        )
    assert codes == [2, 0]
