"""A real Vertica, where there is one: TZCONV_TEST_VERTICA_URL names it (see docs/vertica.md).

The user needs the right to make schemas; everything happens in schemas of the tests' own, which are
dropped again. The questions are asked of the test server too, so that they are known to work.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import os
from collections.abc import Iterator
from typing import Any

import pytest
import vertica_python

from tests.engines.vertica import questions
from tests.engines.vertica.questions import Question
from tests.vertica_server import Server
from tzconv import engines, health, tables
from tzconv.engines import urls
from tzconv.engines.vertica import login
from tzconv.refresher import refresh
from tzconv.tables import generate
from tzconv.tz import zones
from tzconv.tz.horizon import Horizon

URL = os.environ.get("TZCONV_TEST_VERTICA_URL", "")
SCHEMA = "tzconv_tests"
ZONES = ["America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]
HORIZON = Horizon(dt.date(2026, 1, 1), dt.date(2026, 3, 1))

real = pytest.mark.skipif(
    not URL, reason="no real Vertica: name one in TZCONV_TEST_VERTICA_URL (docs/vertica.md)"
)


@pytest.mark.parametrize("question", questions.ALL, ids=lambda one: str(one.text))
def test_the_test_server_answers_as_assumed(vertica: Server, question: Question) -> None:
    assert questions.answer(vertica.options(), question) == question.assumed


@real
def test_what_a_real_server_answers(capsys: pytest.CaptureFixture[str]) -> None:
    options = login.options(urls.parse(URL))
    answers = {one: questions.answer(options, one) for one in questions.ALL}
    with capsys.disabled():
        print(f"\n{questions.table(answers)}")
    wrong = [one.text for one, said in answers.items() if one.needed and said != one.assumed]
    assert wrong == []


@pytest.fixture
def schema() -> Iterator[str]:
    """An empty schema on the real server."""
    options = login.options(urls.parse(URL))
    with contextlib.closing(vertica_python.connect(**options)) as connection:
        connection.notice_handler = lambda _: None
        cursor = connection.cursor()
        for statement in (f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE", f"CREATE SCHEMA {SCHEMA}"):
            cursor.execute(statement)
            cursor.fetchall()
        yield SCHEMA
        cursor.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
        cursor.fetchall()


@real
@pytest.mark.parametrize("rules", ["tzdata", "database"])
def test_a_real_server_holds_what_was_generated(schema: str, rules: str) -> None:
    given: dict[str, Any] = {"schema": schema, "rules": rules}
    given |= {"start": HORIZON.start, "end": HORIZON.end}
    assert refresh(URL, zones=ZONES[:2], **given).changed
    assert refresh(URL, zones=ZONES, **given).changed
    assert not refresh(URL, zones=ZONES, **given).changed
    with engines.connect(URL, schema=schema) as backend:
        found = health.doctor(backend, dt.datetime(2025, 11, 1))
        assert found.healthy, found.findings
        if rules == "database":
            assert found.disagreements == ()
            return
        for name, table in tables.CONVERSIONS.items():
            columns = ", ".join(column.name for column in table.columns)
            order = ", ".join(table.key)
            rows = backend.query(f"SELECT {columns} FROM {schema}.{table.name} ORDER BY {order}")
            expected = generate.stream(name, zones.installed(), ZONES, HORIZON).read_all()
            assert rows.rows.num_rows == expected.num_rows
            for place, column in enumerate(table.columns):
                texts = rows.rows.column(place).to_pylist()
                wanted = expected.column(column.name).to_pylist()
                assert texts == [text(value) for value in wanted], column.name


def text(value: object) -> str | None:
    """A value as Vertica writes it."""
    if isinstance(value, bool):
        return "t" if value else "f"
    return None if value is None else str(value)
