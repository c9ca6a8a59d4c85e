"""What only a real Vertica can answer: questions, and what tzconv or its test server assumes.

Each question runs in a schema of its own that is dropped afterwards. ``needed`` marks the answers
that tzconv rests on; the others decide how it may be improved, or how true the test server is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import vertica_python

SCHEMA = "tzconv_questions"
ERROR = "an error"


@dataclass(frozen=True)
class Question:
    """``statements`` run in order, ``assumed`` is what the last one is expected to answer.

    ``COPY`` statements read ``data``.
    """

    text: str
    statements: tuple[str, ...]
    assumed: str
    needed: bool = False
    data: str = ""


def _ask(text: str, *statements: str, assumed: str, needed: bool = False) -> Question:
    return Question(text, statements, assumed, needed)


_T = "TIMESTAMP '2026-07-01 12:00:00'"
_WINTER = "TIMESTAMP '2026-01-01 12:00:00'"

CONVERSION = (
    _ask("NEW_TIME takes a name of the IANA database",
         f"SELECT NEW_TIME({_T}, 'UTC', 'America/New_York')",
         assumed="2026-07-01 08:00:00", needed=True),
    _ask("in winter, too",
         f"SELECT NEW_TIME({_WINTER}, 'UTC', 'America/New_York')",
         assumed="2026-01-01 07:00:00", needed=True),
    _ask("the source may be GMT",
         f"SELECT NEW_TIME({_T}, 'GMT', 'Asia/Kolkata')",
         assumed="2026-07-01 17:30:00", needed=True),
    _ask("back to UTC",
         f"SELECT NEW_TIME({_T}, 'America/New_York', 'UTC')",
         assumed="2026-07-01 16:00:00", needed=True),
    _ask("case does not matter in a name",
         f"SELECT NEW_TIME({_T}, 'utc', 'america/new_york')", assumed="2026-07-01 08:00:00"),
    _ask("a gap has the offset before it",
         "SELECT NEW_TIME(TIMESTAMP '2017-03-12 02:30:00', 'America/New_York', 'UTC')",
         assumed="2017-03-12 07:30:00"),
    _ask("a fold has the offset after it",
         "SELECT NEW_TIME(TIMESTAMP '2017-11-05 01:30:00', 'America/New_York', 'UTC')",
         assumed="2017-11-05 06:30:00"),
    _ask("a NULL time gives NULL",
         "SELECT NEW_TIME(NULL::timestamp, 'UTC', 'Asia/Kolkata') IS NULL", assumed="True"),
    _ask("a NULL zone gives NULL",
         f"SELECT NEW_TIME({_T}, 'UTC', NULL::varchar) IS NULL", assumed="True"),
    _ask("an unknown zone is an error", f"SELECT NEW_TIME({_T}, 'UTC', 'No/Such')", assumed=ERROR),
    _ask("so is America/NewYork",
         f"SELECT NEW_TIME({_T}, 'UTC', 'America/NewYork')", assumed=ERROR),
    _ask("EST is a fixed offset, in summer too",
         f"SELECT NEW_TIME({_T}, 'UTC', 'EST')", assumed="2026-07-01 07:00:00"),
    _ask("EDT is a fixed offset, in winter too",
         f"SELECT NEW_TIME({_WINTER}, 'UTC', 'EDT')", assumed="2026-01-01 08:00:00"),
    _ask("CET is a fixed offset, and no zone with summer time",
         f"SELECT NEW_TIME({_T}, 'UTC', 'CET')", assumed="2026-07-01 13:00:00"),
    _ask("microseconds are kept",
         "SELECT DATEDIFF('microsecond', TIMESTAMP '2026-07-01 12:00:00.000001', "
         "NEW_TIME(TIMESTAMP '2026-07-01 12:00:00.000001', 'UTC', 'Asia/Kolkata'))",
         assumed="19800000000", needed=True),
    _ask("summer time in 2037",
         "SELECT NEW_TIME(TIMESTAMP '2037-07-01 12:00:00', 'UTC', 'Europe/Paris')",
         assumed="2037-07-01 14:00:00", needed=True),
    _ask("summer time in 2038 (documented: none)",
         "SELECT NEW_TIME(TIMESTAMP '2038-07-01 12:00:00', 'UTC', 'Europe/Paris')",
         assumed="2038-07-01 14:00:00"),
    _ask("local mean time in 1850 (documented: standard time)",
         "SELECT NEW_TIME(TIMESTAMP '1850-01-01 12:00:00', 'UTC', 'Europe/Paris')",
         assumed="1850-01-01 12:09:21"),
    _ask("the newest rules: Edmonton without winter time in 2026",
         "SELECT NEW_TIME(TIMESTAMP '2026-12-01 12:00:00', 'UTC', 'America/Edmonton')",
         assumed="2026-12-01 05:00:00"),
    _ask("AT TIME ZONE agrees with NEW_TIME",
         f"SELECT {_T} AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata'",
         assumed="2026-07-01 17:30:00"),
    _ask("AT TIMEZONE is the same",
         f"SELECT {_T} AT TIMEZONE 'UTC' AT TIMEZONE 'Asia/Kolkata'",
         assumed="2026-07-01 17:30:00"),
    _ask("NEW_TIME of a TIMESTAMPTZ is an error, and no conversion by the session",
         "SET TIME ZONE TO 'Asia/Kolkata'",
         "SELECT NEW_TIME(TIMESTAMPTZ '2026-07-01 12:00:00+00', 'UTC', 'UTC')", assumed=ERROR),
    _ask("a TIMESTAMP is compared with a TIMESTAMPTZ in the time zone of the session",
         "SET TIME ZONE TO 'Asia/Kolkata'",
         f"SELECT {_T} = TIMESTAMPTZ '2026-07-01 06:30:00+00'", assumed="True"),
    _ask("DATE_TRUNC of a TIMESTAMPTZ works in the time zone of the session",
         "SET TIME ZONE TO 'Asia/Kolkata'",
         "SELECT DATE_TRUNC('day', TIMESTAMPTZ '2026-07-01 20:00:00+00') "
         "= TIMESTAMPTZ '2026-07-01 18:30:00+00'", assumed="True"),
    _ask("a date of a TIMESTAMPTZ, too",
         "SET TIME ZONE TO 'Asia/Kolkata'",
         "SELECT TIMESTAMPTZ '2026-07-01 20:00:00+00'::date", assumed="2026-07-02"),
    _ask("GETUTCDATE() is the time of the statement in UTC",
         "SELECT ABS(DATEDIFF('second', GETUTCDATE(), "
         "STATEMENT_TIMESTAMP() AT TIME ZONE 'UTC')) < 1",
         assumed="True"),
)  # fmt: skip

COUNTING = (
    _ask("DATEDIFF counts seconds since 1970 exactly, back to year 1",
         "SELECT DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', "
         "TIMESTAMP '0001-01-01 00:00:00')", assumed="-62135596800", needed=True),
    _ask("whatever the time zone of the session is",
         "SET TIME ZONE TO 'America/New_York'",
         "SELECT DATEDIFF('second', TIMESTAMP '1970-01-01 00:00:00', "
         "TIMESTAMP '2026-07-01 00:00:00')", assumed="1782864000", needed=True),
    _ask("a date minus a date is days",
         "SELECT CAST(DATE '2026-07-01' - DATE '1970-01-01' AS BIGINT)",
         assumed="20635", needed=True),
    _ask("a date plus a number is a date", "SELECT DATE '2026-07-01' + 1",
         assumed="2026-07-02", needed=True),
    _ask("the rest of a division of large integers",
         "SELECT 9000000000000000000 % 2147483647", assumed="1548802211", needed=True),
    _ask("the code of an empty text, or 0", "SELECT COALESCE(ASCII(SUBSTR('EDT', 5, 1)), 0)",
         assumed="0", needed=True),
    _ask("the length of an abbreviation", "SELECT LENGTH('EDT')", assumed="3", needed=True),
    _ask("a sum of integers is exact",
         "SELECT SUM(n) FROM (SELECT 4611686018427387904 AS n UNION ALL SELECT 1) AS t",
         assumed="4611686018427387905", needed=True),
    _ask("LAG and LEAD",
         "SELECT MAX(d) FROM (SELECT n - LAG(n) OVER (ORDER BY n) AS d FROM "
         "(SELECT 1 AS n UNION ALL SELECT 4) AS t) AS u", assumed="3", needed=True),
)  # fmt: skip

_TABLE = f"CREATE TABLE {SCHEMA}.t (a INTEGER NOT NULL, b VARCHAR(3))"
_COUNT = f"SELECT COUNT(*) FROM {SCHEMA}.t"
_INSERT = f"INSERT INTO {SCHEMA}.t VALUES (1, 'x')"
_COPY = f"COPY {SCHEMA}.t (a, b) FROM STDIN"

TRANSACTIONS = (
    _ask("an INSERT is undone by ROLLBACK", _TABLE, _INSERT, "ROLLBACK", _COUNT,
         assumed="0", needed=True),
    _ask("DDL commits", _TABLE, _INSERT, f"CREATE TABLE {SCHEMA}.u (a INTEGER)", "ROLLBACK", _COUNT,
         assumed="1"),
    _ask("a local temporary table does not", _TABLE, _INSERT,
         "CREATE LOCAL TEMPORARY TABLE tmp (a INTEGER) ON COMMIT PRESERVE ROWS",
         "ROLLBACK", _COUNT, assumed="0"),
    _ask("TRUNCATE commits", _TABLE, _INSERT, "COMMIT", f"TRUNCATE TABLE {SCHEMA}.t", "ROLLBACK",
         _COUNT, assumed="0"),
    _ask("an error undoes its statement only", _TABLE, "BEGIN", _INSERT,
         f"-- fails\nSELECT a / 0 + no_such_column FROM {SCHEMA}.t", "COMMIT", _COUNT, assumed="1"),
    _ask("ROLLBACK TO SAVEPOINT goes on after an unknown zone", _TABLE, "BEGIN", _INSERT,
         "SAVEPOINT s", f"-- fails\nSELECT NEW_TIME({_T}, 'UTC', 'No/Such')",
         "ROLLBACK TO SAVEPOINT s", "COMMIT", _COUNT, assumed="1"),
    _ask("LOCK TABLE ... NOWAIT", _TABLE, "BEGIN",
         f"LOCK TABLE {SCHEMA}.t IN EXCLUSIVE MODE NOWAIT",
         "SELECT COUNT(*) FROM v_monitor.locks l JOIN v_monitor.sessions s "
         "ON s.transaction_id = l.transaction_id "
         f"WHERE LOWER(l.object_name) = 'table:{SCHEMA}.t' AND l.lock_mode = 'X'",
         assumed="1", needed=True),
    _ask("the lock timeout of a session can be set", "ALTER SESSION SET LockTimeout = 5",
         "SELECT 1", assumed="1"),
    _ask("ANALYZE_STATISTICS takes a quoted schema", _TABLE,
         f"SELECT ANALYZE_STATISTICS('\"{SCHEMA}\".t')", assumed="0", needed=True),
)  # fmt: skip

COPYING = (
    Question("COPY with NO COMMIT is undone by ROLLBACK",
             (_TABLE, f"{_COPY} NO COMMIT", "ROLLBACK", _COUNT), "0", True, "1|x\n"),
    Question("COPY without it commits", (_TABLE, _COPY, "ROLLBACK", _COUNT), "1", False, "1|x\n"),
    Question("the options of tzconv, in its order",
             (_TABLE, f"{_COPY} DELIMITER '|' NULL '' NO ESCAPE ENFORCELENGTH ABORT ON ERROR "
              "NO COMMIT", _COUNT), "2", True, "1|x\n2|\n"),
    Question("NO COMMIT before another option", (_TABLE, f"{_COPY} NO COMMIT NULL ''", _COUNT),
             ERROR, False, "1|x\n"),
    Question("ABORT ON ERROR leaves nothing of a load with one bad row",
             (_TABLE, f"-- fails\n{_COPY} ABORT ON ERROR NO COMMIT", _COUNT), "0", True,
             "1|x\nbad|x\n"),
    Question("ENFORCELENGTH rejects what is too long",
             (_TABLE, f"{_COPY} ENFORCELENGTH ABORT ON ERROR NO COMMIT"), ERROR, True, "1|abcd\n"),
    Question("without it the value is cut",
             (_TABLE, f"{_COPY} NO COMMIT", f"SELECT b FROM {SCHEMA}.t"), "abc", False, "1|abcd\n"),
    Question("an empty field is NULL",
             (_TABLE, f"{_COPY} NULL '' NO COMMIT", f"SELECT b IS NULL FROM {SCHEMA}.t"),
             "True", True, "1|\n"),
    Question("the counts of the last COPY",
             (_TABLE, f"{_COPY} NO COMMIT",
              "SELECT GET_NUM_ACCEPTED_ROWS() || ' and ' || GET_NUM_REJECTED_ROWS()"),
             "1 and 1", True, "1|x\nbad|x\n"),
)  # fmt: skip

SYNTAX = (
    _ask("several rows of VALUES", _TABLE, f"INSERT INTO {SCHEMA}.t VALUES (1, 'x'), (2, 'y')",
         _COUNT, assumed=ERROR),
    _ask("NULLS LAST in ORDER BY", _TABLE, f"SELECT a FROM {SCHEMA}.t ORDER BY a NULLS LAST",
         assumed=ERROR),
    _ask("FILTER", "SELECT COUNT(*) FILTER (WHERE TRUE)", assumed=ERROR),
    _ask("VALUES as a table", "SELECT * FROM (VALUES (1)) AS t (a)", assumed=ERROR),
    _ask("TIMEZONE(zone, time)", f"SELECT TIMEZONE('UTC', {_T})", assumed=ERROR),
    _ask("an encoding that does not suit its type",
         f"CREATE TABLE {SCHEMA}.e (a VARCHAR(3) ENCODING COMMONDELTA_COMP)", "SELECT 1",
         assumed=ERROR),
    _ask("a key that is declared and not enforced", _TABLE.replace("b VARCHAR(3)",
         "b VARCHAR(3), CONSTRAINT t_pk PRIMARY KEY (a) DISABLED"), _INSERT, _INSERT, _COUNT,
         assumed="2", needed=True),
)  # fmt: skip

ALL = (*CONVERSION, *COUNTING, *TRANSACTIONS, *COPYING, *SYNTAX)


def answer(options: dict[str, Any], question: Question) -> str:
    """What the server says, on a connection of its own."""
    with contextlib.closing(vertica_python.connect(**options)) as connection:
        connection.notice_handler = lambda _: None
        cursor = connection.cursor()
        with _schema(cursor):
            rows: list[Any] = []
            for statement in question.statements:
                try:
                    rows = _run(cursor, statement, question.data)
                except vertica_python.errors.Error as error:
                    if not statement.startswith("-- fails"):
                        state = getattr(error, "sqlstate", None)
                        return ERROR if state else f"{ERROR}: {error}"
            return ", ".join(" ".join(map(str, row)) for row in rows)


def _run(cursor: Any, statement: str, data: str) -> list[Any]:
    bare = statement.removeprefix("-- fails\n")
    if bare.startswith("COPY"):
        cursor.copy(bare, data)
        rows: list[Any] = []
    else:
        cursor.execute(bare)
        rows = cursor.fetchall()
    while cursor.nextset():
        pass
    return rows


@contextlib.contextmanager
def _schema(cursor: Any) -> Iterator[None]:
    _run(cursor, f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE", "")
    _run(cursor, f"CREATE SCHEMA {SCHEMA}", "")
    try:
        yield
    finally:
        _run(cursor, "ROLLBACK", "")
        _run(cursor, f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE", "")


def table(answers: dict[Question, str]) -> str:
    """The answers as a table, those that are not as assumed marked."""
    width = max(len(question.text) for question in answers)
    lines = [f"  {'question':<{width}}  {'answer':<24}  assumed"]
    for question, found in answers.items():
        mark = " " if found == question.assumed else "!" if question.needed else "~"
        lines.append(f"{mark} {question.text:<{width}}  {found:<24}  {question.assumed}")
    return "\n".join([*lines, "", "! tzconv rests on it   ~ the test server answers otherwise"])
