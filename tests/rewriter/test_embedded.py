"""Queries in dashboards, models and programs: all are found, and JSON and YAML keep all else."""

from __future__ import annotations

import functools
import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlglot
import yaml

from tests.command import run
from tzconv import rewriter
from tzconv.errors import ParseError
from tzconv.lint import Finding
from tzconv.lint.files import lint_file
from tzconv.rewriter import embedded
from tzconv.sql.declarations import Declared

TYPES = {
    "orders": {"id": "int", "account_id": "int", "ts": "timestamp", "seen": "timestamptz"},
    "accounts": {"id": "int", "zone": "text", "name": "text"},
}
BERLIN = "ts AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin'"
OF_ROW = "o.ts AT TIME ZONE 'UTC' AT TIME ZONE a.zone"
JOINED = "FROM orders o JOIN accounts a ON a.id = o.account_id"
QUERIES = [
    f"SELECT ({OF_ROW})::date AS day, count(*) {JOINED} GROUP BY 1",
    f'SELECT ({OF_ROW})::date AS "day",\n       count(*)\n{JOINED}\nGROUP BY 1\n',
    f"-- by day\nSELECT date_trunc('day', {BERLIN}) AS d FROM orders WHERE $__timeFilter(ts)",
    f"select 'ä é 😀 \\ \"', {BERLIN} as local from orders",
    "SELECT seen AT TIME ZONE 'Asia/Tokyo' AS t\nFROM orders\nWHERE id % 2 = 0",
    f"WITH l AS (\n  SELECT {OF_ROW} AS t, a.name\n  {JOINED}\n)\nSELECT name, t FROM l",
    f"SELECT count(*)\nFROM orders\nWHERE ({BERLIN})::date = DATE '2024-03-31'",
    f"SELECT a.name, {OF_ROW} AS local {JOINED} WHERE a.name <> 'it''s: # no'",
    f"SELECT max({BERLIN}) AS t FROM orders UNION ALL SELECT min({BERLIN}) FROM orders",
    f"SELECT o.id, ({OF_ROW})::time AS at {JOINED} ORDER BY 2, 1",
    # the literal is repeated in bounds: there, too, its line break is no space
    f"SELECT id FROM orders WHERE ({BERLIN})::date = CASE WHEN 'a\nb' = 'a b' "
    "THEN DATE '2024-05-05' ELSE DATE '2024-07-07' END",
]
PARTS = [f"DATE({BERLIN})", f"date_trunc('week', {{CUBE}}.{BERLIN})"]


def rewritten(name: str, text: str) -> rewriter.Rewrite:
    rewrite = functools.partial(rewriter.rewrite, dialect="postgres")
    return embedded.rewrite_each(name, text, rewrite, Declared(tables=TYPES), "postgres")


REWRITTEN = {sql: rewritten("x.sql", sql).sql for sql in QUERIES}


def grafana(sql: str) -> str:
    target = {"refId": "A", "format": "table", "rawSql": sql}
    return json.dumps({"title": "now", "panels": [{"targets": [target]}]}, indent=2)


def superset(sql: str) -> str:
    """The settings of a chart are a document inside a string."""
    params = json.dumps({"viz_type": "table", "where": "a = 1", "adhoc": [{"sqlExpression": sql}]})
    return json.dumps({"slice_name": "ä", "params": params, "version": 1}, ensure_ascii=False)


def metabase(sql: str) -> str:
    native = {"query": sql, "template-tags": {}}
    return json.dumps([{"dataset_query": {"type": "native", "native": native}}], indent="\t")


def dumped(style: str | None) -> Callable[[str], str]:
    def made(sql: str) -> str:
        model = {"cubes": [{"name": "orders", "sql": sql, "note": "select now"}]}
        return str(yaml.dump(model, default_style=style, allow_unicode=True, width=60))

    return made


def literal(sql: str) -> str:
    block = textwrap.indent(sql.rstrip("\n"), "      ")
    return f"models:\n  - name: x # a model\n    sql: |\n{block}\n    tests: ['unique']\n"


