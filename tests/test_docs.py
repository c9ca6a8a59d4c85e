"""The README and the pages in docs/ are true: examples run, and what they name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tzconv import tables
from tzconv.cli import _COMMANDS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_python_example_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGES[0].read_text(), re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    assert "CAST(NOW() - INTERVAL '1 day' AS TIMESTAMP)" in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_links_exist(page: Path) -> None:
    text = page.read_text()
    for command in re.findall(r"`tzconv (\w+)", text) + re.findall(r"\$ tzconv (\w+)", text):
        assert command in _COMMANDS
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (page.parent / link).exists(), link


def test_every_command_is_in_the_readme() -> None:
    text = PAGES[0].read_text()
    for command in _COMMANDS:
        assert re.search(rf"(tzconv|make) {command}\b", text), command


def test_every_strategy_has_a_page_that_is_linked() -> None:
    folder = ROOT / "docs" / "strategies"
    linked = re.findall(r"\(strategies/(\w+)\.md\)", (ROOT / "docs" / "strategies.md").read_text())
    assert {page.stem for page in folder.glob("*.md")} == set(linked)
    assert linked
    for name in linked:
        assert (folder / f"{name}.md").read_text().startswith(f"# `{name}`\n")


def test_every_table_and_column_is_in_the_docs() -> None:
    text = (ROOT / "docs" / "tables.md").read_text()
    for table in tables.CONVERSIONS.values():
        (section,) = re.findall(rf"## `{table.name}`(.*?)(?=\n## |\Z)", text, re.DOTALL)
        for column in table.columns:
            assert f"`{column.name}`" in section, (table.name, column.name)
