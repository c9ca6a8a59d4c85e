"""The rules against what a person finds in each query of the corpora, and their form."""

from __future__ import annotations

import datetime as dt
import json
import re
import warnings
from collections import Counter
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import pytest

from tests import ROOT, databases, events, postgres
from tests.command import run
from tests.corpora import in_turn
from tzconv import rewriter
from tzconv.errors import InternalError, ParseError, RewriteError
from tzconv.lint import RULES, Fix, formats, lint, select_rules
from tzconv.lint.rules import MEANT_ZONES

CORPORA = sorted((Path(__file__).parent / "corpus").glob("*.sql"))
SCHEMA = {
    "events": {
        "t": "timestamp",
        "seen": "timestamptz",
        "day": "date",
        "n": "integer",
        "price": "numeric(10,2)",
        "rate": "double precision",
        "customer_id": "integer",
    },
    "customers": {"id": "integer", "zone": "text"},
}


def cases(path: Path) -> list[tuple[int, str, set[str]]]:
    """The line, the text and the codes that are expected of each statement of a corpus."""
    found = []
    text = path.read_text()
    for part in re.split(r"(?m)^(?=-- expect:)", text)[1:]:
        head, _, body = part.partition("\n")
        line = text[: text.index(part)].count("\n") + 2
        found.append((line, body, set(head.partition(":")[2].split()) - {"none"}))
    return found


ALL = [
    pytest.param(path, text, expected, id=f"{path.stem}:{line}")
    for path in CORPORA
    for line, text, expected in cases(path)
]


@pytest.mark.parametrize(("path", "text", "expected"), ALL)
def test_corpus(path: Path, text: str, expected: set[str]) -> None:
    schema = {} if path.stem.startswith("refusals") else SCHEMA
    found = lint(text, dialect=path.stem.removeprefix("refusals_"), schema=schema)
    assert {one.code for one in found} == expected, found
    for one in found:
        assert 0 <= one.start < one.end <= len(text)
        assert text[one.start : one.end].strip(), one


def test_the_corpora_know_every_rule() -> None:
    """Each rule has true alarms and texts that it must be silent on."""
    expected = [param.values[2] for param in ALL]
    count: Counter[str] = Counter(
        code for codes in expected if isinstance(codes, set) for code in codes
    )
    assert set(count) == set(RULES)
    assert min(count.values()) >= 2
    texts = [[case[2] for case in cases(path)] for path in CORPORA]
    own = [
        codes
        for path, found in zip(CORPORA, texts, strict=True)
        for codes in found
        if not path.stem.startswith("refusals")
    ]
    refused = len(expected) - len(own)
    said = (ROOT / "docs" / "lint.md").read_text()
    assert f"{len(own)} texts with the codes" in said
    assert f"{sum(map(bool, own))} have findings, and {len(own) - sum(map(bool, own))} " in said
    assert f"Another {refused} texts" in said


@pytest.mark.parametrize("dialect", rewriter.DIALECTS)
def test_what_can_be_rewritten_is_found(dialect: str) -> None:
    """Over the rewriter's own corpus: a query that it changes has a finding with that fix."""
    text = (ROOT / "tests" / "corpus" / f"{dialect}.sql").read_text()
    with events.connect() as connection:
        types = events.column_types(connection)
    changed = 0
    for part in in_turn(text.split("-- >>> ")[1:], 0):
        sql = part.partition("\n")[2]
        result = rewriter.rewrite(sql, dialect=dialect, schema=types)
        found = lint(sql, dialect=dialect, schema=types)
        fixes = {one.fixes for one in found if one.fixes}
        if result.sql == sql:
            assert not fixes
            continue
        changed += 1
        assert len(fixes) == 1, part
        assert applied(sql, fixes.pop()) == result.sql
        again = lint(result.sql, dialect=dialect, schema=types)
        assert not any(one.fixes for one in again)
    assert changed > 10


def applied(text: str, fixes: tuple[Fix, ...]) -> str:
    for fix in reversed(fixes):
        text = text[: fix.start] + fix.after + text[fix.end :]
    return text


def test_places_in_a_text_of_many_statements() -> None:
    text = "SET x = 1;\n  SELECT n FROM events WHERE\n   t > now(); SELECT 1;\n"
    (found,) = lint(text, schema=SCHEMA)
    assert (found.code, found.line, found.column) == ("TZ002", 3, 4)
    assert (found.end_line, found.end_column) == (3, 13)
    assert text[found.start : found.end] == "t > now()"
    with pytest.raises(ParseError, match="line 2, column 8: not understood"):
        lint("SELECT 1;\nSELECT )")


