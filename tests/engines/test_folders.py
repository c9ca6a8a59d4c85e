"""An engine is a folder: the rooms it has, and that nothing outside names it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT
from tzconv import engines
from tzconv.errors import DatabaseError, RewriteError

PACKAGE = ROOT / "tzconv"
ROOMS = ("facts", "read", "write", "load", "bench")
"""What every engine has, the last two if it has a driver; ``ddl`` and ``alchemy`` where its facts
say so."""


def words() -> Iterator[str]:
    for dialect in engines.DIALECTS:
        facts = engines.facts_of(dialect)
        yield from (dialect, facts.title, facts.scheme)
        yield from filter(None, (facts.driver, facts.driver.replace("_", "-")))


NAMES = re.compile("|".join(sorted({re.escape(word) for word in words()})), re.IGNORECASE)


def code_of(path: Path) -> Iterator[tuple[int, str]]:
    """Names and texts of a module with their lines, without docstrings and comments."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Constant) and id(node) not in prose:
            yield line, str(node.value)
        for field in ("id", "attr", "name", "arg", "module"):
            word = getattr(node, field, None)
            if isinstance(word, str):
                yield line, word


def outside() -> list[Path]:
    return [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if not path.is_relative_to(PACKAGE / "engines") and "migrations" not in path.parts
    ]


@pytest.mark.parametrize("path", outside(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_other_module_names_an_engine(path: Path) -> None:
    found = [f"{line}: {text!r}" for line, text in code_of(path) if NAMES.search(text)]
    assert not found


def test_the_search_finds_names(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        '"""DuckDB here is prose."""\nimport psycopg\nx = dialect == "spark"  # Vertica\n'
    )
    assert [line for line, text in code_of(module) if NAMES.search(text)] == [2, 3]


@pytest.mark.parametrize("dialect", engines.DIALECTS)
def test_the_rooms_of_an_engine(dialect: str) -> None:
    facts = engines.facts_of(dialect)
    assert engines.engine_of(dialect).name == dialect
    folder = PACKAGE / "engines" / dialect
    for room in ROOMS:
        is_needed = bool(facts.driver) or room not in ("load", "bench")
        assert (folder / f"{room}.py").exists() == is_needed, room
    assert (folder / "ddl.py").exists() == facts.has_ddl
    assert (folder / "alchemy.py").exists() == facts.has_alchemy
    if not facts.driver:
        return
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = project["optional-dependencies"].get(dialect, project["dependencies"])
    package = facts.driver.replace("_", "-")
    assert any(re.match(rf"{package}\b", one) for one in needed)


def test_folders_and_registry_agree() -> None:
    folders = {path.parent.name for path in (PACKAGE / "engines").glob("*/facts.py")}
    assert folders == set(engines.DIALECTS)


def test_what_adding_an_engine_touches() -> None:
    """The list in CONTRIBUTING.md is the one that these tests hold every engine to."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = re.search(r"(?ms)^## Add an engine$(.*?)^## ", text)
    assert section is not None
    named = re.findall(r"(?m)^\| `([^`]+)` \|", section[1])
    rooms = [*ROOMS, "ddl", "alchemy"]
    wanted = [f"tzconv/engines/NAME/{room}.py" for room in rooms]
    assert named == [*wanted, "tzconv/engines/__init__.py", "pyproject.toml", "docs/NAME.md"]


def test_wrong_names() -> None:
    with pytest.raises(
        RewriteError, match="choose one of duckdb, postgres, redshift, spark, vertica"
    ):
        engines.engine_of("oracle")
    with pytest.raises(DatabaseError, match="use an engine of duckdb or postgresql or vertica"):
        engines.alchemy_of("sqlite")
    with pytest.raises(DatabaseError, match="'mysql' is not supported"):
        engines.dialect_of_url("mysql://localhost/db")


@pytest.mark.parametrize("url", ["redshift://me@host:5439/db", "redshift+psycopg2://me@host/db"])
def test_an_engine_without_a_driver(url: str) -> None:
    with pytest.raises(DatabaseError, match=r"connect to Redshift: .* --dialect redshift"):
        engines.connect(url)
    with pytest.raises(DatabaseError, match="'redshift' cannot be rewritten"):
        engines.alchemy_of("redshift")
