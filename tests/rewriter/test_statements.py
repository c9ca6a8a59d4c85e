"""Texts of many statements: where each begins and ends, and what is rewritten in them."""

from __future__ import annotations

import contextlib
import functools
import random
from typing import Any

import pytest

from tests.waiting import no_hang
from tzconv.errors import CheckError, ParseError, RewriteError
from tzconv.rewriter import Change, Rewrite, rewrite, statements

TYPES = {"logs": {"t": "timestamp"}}


def pieces(text: str) -> list[tuple[str, bool]]:
    return [
        (text[statement.start : statement.end], statement.other)
        for statement in statements.split(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" ;; -- x\n /* y */ ;", []),
        ("SELECT 1", [("SELECT 1", False)]),
        ("SELECT 1 ; select 2;", [("SELECT 1 ", False), ("select 2", False)]),
        ("SELECT ';' ; SELECT 2", [("SELECT ';' ", False), ("SELECT 2", False)]),
        ("SELECT 'it''s;'; SELECT 2", [("SELECT 'it''s;'", False), ("SELECT 2", False)]),
        (r"SELECT '\'; SELECT 2", [(r"SELECT '\'", False), ("SELECT 2", False)]),
        (r"SELECT E'\';'; SELECT 2", [(r"SELECT E'\';'", False), ("SELECT 2", False)]),
        (r"SELECT date'\'; SELECT 2", [(r"SELECT date'\'", False), ("SELECT 2", False)]),
        ('SELECT "a;""b"; SELECT 2', [('SELECT "a;""b"', False), ("SELECT 2", False)]),
        ("SELECT $$;$$; SELECT $1", [("SELECT $$;$$", False), ("SELECT $1", False)]),
        ("SELECT $a$;$$;$a$; SELECT 2", [("SELECT $a$;$$;$a$", False), ("SELECT 2", False)]),
        ("SELECT a$b$; SELECT b$b$", [("SELECT a$b$", False), ("SELECT b$b$", False)]),
        ("SELECT 1 -- ; '\n; SELECT 2", [("SELECT 1 -- ; '\n", False), ("SELECT 2", False)]),
        ("SELECT /* ; /* ; */ ; */ 1;", [("SELECT /* ; /* ; */ ; */ 1", False)]),
        ("SET x = 'a;b'; COMMIT", [("SET x = 'a;b'", True), ("COMMIT", True)]),
        ("settings; set_x", [("settings", False), ("set_x", False)]),
        ("/* c */ drop table t; copy t FROM x", [("drop table t", True), ("copy t FROM x", True)]),
        ("\\set a ';'\nSELECT 1", [("\\set a ';'", True), ("SELECT 1", False)]),
        (".mode csv\r\nSELECT 1", [(".mode csv", True), ("SELECT 1", False)]),
        (".echo don't\nSELECT 1", [(".echo don't", True), ("SELECT 1", False)]),
        ("CREATE TABLE t AS SELECT 1", [("CREATE TABLE t AS SELECT 1", False)]),
        (
            "create or /* x */ replace\n  temp -- y\n view v AS SELECT 1",
            [("create or /* x */ replace\n  temp -- y\n view v AS SELECT 1", False)],
        ),
        (
            "CREATE LOCAL TEMP TABLE t AS SELECT 1",
            [("CREATE LOCAL TEMP TABLE t AS SELECT 1", False)],
        ),
        ("CREATE INDEX i ON t (a)", [("CREATE INDEX i ON t (a)", True)]),
        ("UNLOAD ('a;b') TO 'c'", [("UNLOAD ('a;b') TO 'c'", True)]),
        ("SELECT `a;b`; SELECT 2", [("SELECT `a;b`", False), ("SELECT 2", False)]),
        ("SELECT 1 \\gx\nSELECT 2", [("SELECT 1 ", False), ("\\gx", True), ("SELECT 2", False)]),
        ("SELECT 1\\;SELECT 2", [("SELECT 1", False), ("SELECT 2", False)]),
        ("CREATE TABLESPACE t", [("CREATE TABLESPACE t", True)]),
        (
            "CREATE FUNCTION f() RETURNS int AS $$ SELECT 1; $$ LANGUAGE sql; SELECT 2",
            [
                ("CREATE FUNCTION f() RETURNS int AS $$ SELECT 1; $$ LANGUAGE sql", True),
                ("SELECT 2", False),
            ],
        ),
        ("WITH a AS (SELECT 1) SELECT 2", [("WITH a AS (SELECT 1) SELECT 2", False)]),
        ("(SELECT 1) UNION SELECT 2", [("(SELECT 1) UNION SELECT 2", False)]),
        ("SELCT 1", [("SELCT 1", False)]),
        (
            "SELECT 1;COPY t FROM STDIN;\n';\n\\.\nSELECT 2",
            [("SELECT 1", False), ("COPY t FROM STDIN", True), ("SELECT 2", False)],
        ),
    ],
)
def test_split(text: str, expected: list[tuple[str, bool]]) -> None:
    assert pieces(text) == expected


