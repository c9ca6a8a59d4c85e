"""The current time as a literal, and "today in the zone of the row"."""

from __future__ import annotations

import datetime as dt
from functools import partial

import duckdb
import psycopg
import pytest

from tests import events, events_postgres, postgres
from tests.corpora import in_turn
from tzconv.errors import RewriteError, UnknownZoneError
from tzconv.rewriter import Rewrite, rewrite
from tzconv.rewriter.statements import rewrite_each

TYPES = {
    "logs": {"log_time": "timestamp", "seen": "timestamptz", "shop": "integer"},
    "shops": {"id": "integer", "zone": "varchar"},
}
NOW = "2026-01-01T03:00:00Z"


@pytest.mark.parametrize("now", [NOW, "2025-12-31 22:00-05:00", dt.datetime.fromisoformat(NOW)])
def test_literals_in_the_place_of_the_current_time(now: str | dt.datetime) -> None:
    sql = "SELECT now(), CURRENT_DATE AS d, LOCALTIMESTAMP AS l FROM logs WHERE seen < now()"
    result = rewrite(sql, schema=TYPES, dialect="postgres", now=now)
    assert result.sql == (
        "SELECT TIMESTAMPTZ '2026-01-01 03:00:00+00' AS \"now\", DATE '2026-01-01' AS d, "
        "TIMESTAMP '2026-01-01 03:00:00' AS l FROM logs "
        "WHERE seen < TIMESTAMPTZ '2026-01-01 03:00:00+00'"
    )
    assert {change.strategy for change in result.changes} == {"now"}


def test_the_date_is_that_of_the_session() -> None:
    sql = "SELECT CURRENT_DATE AS d, LOCALTIMESTAMP AS l"
    result = rewrite(sql, dialect="postgres", now=NOW, session_time_zone="America/New_York")
    assert result.sql == "SELECT DATE '2025-12-31' AS d, TIMESTAMP '2025-12-31 22:00:00' AS l"
    with pytest.raises(RewriteError, match="session time zone 'LMT' is not an IANA zone"):
        rewrite(sql, dialect="postgres", now=NOW, session_time_zone="LMT")


@pytest.mark.parametrize("zone", ["Europe/Berlni", "Mars/Base", "", "Eastern Standard Time"])
def test_a_session_time_zone_that_no_database_has(zone: str) -> None:
    with pytest.raises(UnknownZoneError, match=f"Unknown time zone '{zone}'"):
        rewrite("SELECT 1", dialect="postgres", session_time_zone=zone)


@pytest.mark.parametrize("zone", ["europe/berlin", "+05:30", "<+02>-02", "posix/Europe/Berlin"])
def test_a_session_time_zone_that_a_database_may_have(zone: str) -> None:
    assert rewrite("SELECT 1", dialect="postgres", session_time_zone=zone).sql == "SELECT 1"


def test_a_comparison_with_a_literal_time() -> None:
    sql = "SELECT count(*) FROM logs WHERE log_time >= NOW() - INTERVAL '1 day'"
    result = rewrite(sql, schema=TYPES, now=NOW)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(
            "CREATE TABLE logs AS SELECT TIMESTAMP '2025-12-31 02:59:59' AS log_time UNION ALL "
            "SELECT TIMESTAMP '2025-12-31 03:00:00' UNION ALL "
            "SELECT TIMESTAMP '2026-01-01 03:00:00'"
        )
        assert connection.execute(result.sql).fetchone() == (2,)
    assert rewrite(result.sql, schema=TYPES, now=NOW).sql == result.sql


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_constant_beside_two_columns_is_cast_once(dialect: str) -> None:
    sql = "SELECT 1 AS one FROM logs WHERE now() BETWEEN log_time AND log_time + INTERVAL '1 day'"
    assert in_session(sql, TYPES, dialect, "UTC").sql.count("CAST(") == 1


