"""``tzconv dbt`` on a project that real dbt has compiled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import run
from tests.dbt_package.builds import Build

pytestmark = pytest.mark.dbt

MACROS = ("constant_tables", "zones_tables", "days_table", "days_view")


def judged(build: Build, *options: str, cwd: Path) -> dict[str, Any]:
    """What the command says of each model of a build, by its name."""
    done = run("dbt", str(build.folder), "--json", *options, cwd=cwd)
    assert done.returncode == 2, done
    return {one["model"]: one for one in json.loads(done.stdout)}


def test_models_of_functions_would_change(built: Build, tmp_path: Path) -> None:
    found = judged(built, cwd=tmp_path)
    for name in ("constant_native", "days_native", "dbt_date_native", "zones_native"):
        assert found[name]["changes"], found[name]
        assert not [one for one in found[name]["left"] if one["code"] == "unknown-type"]


@pytest.mark.parametrize("name", MACROS)
def test_models_of_macros_are_done(name: str, built: Build, tmp_path: Path) -> None:
    """The rewriter knows what the macros have written as its own work."""
    found = judged(built, cwd=tmp_path)[name]
    assert found["changes"] == []
    assert {one["code"] for one in found["left"]} <= {"constant", "fixed-offset"}


def test_the_written_texts_give_the_same_rows(built: Build, tmp_path: Path) -> None:
    done = run("dbt", str(built.folder), "--output-dir", "out", cwd=tmp_path)
    assert done.returncode == 0, done
    written = sorted((tmp_path / "out").rglob("*.sql"))
    assert {"days_native", "zones_native"} <= {path.stem for path in written}
    for path in written:
        assert path.parent == tmp_path / "out" / "models"
        text = path.read_text()
        assert text != built.compiled(path.stem)
        assert built.rows(text) == built.rows(built.compiled(path.stem)), path.stem
