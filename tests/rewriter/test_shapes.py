"""Every shape in which such queries were seen in public code has a query here, or is refused.

The shapes were numbered when they were collected; each query of tests/corpus/shapes.sql names those
it stands for. The ones below are no queries, or not yet: nothing in them may be changed.
"""

from __future__ import annotations

import re

import pytest

from tests.corpora import CORPORA, parts
from tzconv.errors import ParseError
from tzconv.rewriter import rewrite
from tzconv.rewriter.statements import rewrite_each

SHAPES = {
    *(1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35),
    *(37, 38, 40, 41, 43, 44, 46, 47, 49, 50, 52, 53, 55, 56, 58, 59, 61, 62, 64, 65, 67, 68, 70),
    *(71, 73, 74, 76, 77, 79, 80, 82, 83, 85, 86, 88, 89, 91, 92, 94, 95, 97, 98, 100, 101, 103),
    *(104, 106, 107, 109, 110, 112, 113, 115, 116, 118, 119, 121, 122, 124, 125, 127, 128, 130),
    *(131, 133, 134, 136, 137, 139, 140, 142, 143, 145, 146, 148, 149, 151, 152, 154, 155, 157),
    *(158, 160, 161, 163, 164, 166, 167, 169, 170, 172, 173, 175, 176, 178, 179, 181, 182, 184),
    *(185, 187, 188, 190, 191, 193, 194, 196, 197, 199, 200, 202, 203, 205, 206, 208, 209, 211),
    *(212, 214, 215, 217, 218, 220, 221, 223, 224, 226),
}
TYPES = {"t": {"ts": "timestamp", "i": "integer"}, "z": {"i": "integer", "zone": "varchar"}}

TEMPLATES = {
    25: "SELECT TIMESTAMPADD('second', 1, ${orders.ts}) AT TIME ZONE z.zone FROM t, z",
    40: "SELECT ts FROM t WHERE {% incrementcondition %} ts {% endincrementcondition %}",
    47: "SELECT ts AT TIME ZONE 'UTC' FROM {{ ref('t') }}",
    58: "SELECT ts AT TIME ZONE '{{ zone }}' FROM t",
    59: "SELECT ts AT TIME ZONE #{zone} FROM t",
    71: "SELECT date_trunc('day', timezone('UTC', ts), '${zone}') FROM t",
    94: "SELECT ts AT TIME ZONE '#{zone}' FROM t",
    131: "SELECT {{ currency('usd') }}, ts FROM t",
    146: "UPDATE {{ table }} SET ts = ts AT TIME ZONE 'UTC'",
    187: 'SELECT "{{ metric }}" FROM t',
    224: "SELECT ts FROM {{ source('a', 't') }}",
    226: "{%- macro convert(ts) -%} {{ ts }} AT TIME ZONE 'UTC' {%- endmacro -%}",
}
STATEMENTS = {
    97: "UPDATE t SET ts = CURRENT_TIMESTAMP AT TIME ZONE 'Asia/Tokyo' WHERE i = 1",
    121: "UPDATE t SET i = 0 FROM z WHERE z.i = t.i AND (t.ts AT TIME ZONE 'UTC' AT TIME ZONE "
    "z.zone)::date = '2026-01-01'",
    124: "UPDATE t SET ts = (SELECT max(t.ts AT TIME ZONE 'UTC' AT TIME ZONE zone) FROM z)",
    220: "CREATE FUNCTION f() RETURNS timestamptz AS $_$ SELECT max(ts AT TIME ZONE 'Asia/Tokyo') "
    "FROM t $_$ LANGUAGE sql",
    221: "PERFORM 1 FROM t WHERE ts BETWEEN $1 AT TIME ZONE $2 AND $1 AT TIME ZONE $2",
}


def test_every_shape_is_there() -> None:
    numbers = [int(mark) for _, marks, _ in parts("shapes") for mark in marks if mark.isdigit()]
    assert {*numbers, *TEMPLATES, *STATEMENTS} == SHAPES


def test_there_are_queries_enough() -> None:
    for dialect in ("duckdb", "postgres"):
        texts = {re.sub(r"\s+", " ", sql) for sql, _ in CORPORA[dialect].values()}
        assert len(texts) == len(CORPORA[dialect]) >= 150


@pytest.mark.parametrize("number", TEMPLATES)
@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "vertica"])
def test_templates_are_refused_with_their_place(dialect: str, number: int) -> None:
    with pytest.raises(ParseError) as refused:
        rewrite(TEMPLATES[number], dialect=dialect, schema=TYPES)
    assert (refused.value.line, refused.value.column > 0) == (1, True)


@pytest.mark.parametrize("number", STATEMENTS)
def test_other_statements(number: int) -> None:
    """What is rewritten in such statements is run in test_writes.py and test_bodies.py."""
    sql = STATEMENTS[number]
    try:
        result = rewrite_each(sql, lambda text: rewrite(text, dialect="postgres", schema=TYPES))
    except ParseError:
        assert number == 221
        return
    assert bool(result.changes) == (number in (121, 124, 220))
    assert result.changes or result.left
