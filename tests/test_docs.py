"""The README and the pages in docs/ are true: examples run, and what they name exists."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

import tzconv
from tests import ROOT
from tzconv import tables
from tzconv.cli import _COMMANDS, cli
from tzconv.sql.reasons import Code

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
    for link, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
        target = page.parent / link if link else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text()), f"{link}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_have_options_that_exist(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that no test can run, such as on a server of the reader's."""
    (tmp_path / "tzconv.toml").touch()
    monkeypatch.chdir(tmp_path)
    for fence in re.findall(r"(?ms)^ *```\w*$(.*?)^ *```$", page.read_text()):
        for line in re.findall(r"(?m)^ *(?:\$ )?tzconv (.*)$", fence):
            arguments = shlex.split(re.split(r" [|>] | >", line)[0], comments=True)
            done = CliRunner().invoke(cli, [*arguments, "--help"])
            assert done.exit_code == 0, f"tzconv {line}: {done.output}"


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    plain = re.sub(r"(?ms)^```.*?^```$", "", text)
    headings = re.findall(r"(?m)^#+ (.*)$", plain)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    """Once; the site itself does not complain about a page that is missing there."""
    found = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]
    pages = [str(page.relative_to(ROOT / "docs")) for page in PAGES[1:]]
    assert sorted(_leaves(found)) == sorted(pages)


def _leaves(nav: object) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for one in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _leaves(one)


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


_TYPES = {
    "a": {"ts": "timestamp", "p": "integer"},
    "p": {"id": "integer", "zone": "varchar"},
}


@pytest.mark.parametrize(
    ("dialect", "sql", "reason"),
    [
        ("postgres", "{z} FROM a JOIN (SELECT id, zone FROM p) p ON p.id = a.p", None),
        ("duckdb", "p.id FROM p WHERE EXISTS (SELECT {z} FROM a WHERE a.p = 1)", ""),
        ("duckdb", "max({k}) FROM a", None),
        (
            "duckdb",
            "max(ts) AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata' FROM a",
            "after the grouping",
        ),
        ("vertica", "new_time(ts, 'Asia/Tokyo', p.zone) FROM a JOIN p ON a.p = p.id", None),
    ],
)
def test_what_the_readme_says_is_left(dialect: str, sql: str, reason: str | None) -> None:
    """None: it is rewritten."""
    kolkata = " 'Asia/Kolkata'"
    zoned = "a.ts AT TIME ZONE 'UTC' AT TIME ZONE"
    query = f"SELECT {sql.format(z=f'{zoned} p.zone', k=zoned + kolkata)}"
    result = tzconv.rewrite(query, dialect=dialect, schema=_TYPES)
    if reason is None:
        assert result.changes
        assert not result.left
    else:
        assert result.sql == query
        assert reason in result.left[0].reason


def test_every_code_of_a_reason_is_in_the_docs() -> None:
    text = (ROOT / "docs" / "reasons.md").read_text()
    assert re.findall(r"^\| `([\w-]+)`", text, re.MULTILINE) == sorted(get_args(Code))


def test_every_table_and_column_is_in_the_docs() -> None:
    text = (ROOT / "docs" / "tables.md").read_text()
    for table in tables.CONVERSIONS.values():
        (section,) = re.findall(rf"## `{table.name}`(.*?)(?=\n## |\Z)", text, re.DOTALL)
        for column in table.columns:
            assert f"`{column.name}`" in section, (table.name, column.name)