def test_what_no_literal_can_replace_is_left() -> None:
    sql = "SELECT CURRENT_TIMESTAMP(0) AS a, COALESCE(seen, now()) AT TIME ZONE 'Asia/Tokyo' AS b "
    result = rewrite(sql + "FROM logs", schema=TYPES, dialect="postgres", now=NOW)
    assert len(result.changes) == 1
    reasons = [left.reason for left in result.left]
    assert "cannot pin this current-time" in reasons[0]
    assert "depends on the current time" in reasons[1]


@pytest.mark.parametrize("now", ["2026-01-01", "2026-01-01T00:00:00", "yesterday"])
def test_a_time_without_zone_is_refused(now: str) -> None:
    with pytest.raises(RewriteError, match="write"):
        rewrite("SELECT 1", now=now)


COLUMNS = [
    "log_time",
    "day",
    "log_time::timestamptz",
    "CAST(day + INTERVAL '1 hour' AS timestamp with time zone)",
    "CAST(day -- at its beginning\n AS timestamptz)",
    "day -- at its beginning\n ::timestamptz",
]
LOCAL = [
    "CAST(seen AT TIME ZONE 'Asia/Tokyo' AS timestamptz)",
    "(log_time AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris')::date::timestamptz",
]
CASTS = [
    "{} <> now()",
    "{} IS DISTINCT FROM now()",
    "{} IS NOT DISTINCT FROM now()",
    "{} IN (now(), now() - INTERVAL '1 day')",
    "{} NOT IN (CURRENT_TIMESTAMP, NULL, TIMESTAMP '2020-01-01')",
    "{} IN ('2020-01-01', now())",
    "{} BETWEEN DATE '2020-01-01' AND now()",
    "{} BETWEEN '2020-01-02' AND now()",
    "now() BETWEEN {0} AND {0} + INTERVAL '3 days'",
    "{} > (SELECT now() - INTERVAL '1 day')",
    "seen AT TIME ZONE 'UTC' >= now() - INTERVAL '1 day' AND {} < now()",
    "{}::date >= now() - INTERVAL '1 day'",
    "{0} > now() - INTERVAL '2 days' - extract(day FROM {0}) * INTERVAL '1 hour'",
    "(extract(day FROM seen) * INTERVAL '1 month' + (now())) >= {}",
    "{} BETWEEN now() - (seen - seen) - INTERVAL '1 day' AND now() + (seen - seen)",
    "coalesce({}, now()) BETWEEN now() - INTERVAL '1 day' AND log_time + INTERVAL '1 day'",
    "greatest({0}, now() - INTERVAL '1 day') <= least(log_time, CURRENT_TIMESTAMP)",
    "coalesce({}, '2020-01-02') < now()",
    "coalesce(NULL, CASE WHEN {0} < now() THEN {0} ELSE '2020-01-02' END) < now()",
]
SYMMETRIC = "{} BETWEEN SYMMETRIC now() AND now() - INTERVAL '1 day'"
ROWS = """CREATE TABLE logs (log_time timestamp, seen timestamptz, day date);
INSERT INTO logs SELECT t, t AT TIME ZONE 'UTC', CAST(t AS date) FROM (
    SELECT CAST(now() AS timestamp) + n * INTERVAL '6 hours' AS t FROM generate_series(-12, 12) s(n)
    UNION ALL SELECT TIMESTAMP '2020-01-01' UNION ALL SELECT NULL
    UNION ALL SELECT date_trunc('day', CAST(now() AS timestamp))) q"""


class Agreeing:
    """A planner that loses nothing."""

    def loss(self, before: str, after: str, *known: str) -> None:
        pass

    def indexes(self, statement: str) -> None:
        pass


def in_session(sql: str, types: dict[str, dict[str, str]], dialect: str, session: str) -> Rewrite:
    return rewrite(sql, dialect=dialect, schema=types, session_time_zone=session, plans=Agreeing())


