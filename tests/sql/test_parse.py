"""Texts that are no SQL: the reason, and its place, which « marks; texts that are read."""

from __future__ import annotations

import logging

import pytest
import sqlglot
from sqlglot import exp

from tzconv.errors import ParseError
from tzconv.sql.parse import expression_of, parse, without_warnings
from tzconv.sql.places import line_and_column

DEEP = "SELECT " + "(" * 200

REFUSED = {
    "SELECT 1,\n\n  «'abc\nd\ne": "is not closed",
    "SELECT 'a\nb',\n «\"a": "is not closed",
    "SELECT 1\n /* x\n«": "is not closed",
    "SELECT a FROM «{{ t }}": "this is a template ({{ …)",
    "SELECT '{{1}}', a\nFROM «{% if x %} a": "this is a template ({% …)",
    "-- {{ t }}\nSELECT '«{{ x }}' /* ${x} */": "this is a template ({{ x …)",
    "SELECT «${x}": "this is a template (${ …)",
    "SELECT 1 FROM\n  «WHERE a": "not understood as SQL near 'WHERE'",
    "SELECT a b\n«c": "not understood as SQL near 'c'",
    "SELECT (a),\n 1«) FROM b": "not understood as SQL near ')'",
    f"{DEEP}«(1{')' * 201}": "the statement is nested too deeply",
    f"{DEEP[:-1]}(1){'(1)' * 50}(«{'(' * 9}1": "the statement is nested too deeply",
    '«{"sql": "SELECT ts AT TIME ZONE a"}\n{"sql": 1}': "an expression is not a statement",
    '«q = "SELECT ts AT TIME ZONE a"': "an expression is not a statement",
    "«SHOW ALL": "not understood as SQL",
    "«;": "there is no SQL statement",
    "«-- a\n": "there is no SQL statement",
}
READ = {
    f"{DEEP}1{')' * 200}": 1,
    f"SELECT {', '.join(['(1)'] * 400)}": 1,
    "SELECT '{{1}}', '{', {'a': {'b': 1}} -- {{ x }}": 1,
    "SELECT 1; -- a": 1,
    "; SELECT 1;; SELECT 2": 2,
    "a; f(1); $1; ?": 4,
}


@pytest.mark.parametrize("marked", REFUSED)
def test_where_a_text_is_no_sql(marked: str) -> None:
    text, place = marked.replace("«", ""), marked.index("«")
    with pytest.raises(ParseError) as refused:
        parse(text, "duckdb")
    assert REFUSED[marked] in refused.value.reason
    assert (refused.value.line, refused.value.column) == line_and_column(text, place)


@pytest.mark.parametrize("text", READ)
def test_what_is_read(text: str) -> None:
    assert len(parse(text, "duckdb").statements) == READ[text]


def test_one_expression() -> None:
    found, tokens = expression_of("SELECT a + 1", "duckdb")
    assert (found.sql(), len(tokens)) == ("a + 1", 4)
    for text in ("SELECT a, b", "a + 1", "SELECT a b c", "SELECT 'a", "DROP TABLE a"):
        with pytest.raises(ValueError, match=r"."):
            expression_of(text, "duckdb")


def test_clauses_of_a_reading() -> None:
    source = parse("SELECT 1", "duckdb")
    for _ in range(2):  # the second time from those that are kept
        read = source.reading("SELECT a FROM b WHERE c", "from_", "where")
        assert read is not None
        assert read.sql() == "SELECT a FROM b WHERE c"
        assert source.reading("SELECT a FROM b WHERE c", "where") is None
        for text in ("SELECT a; SELECT b", "DROP TABLE a", "SELECT a b c", "SELECT 'a"):
            assert source.reading(text) is None


def test_the_range_of_a_node_has_its_text_and_no_more() -> None:
    text = """SELECT a NOT BETWEEN 1 AND 2, (a + b.c) * 'd', date_trunc(e, f)::date FROM b
    JOIN g ON h AT TIME ZONE 'i
    j' IS NULL AND "k
    l" NOT IN (1, 2), B AS m"""
    source = parse(text, "duckdb")
    [tree] = source.statements
    places = {id(node): place for node in tree.walk() if (place := source.range(node))}
    for node in tree.walk():
        # sqlglot takes the e of date_trunc(e, f) for a unit, and a name alone for a column
        is_alike = not node.find(exp.TimestampTrunc) and not isinstance(node, exp.Identifier)
        if is_alike and (place := places.get(id(node))):
            assert sqlglot.parse_one(text[slice(*place)], read="duckdb") == node
    missing = {type(node) for node in tree.walk() if id(node) not in places}
    assert missing >= {exp.Between, exp.In, exp.From, exp.Join}
    assert not missing & {exp.Column, exp.Cast, exp.TimestampTrunc, exp.AtTimeZone, exp.Mul}
    assert source.long_literals == ["'i\n    j'", '"k\n    l"']
    assert {name: len(found) for name, found in source.tables(tree).items()} == {"b": 2, "g": 1}


def test_warnings_of_sqlglot_are_dropped_inside_only(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("sqlglot")
    with without_warnings():
        logger.warning("inside")
        logger.error("an error")
    logger.warning("outside")
    assert caplog.messages == ["an error", "outside"]