def test_split_where_a_backslash_escapes() -> None:
    """But not in a raw text of Spark."""
    both = [r"""SELECT r'\', R"\", 'a\';'""", r"SELECT r'\', ';'"]
    found = statements.split(";".join(both), backslash_escapes=True)
    assert [";".join(both)[one.start : one.end] for one in found] == both


def test_what_is_one_statement_to_tzconv_alone() -> None:
    with pytest.raises(ParseError, match="several statements"):
        rewrite("SELECT `a; SELECT b`", dialect="postgres")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("SELECT 'a", 1, 8),
        ("SELECT 1;\nSELECT 'it''s;\nSELECT 2;", 2, 8),
        ('SELECT 1;\n SELECT "a', 2, 9),
        ("SELECT 1 /* a /* b */", 1, 10),
        ("SET x = 'a; SELECT 1", 1, 9),
        ("SELECT 1;\n/* a", 2, 1),
    ],
)
def test_what_is_not_closed(text: str, line: int, column: int) -> None:
    with pytest.raises(ParseError, match="is not closed") as refused:
        statements.split(text)
    assert (refused.value.line, refused.value.column) == (line, column)


def test_places_are_those_of_the_file() -> None:
    text = (
        "SELECT 1;  SELECT t <> now() AS a,\n t <> now() AS b FROM logs; "
        "SELECT t < now() AS c FROM logs"
    )
    result = statements.rewrite_each(text, lambda sql: rewrite(sql, schema=TYPES))
    assert [(change.line, change.column) for change in result.changes] == [(1, 24), (2, 7), (2, 40)]
    for change in result.changes:
        assert text[change.start : change.end] == "now()"
    assert result.sql == text.replace("now()", "CAST(now() AS TIMESTAMP)")
    untyped = statements.rewrite_each(text, rewrite)
    assert untyped.sql == text
    assert [(left.line, left.column) for left in untyped.left] == [(1, 19), (2, 2), (2, 36)]


NOW = "CAST(now() AS TIMESTAMP)"


@pytest.mark.parametrize("seed", range(40))
def test_a_script_is_its_statements_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    queries = ["SELECT 1 FROM logs WHERE t <> now()", "SELECT ';--' AS a", "VALUES (1)"]
    queries += ["EXPLAIN (ANALYZE) FROM logs WHERE t <> now()", "DELETE FROM logs WHERE t <= now()"]
    queries += ["COPY (SELECT 1 FROM logs WHERE t <> now()) TO 'x;--'", "UPDATE logs SET t = t"]
    others = ["SET x = ';'", "/* ; */ COMMIT", "GRANT ALL ON now() TO x", "-- ;\n", "", "\\x ';\n"]
    script = expected = ""
    for _ in range(chance.randint(1, 9)):
        piece = chance.choice([*queries, *others])
        space = chance.choice(["", " ", "\r\n", "\t-- c'\n", "/*+ h; */"])
        end = chance.choice([";", "\n;", " ;\n"])
        script += space + piece + end
        done = piece.replace("now()", NOW) if piece in queries else piece
        expected += space + done + end
    result = statements.rewrite_each(script, functools.partial(rewrite, schema=TYPES))
    assert result.sql == expected
    for change in result.changes:
        assert script[change.start : change.end] == change.before == "now()"
        before = script[: change.start]
        assert change.line == before.count("\n") + 1
        assert change.column == len(before.rpartition("\n")[2]) + 1


