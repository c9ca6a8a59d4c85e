"""Nothing is silent: each conversion of a text is changed, or left with a reason."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator

import pytest

from tests.corpora import CORPORA, check_bytes
from tzconv.engines import DIALECTS, foreign
from tzconv.lint import lint
from tzconv.rewriter import rewrite, statements
from tzconv.sql.parse import reader_of
from tzconv.sql.reasons import QUIET

TYPES = {
    "actions": {
        "action_event_time": "timestamp",
        "action_publisher_id": "integer",
        "seen": "timestamptz",
        "n": "integer",
    },
    "publishers": {"id": "integer", "time_zone_name": "text"},
    "logs": {"log_time": "timestamp", "level": "integer"},
}
TOKYO = "log_time AT TIME ZONE 'Asia/Tokyo'"
FRAMES = (
    "{}",
    "SELECT 1; {}; SELECT 2",
    "EXPLAIN ANALYZE {}",
    "COPY ({}) TO STDOUT",
    "CREATE VIEW v AS {}",
    "CREATE MATERIALIZED VIEW v AS {} WITH NO DATA",
    "INSERT INTO other {} ON CONFLICT DO NOTHING",
    "DELETE FROM other WHERE x IN ({})",
    "UPDATE other SET x = ({})",
    "MERGE INTO other USING ({}) q ON q.x = other.x WHEN MATCHED THEN DELETE",
    "CREATE FUNCTION f() RETURNS SETOF x LANGUAGE sql AS $body$ {} $body$",
    "CREATE FUNCTION f(n int) RETURNS x LANGUAGE plpgsql AS $b$ BEGIN RETURN QUERY {}; END $b$",
    "DO $b$ BEGIN FOR n IN {} LOOP PERFORM 1; END LOOP; END $b$",
    "CREATE RULE r AS ON INSERT TO other DO INSTEAD {}",
    "SELECT 1; {} no no no; SELECT 2",
    "SELECT 1; no no no {} no no no; SELECT 2",
)


def conversions(text: str, dialect: str) -> Iterator[int]:
    """Where AT TIME ZONE and the functions of the dialect stand, by sqlglot's own tokens."""
    tokens = reader_of(dialect).tokenize(text)
    words = [text[token.start : token.end + 1].upper() for token in tokens]
    for at, token in enumerate(tokens):
        is_operator = words[at : at + 3] == ["AT", "TIME", "ZONE"] or words[at : at + 2] == [
            "AT",
            "TIMEZONE",
        ]
        is_call = words[at] in ("NEW_TIME", "TIMEZONE", "CONVERT_TIMEZONE", "FROM_UTC_TIMESTAMP")
        if is_operator or (is_call and words[at + 1 : at + 2] == ["("]):
            yield token.start


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_each_conversion_is_changed_or_left(dialect: str, frame: str) -> None:
    known = functools.partial(rewrite, dialect=dialect, schema=TYPES)
    queries = [sql.rstrip().rstrip(";") for sql, _ in CORPORA[dialect].values()]
    queries = [sql for sql in queries if re.match(r"SELECT\b", sql) and "--" not in sql]
    if "ON CONFLICT" in frame:  # which sqlglot takes for the condition of a NATURAL JOIN
        queries = [sql for sql in queries if "NATURAL" not in sql]
    count = 0
    for query in queries[FRAMES.index(frame) % 14 :: 14]:
        text, shift = frame.format(query), frame.index("{}")
        result = statements.rewrite_each(text, known, dialect=dialect)
        check_bytes(text, result)
        for place in result.left:
            assert text[place.start : place.end] == place.text
        places = [(one.start, one.end) for one in result.changes]
        places += [(one.start, one.end) for one in result.left]
        for at in conversions(query, dialect):
            count += 1
            assert any(start <= at + shift < end for start, end in places), text[at + shift :]
    assert count > 8


