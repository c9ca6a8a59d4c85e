"""Lint and rewrite agree: nothing is reported on what a rewrite made."""

from __future__ import annotations

import functools
import itertools

import pytest

from tests import ROOT, events
from tests.corpora import in_turn
from tests.people import measure, statements
from tzconv import rewriter
from tzconv.lint import Finding, lint
from tzconv.lint.files import lint_template
from tzconv.rewriter.strategies import chosen
from tzconv.sql.declarations import Declared

EVENTS = {"t": "timestamp", "seen": "timestamptz", "n": "integer", "customer_id": "integer"}
SCHEMA = {"events": EVENTS, "customers": {"id": "integer", "zone": "text"}}
TODAY = "(seen AT TIME ZONE 'Europe/Berlin')::date = (now() AT TIME ZONE 'Europe/Berlin')::date"


def new(before: str, after: str, dialect: str, types: dict[str, dict[str, str]]) -> list[Finding]:
    """The findings of a rewritten text that the text before it did not have."""
    declared = Declared(tables=types)
    own = functools.partial(lint, dialect=dialect)
    found = lint_template(after, own, declared)
    old = lint_template(before, own, declared) if found else ()
    known = {(one.code, before[one.start : one.end]) for one in old}
    return [
        one for one in found if one.fixes or (one.code, after[one.start : one.end]) not in known
    ]


@pytest.mark.parametrize("dialect", rewriter.DIALECTS)
def test_nothing_is_reported_on_a_rewritten_text(dialect: str) -> None:
    """By the choice of the rewriter, and by one of the strategies.

    What one strategy alone leaves to another may have a fix, and nothing else is new.
    """
    with events.connect() as connection:
        types = events.column_types(connection)
    text = (ROOT / "tests" / "corpus" / f"{dialect}.sql").read_text()
    alone = itertools.cycle(chosen(dialect, None))
    for place, part in enumerate(text.split("-- >>> ")[1:]):
        sql = part.partition("\n")[2]
        for name in in_turn((None, next(alone)), place):
            result = rewriter.rewrite(sql, dialect=dialect, schema=types, strategy=name)
            found = new(sql, result.sql, dialect, types)
            assert not [one for one in found if name is None or not one.fixes], (name, part)


@pytest.mark.parametrize("dialect", measure.DIALECTS)
def test_nothing_is_reported_on_rewritten_statements_of_people(dialect: str) -> None:
    texts = {name: one.text for name, one in in_turn(statements(dialect).items(), 0)}
    for name, after in measure.again(dialect, texts).items():
        if after != texts[name]:
            assert not new(texts[name], after, dialect, measure.schema(dialect)), name


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (f"SELECT n FROM events WHERE {TODAY}", {"TZ003"}),
        (f"DELETE FROM events WHERE {TODAY}", {"TZ003"}),
        (f"SELECT n FROM events WHERE {TODAY.split('=', maxsplit=1)[0]} = current_date", {"TZ003"}),
        (f"SELECT n FROM events WHERE {TODAY.replace('= (', '>= (')} - 7", {"TZ003"}),
        (
            "SELECT n FROM events JOIN customers c ON c.id = customer_id WHERE "
            + TODAY.replace("'Europe/Berlin'", "c.zone"),
            {"TZ003"},
        ),
        ("SELECT n FROM events WHERE seen >= now() - INTERVAL '1 day'", set()),
        ("UPDATE events SET n = 1 WHERE t <> now()", {"TZ002"}),
        ("UPDATE events SET n = 1 WHERE seen > now()", set()),
        ("EXPLAIN ANALYZE SELECT n FROM events WHERE t <> now()", {"TZ002"}),
        ("COPY (SELECT n FROM events WHERE t <> now()) TO STDOUT", {"TZ002"}),
        ("COPY (SELECT n FROM events WHERE seen > now()) TO STDOUT", set()),
        ("DO $$ BEGIN UPDATE events SET n = 1 WHERE t <> now(); END $$", {"TZ002"}),
    ],
)
def test_what_rewrite_reads_is_looked_at(sql: str, expected: set[str]) -> None:
    for text in (sql, f"SELECT 1;\n  {sql};\nSELECT 2"):
        found = lint(text, dialect="postgres", schema=SCHEMA)
        assert {one.code for one in found} == expected
        assert all(one.fixes and text[one.start : one.end] in sql for one in found), found


@pytest.mark.parametrize(
    ("sql", "code", "advice"),
    [
        ("SELECT (x.u AT TIME ZONE 'Europe/Berlin')::date FROM x", "TZ001", "x.u=timestamptz"),
        ("SELECT 1 FROM x WHERE x.u AT TIME ZONE 'Asia/Tokyo' > '2026-01-01'", "TZ003", "--types"),
        ("SELECT (seen AT TIME ZONE ?)::date FROM events", "TZ001", "give it a name or a number"),
    ],
)
def test_the_advice_is_the_reason_of_the_rewrite(sql: str, code: str, advice: str) -> None:
    [found] = lint(sql, dialect="postgres", schema=SCHEMA)
    [left] = rewriter.rewrite(sql, dialect="postgres", schema=SCHEMA).left
    assert (found.code, found.fixes) == (code, ())
    assert found.message.endswith(left.reason)
    assert advice in found.message


def test_a_fix_guesses_no_time_zone_of_the_session() -> None:
    sql = "SELECT t::timestamptz AT TIME ZONE 'Europe/Berlin' FROM events"
    for zone, is_fixed in ((None, False), ("UTC", True)):
        [found] = lint(sql, schema=SCHEMA, session_time_zone=zone)
        assert bool(found.fixes) is is_fixed
        assert ("--session-time-zone" in found.message) is not is_fixed


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("date_trunc('hour', seen AT TIME ZONE 'Asia/Kolkata') AT TIME ZONE 'Asia/Kolkata'", False),
        ("date_trunc('hour', seen, 'Asia/Kolkata') AT TIME ZONE 'Asia/Kolkata'", False),
        ("date_trunc('hour', seen) AT TIME ZONE 'Asia/Kolkata'", True),
        ("date_trunc('hour', seen AT TIME ZONE 'Asia/Tokyo') AT TIME ZONE 'Asia/Kolkata'", True),
    ],
)
def test_a_round_trip_has_the_hours_of_its_zone(value: str, expected: bool) -> None:
    found = lint(f"SELECT {value} FROM events", dialect="postgres", schema=SCHEMA)
    assert ("TZ006" in {one.code for one in found}) is expected