def test_an_error_inside_tzconv_is_said_of_any_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: object, **__: object) -> None:
        raise AttributeError("no name")

    monkeypatch.setattr("tzconv.lint.read", wrong)
    with pytest.raises(InternalError, match=r"^line 2, column 3: .*\(AttributeError: no name\)"):
        lint("\n  COMMENT ON TABLE t IS 'x'", dialect="postgres")


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("-- tzconv: ignore", set()),
        ("-- tzconv:ignore[tz002]", {"TZ005"}),
        ("-- slow, but tzconv: ignore[TZ005] for now", {"TZ002"}),
        ("/* tzconv: ignore[TZ002,TZ005] */", set()),
        ("-- tzconv: ignore[TZ001]", {"TZ002", "TZ005"}),
        ("-- ignore[TZ002]", {"TZ002", "TZ005"}),
    ],
)
def test_ignore_comments(comment: str, codes: set[str]) -> None:
    condition = "t > now() AND t <= '2026-01-01 23:59:59'"
    beside = f"SELECT n FROM events WHERE {condition} {comment}"
    above = f"{comment}\n\nSELECT n\nFROM events WHERE {condition};\nSELECT 1"
    inside = f"SELECT n FROM events WHERE\n{comment}\n{condition}"
    for text in (beside, above, inside):
        assert {one.code for one in lint(text, schema=SCHEMA)} == codes, text
    quoted = f"SELECT '{comment}', n FROM events WHERE {condition}"
    assert len(lint(quoted, schema=SCHEMA)) == 2
    after = f"SELECT n FROM events WHERE {condition}\n{comment}\n;SELECT 1"
    assert len(lint(after, schema=SCHEMA)) == 2


def test_selection() -> None:
    text = "SELECT n FROM events WHERE t > now() AND t <= '2026-01-01 23:59:59'"
    for select, ignore, expected in (
        (["TZ002"], [], {"TZ002"}),
        ([], ["tz002"], {"TZ005"}),
        (["TZ002", "TZ005"], ["TZ002"], {"TZ005"}),
    ):
        checks = select_rules(select, ignore)
        assert {one.code for one in lint(text, schema=SCHEMA, checks=checks)} == expected
    with pytest.raises(RewriteError, match="no rule 'TZ02': did you mean TZ002"):
        select_rules(["TZ02"])
    with pytest.raises(RewriteError, match="'oracle' is not supported"):
        lint("SELECT 1", dialect="oracle")


def test_every_rule_has_a_page() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "lint").glob("TZ*.md")}
    assert set(RULES) == pages
    for code, rule in RULES.items():
        page = (ROOT / "docs" / "lint" / f"{code}.md").read_text()
        assert page.startswith(f"# {code}: {rule.title}\n")


@pytest.mark.parametrize("code", RULES)
def test_examples_of_the_pages(code: str) -> None:
    """The first SQL example of a page has the finding, the second has not."""
    page = (ROOT / "docs" / "lint" / f"{code}.md").read_text()
    bad, good = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    for dialect in ("postgres", "duckdb", "vertica"):
        if "NEW_TIME" in bad and dialect != "vertica":
            continue
        if "MATERIALIZED" in bad and dialect == "duckdb":
            continue  # it has none
        assert code in {one.code for one in lint(bad, dialect=dialect, schema=SCHEMA)}, dialect
        assert lint(good, dialect=dialect, schema=SCHEMA, checks=select_rules([code])) == ()


def test_abbreviations_are_those_of_the_places_that_are_meant() -> None:
    for name, zone in MEANT_ZONES.items():
        seasons = (dt.datetime(2026, month, 1, tzinfo=ZoneInfo(zone)) for month in (1, 7))
        assert name == "MET" or name in {one.tzname() for one in seasons}


@pytest.mark.parametrize("name", ["EST", "MST", "CST", "PST", "CET", "WET", "PDT"])
def test_java_reads_other_abbreviations_with_summer_time_or_refuses_them(name: str) -> None:
    query = f"SELECT from_utc_timestamp(max(seen), '{name}') AS local FROM events"
    codes = {one.code for one in lint(query, dialect="spark", schema=SCHEMA)}
    assert ("TZ004" in codes) == (name in ("EST", "MST"))


def test_abbreviations_are_fixed_where_they_are_said_to_be(server: postgres.Server) -> None:
    """Both engines themselves say which abbreviations have summer time."""
    times = "'2020-01-15 12:00Z', '2020-07-15 12:00Z'"
    for name in MEANT_ZONES:
        query = f"SELECT max(seen) AT TIME ZONE '{name}' AS local FROM events"
        hours = (
            f"SELECT count(DISTINCT extract(hour FROM t AT TIME ZONE '{name}')) FROM "
            f"(SELECT unnest(ARRAY[{times}]::timestamptz[]) AS t) q"
        )
        with duckdb.connect() as database:
            database.execute("SET TimeZone = 'UTC'")
            try:
                count = database.execute(hours).fetchall()[0][0]
            except duckdb.NotImplementedException:
                count = None  # DuckDB says so itself
        alarms = lint(query, dialect="duckdb", schema=SCHEMA, checks=select_rules(["TZ004"]))
        # BST is Bangladesh to it, which has no summer time: another mistake than this
        assert bool(alarms) == (count == 1 and name != "BST"), name
        with server.connect() as connection:
            assert connection.execute(hours).fetchall() == [(1,)], name
        assert lint(query, dialect="postgres", schema=SCHEMA, checks=select_rules(["TZ004"]))