QUERY = "SELECT 1 FROM logs WHERE t <> now()"


@pytest.mark.parametrize(
    "before",
    [
        "SET TimeZone = 'Asia/Tokyo'",
        "SET TIME ZONE 'Asia/Tokyo'",
        "SET timezone_abbreviations = 'India'",
        "RESET TimeZone",
        "SET scalar_subquery_error_on_multiple_rows = false",
        "RESET ALL",
        "DISCARD ALL",
        "SET search_path = other",
        "SET search_path = other, public",
        "SET ROLE other",
        "SELECT set_config('search_path', 'other', false)",
        "SELECT set_config('TimeZone', 'Asia/Tokyo', false)",
        "VALUES (set_config('TimeZone', 'Asia/Tokyo', false))",
        "INSERT INTO other SELECT set_config('search_path', 'other', false)",
        "EXPLAIN ANALYZE CREATE TABLE logs AS SELECT t FROM other",
        "SET schema = 'other'",
        "USE other",
        "ATTACH 'other.db'",
        "DROP TABLE logs",
        "ALTER TABLE logs ALTER t TYPE timestamptz",
        "CREATE TEMP TABLE logs AS SELECT t FROM other",
        "CREATE OR REPLACE VIEW logs AS SELECT t FROM other",
        "CREATE TABLE staging.logs AS SELECT t::timestamptz AS t FROM logs",
        "CREATE TABLE staging.logs (t timestamptz)",
        "CREATE INDEX ON logs ((t::date))",
        "CREATE TABLE IF NOT EXISTS made (n INT); ALTER TABLE made ADD COLUMN m INT",
        "CREATE FOREIGN TABLE logs (t timestamptz) SERVER s",
        "SELECT now() AS t INTO logs FROM other",
        "CALL make_logs()",
        "DO $$ BEGIN DROP TABLE logs; END $$",
        "EXECUTE prepared",
        "CREATE TEMP TABLE made (t timestamp); ROLLBACK",
        "DROP TABLE made; abort",
        "SELECT 'DROP TABLE logs' \\gexec\n--",
        "\\c other\n--",
        "\\i tables.sql\n--",
        ".open other.db\n--",
    ],
)
def test_what_stands_before_a_statement_may_change_it(before: str) -> None:
    known = functools.partial(rewrite, schema=TYPES)
    assert known(QUERY).changes
    for text in (f"{before};\n{QUERY}", f"{QUERY};\n{before};\n{QUERY}"):
        result = statements.rewrite_each(text, known)
        assert len(result.changes) == text.count(QUERY) - 1
        assert result.sql.endswith(f"\n{QUERY}")
        assert len(result.left) == 1


@pytest.mark.parametrize(
    ("dialect", "made", "is_known"),
    [
        ("postgres", "CREATE TABLE made AS SELECT now() AS other", True),
        ("postgres", "CREATE TABLE made (t) AS SELECT now()", False),
        ("duckdb", "CREATE TABLE made (a int, b int AS (a))", True),
        ("duckdb", "CREATE TABLE made (a timestamptz, t AS (a))", False),
        ("spark", "CREATE TABLE made (a int) PARTITIONED BY (a)", True),
        ("spark", "CREATE TABLE made (a int) PARTITIONED BY (t timestamp)", False),
    ],
)
def test_all_columns_of_a_table_that_was_made(dialect: str, made: str, *, is_known: bool) -> None:
    """A NATURAL JOIN gives t the type of ``made``, if that may have a column of this name."""
    known = functools.partial(rewrite, dialect=dialect, schema={"logs": {"t": "timestamp_ntz"}})
    local = "t AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'"
    if dialect == "spark":
        local = "convert_timezone('UTC', 'Asia/Tokyo', t)"
    query = f"SELECT {local} AS l FROM made NATURAL JOIN logs"
    result = statements.rewrite_each(f"{made};\n{query}", known, dialect=dialect)
    assert ("unknown-type" not in {one.code for one in result.left}) == is_known