@pytest.mark.parametrize("session", ["UTC", "Etc/GMT+3"])
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_each_comparison_with_now(dialect: str, session: str, server: postgres.Server) -> None:
    """NOW() is that of a transaction, so that rows of exactly that time are among them."""
    types = {"logs": {"log_time": "timestamp", "seen": "timestamptz", "day": "date"}}
    connection: duckdb.DuckDBPyConnection | psycopg.Connection[tuple[object, ...]]
    conditions = CASTS
    if dialect == "duckdb":
        connection = events.connect()
        connection.execute("DROP TABLE logs")
    else:
        url = server.fresh(f"now_{session[-1]}".lower()).replace("+psycopg", "")
        connection = psycopg.connect(url, autocommit=True)
        events_postgres.conversion_tables(connection)
        conditions = [*CASTS, SYMMETRIC]
    with connection:
        connection.execute(f"SET TimeZone = '{session}'")
        connection.execute("BEGIN")
        connection.execute(ROWS)
        for condition in conditions:
            for column in [*COLUMNS, *LOCAL]:
                sql = f"SELECT log_time FROM logs WHERE {condition.format(column)} ORDER BY 1"
                result = in_session(sql, types, dialect, session)
                assert result.changes, sql
                assert not result.left, result.left
                before = connection.execute(sql).fetchall()
                assert connection.execute(result.sql).fetchall() == before, result.sql
                assert in_session(result.sql, types, dialect, session).sql == result.sql


DIFFERENCES = [
    "now() - {}",
    "{} - (now() - INTERVAL '1 month')",
    "age(now(), {})",
    "age({}, now())",
    "coalesce({}, NULL, now()) - log_time",
    "CASE WHEN {0} > now() THEN now() - (seen - seen) WHEN {0} < now() THEN log_time END - {0}",
    "CASE WHEN {0} < now() THEN extract(epoch FROM (now() - {0})) END",
]
COUNTED = ["microsecond", "minute", "hour", "day", "week", "month", "year"]
FAR = """INSERT INTO logs SELECT t, t AT TIME ZONE 'UTC', CAST(t AS date) FROM (
    SELECT TIMESTAMP '2020-02-29 23:59:59.999999' + n * INTERVAL '311 days 5 hours' AS t
    FROM generate_series(-5000, 5000) s(n)) q"""


@pytest.mark.by_turns(4)
@pytest.mark.parametrize("session", ["UTC", "Etc/GMT+3"])
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_each_difference_from_now(dialect: str, session: str, server: postgres.Server) -> None:
    """To the microsecond, also before our era, by the engine's own words for an interval."""
    types = {"logs": {"log_time": "timestamp", "seen": "timestamptz", "day": "date"}}
    connection: duckdb.DuckDBPyConnection | psycopg.Connection[tuple[object, ...]]
    shown, infinite = DIFFERENCES, "VALUES ('infinity'), ('-infinity')"
    words = equal = "TRUE"
    if dialect == "duckdb":
        connection, infinite = duckdb.connect(), "SELECT NULL"  # refused, as the original is
        shown = [*shown, *(f"date_diff('{unit}', {{}}, now())" for unit in COUNTED)]
        shown += [f"datediff('{unit}', coalesce({{}}, now()), log_time)" for unit in COUNTED]
        # of two TIMESTAMPTZ before that, '-23:59:59.999999' is '-1 day 00:00:00.000001'
        words = "least(log_time, day) >= '1970-01-01'"
        equal = words if duckdb.__version__ < "2" else "TRUE"
    else:
        url = server.fresh(f"difference_{session[-1]}".lower()).replace("+psycopg", "")
        connection = psycopg.connect(url, autocommit=True)
    with connection:
        connection.execute(f"SET TimeZone = '{session}'")
        connection.execute("BEGIN")
        for made in (ROWS, FAR, f"INSERT INTO logs (log_time) {infinite}"):
            connection.execute(made)
        values = [one.format(column) for one in shown for column in COLUMNS]
        for place, value in enumerate(values):
            # the original, too, takes infinity from infinity for an error
            rows = "logs" if value.count("log_time") == 1 else "logs WHERE isfinite(log_time)"
            selects = (
                f"CAST({{}} AS text) AS shown FROM (SELECT * FROM {rows}) logs WHERE {words}",
                f"count({{}}) FROM (SELECT * FROM {rows}) logs WHERE {equal} "
                "GROUP BY {} ORDER BY {}",
                f"DISTINCT ON ({{}}) CAST(log_time AS text) FROM (SELECT * FROM {rows}) logs "
                f"WHERE {equal} ORDER BY {{}}, 1",
            )
            for select in in_turn(selects, place):
                sql = "SELECT " + select.replace("{}", value)
                result = in_session(sql, types, dialect, session)
                assert (len(result.changes) > 0, result.left) == (True, ()), sql
                before, after = (connection.execute(one).fetchall() for one in (sql, result.sql))
                assert sorted(map(repr, after)) == sorted(map(repr, before)), result.sql
                assert in_session(result.sql, types, dialect, session).sql == result.sql


