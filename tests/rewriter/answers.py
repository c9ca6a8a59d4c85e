"""What rewrite and lint answer to every statement of the corpora, asked in several ways."""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
from collections.abc import Iterator
from typing import Any

from tests import corpora, events
from tests.people import measure, statements
from tests.rewriter.goldens import INPUTS, TYPES
from tzconv.errors import TzconvError
from tzconv.lint import lint
from tzconv.rewriter import rewrite, templated
from tzconv.rewriter.strategies import STRATEGIES
from tzconv.sql.declarations import Declared

FILES = {
    "duckdb": ("duckdb", "shapes"),
    "postgres": ("postgres", "shapes"),
    "redshift": ("redshift",),
    "spark": ("spark",),
    "vertica": ("vertica",),
}
VARIANTS: tuple[dict[str, Any], ...] = (
    {"schema": {}},
    {"rows": lambda _: 900.0},
    {"now": "2026-05-01T12:00:00+02:00", "session_time_zone": "Europe/Berlin"},
    {"session_time_zone": "Asia/Kolkata", "table_schema": "reports"},
    {"loaded": ("daily", "hourly", "offset"), "literals_until": dt.date(2020, 1, 1)},
    *({"strategy": name} for name in STRATEGIES),
)
"""Each statement is asked with one of them, beside the plain answer and the one by tables alone."""
BY_TABLES = {"literals_until": dt.date(1970, 1, 1)}


@functools.cache
def types_of(group: str) -> dict[str, dict[str, str]]:
    kind, _, dialect = group.partition(" on ")
    if kind == "corpus":
        return events.column_types(events.connect())
    return measure.schema(dialect) if dialect else TYPES


def _groups() -> dict[str, tuple[str, dict[str, str]]]:
    """Dialect, and texts by name, of each group of statements."""
    found = {}
    for dialect, files in FILES.items():
        texts = {name: text for file in files for name, _, text in corpora.parts(file)}
        found[f"corpus on {dialect}"] = dialect, texts
        texts = {name: one.text for name, one in statements(dialect).items()}
        found[f"people on {dialect}"] = dialect, texts
    for path in INPUTS:
        last = path.stem.rpartition("_")[2]
        dialect = last if last in FILES else "duckdb"
        found[path.stem] = dialect, {path.stem: path.read_text()}
    return found


GROUPS = _groups()


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def asked(name: str, text: str, dialect: str, types: Any) -> Iterator[Any]:
    # by the name, so that a new statement changes the answers to no other one
    variant = VARIANTS[int(digest(name), 16) % len(VARIANTS)]
    for given in ({}, BY_TABLES, variant):
        options: dict[str, Any] = {"dialect": dialect, "schema": types, **given}
        one = functools.partial(rewrite, **{k: v for k, v in options.items() if k != "schema"})
        try:
            result = templated.rewrite_each(text, one, Declared(options["schema"]), dialect)
        except TzconvError as error:
            yield type(error).__name__, str(error)
        else:
            yield result.sql, result.changes, result.left
    try:
        yield lint(text, dialect=dialect, schema=types)
    except TzconvError as error:
        yield type(error).__name__, str(error)