@pytest.mark.parametrize(
    "other",
    [
        f"COPY logs (t) FROM STDIN;\n2020-01-01\n{QUERY};\n'\n\\.\n",
        f"copy logs from stdin with (format csv);\n{QUERY}\n;\n\\.\n",
        "COPY logs FROM STDIN;\n\\.\n",
        "COPY logs FROM STDIN;",
        f"CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN ({QUERY});",
    ],
)
def test_data_is_no_query(other: str) -> None:
    known = functools.partial(rewrite, dialect="postgres", schema=TYPES)
    result = statements.rewrite_each(f"{QUERY};\n{other}\n{QUERY}", known)
    assert len(result.changes) == 2
    assert f";\n{other}\n" in result.sql
    assert QUERY not in result.sql.replace(other, "")


DONE = rewrite(QUERY, dialect="postgres", schema=TYPES).sql
PSQL = [
    ("{} \\gset\n{};", 2),
    ("{} \\gset prefix_\n{} \\g (format=csv) x.csv\n{};", 3),
    ("{}\\;{}; {} \\watch 5\n{} \\crosstabview\n{} \\gexec\n", 5),
    ("\\set zone 'UTC; -- x'\n{};\n\\if :x\n{};\n\\else\n{};\n\\endif\n", 3),
    ("\\copy logs from stdin with csv\nSELECT t <> now() FROM logs;'\n\\.\n{}", 1),
    ("\\copy logs from x.csv\n{}", 1),
    ("COPY logs FROM STDIN;\n1\t'\n\\.\n\n{};", 1),
    ("{} AND t < :'until' AND :\"column\" = :x AND ':''a' = E':\\'';", 1),
    ("SET x = :'zone'; {}", 1),
]


@pytest.mark.parametrize(("text", "count"), PSQL)
def test_commands_and_variables_of_psql_are_stepped_over(text: str, count: int) -> None:
    before = text.replace("{}", QUERY)
    known = functools.partial(rewrite, dialect="postgres", schema=TYPES)
    result = statements.rewrite_each(before, known, dialect="postgres")
    assert result.sql == text.replace("{}", DONE)
    assert len(result.changes) == count
    assert not result.left
    for change in result.changes:
        assert before[change.start : change.end] == change.before == "now()"


def test_a_variable_of_psql_is_put_back() -> None:
    types = {"logs": {"t": "timestamp", "z": "text"}}
    sql = "SELECT t AT TIME ZONE 'UTC' AT TIME ZONE z, :'v' AS \":'v'\" FROM logs WHERE :\"c\" > t"
    result = rewrite(sql, dialect="postgres", schema=types)
    assert result.changes
    assert "__" not in result.sql.replace("tzconv_1", "").replace("time_zone", "")
    assert ":'v' AS \":'v'\"" in result.sql
    assert result.sql.endswith('WHERE :"c" > t')
    # the stand-in of one is part of that of another
    both = sql.replace(':"c"', ':"c" = :"abc" AND :"c_"')
    assert rewrite(both, dialect="postgres", schema=types).sql == result.sql.replace(
        ':"c"', ':"c" = :"abc" AND :"c_"'
    )
    # a struct of DuckDB
    assert rewrite("SELECT {'a':'b'}, t <> now() FROM logs", schema=types).changes


def test_a_command_of_psql_inside_a_statement_leaves_it() -> None:
    text = "SELECT t AT TIME ZONE z\n\\if :x\n, 2\n\\endif\nFROM logs; SELECT 1"
    known = functools.partial(rewrite, dialect="postgres", schema=TYPES)
    result = statements.rewrite_each(text, known, dialect="postgres")
    assert result.sql == text
    assert [left.code for left in result.left] == ["not-parsed"]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_statement_that_is_not_understood_does_not_stop_the_others(dialect: str) -> None:
    done = rewrite(QUERY, dialect=dialect, schema=TYPES).sql
    known = functools.partial(rewrite, dialect=dialect, schema=TYPES)
    bad = "SELECT a b c,\n t AT TIME ZONE 'UTC' AT TIME ZONE z FROM logs"
    text = f"{{}};\nSELECT a b c;\n{bad};\nFROB x y; {{}}"
    result = statements.rewrite_each(text.format(QUERY, QUERY), known, dialect=dialect)
    assert result.sql == text.format(done, done)
    [left] = result.left
    assert (left.line, left.column, left.code) == (4, 2, "not-parsed")
    assert left.text == "t AT TIME ZONE 'UTC' AT TIME ZONE z"
    assert left.reason == f"not understood as SQL near 'c', read as {dialect} (line 3, column 12)"
    for alone in (bad, f"\\timing\n{bad};\n", "UPDATE a b c SET x = t AT TIME ZONE z"):
        with pytest.raises(ParseError):
            statements.rewrite_each(alone, known, dialect=dialect)
    for quiet in ("GRANT a b c", "CREATE INDEX a b c", "UPDATE a b c SET x = 1"):
        assert statements.rewrite_each(quiet, known, dialect=dialect).sql == quiet


