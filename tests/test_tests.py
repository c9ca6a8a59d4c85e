"""The tests themselves: what they share stands in modules without tests."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests import ROOT, parts


def imports(text: str, folder: Path) -> Iterator[str]:
    """The modules that a file imports, and the names from them, which may be modules too."""
    package = folder.relative_to(ROOT).parts
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else ()
            module = [*start, *filter(None, [node.module])]
            yield from (".".join([*module, name.name]) for name in node.names)


def has_test_module(name: str) -> bool:
    parts = name.split(".")
    return parts[0] == "tests" and any(part.startswith("test_") for part in parts)


def test_helpers_are_not_in_test_modules() -> None:
    """Who imports a test module runs its tests a second time, and moves with it."""
    files = sorted((ROOT / "tests").rglob("*.py"))
    assert len(files) > 100
    found = {
        str(file): [
            *filter(has_test_module, imports(file.read_text(encoding="utf-8"), file.parent))
        ]
        for file in files
    }
    assert {file: names for file, names in found.items() if names} == {}


def test_such_an_import_is_found() -> None:
    folder = ROOT / "tests" / "tz"
    for line in (
        "from tests.tz.test_zones import tzif",
        "from tests.tz import test_zones",
        "import tests.tz.test_zones",
        "def f():\n    from .test_zones import tzif",
        "from ..tz import test_zones as other",
    ):
        assert has_test_module(next(imports(line, folder))), line
    assert not has_test_module(next(imports("from tests.releases import tzif", folder)))


def test_the_oldest_sqlglot_runs_beside_the_oldest_duckdb() -> None:
    bound = re.search(r'"sqlglot>=([\d.]+),', (ROOT / "pyproject.toml").read_text())
    tested = re.search(r"^SQLGLOT := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert bound is not None
    assert tested is not None
    assert tested[1] == f"{bound[1]}.0"


def test_every_case_of_the_core_exists() -> None:
    """A case whose id has changed would leave ``make test`` without a word."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-o", "addopts="]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tests = {line for line in found.splitlines() if "::" in line}
    functions = {line.partition("[")[0] for line in tests}
    named = parts.Core.read().functions
    assert not {f"{path}::{name}" for path, name in named} - functions
    cases = {f"{path}::{name}[{one}]" for (path, name), all_ in named.items() for one in all_ or ()}
    assert not cases - tests - {f"{name}[]" for name in functions & tests}