ONE_ROW = {
    "SELECT now() - INTERVAL '1 day' AS since, now() AS until": True,
    "SELECT max(seen) - INTERVAL '1 day' AS since, now() AS until FROM logs": True,
    "SELECT unnest([now() - INTERVAL '1 day', now()]) AS since, now() AS until": False,
    "SELECT max(seen) OVER () AS since, now() AS until FROM logs LIMIT 1": False,
    "SELECT max(seen) AS since, now() AS until FROM logs GROUP BY day": False,
    "SELECT seen AS since, now() AS until FROM logs": False,
}


@pytest.mark.parametrize("session", ["UTC", "Etc/GMT+3"])
@pytest.mark.parametrize("parameters", ONE_ROW)
def test_a_row_of_parameters(parameters: str, session: str) -> None:
    """DuckDB casts it once; of many rows nobody knows which side has more."""
    types = {"logs": {"log_time": "timestamp", "seen": "timestamptz", "day": "date"}}
    with duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = '{session}'; BEGIN; {ROWS}")
        for query in (
            "SELECT log_time FROM logs, p WHERE log_time >= since AND log_time < until",
            "SELECT p.until - log_time AS n FROM logs JOIN p ON day + INTERVAL '1 hour' > p.since",
            "SELECT log_time, p FROM logs FULL JOIN p "
            "ON log_time BETWEEN since AND since + INTERVAL '1 hour'",
            "SELECT since - log_time AS d, count(*) FROM logs, p GROUP BY since - log_time",
            "SELECT since IN (log_time, day, NULL) AS found FROM logs, p",
        ):
            sql = f"WITH p AS ({parameters}) {query} ORDER BY ALL"
            result = in_session(sql, types, "duckdb", session)
            assert (bool(result.changes), result.left) == (ONE_ROW[parameters], ())
            before, after = (connection.execute(one).fetchall() for one in (sql, result.sql))
            assert before == after
            assert in_session(result.sql, types, "duckdb", session).sql == result.sql


OF_ALL_ROWS = {
    "SELECT max(seen) FROM logs": True,
    "SELECT coalesce(max(seen), '2020-01-01 12:00') FROM logs WHERE log_time < '2000-01-01'": True,
    "SELECT seen FROM logs WHERE log_time < now() ORDER BY seen LIMIT 1": True,
    "WITH n AS (SELECT max(a.seen) AS m FROM (SELECT seen FROM logs) a) SELECT m FROM n": True,
    "(SELECT min(seen) FROM logs WHERE day > DATE '3000-01-01')": True,
    "SELECT max(inner_.seen) FROM logs inner_ WHERE inner_.day = logs.day": False,
    "SELECT max(seen) FROM logs inner_ WHERE EXISTS (SELECT 1 WHERE inner_.day = logs.day)": False,
}