JSON = {"grafana": grafana, "superset": superset, "metabase": metabase}
YAML = {"double": dumped('"'), "single": dumped("'"), "plain": dumped(None), "literal": literal}


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("kind", JSON)
def test_json_differs_in_the_query_alone(kind: str, sql: str) -> None:
    assert REWRITTEN[sql] != sql
    assert rewritten("x.json", JSON[kind](sql)).sql == JSON[kind](REWRITTEN[sql])


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("kind", YAML)
def test_yaml_differs_in_the_query_alone(kind: str, sql: str) -> None:
    """Where a line break is a space, it may become one."""
    before = YAML[kind](sql)
    result = rewritten("x.yml", before)
    found, was = yaml.safe_load(result.sql), yaml.safe_load(before)
    [new], [own] = (one.get("cubes") or one["models"] for one in (found, was))
    own["sql"] = REWRITTEN[sql] if result.changes else own["sql"]
    if kind == "literal":  # such a text ends with a line break
        own["sql"] = rewritten("x.sql", sql.rstrip("\n") + "\n").sql
        assert result.sql == literal(own["sql"])
    words, expected = (
        [(word.token_type, word.text) for word in sqlglot.tokenize(one.pop("sql"), read="postgres")]
        for one in (new, own)
    )
    assert words == expected
    assert found == was
    if kind in ("double", "literal") or ("-- " not in sql and "'a\n" not in sql):
        assert result.changes


PROGRAMS = {
    "x.py": "import db\n\f\n\ndef f(zone):\n    # AT TIME ZONE 'UTC'\n    db.run(f'''\n{}\n''')\n",
    "x.rb": "class Report\n  # ts AT TIME ZONE 'UTC'\n  SQL = <<~SQL.squish\n{}\n  SQL\nend\n",
    "x.ts": "// ts AT TIME ZONE 'UTC'\nexport const q = sql`\n{}\n`;\n",
    "x.lkml": "view: x {{\n  derived_table: {{\n    sql: {} ;;\n  }}\n}}\n",
}


@pytest.mark.parametrize("sql", [*QUERIES, *PARTS])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_read_and_not_edited(name: str, sql: str) -> None:
    text = PROGRAMS[name].format(sql)
    result = rewritten(name, text)
    assert result.sql == text
    assert not result.changes
    assert result.left
    start, end = text.index(sql), text.index(sql) + len(sql)
    assert all(start <= one.start < one.end <= end for one in result.left)
    lines = text.split("\n")
    assert all(
        text[one.start :].startswith(lines[one.line - 1][one.column - 1 :].strip()[:3])
        for one in result.left
    )


AT = "ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *((name, f'q = "SELECT id, \\\n {AT} FROM orders"\n') for name in ("x.rb", "x.js", "x.py")),
        ("x.ts", f"q = sql`SELECT ${{local ? sql`{AT}` : 'ts'}} FROM orders`\n"),
        ("x.rb", f'q = "SELECT #{{local ? "{AT}" : "ts"}} FROM orders"\n'),
        *(
            (name, f'q = "SELECT id -- key\\n, {AT} FROM orders"\n')
            for name in ("x.rb", "x.js", "x.py")
        ),
        ("x.py", f'q = f"""SELECT {{\', \'.join(f\'min({{c}} {AT[3:]})\')}} FROM orders"""\n'),
        ("x.ts", f'r = /[\'"`]/g;\nb = `SELECT 1`;\nc = raw("{AT}");\nd = `x`;\n'),
        ("x.rb", "q = %q{SELECT timezone('Asia/Tokyo', ts) FROM orders}\n"),
        ("x.yml", f"a: format('x', \"{AT}\")\n"),
        ("x.rb", f"q = %(SELECT {AT} FROM orders)\n"),
        ("x.rb", "q = %q{SELECT NEW_TIME(ts, 'UTC', zone) FROM orders}\n"),
        ("x.rb", f"run(<<~A, <<~B)\n  SELECT 1\nA\n  SELECT {AT} FROM orders\nB\n"),
    ],
)
def test_a_conversion_in_any_form_of_string(name: str, text: str) -> None:
    line = 1 + re.split("AT TIME|NEW_TIME|timezone", text)[0].count("\n")
    assert line in {one.line for one in rewritten(name, text).left}
    assert line in {one.line for one in _linted(name, text) if one.code == "TZ001"}


