"""The text of rewrites, for people to read: each file `NAME.sql` becomes `NAME.rewritten.sql`.

The SQL is DuckDB's, or that of the dialect that NAME ends in. A strategy that no verdict chooses is
forced.

What a rewrite returns is proved by running it, in test_corpus.py; this shows what it looks
like. TZCONV_UPDATE_GOLDEN=1 writes the files anew; read the diff before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import ROOT
from tests.rewriter.goldens import INPUTS, TYPES
from tzconv.rewriter import DIALECTS, rewrite
from tzconv.rewriter.strategies import STRATEGIES, chosen
from tzconv.tz import zones

ON_REQUEST = {name for name in STRATEGIES if not any(name in chosen(d, None) for d in DIALECTS)}


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    last = path.stem.rpartition("_")[2]
    dialect = last if last in DIALECTS else "duckdb"
    forced = path.stem if path.stem in ON_REQUEST else None
    result = rewrite(
        path.read_text(),
        dialect=dialect,
        schema=TYPES,
        rules=zones.installed(),
        strategy=forced,
    ).sql
    expected = path.with_suffix(".rewritten.sql")
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        expected.write_text(result)
    assert result == expected.read_text()


def test_every_strategy_has_a_golden_file_and_a_page_of_the_docs() -> None:
    assert {path.stem.split("_")[0] for path in INPUTS} == {n.split("_")[0] for n in STRATEGIES}
    pages = (ROOT / "docs" / "strategies").glob("*.md")
    assert {page.stem for page in pages} == set(STRATEGIES)
