"""Column types that people declare: the same in each form of file, and what is wrong in one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tzconv.errors import ParseError, RewriteError
from tzconv.sql.declarations import add_columns, read

COLUMNS = [
    ("app", "ev", "ts", "timestamptz"),
    ("app", "ev", "n", "int"),
    ("app", "zones", "zone", "text"),
    ("old", "zones", "zone", "date"),
]
HEADER = ("table_schema", "table_name", "column_name", "data_type")
OF_EV = {"ts": "timestamptz", "n": "int"}
TABLES = {
    **{"app.ev": OF_EV, "ev": OF_EV},
    **{"app.zones": {"zone": "text"}, "old.zones": {"zone": "date"}},
}


def csv(*, comma: str, quote: str = "", end: str = "\n", begin: str = "") -> str:
    rows = [comma.join(f"{quote}{cell}{quote}" for cell in row) for row in [HEADER, *COLUMNS]]
    return begin + end.join([rows[0].upper(), *rows[1:], ""])


def dbt(form: str) -> str:
    nodes: dict[str, Any] = {}
    for schema, table, column, kind in COLUMNS:
        given: dict[str, Any] = {"metadata": {"schema": schema, "name": table}}
        if form == "manifest":
            key, other = ("alias", "name") if schema == "app" else ("identifier", "alias")
            given = {"resource_type": "seed", "schema": schema, key: table, other: "other"}
        node = nodes.setdefault(f"seed.{schema}.{table}", {**given, "columns": {}})
        node["columns"][column] = {"type": kind, "data_type": kind}
    test = {"resource_type": "test", "name": "t", "columns": {"a": {"data_type": "int"}}}
    nodes |= {} if form == "catalog" else {"test.app.t": test}
    return f" {json.dumps({'nodes': nodes, 'sources': None})}"


@pytest.mark.parametrize(
    "text",
    [
        *(csv(comma=comma) for comma in (",", ";", "\t", " | ", "|")),
        *(csv(comma=",", quote='"', end=end, begin="\n ") for end in ("\n", "\r\n")),
        "".join(
            f"CREATE TABLE {one} ({', '.join(map(' '.join, its.items()))});"
            for one, its in TABLES.items()
            if "." in one
        ),
        *map(dbt, ("catalog", "manifest")),
    ],
)
def test_the_same_types_in_each_form(text: str) -> None:
    found = read(text, "postgres").tables
    others = {"": ""} if "resource_type" in text else {}
    assert {
        table: {name: kind.casefold() for name, kind in columns.items()}
        for table, columns in found.items()
    } == {table: others | columns for table, columns in TABLES.items()}


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (["app,ev,ts,timestamptz", "app,ev,n,"], {"": "", "ts": "timestamptz"}),
        (["app,ev,ts", "app,ev,n,int,more"], {"": "", "n": "int"}),
        (["app,ev,ts,date", "app,ev,ts,text", "app,ev,n,int"], {"": "", "n": "int"}),
        (["app,ev,ts,date", "app,ev,ts,date"], {"ts": "date"}),
    ],
)
def test_a_type_that_is_not_known(rows: list[str], columns: dict[str, str]) -> None:
    found = read("\n".join([",".join(HEADER), *rows]), "duckdb").tables
    assert found == {"app.ev": columns, "ev": columns}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT 1", "declares no columns"),
        ("table_schema,column_name\n", "the header lacks table_name, data_type"),
        ('{"nodes": ', "line 1, column 11: begins like JSON"),
        ("[" * 99_000, "begins like JSON"),
        ("[]", "without nodes and sources"),
        ('{"macros": {}}', "without nodes and sources"),
        ('{"nodes": {"model.a.b": 1}}', "of another form"),
        ('{"sources": {"source.a.b.c": {"metadata": {"name": 1}}}}', "of another form"),
        (f"{','.join(HEADER)}\na,b,c,{'x' * 200_000}", "line 2, column 1: cannot be read as CSV"),
    ],
)
def test_a_file_of_another_form(text: str, said: str) -> None:
    with pytest.raises(ParseError) as raised:
        read(text, "postgres")
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ev=text", "is not of the form"),
        ("ev.ts=", "is not of the form"),
        ("ev.ts=timstamp", "did you mean timestamp?"),
        ("ev.ts=qqq", "qqq is not a type"),
        ("a.b.c.d.ts=text", "name one column"),
        *((one, "name one column") for one in ("ev.*=text", "*.ts=text", "a.*.ts=text")),
        ("ev.ts=date,EV.TS=text", "ev.ts two types, date and text"),
    ],
)
def test_what_is_no_declaration(text: str, said: str) -> None:
    with pytest.raises(RewriteError) as raised:
        add_columns({}, [text], "postgres")
    assert said in str(raised.value)


def test_the_texts_of_declarations() -> None:
    tables: dict[str, dict[str, str]] = {}
    texts = [' a.b.ev.d = numeric(10, 2) , a.b.ev."X=""y"=text,, ', "a.b.ev.d=NUMERIC(10, 2)"]
    add_columns(tables, texts, "postgres")
    columns = {"": "", "d": "numeric(10, 2)", 'X="y': "text"}
    assert tables == dict.fromkeys(("a.b.ev", "b.ev", "ev"), columns)