@pytest.mark.parametrize("session", ["UTC", "Etc/GMT+3"])
@pytest.mark.parametrize("query", OF_ALL_ROWS)
def test_a_subquery_for_all_rows(query: str, session: str) -> None:
    """DuckDB casts its value once, and the column for each row; incremental loads have one."""
    types = {"logs": {"log_time": "timestamp", "seen": "timestamptz", "day": "date"}}
    of_all = OF_ALL_ROWS[query]
    with duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = '{session}'; {ROWS}")
        for statement in (
            "SELECT log_time FROM logs WHERE log_time > ({}) ORDER BY ALL",
            "SELECT ({}) - log_time AS d, count(*) FROM logs GROUP BY ALL ORDER BY ALL",
            "SELECT coalesce(log_time, ({})) < now() AS b FROM logs ORDER BY ALL",
            "SELECT seen FROM logs WHERE log_time BETWEEN ({0}) AND ({0}) + INTERVAL '1 day'",
            "SELECT max(log_time) FROM logs HAVING max(log_time) > (SELECT min(seen) FROM logs)",
            "INSERT INTO logs (day) SELECT day FROM logs WHERE log_time >= ({}) RETURNING day",
            "DELETE FROM logs WHERE log_time < ({}) RETURNING log_time",
        ):
            sql = statement.format(query)
            result = rewrite_each(
                sql, partial(in_session, types=types, dialect="duckdb", session=session)
            )
            is_cast = of_all or "max(log_time)" in sql
            assert result.sql.count("::TIMESTAMP") == is_cast * (1 + sql.count("BETWEEN")), sql
            assert {left.code for left in result.left} <= ({"unsupported"} - {of_all})
            found = []
            for one in (sql, result.sql):
                connection.execute("BEGIN")
                found.append(sorted(map(repr, connection.execute(one).fetchall())))
                connection.execute("ROLLBACK")
            assert found[0] == found[1]


def test_a_cast_of_the_text_that_stays() -> None:
    """A group shows it, it rounds or may fail, or a literal beside it names an offset.

    Beside a DATE a text would lose its hours, and a difference of two is a number.
    """
    for sql, codes in (
        ("SELECT log_time::timestamptz, log_time::timestamptz > now() AS is_later, count(*) "
         "FROM logs GROUP BY log_time::timestamptz", ["grouping", "no-gain"]),
        ("SELECT 1 FROM logs WHERE log_time::timestamptz(0) > now()", []),
        ("SELECT 1 FROM logs WHERE try_cast(log_time AS timestamptz) > now()", []),
        ("SELECT 1 FROM logs WHERE log_time::timestamptz > '2020-01-01 00:00+05'", []),
        ("SELECT 1 FROM logs WHERE log_time::timestamptz > seen", []),
        ("SELECT 1 FROM logs WHERE log_time::date::timestamptz < '2020-01-01 12:00'", []),
        ("SELECT log_time::date::timestamptz - seen::date::timestamptz FROM logs", []),
        ("SELECT log_time::date::timestamptz - '2020-01-01' FROM logs", []),
        ("SELECT 1 FROM logs WHERE shop::timestamptz > now()", []),
    ):  # fmt: skip
        result = in_session(sql, TYPES, "postgres", "UTC")
        assert (result.sql, [one.code for one in result.left]) == (sql, codes)


