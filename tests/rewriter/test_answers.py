"""What rewrite and lint answer to every statement of the corpora, kept as digests.

The other tests prove that an answer is right. This one notices that it is another one than before:
text, places, strategies, reasons, advice. TZCONV_UPDATE_GOLDEN=1 writes ``answers.json`` anew; look
at each statement that has changed before you commit it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import duckdb
import pytest

from tests.rewriter import answers

FILE = Path(__file__).with_name("answers.json")


@pytest.mark.skipif(duckdb.__version__.startswith("1."), reason="they are those of DuckDB 2.0")
@pytest.mark.parametrize("group", answers.GROUPS)
def test_answers(group: str) -> None:
    dialect, texts = answers.GROUPS[group]
    types = answers.types_of(group)
    found = {
        name: answers.digest(repr(list(answers.asked(name, text, dialect, types))))
        for name, text in texts.items()
    }
    kept = json.loads(FILE.read_text()) if FILE.exists() else {}
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        kept[group] = found
        lines = (f"{json.dumps(one)}: {json.dumps(kept.get(one, {}))}" for one in answers.GROUPS)
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    before = kept.get(group, {})
    assert {name for name in {*found, *before} if found.get(name) != before.get(name)} == set()