def test_sarif_and_github(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pydantic_sarif.model import (
            StaticAnalysisResultsFormatSarifVersion210JsonSchema as SarifLog,
        )
    text = "-- Ü𝄞\nSELECT 'ü', n FROM events WHERE t > now()\n AND t <= '2026-01-01 23:59:59'\n"
    files = {"a b/ü,1.sql": lint(text, schema=SCHEMA), "clean.sql": ()}
    log = formats.sarif(files, dict.fromkeys(files, text))
    again = json.loads(json.dumps(log))
    parsed = SarifLog.model_validate(again)
    assert parsed.version.value == "2.1.0"
    results = again["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == ["TZ002", "TZ005"]
    rules = again["runs"][0]["tool"]["driver"]["rules"]
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in results)
    place = results[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b/%C3%BC%2C1.sql"
    region = place["region"]
    line = text.splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "t > now()"
    assert results[0]["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]
    log["unknown"] = 1
    with pytest.raises(ValueError, match="unknown"):
        SarifLog.model_validate(log)
    assert formats.github(files)[0] == (
        "::warning file=a b/ü%2C1.sql,line=2,endLine=2,col=33,title=TZ002::"
        + files["a b/ü,1.sql"][0].message
    )


def test_command_line(tmp_path: Path) -> None:
    (tmp_path / "q").mkdir()
    (tmp_path / "q" / "a.sql").write_text("SELECT n FROM logs WHERE log_time > now();\n")
    (tmp_path / "q" / "b.sql").write_text("SELECT 1;\n")
    (tmp_path / "tables.sql").write_text("CREATE TABLE logs (log_time TIMESTAMP, n INTEGER);\n")
    schema = ["--schema-file", "tables.sql"]
    done = run("lint", "q", *schema, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout.startswith("q/a.sql:1:26: TZ002 a TIMESTAMP is compared with NOW()")
    assert done.stderr == "2 files: 1 finding, 1 fixable by tzconv rewrite.\n"
    clean = run("lint", "q/b.sql", cwd=tmp_path)
    assert (clean.returncode, clean.stdout) == (0, "")
    assert clean.stderr == "1 file: no findings.\n"
    ignored = run("lint", "q", *schema, "--ignore", "TZ002", cwd=tmp_path)
    assert (ignored.returncode, ignored.stdout) == (0, "")
    selected = run("lint", "-", *schema, "--select", "TZ002,TZ001", cwd=tmp_path, stdin="SELECT 1")
    assert selected.returncode == 0
    found = json.loads(run("lint", "q", *schema, "--format", "json", cwd=tmp_path).stdout)
    assert [(one["file"], one["code"], one["line"]) for one in found] == [("q/a.sql", "TZ002", 1)]
    log = json.loads(run("lint", "q", *schema, "--format", "sarif", cwd=tmp_path).stdout)
    assert len(log["runs"][0]["results"]) == 1
    github = run("lint", "q", *schema, "--format", "github", cwd=tmp_path)
    assert (github.returncode, github.stdout[:10]) == (2, "::warning ")
    listed = run("lint", "--list-rules", cwd=tmp_path)
    assert [line[:5] for line in listed.stdout.splitlines()] == list(RULES)
    (tmp_path / "q" / "c.sql").write_text("SELECT 1 x y\n")
    template = (
        "{{ config(a=1) }} SELECT {{ x }} AS x\nFROM {{ ref('logs') }} WHERE log_time > now();\n"
    )
    (tmp_path / "q" / "d.sql").write_text(template)
    broken = run("lint", "q", *schema, cwd=tmp_path)
    assert broken.returncode == 1
    assert "q/a.sql:1:26: TZ002" in broken.stdout
    assert "q/d.sql:2:30: TZ002" in broken.stdout
    assert "q/c.sql:1:" in broken.stderr


def test_types_of_a_database(database: databases.Database, tmp_path: Path) -> None:
    database.run("CREATE TABLE logs (log_time TIMESTAMP, n INTEGER)")
    sql = "SELECT n FROM logs WHERE log_time > now()"
    done = run("lint", "-", "--url", database.url, cwd=tmp_path, stdin=sql)
    assert done.stdout.startswith("-:1:26: TZ002")
    assert done.returncode == 2


def test_a_comparison_with_two_times_is_one_finding() -> None:
    text = "SELECT 1 FROM events WHERE t BETWEEN TIMESTAMPTZ '2026-01-01 00:00Z' AND NOW()"
    assert [one.code for one in lint(text, dialect="postgres", schema=SCHEMA)] == ["TZ002"]
