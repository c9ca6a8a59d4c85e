"""docs/api.md and docs/commands.md say what the code says.

TZCONV_UPDATE_GOLDEN=1 writes them anew; read the diff before you commit it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pytest

import tzconv
import tzconv.sqlalchemy
from tests import ROOT, reference_pages
from tzconv.cli import _COMMANDS

DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    ("page", "made"),
    [("api.md", reference_pages.api), ("commands.md", reference_pages.commands)],
)
def test_page_is_fresh(page: str, made: Callable[[], str]) -> None:
    path = DOCS / page
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        path.write_text(made())
    assert path.read_text() == made()


@pytest.mark.not_core
def test_the_list_of_modules_is_fresh() -> None:
    path = DOCS / "architecture.md"
    page = path.read_text()
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        path.write_text(reference_pages.architecture(page))
    assert path.read_text() == reference_pages.architecture(page)


def test_every_public_name_has_an_entry() -> None:
    headings = re.findall(r"(?m)^### `(\w+)`$", (DOCS / "api.md").read_text())
    public = {*tzconv.__all__, *tzconv.sqlalchemy.__all__} - {"__version__", "generate", "zones"}
    assert public <= set(headings)


def test_every_command_has_a_section_with_an_example() -> None:
    text = (DOCS / "commands.md").read_text()
    for command in _COMMANDS:
        (section,) = re.findall(rf"(?ms)^## `tzconv {command}`$(.*?)(?=^## |\Z)", text)
        assert f"Usage: tzconv {command}" in section
        assert re.search(rf"(?m)^  tzconv {command}", section)