def test_a_text_of_the_library_may_be_a_script() -> None:
    text = f"BEGIN; SET TIME ZONE 'UTC'; {QUERY}; GRANT a b c; {QUERY}; COMMIT"
    assert rewrite(text, schema=TYPES).sql.count("CAST") == 2
    text = f"SET TIME ZONE 'Asia/Tokyo'; EXPLAIN {QUERY}; DELETE FROM logs WHERE t <> now()"
    result = rewrite(text, schema=TYPES)
    assert result.sql == text
    assert {left.code for left in result.left} == {"statement-before"}


def test_a_view_may_show_other_columns_once_a_table_is_made_anew() -> None:
    """DuckDB and others look up the names in a view when it is read."""
    types = {"logs": {"t": "timestamp"}, "logs_view": {"t": "timestamp"}}
    query = "SELECT 1 FROM logs_view WHERE t <> now()"
    made = "CREATE TEMP TABLE {} (t timestamptz);\n"
    known = functools.partial(rewrite, schema=types)
    assert known(made.format("others") + query).changes
    for result in (
        known(made.format("logs") + query),
        statements.rewrite_each(made.format("logs") + query, known),
    ):
        assert not result.changes
        assert len(result.left) == 1


@pytest.mark.parametrize(
    "before",
    [
        "SET TimeZone = 'UTC'",
        "SET work_mem = '1GB'",
        "BEGIN",
        "BEGIN; UPDATE logs SET n = 1; ROLLBACK",
        "CREATE TABLE other (t timestamptz)",
        "DROP TABLE IF EXISTS other",
        "CREATE UNIQUE INDEX made ON logs USING btree (t DESC) WHERE t IS NOT NULL",
        "CREATE TABLE made AS SELECT t FROM logs; ALTER TABLE made ADD COLUMN n INT",
        "CREATE TABLE made (t date); CREATE VIEW seen AS SELECT t FROM made; DROP TABLE made",
        "CREATE TABLE a.made (n INT); CREATE TABLE b.made (n INT); DROP TABLE a.made",
        "UPDATE logs SET t = now()",
        "\\timing\n--",
    ],
)
def test_what_stands_before_a_statement_may_not_matter(before: str) -> None:
    known = functools.partial(rewrite, schema=TYPES)
    assert statements.rewrite_each(f"{before};\n{QUERY}", known).sql == (
        f"{before};\n{known(QUERY).sql}"
    )


def test_a_table_of_another_schema_is_another_table() -> None:
    types = {"raw.logs": {"t": "timestamp"}, "logs": {"t": "timestamp"}}
    made = "CREATE TABLE mart.logs AS SELECT t::timestamptz AS t FROM raw.logs;\n"
    for name, is_known in {"raw.logs": True, "logs": False, "mart.logs": False}.items():
        query = QUERY.replace("logs", name)
        result = statements.rewrite_each(made + query, functools.partial(rewrite, schema=types))
        assert result.sql.endswith(query) != is_known
    assert [one.reason for one in result.left] == []  # it is a TIMESTAMPTZ, as NOW() is


def test_the_reason_after_a_change_of_tables() -> None:
    """Types that the user declares would be forgotten, too."""
    text = f"ALTER TABLE logs ADD COLUMN n INT;\n{QUERY}"
    [left] = statements.rewrite_each(text, functools.partial(rewrite, schema=TYPES)).left
    assert left.reason == "the type of t is not known: a statement before it may have changed it"