@pytest.mark.parametrize(
    ("dialect", "sql", "code"),
    [
        ("postgres", "SELECT now() AT TIME ZONE 'Asia/Tokyo'", "constant"),
        ("postgres", "SELECT timezone('UTC', now())", "constant"),
        ("spark", "SELECT from_utc_timestamp(now(), 'Asia/Tokyo')", "constant"),
        ("spark", "SELECT transform(array(log_time), x -> from_utc_timestamp(x, 'Asia/Tokyo')) "
         "FROM logs", "unsupported"),
        ("vertica", "SELECT NEW_TIME('2020-01-01'::TIMESTAMP, 'UTC', 'Asia/Tokyo')", "constant"),
        ("vertica", "EXPORT TO PARQUET(directory = 'x') AS "
         "SELECT log_time AT TIMEZONE 'Asia/Tokyo' FROM logs", "statement"),
        ("vertica", "EXPORT TO PARQUET(directory = 'x') AS "
         "SELECT log_time AT TIMEZONE 'UTC' AT TIMEZONE 'Asia/Tokyo' FROM logs", "statement"),
        ("postgres", "SELECT log_time AT TIME ZONE 'utc' FROM logs", "fixed-offset"),
        ("duckdb", "SELECT log_time AT TIME ZONE INTERVAL '3 hours' FROM logs", "fixed-offset"),
        ("postgres", "SELECT time_bucket('1 day', log_time, 'Asia/Tokyo') FROM logs",
         "unsupported"),
        ("duckdb", "SELECT time_bucket(INTERVAL 1 DAY, log_time, zone) FROM logs", "unsupported"),
        ("duckdb", "SELECT DISTINCT ON (lower(a)) time_bucket(x, log_time, zone) FROM logs",
         "unsupported"),
        ("postgres", "SELECT time_bucket('1 day', log_time, timezone => 'UTC') FROM logs",
         "unsupported"),
        ("postgres", "SELECT time_bucket('1 day', log_time, '2020-01-06') FROM logs", None),
        ("duckdb", "SELECT time_bucket(x, log_time, INTERVAL 1 HOUR) FROM logs", None),
        ("postgres", "SELECT (now() + random() * x) AT TIME ZONE 'Asia/Tokyo'", "unknown-type"),
        ("postgres", "SELECT to_timestamp(random()) AT TIME ZONE 'Asia/Tokyo'", "varies"),
        ("postgres", "ALTER TABLE logs ALTER x SET DEFAULT (now() at time zone 'utc')", "constant"),
        ("postgres", "CREATE TABLE x (t timestamp DEFAULT timezone('utc', now()))", "constant"),
        ("postgres", "CREATE INDEX i ON logs ((zone AT TIME ZONE zone))", "statement"),
        ("postgres", "CREATE TABLE x (t timestamp, CHECK (t < now()), log_time date)", None),
        ("postgres", "ALTER TABLE logs ADD CHECK (log_time <= now())", "statement"),
        ("postgres", "ALTER TABLE logs ADD CHECK (log_time <= pg_catalog.now())", "statement"),
        # a name in quotes, and comments between words
        *[
            (dialect, f"CREATE INDEX i ON logs (({call}('Asia/Tokyo', log_time)))", "statement")
            for dialect in ("duckdb", "postgres")
            for call in ("timezone /* c */", '"timezone"', '"pg_catalog"."timezone"')
        ],
        ("postgres", "CREATE INDEX i ON logs ((log_time AT /* c */ LOCAL))", "statement"),
        ("postgres", "SELECT log_time AT LOCAL FROM logs", "session-time-zone"),
        ("postgres", "WITH a AS (SELECT 1), timezone(b) AS (SELECT 2) TABLE timezone", None),
        # of two conversions that share a place, the one that costs more is named
        *[
            ("postgres", f"{before} {value.format(TOKYO)}{after}", "statement")
            for before, after in (("CREATE INDEX i ON x ((", "))"), ("INSERT INTO x VALUES (", ")"))
            for value in ("{} AT TIME ZONE 'UTC'", "timezone('UTC', {})")
        ],
        ("postgres", f"CREATE INDEX i ON logs ((log_time AT TIME ZONE 'UTC'), ({TOKYO}))",
         "fixed-offset statement"),
        ("postgres", f"CREATE INDEX i ON logs (({TOKYO}), (log_time AT TIME ZONE 'UTC'))",
         "statement fixed-offset"),
        ("postgres", f"INSERT INTO x VALUES ('\\', {TOKYO})", "statement"),
        ("postgres", "INSERT INTO x VALUES (t AT TIME ZONE CAST('3 hours' AS interval))",
         "fixed-offset"),
        ("postgres", "INSERT INTO x VALUES ((SELECT now()) AT TIME ZONE 'Asia/Tokyo')", "constant"),
        ("postgres", "SELECT pg_catalog.date_trunc('day', log_time, 'Asia/Tokyo') FROM logs",
         "no-gain"),
        ("postgres", "SELECT pg_catalog.date_trunc('day', now(), 'Asia/Tokyo')", "constant"),
        ("postgres", "INSERT INTO x VALUES (date_trunc('day', t, 'Asia/Tokyo'))", "statement"),
        ("postgres", "INSERT INTO logs VALUES (1) ON CONFLICT (level) DO UPDATE SET level = 2 "
         "WHERE logs.log_time < now()", "statement"),
        ("postgres", "INSERT INTO x VALUES (DATE(lower(a), 'Asia/Tokyo'))", "other-dialect"),
        ("postgres", "CREATE POLICY p ON logs USING (now() - '1 day'::interval < log_time)", None),
        ("postgres", "CREATE POLICY p ON logs USING (log_time > CURRENT_TIMESTAMP)", "statement"),
        ("postgres", "MERGE INTO logs l USING x ON true WHEN MATCHED AND l.log_time < now() "
         "THEN DELETE", "statement"),
        ("postgres", "SELECT convert_timezone('UTC', 'Asia/Tokyo', log_time)", "other-dialect"),
        ("postgres", "SELECT new_time(log_time, 'UTC', 'Asia/Tokyo') FROM logs", "other-dialect"),
        ("duckdb", "SELECT from_utc_timestamp(log_time, 'Asia/Tokyo') FROM logs", "other-dialect"),
        ("duckdb", "SELECT CONVERT_TZ(log_time, 'UTC', 'Asia/Tokyo') FROM logs", "other-dialect"),
        ("postgres", "SELECT toTimeZone(log_time, 'Asia/Tokyo') FROM logs", "other-dialect"),
        ("postgres", "SELECT DATE(log_time, 'Asia/Tokyo') FROM logs", "other-dialect"),
        *[
            ("duckdb", f"SELECT {one} FROM logs", "unsupported")
            for one in (
                "(log_time AT TIME ZONE 'Asia/Tokyo').year()",
                "timezone('Asia/Tokyo', log_time).year()",
                "zone.timezone(log_time)",
                "'Asia/Tokyo'.timezone(log_time)",
                "alias(log_time AT TIME ZONE 'Asia/Tokyo')",
                "lower(alias(now() - log_time))",
                "main.timezone('Asia/Tokyo', log_time)",
                "(INTERVAL 1 DAY).time_bucket(log_time, 'Asia/Tokyo')",
                "list_transform([log_time], lambda x: x AT TIME ZONE 'Asia/Tokyo')",
                "list_transform([log_time], x -> timezone('Asia/Tokyo', x))",
                "list_transform([log_time], x -> date_trunc('day', x) AT TIME ZONE 'Asia/Tokyo')",
            )
        ],
        ("duckdb", "SELECT 'Asia/Tokyo'.timezone(now())", "constant"),
        ("duckdb", "SELECT log_time AT TIME ZONE 'Asia/Tokyo' FROM logs, (DESCRIBE logs) a",
         "unknown-column"),
        ("duckdb", "SELECT main.date_trunc('day', log_time) FROM logs", None),
        ("duckdb", "SELECT own.from_utc_timestamp(log_time, 'Asia/Tokyo') FROM logs", None),
        ("duckdb", "SELECT x AT TIME ZONE 'Asia/Tokyo' FROM (DESCRIBE logs)", "unknown-column"),
        ("duckdb", "SELECT (SELECT max(a.seen AT TIME ZONE p.time_zone_name) FROM publishers p) "
         "AS l FROM actions a", "unknown-column"),
        ("duckdb", "SELECT log_time AT TIME ZONE 'Asia/Tokyo' FROM logs, (SELECT * FROM "
         "(SUMMARIZE logs) a) b", "unknown-column"),
        *[
            pytest.param("duckdb", f"SELECT log_time AT TIME ZONE 'Asia/Tokyo' FROM logs, ({one}) "
                         "a", "unknown-column", marks=pytest.mark.not_core)
            for one in ("PIVOT logs ON zone USING count(*)", "UNPIVOT logs ON x INTO VALUE y")
        ],
        ("duckdb", "CREATE MACRO f(z, t) AS timezone(z, t) + (SELECT 1)", "statement"),
        ("duckdb", "CREATE MACRO f(z) AS (SELECT 1 FROM (VALUES (1)) AS timezone(a))", None),
        *[
            (dialect, f"{merge} WHEN MATCHED THEN UPDATE "
             "SET log_time = t AT TIME ZONE 'Asia/Tokyo'", "statement")
            for dialect in ("duckdb", "postgres")
            for merge in ("MERGE INTO logs USING x ON true",
                          "WITH x AS (SELECT 1) MERGE INTO logs USING x ON true")
        ],
        ("postgres", "UPDATE logs SET level = 1 FROM logs, LATERAL (SELECT timezone('Asia/Tokyo', "
         "log_time) FROM logs) x", "unknown-column"),
        ("duckdb", "WITH RECURSIVE r(t) AS (SELECT 1, 2 UNION ALL (WITH a AS (SELECT * FROM r), "
         "b(x, t) AS (SELECT 1, t FROM a UNION ALL SELECT * FROM a) "
         "SELECT t AT TIME ZONE 'Asia/Tokyo' FROM b)) FROM r", "not-a-time"),
        *(
            ("postgres", f"CREATE {view} AS SELECT 1 AS one FROM logs WHERE log_time > now(){end}",
             "statement")
            for view, end in (("VIEW v", " WITH CHECK OPTION"), ("RECURSIVE VIEW v (one)", ""))
        ),
        ("postgres", "SELECT own.new_time(log_time, 'UTC', 'x'), date(log_time) FROM logs", None),
        ("postgres", "SELECT own.timezone('Asia/Tokyo', log_time) FROM logs", None),
        ("duckdb", "SELECT (a.seen + x * INTERVAL '1 hour') AT TIME ZONE p.time_zone_name "
         "FROM actions a JOIN publishers p ON p.id = a.n JOIN unknown ON true", "unknown-column"),
        ("postgres", "SELECT 'x AT TIME ZONE y', \"a AT TIME ZONE b\" /* AT TIME ZONE 'x' */",
         None),
        ("postgres", "COMMENT ON TABLE logs IS 'x AT TIME ZONE y'", None),
        ("postgres", "SELECT '2020-01-01'::TIMESTAMP WITH TIME ZONE", None),
    ],
)  # fmt: skip
def test_why(dialect: str, sql: str, code: str | None) -> None:
    result = rewrite(sql, dialect=dialect, schema=TYPES)
    assert result.sql == sql
    assert [left.code for left in result.left] == (code or "").split()
    for left in result.left:
        assert sql[left.start : left.end] == left.text
        assert not (left.code in QUIET and lint(sql, dialect=dialect, schema=TYPES))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_functions_of_other_dialects(dialect: str) -> None:
    for name in foreign.functions():
        hint = foreign.hint(name, dialect)
        assert hint is None or "--dialect" in hint or "does not support" in hint
    assert foreign.hint("nothing", dialect) is None
    hint = foreign.hint("new_time", "postgres")
    assert hint == "new_time() looks like Vertica: --dialect vertica"


def test_a_second_pass_says_nothing_of_our_own_work() -> None:
    own = "a.action_event_time AT TIME ZONE 'UTC' AT TIME ZONE p.time_zone_name"
    bound = "TIMESTAMP '2020-01-01' AT TIME ZONE p.time_zone_name"
    joined = "FROM actions a JOIN publishers p ON p.id = a.n"
    queries = (
        f"SELECT {own} {joined}",
        f"SELECT a.n {joined} WHERE a.seen >= {bound}",
        f"SELECT a.n {joined} WHERE a.seen BETWEEN ({bound}) AND ({bound.replace('-01', '-02')})",
        f"SELECT a.n {joined} WHERE ({own})::date = (now() AT TIME ZONE p.time_zone_name)::date",
    )
    for dialect, sql in itertools.product(("duckdb", "postgres"), queries):
        for strategy in (None, "offset"):
            first = rewrite(sql, dialect=dialect, schema=TYPES, strategy=strategy)
            second = rewrite(first.sql, dialect=dialect, schema=TYPES, strategy=strategy)
            assert first.changes
            assert second.sql == first.sql
            assert {one.code for one in second.left} <= QUIET