def test_differences_that_stay() -> None:
    types = {"logs": {**TYPES["logs"], "kept": "interval"}}
    for dialect, value, code in (
        ("duckdb", "date_diff('quarter', log_time, now())", "unsupported"),
        ("duckdb", "date_diff('day', seen, now())", None),
        ("duckdb", "date_sub('month', log_time, now())", "unsupported"),
        ("duckdb", "datesub('month', seen, now())", None),
        ("postgres", "now() - seen", None),
        ("postgres", "now() - kept", None),
        ("postgres", "coalesce(log_time, seen) - log_time", None),
        ("postgres", "coalesce(log_time, '2020-01-01 00:00+05', now()) - log_time", None),
        ("postgres", "coalesce(log_time, now())", None),
        ("postgres", "now() + kept - now()", None),
        ("postgres", "now() - missing", "unknown-type"),
        ("postgres", "CURRENT_DATE - log_time", None),
        ("spark", "now() - log_time", None),
    ):
        sql = f"SELECT {value} AS passed FROM logs"
        result = rewrite(sql, dialect=dialect, schema=types)
        assert (result.sql, [one.code for one in result.left]) == (sql, [code] if code else [])
    berlin = in_session("SELECT now() - log_time FROM logs", types, "postgres", "Europe/Berlin")
    assert [left.code for left in berlin.left] == ["session-time-zone"]


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("log_time IN (now(), '2020-01-01 00:00+05')", "unsupported"),
        ("log_time BETWEEN '2020-01-01 00:00+05' AND now()", "unsupported"),
        ("log_time > (SELECT max(seen) FROM logs)", "unsupported"),
        ("log_time IN (SELECT now())", "unsupported"),
        ("log_time NOT IN (SELECT seen FROM logs) AND shop > 1", "unsupported"),
        ("log_time >= ALL (SELECT seen FROM logs)", "unsupported"),
        ("log_time = ANY (SELECT seen FROM logs UNION SELECT now())", "unsupported"),
        ("(log_time, shop) > (now(), 1)", "unsupported"),
        ("(log_time, log_time) OVERLAPS (now(), now())", "unsupported"),
        ("(log_time, shop) > (now()::timestamp, 1) AND (seen, seen) OVERLAPS (now(), now())", None),
        ("seen > ALL (SELECT seen FROM logs) AND log_time > ALL (SELECT max(log_time))", None),
        ("log_time = ANY(ARRAY[now()])", "unknown-type"),
        ("missing <> now()", "unknown-type"),
        ("coalesce(missing, seen) <> now()", "unknown-type"),
        ("missing::timestamptz <> now()", "unknown-type"),
        ("coalesce(log_time, seen) <> now()", "unsupported"),
        ("log_time <> random() * INTERVAL '1 day' + now()", "varies"),
        ("log_time >= CURRENT_DATE", None),
        ("seen IN (now())", None),
    ],
)
def test_no_comparison_with_now_is_silent(condition: str, code: str | None) -> None:
    # not by its name alone is the column known
    types = {"logs": {**TYPES["logs"], "": ""}, "other": {"log_time": "timestamptz"}}
    sql = f"SELECT 1 FROM logs WHERE {condition}"
    result = rewrite(sql, dialect="postgres", schema=types)
    assert (result.sql, [one.code for one in result.left]) == (sql, [code] if code else [])


@pytest.mark.parametrize(
    "condition",
    [
        "t.log_time <> now()",
        "log_time IN (now(), '2020-01-01')",
        "log_time IS DISTINCT FROM now()",
        "log_time BETWEEN SYMMETRIC now() AND '2020-01-01'",
        "day > (now() - INTERVAL '1 day')",
        "now() != log_time",
    ],
)
def test_nor_is_one_in_a_statement_that_is_not_read(condition: str) -> None:
    types = {"logs": {**TYPES["logs"], "day": "date"}}
    for frame in ("CREATE INDEX i ON logs (shop) WHERE {}", "ALTER TABLE logs ADD CHECK ({})"):
        [left] = rewrite(frame.format(condition), dialect="postgres", schema=types).left
        assert left.code == "statement"
    for harmless in ("day <= now()::date", "f(log_time, now())", "day <= CURRENT_DATE"):
        sql = f"ALTER TABLE logs ADD CHECK ({harmless})"
        assert not rewrite(sql, dialect="postgres", schema=types).left