@pytest.mark.parametrize(
    "text",
    [
        "SET TimeZone = 'UTC'; SELECT id FROM orders WHERE {}",
        "EXPLAIN SELECT id FROM orders WHERE {}",
        "( SELECT id FROM orders WHERE {}) UNION ALL (SELECT 1)",
        ";WITH a AS (SELECT 1) SELECT id FROM orders WHERE {}",
        "[[SELECT id FROM orders WHERE {} AND id = {{{{id}}}}]]",
    ],
)
def test_how_a_query_may_begin(text: str) -> None:
    text = json.dumps({"sql": text.format("ts > now()")})
    [found] = _linted("x.json", text)
    assert (found.code, text[found.start : found.end]) == ("TZ002", "ts > now()")


@pytest.mark.parametrize("name", ["x.rb", "x.js", "x.py", "x.lkml", "beside.py"])
def test_a_query_in_which_only_a_comparison_is_slow(name: str) -> None:
    condition, text = '\\"ts\\" > now()', 'q = "SELECT id FROM orders WHERE {}"\n'
    if name == "beside.py":  # strings that are one to Python
        text = 'q = (\n  "SELECT id"  # key\n\n  f" FROM orders " "WHERE {}"\n)\n'
    if name == "x.lkml":
        condition, text = (
            "ts > now()",
            "# the sql: of x\n  sql: SELECT id FROM orders WHERE {} ;;\n",
        )
    text = text.format(condition)
    [found] = _linted(name, text)
    assert (found.code, text[found.start : found.end]) == ("TZ002", condition)


@pytest.mark.not_core
def test_zones_that_a_program_fills_in() -> None:
    """Those of an f-string are read as in a template of another language."""
    text = (
        "a = f\"SELECT seen AT TIME ZONE '{tz}' FROM {t} WHERE x = '{{}}'\"\n"
        "b = f'SELECT seen AT TIME ZONE {tz} FROM orders'\n"
        "c = \"SELECT seen AT TIME ZONE '{tz}' FROM orders\".format(tz=tz)\n"
        "d = \"SELECT seen AT TIME ZONE '%s' FROM orders\" % tz\n"
    )
    left = {one.line: one.reason for one in rewritten("x.py", text).left}
    assert [left.keys(), "rendered" in left[2]] == [{1, 2, 3, 4}, True]
    messages = [one.message for one in _linted("x.py", text)]
    assert len(messages) == len(left)
    for line, shown in ((3, "'{tz}'"), (4, "'%s'")):
        assert f"{shown} is filled in by the program" in left[line]
        assert any(shown in one for one in messages)
    assert not any("time_zone_name" in one for one in (*left.values(), *messages))


@pytest.mark.parametrize("name", ["x.json", "x.yml", *PROGRAMS])
@pytest.mark.parametrize("sql", [*QUERIES, *PARTS])
def test_lint_finds_every_conversion(name: str, sql: str, tmp_path: Path) -> None:
    make = {"x.json": grafana, "x.yml": literal}.get(name)
    text = make(sql) if make else PROGRAMS[name].format(sql)
    (tmp_path / name).write_text(text)
    places = {
        (one.line, one.column) for one in _linted(name, text) if one.code in ("TZ001", "TZ003")
    }
    chains = len(re.findall(r"(?:AT TIME ZONE 'UTC' )?AT TIME ZONE (?:a\.zone|'\w+/\w+')", sql))
    assert len(places) == chains


