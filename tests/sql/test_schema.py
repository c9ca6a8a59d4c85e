"""Tables by the names of the catalog: which one a name means, and what a statement may change."""

from __future__ import annotations

import pytest
from sqlglot import exp

from tzconv.rewriter import rewrite
from tzconv.sql.parse import parse
from tzconv.sql.schema import OTHERS, Schema

E, F, SOME = {"ts": "timestamp"}, {"ts": "timestamptz"}, {"ts": "date", OTHERS: ""}


def test_of_two_names_with_one_form_neither_is_known() -> None:
    for dialect in ("duckdb", "postgres"):
        schema = Schema({"Ev": E, "ev": F, "f": F}, dialect)
        tables = parse('SELECT 1 FROM ev, "Ev", f', dialect).statements[0].find_all
        known = {table.name for table in tables(exp.Table) if schema.columns(table) is not None}
        assert known == {"f"}


def test_tables_by_their_names_in_lower_case() -> None:
    schema = Schema({"S.E": F, "e": E, "f": SOME}, "duckdb")
    assert schema.tables == {"s.e": F, "e": E, "f": {"ts": "date"}}
    assert not schema.session_is_utc
    assert schema.without(set()) is schema
    assert schema.without({"e"}).tables == {"f": {"ts": "date"}}
    assert schema.changed({"e"}).tables == {}
    assert schema.changed({"s"}) is schema


@pytest.mark.parametrize(
    ("dialect", "table", "known"),
    [
        ("postgres", "e", E),
        ("postgres", "public.e", E),
        ("postgres", "s.e", F),
        ("postgres", "main.e", {}),
        ("postgres", "x.public.e", {}),
        ("duckdb", "main.e", E),
        ("duckdb", "public.e", {}),
    ],
)
def test_the_schema_that_is_not_named(dialect: str, table: str, known: dict[str, str]) -> None:
    assert Schema({"e": E, "s.e": F}, dialect).columns_of(table) == known


def test_comparisons_of_a_statement_that_is_not_read() -> None:
    """Of columns that are TIMESTAMP or DATE wherever a table has one of their name."""
    types = {
        "a": {"t": "timestamp", "d": "date", "z": "timestamptz", "both": "timestamp", "n": "int"},
        "b": {"both": "timestamptz", "D": "timestamp"},
    }
    for column, is_said in {"t": True, "d": True, "z": False, "both": False, "n": False}.items():
        left = rewrite(f"MERGE INTO a USING c ON {column} > now() WHEN x", schema=types).left
        assert [one.text for one in left] == [f"{column} > now()"] * is_said