@pytest.mark.parametrize(
    ("dialect", "text", "reason"),
    [
        (
            "vertica",
            "SELECT NVL2(t, t, u) AT TIME ZONE 'Asia/Tokyo' FROM logs",
            "the type of NVL2(...) is not known, and it decides what AT TIME ZONE means: cast it",
        ),
        (
            "redshift",
            "SELECT u AT TIME ZONE DECODE(z, 'a', 'UTC', z) FROM logs",
            "the type of DECODE(...) is not known, and a zone may be an interval: cast it in a CTE",
        ),
        (
            "postgres",
            "SELECT (SELECT u AT TIME ZONE l.z FROM more) FROM logs l",
            "l.z is of the query around it: write a join in place of the subquery",
        ),
        (
            "duckdb",
            "SELECT l.u AT TIME ZONE l.s.z AS shown FROM logs l",
            "l.s.z may be a field: declare the struct, or name the field in a CTE",
        ),
    ],
)
def test_reasons_where_all_columns_are_declared(dialect: str, text: str, reason: str) -> None:
    types = {"t": "timestamp", "u": "timestamptz", "z": "varchar(64)"}
    given = {"logs": types | {"s": "JSON"}, "more": {"u": "timestamptz"}}
    [left] = rewrite(text, dialect=dialect, schema=given).left
    assert left.reason == reason


def test_a_table_of_the_text_itself_has_types() -> None:
    text = f"CREATE TABLE logs (t timestamp);\n{QUERY}"
    assert statements.rewrite_each(text, rewrite).changes


@pytest.mark.parametrize(
    ("head", "piece", "tail"),
    [
        ("CREATE ", "/**/", "x"),
        ("CREATE ", " ", "x"),
        ("CREATE ", "-- a\n", "x"),
        ("CREATE ", "OR REPLACE ", "x"),
        ("SELECT ", "'a' ", "'"),
    ],
)
def test_no_piece_of_a_long_text_is_looked_at_for_each_other(
    head: str, piece: str, tail: str
) -> None:
    """Half a second; hours where the time grew with the square of the length."""
    with no_hang(), contextlib.suppress(ParseError):
        statements.split(head + piece * 400_000 + tail)


def test_a_long_script() -> None:
    script = ("SELECT ';' FROM logs; -- 'x\n" + "GRANT ALL ON t TO u;\n" * 20) * 10_000
    with no_hang():
        assert len(statements.split(script)) == 21 * 10_000


def test_alternatives_are_strategies_that_change_the_same_characters() -> None:
    def change(start: int, end: int, strategy: str) -> Change:
        return Change("rule", strategy, 1, start + 1, "", "", "", start, end)

    made = {
        None: (change(7, 9, "mine"), change(12, 12, "mine")),
        "mine": (change(7, 9, "mine"),),
        "inside": (change(8, 9, "inside"),),
        "around": (change(0, 30, "around"),),
        "beside": (change(9, 11, "beside"),),
        "there": (change(12, 12, "there"),),
        "idle": (),
    }

    def answer(sql: str, strategy: str | None = None) -> Rewrite:
        if strategy == "failing":
            raise CheckError("no")
        return Rewrite(sql, made[strategy], ())

    names = [name for name in made if name] + ["failing"]
    chosen = statements.rewrite_each("SELECT 1", answer)
    assert statements.alternatives("SELECT 1", chosen, names, answer) == (
        ("inside", "around"),
        ("around", "there"),
    )


def test_an_argument_of_a_wrong_type() -> None:
    wrong: Any = "SELECT 1"
    with pytest.raises(RewriteError, match="script='SELECT 1' cannot be used: give a Script"):
        rewrite("SELECT 1", script=wrong)


def test_the_daily_table_has_days_only() -> None:
    local = "t AT TIME ZONE 'UTC' AT TIME ZONE zone"
    types = {"logs": {"t": "timestamp", "zone": "text"}}
    text = f"SELECT {local}, ({local})::date FROM logs"
    result = rewrite(text, dialect="postgres", schema=types, strategy="daily")
    assert [(one.column, one.code) for one in result.left] == [(8, "unsupported")]
    assert result.changes[0].before == f"({local})::date"


def test_a_long_word_is_cut_in_the_message() -> None:
    with pytest.raises(ParseError) as raised:
        rewrite(f"SELECT a b {'c' * 50}", dialect="postgres")
    assert f"near '{'c' * 40}'" in str(raised.value)