def _linted(name: str, text: str) -> tuple[Finding, ...]:
    return lint_file(name, text, Declared(tables=TYPES), dialect="postgres")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.json", '{"sql": ', "is not JSON"),
        ("x.yml", "a: [", "is not YAML"),
        ("x.py", "x = '''", "is not Python"),
        ("x.json", "[" * 20_000 + "]" * 20_000, "is nested too deeply"),
    ],
)
def test_a_file_that_is_not_what_its_name_says(
    name: str, text: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ParseError, match=said):
        rewritten(name, text)
    (tmp_path / name).write_text(text)
    for command in ("lint", "rewrite"):
        done = run(command, name, cwd=tmp_path)
        assert done.returncode == 1
        assert f"{name}:1:" in done.stderr
        assert "no findings" not in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "column"),
    [("x.yml", "x\n  }: y", 4), ("x.json", '{\n "a" }', 6), ("x.py", "  x\n y\n", 1)],
)
def test_the_place_of_what_is_wrong(name: str, text: str, column: int) -> None:
    with pytest.raises(ParseError) as raised:
        rewritten(name, text)
    assert (raised.value.line, raised.value.column) == (2, column)


def test_line_ends_of_windows_stay() -> None:
    text = literal(QUERIES[1]).replace("\n", "\r\n")
    result = rewritten("x.yml", text).sql
    assert result.count("\r\n") == result.count("\n") > text.count("\n")
    assert yaml.safe_load(result) == yaml.safe_load(rewritten("x.yml", literal(QUERIES[1])).sql)


@pytest.mark.parametrize("name", ["x.json", "x.yml"])
def test_literals_of_the_future(name: str, tmp_path: Path) -> None:
    """The comment that names them stands in the query, and is found there."""
    zone = "ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/Vancouver'"
    sql = f"SELECT id FROM orders WHERE ({zone})::date = DATE '2036-01-15'\n"
    make = {"x.json": grafana, "x.yml": literal}[name]
    options = ["--types", "orders.ts=timestamp", "--future-literals", "--dialect", "postgres"]
    for file, text in (("x.sql", sql), (name, make(sql))):
        (tmp_path / file).write_text(text)
        assert run("rewrite", file, *options, "--in-place", cwd=tmp_path).returncode == 0
    new = (tmp_path / "x.sql").read_text()
    assert "-- tzconv: literals of " in new
    assert (tmp_path / name).read_text() == make(new)
    (tmp_path / name).write_text(make(re.sub("literals of [0-9a-z]+", "literals of 2025a", new)))
    done = run("rewrite", name, *options, "--check", cwd=tmp_path)
    assert done.returncode == 2
    assert "has literals of 2025a for America/Vancouver" in done.stdout


@pytest.mark.parametrize("text", ["a: &q {}\nb: *q\n", "x: !ref {}\n", "a: |2-\n      {}\n"])
def test_what_is_not_edited_is_found_once(text: str) -> None:
    text = text.format(QUERIES[0])
    assert rewritten("x.yml", text).sql == text
    assert len(_linted("x.yml", text)) == 1


def test_a_dashboard_is_rewritten_in_place(tmp_path: Path) -> None:
    text = grafana(QUERIES[0])
    (tmp_path / "d.json").write_text(text)
    (tmp_path / "t.sql").write_text(
        "CREATE TABLE orders (account_id int, ts timestamp);"
        "CREATE TABLE accounts (id int, zone text)"
    )
    given = ["--dialect", "postgres", "--schema-file", "t.sql"]
    assert run("rewrite", "d.json", *given, "--check", cwd=tmp_path).returncode == 2
    assert run("rewrite", "d.json", *given, "--in-place", cwd=tmp_path).returncode == 0
    assert (tmp_path / "d.json").read_text() == grafana(REWRITTEN[QUERIES[0]])
    assert run("rewrite", "d.json", *given, "--check", cwd=tmp_path).returncode == 0
