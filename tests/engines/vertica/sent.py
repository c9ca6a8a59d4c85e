"""The statements that tzconv sends to a Vertica, by their shapes.

A shape is a statement without its values: two statements that differ in zones, times or numbers
only, or in how many of them there are, have the same one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.vertica_server.server import Recorded
from tzconv import engines

GOLDEN = Path(__file__).parent / "sent.sql"
_LABEL = "tzconv, process"


def ours(recorded: Iterable[Recorded], users: Iterable[str] = ()) -> list[str]:
    """The statements of tzconv's sessions, without the queries that were the users' own."""
    found = [one.text for one in recorded if one.label.startswith(_LABEL)]
    # the server notes a statement without what is around it
    return [text for text in found if not any(text.strip() in query for query in users)]


def shape(statement: str) -> str:
    """The statement without its values."""
    # long values first, because the others look at each word of what is left
    values = r"(\"[^\"]*\")|(?:\b(?:TIMESTAMP|DATE) )?'(?:[^']|'')*'"
    text = re.sub(values, lambda found: found[1] or "?", statement)
    text = re.sub(r'("[^"]*"|\b\w+)\.(?=time_zone_)', "", text)  # the schema
    text = re.sub(r"tzconv_bench_\w+", "tzconv_bench", text)
    text = re.sub(r"\b\d+\b|(?<=, )NULL\b", "?", text)
    text = " ".join(text.split())
    text = re.sub(r"\?(?:, \?)+", "?", text)
    run = r"\(\w+ BETWEEN \? AND \? AND time_zone_name IN \(\?\)\)"
    return re.sub(rf"({run})(?: OR {run})+", r"\1", text)


def in_golden() -> Iterator[str]:
    """The statements of the golden file, and those that make a missing table."""
    texts = GOLDEN.read_text() + engines.script_of("vertica")
    lines = [line for line in texts.splitlines() if not line.startswith("--")]
    for statement in "\n".join(lines).split(";\n"):
        if statement.strip():
            yield statement.strip().removesuffix(";")


def unknown(statements: Iterable[str]) -> list[str]:
    """Those whose shape no statement of the golden file has."""
    known = {shape(statement) for statement in in_golden()}
    return [statement for statement in statements if shape(statement) not in known]
