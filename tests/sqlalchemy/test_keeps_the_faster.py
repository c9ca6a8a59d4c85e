"""What has nothing to gain runs as it was written, and of two forms the faster one is kept.

No clock of the machine decides here: the tests say how long each form takes.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from tests import postgres
from tzconv.engines.postgres import expected
from tzconv.refresher import refresh
from tzconv.rewriter import Change, Left, Rewrite
from tzconv.sqlalchemy import Decision, Rewriting, Timings, decide, rewrite_queries
from tzconv.sqlalchemy.catalog import Session
from tzconv.sqlalchemy.race import Fetching, Race, Sizes, TimedRun

_EVENTS = 30_000
_ZONES = ("Asia/Kolkata", "Europe/Berlin")
_ORIGINAL = "SELECT count(*) AS n, max(ts AT TIME ZONE 'Asia/Kolkata') AS latest FROM events"
_OTHER = "SELECT count(*) AS n, max(ts AT TIME ZONE '-05:30') AS latest FROM events"
_OTHER_DUCKDB = "SELECT count(*) AS n, max(ts AT TIME ZONE 'Asia/Calcutta') AS latest FROM events"


@pytest.fixture(scope="module")
def urls(
    server: postgres.Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """Events of 100 accounts, the first of which has half of them, and real conversion tables."""
    made = {
        "duckdb": f"duckdb:///{tmp_path_factory.mktemp('kept') / 'kept.duckdb'}",
        "postgres": server.fresh("kept_forms"),
    }
    for dialect, url in made.items():
        refresh(url, zones=_ZONES)
        numbers = "range" if dialect == "duckdb" else "generate_series"
        last = _EVENTS if dialect == "duckdb" else _EVENTS - 1
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql(
                "CREATE TABLE events AS SELECT i::int AS id, "
                "CASE WHEN mod(i, 2) = 0 THEN 0 ELSE mod(i / 2, 99)::int + 1 END AS account, "
                "TIMESTAMPTZ '2026-01-01 00:00:00+00' + i * INTERVAL '1 minute' AS ts "
                f"FROM {numbers}(0, {last}) AS n (i)"
            )
            if dialect == "postgres":
                connection.exec_driver_sql("CREATE INDEX ON events (account); ANALYZE events")
        engine.dispose()
    yield made
    server.drop("kept_forms")


@pytest.fixture(params=["duckdb", "postgres"])
def engine(request: pytest.FixtureRequest, urls: dict[str, str]) -> Iterator[sa.Engine]:
    made = sa.create_engine(urls[request.param])
    if request.param == "duckdb":
        sa.event.listen(made, "connect", lambda raw, _: raw.execute("SET TimeZone = 'UTC'"))
    yield made
    made.dispose()


class Clock(threading.local):
    """Goes on only when a statement of this thread runs: by ``seconds`` for its text."""

    now = 1000.0

    def __init__(self, engine: sa.Engine, seconds: dict[str, float], texts: list[str]) -> None:
        self.seconds = seconds
        self.texts = texts

    def __call__(self) -> float:
        return self.now

    def run(self, *arguments: Any) -> None:
        text = arguments[2]
        self.texts.append(text)
        self.now += self.seconds.get(text, 0.0)


def other(engine: sa.Engine) -> str:
    """A second form of the original that returns the same rows."""
    return _OTHER_DUCKDB if engine.dialect.name == "duckdb" else _OTHER


def given(monkeypatch: pytest.MonkeyPatch, text: str, strategy: str = "period") -> list[Any]:
    """Let the rewriter make that text of the original; the options that it was called with."""
    called: list[Any] = []

    def rewritten(sql: str, **options: Any) -> Rewrite:
        called.append(options)
        change = Change("utc_to_zone", strategy, 1, 1, sql, text, "tested", 0, len(sql))
        return Rewrite(text, (change,), ())

    monkeypatch.setattr("tzconv.rewriter.rewrite", rewritten)
    # the types are checked in other tests
    monkeypatch.setattr(decide, "typed", lambda alchemy, text, *rest: text)
    monkeypatch.setattr(decide, "_refuse_unbound", lambda *texts: None)
    return called


def timed(engine: sa.Engine, seconds: dict[str, float], **options: Any) -> tuple[Rewriting, Clock]:
    rewriting = rewrite_queries(engine, **options)
    clock = Clock(engine, seconds, [])
    sa.event.listen(engine, "before_cursor_execute", clock.run)
    rewriting._clock = clock
    return rewriting, clock


@pytest.mark.parametrize(("original", "rewritten"), [(2.0, 1.0), (1.0, 2.0), (1.0, 1.0)])
def test_the_faster_form_is_kept(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch, original: float, rewritten: float
) -> None:
    text, told = other(engine), list[Decision]()
    given(monkeypatch, text)
    costs = {_ORIGINAL: original, text: rewritten}
    rewriting, clock = timed(engine, costs, on_decision=told.append)
    rows: set[str] = set()
    with engine.connect() as connection:
        for _ in range(10):
            rows.update(map(str, connection.execute(sa.text(_ORIGINAL)).all()))
    kept = text if rewritten <= original else _ORIGINAL
    assert clock.texts == [text, _ORIGINAL] * 3 + [kept] * 4
    assert len(rows) == 1
    first, last = told
    assert (first.rewritten, first.timings) == (text, None)
    assert last.timings == Timings(original, rewritten)
    assert last.rewritten == (text if kept == text else None)
    assert bool(last.changes) == (kept == text)
    assert list(rewriting.decisions) == [last]
    rewriting.forget()
    assert not rewriting.decisions
    rewriting.disable()


def test_what_is_not_timed(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A range and a constant cost nothing, a forced strategy is forced, and one may say no."""
    text = other(engine)
    for strategy, options in (
        ("range", {}),
        ("now", {}),
        ("period", {"measure": False}),
        ("period", {"strategy": "period"}),
    ):
        given(monkeypatch, text, strategy)
        rewriting, clock = timed(engine, {text: 9.0}, **options)
        with engine.connect() as connection:
            for _ in range(8):
                connection.execute(sa.text(_ORIGINAL)).all()
        rewriting.disable()
        assert clock.texts == [text] * 8, strategy


def test_each_zone_is_timed_for_itself(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    statement = sa.text(_ORIGINAL.replace("'Asia/Kolkata'", ":zone"))
    text = other(engine)
    given(monkeypatch, text)
    rewriting, clock = timed(engine, {text: 9.0})
    with engine.connect() as connection:
        for zone in _ZONES:
            for _ in range(7):
                connection.execute(statement, {"zone": zone}).all()
    rewriting.disable()
    assert [one == text for one in clock.texts] == ([True, False] * 3 + [False]) * 2
    assert [one.timings for one in rewriting.decisions] == [Timings(0.0, 9.0)] * 2


@pytest.mark.parametrize("has_estimate", [True, False])
@pytest.mark.parametrize("accounts", [(0, 7), (7, 0)])
def test_a_large_and_a_small_customer_keep_their_forms(
    engine: sa.Engine,
    monkeypatch: pytest.MonkeyPatch,
    accounts: tuple[int, int],
    has_estimate: bool,
) -> None:
    """Of one statement in turn, whichever comes first, and if few rows are expected of one."""
    changed, of_account = other(engine), list[tuple[int, bool]]()
    costs = {(0, False): 9.0, (0, True): 1.0, (7, False): 1.0, (7, True): 2.0}

    def account(parameters: Any) -> int:
        (found,) = parameters.values() if hasattr(parameters, "values") else parameters
        return int(found)

    def expected_rows(session: Session, statement: str, parameters: Any) -> float | None:
        return {0: 200_000.0, 7: 500.0}[account(parameters)] if has_estimate else None

    def rewritten(sql: str, *, rows: Callable[[str], float | None], **options: Any) -> Rewrite:
        expected = rows(sql)
        if expected is not None and expected < 1000:
            return Rewrite(sql, (), (Left(1, 1, sql, "few-rows", "few", 0, len(sql)),))
        text = sql.replace(_ORIGINAL, changed)
        change = Change("utc_to_zone", "period", 1, 1, sql, text, "tested", 0, len(sql))
        return Rewrite(text, (change,), ())

    given(monkeypatch, changed)
    monkeypatch.setattr("tzconv.rewriter.rewrite", rewritten)
    monkeypatch.setattr(Session, "expected_rows", expected_rows)
    rewriting = rewrite_queries(engine)
    clock = [1000.0]
    rewriting._clock = lambda: clock[0]

    @sa.event.listens_for(engine, "before_cursor_execute")
    def run(*arguments: Any) -> None:
        found = account(arguments[3]), changed in arguments[2]
        of_account.append(found)
        clock[0] += costs[found]

    statement = sa.text(f"{_ORIGINAL} WHERE account = :account")
    with engine.connect() as connection:
        for number in accounts * 10:
            connection.execute(statement, {"account": number}).all()
    rewriting.disable()
    sa.event.remove(engine, "before_cursor_execute", run)
    large, small = ([form for one, form in of_account if one == number] for number in (0, 7))
    assert large == [True, False] * 3 + [True] * 4
    assert small == ([False] * 10 if has_estimate else [True, False] * 3 + [False] * 4)


@pytest.mark.parametrize("kind", ["setting", "request", "account and request"])
@pytest.mark.parametrize("accounts", [(0, 7), (7, 0)])
def test_customers_whose_parameters_do_not_tell(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch, accounts: tuple[int, int], kind: str
) -> None:
    """A setting chooses the customer, as for row-level security; or no request is like another."""
    is_setting = kind == "setting"
    changed, ran = other(engine), list[tuple[int, bool]]()
    costs = {(0, False): 90.0, (0, True): 10.0, (7, False): 1.0, (7, True): 2.0}
    customer, clock = [0], [1000.0]
    given(monkeypatch, changed)

    def rewritten(sql: str, **options: Any) -> Rewrite:
        text = sql.replace(_ORIGINAL, changed)
        change = Change("utc_to_zone", "period", 1, 1, sql, text, "tested", 0, len(sql))
        return Rewrite(text, (change,), ())

    monkeypatch.setattr("tzconv.rewriter.rewrite", rewritten)
    sizes = {0: 200_000.0, 7: 500.0}
    asked: list[int] = []

    def expected_rows(*given: Any) -> float:
        asked.append(customer[0])
        return sizes[customer[0]]

    monkeypatch.setattr(Session, "expected_rows", expected_rows)
    rewriting = rewrite_queries(engine)
    rewriting._clock = lambda: clock[0]

    @sa.event.listens_for(engine, "before_cursor_execute")
    def run(*arguments: Any) -> None:
        if "latest" in arguments[2]:
            ran.append((customer[0], changed in arguments[2]))
            clock[0] += costs[ran[-1]]

    setting = "VARIABLE" if engine.dialect.name == "duckdb" else "LOCAL app."
    where = {"request": " WHERE account < :request", "setting": ""}
    both = " WHERE account = :account OR account < :request"
    statement = sa.text(f"{_ORIGINAL}{where.get(kind, both)}")
    with engine.connect() as connection:
        for number in range(0 if is_setting else 64):
            customer[0] = 7
            connection.execute(statement, {"request": number, "account": 7}).all()
        for number in range(100, 180):
            customer[0] = accounts[number % 2]
            if is_setting:
                text = f"SET {setting} tenant = {customer[0]}".replace(". ", ".")
                connection.exec_driver_sql(text)
                connection.execute(statement).all()
                connection.rollback()
            else:
                given_now = {"request": number, "account": customer[0]}
                connection.execute(statement, given_now).all()
    rewriting.disable()
    sa.event.remove(engine, "before_cursor_execute", run)
    assert set(ran[-20:]) == {(0, True), (7, kind == "request")}
    assert len(asked) <= 1 + 64 + 48 + 2
    if is_setting:
        raced = [True, False] * 3 + [False] * 34
        assert [form for one, form in ran if one == 7] == raced if accounts[0] else [False] * 40


def test_a_form_that_fails_loses(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, "SELECT count(*) AS n, max(ts::text::int) AS latest FROM events")
    rewriting, clock = timed(engine, {_ORIGINAL: 5.0})
    failed = 0
    for _ in range(8):
        with engine.connect() as connection:
            try:
                assert connection.execute(sa.text(_ORIGINAL)).all()[0].n == _EVENTS
            except sa.exc.DBAPIError:
                failed += 1
    rewriting.disable()
    assert failed == 3
    assert clock.texts[-2:] == [_ORIGINAL] * 2
    assert [one.timings for one in rewriting.decisions] == [Timings(5.0, math.inf)]


def test_a_result_that_is_not_read_to_its_end(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB computes rows when they are fetched: the run ends when the caller wants no more."""
    original = "SELECT ts AT TIME ZONE 'Asia/Kolkata' AS local FROM events"
    text = "SELECT ts AT TIME ZONE 'Asia/Calcutta' AS local FROM events"
    given(monkeypatch, text)
    rewriting, _ = timed(engine, {original: 1.0, text: 2.0})
    read: list[Callable[[Any], object]] = [
        lambda result: result.first(),
        lambda result: result.fetchmany(7),
        lambda result: result.close(),
        list,
        lambda result: list(result.partitions(20_000)),
        lambda result: result.scalar(),
    ]
    with engine.connect() as connection:
        for take in read:
            with connection.execute(sa.text(original)) as result:
                take(result)
    assert [one.timings for one in rewriting.decisions] == [Timings(1.0, 2.0)]
    rewriting.disable()


def test_sixteen_threads_and_one_race(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    text, told = other(engine), list[Decision]()
    given(monkeypatch, text)
    pooled = sa.create_engine(engine.url, pool_size=16)
    rewriting, clock = timed(pooled, {text: 9.0}, on_decision=told.append)

    def work(number: int) -> int:
        with pooled.connect() as connection:
            row = connection.execute(sa.text(_ORIGINAL)).one()
            return int(row.n)

    with ThreadPoolExecutor(16) as threads:
        assert set(threads.map(work, range(64))) == {_EVENTS}
        begun = len(clock.texts)
        assert set(threads.map(work, range(16))) == {_EVENTS}
    rewriting.disable()
    pooled.dispose()
    assert clock.texts[begun:] == [_ORIGINAL] * 16
    assert [one.timings is None for one in told] == [True, False]


def test_race_in_many_threads() -> None:
    race = Race()
    decided = []

    def work(number: int) -> None:
        is_rewritten = race.begin()
        if race.end(is_rewritten, 2.0 if is_rewritten else 1.0):
            decided.append(number)

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(work, range(200)))
    assert len(decided) == 1
    assert race.timings == Timings(1.0, 2.0)
    assert race.is_won is False


def test_a_value_that_never_comes_again_is_not_looked_for() -> None:
    """The number of a request, beside that of a customer, whose rows are known after some."""
    sizes = Sizes(100)
    asked: list[int] = []
    for request in range(9_000):

        def rows(request: int = request) -> float:
            asked.append(request)
            return 1e6

        found = sizes.of((str(request), "a customer"), rows)
    assert found == sizes.of(("none", "a customer"), lambda: None)
    assert 48 < len(asked) <= 256
    assert max(asked) < 8_000


def test_only_the_driver_is_timed() -> None:
    now = [0.0]
    ended: list[tuple[bool, float]] = []

    class Cursor:
        description = ("kept",)

        def __init__(self) -> None:
            self.rows = list(range(5))

        def fetchone(self) -> Any:
            now[0] += 1
            return self.rows.pop(0) if self.rows else None

        def fetchmany(self, size: int = 2) -> list[int]:
            now[0] += 1
            taken, self.rows = self.rows[:size], self.rows[size:]
            return taken

        def fetchall(self) -> list[int]:
            return self.fetchmany(len(self.rows))

        def close(self) -> None:
            now[0] += 1

    for take, seconds in (
        (lambda cursor: cursor.fetchall(), 11.0),
        (lambda cursor: [cursor.fetchone() for _ in range(6)], 16.0),
        (lambda cursor: [cursor.fetchmany(2) for _ in range(4)], 14.0),
        (lambda cursor: [cursor.fetchone(), cursor.close()], 11.0),
    ):
        run = TimedRun(True, lambda *end: ended.append(end), lambda: now[0])
        now[0] += 10
        run.stop()
        cursor = Fetching(Cursor(), run)
        now[0] += 100  # what the caller does in between
        assert cursor.description == ("kept",)
        take(cursor)
        cursor.close()
        run.end(math.inf)
        assert ended.pop() == (True, seconds)
        assert not ended


def test_async_engine(urls: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, _OTHER)

    async def run() -> None:
        engine = create_async_engine(urls["postgres"], pool_size=10)
        rewriting, clock = timed(engine.sync_engine, {_OTHER: 3.0})

        async def count() -> int:
            async with engine.connect() as connection:
                return int((await connection.execute(sa.text(_ORIGINAL))).one().n)

        async with asyncio.timeout(60):
            for _ in range(6):
                assert await count() == _EVENTS
            assert set(await asyncio.gather(*(count() for _ in range(20)))) == {_EVENTS}
            assert clock.texts == [_OTHER, _ORIGINAL] * 3 + [_ORIGINAL] * 20
            rewriting.forget()
            assert set(await asyncio.gather(*(count() for _ in range(20)))) == {_EVENTS}
            assert [one.timings is None for one in rewriting.decisions] == [False]
        rewriting.disable()
        await engine.dispose()

    asyncio.run(run())


def test_rows_are_estimated_with_the_parameters(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = given(monkeypatch, other(engine))
    text = "SELECT id, ts AT TIME ZONE 'Asia/Kolkata' AS local FROM events WHERE account = :account"
    found = []
    for account in (0, 7):
        rewriting = rewrite_queries(engine)
        with engine.connect() as connection:
            connection.execute(sa.text(text), {"account": account}).all()
        [decision] = rewriting.decisions
        assert decision.rows == options[-1]["rows"]("")
        found.append(decision.rows or 0)
        rewriting.disable()
    assert _EVENTS / 2 / 3 <= found[0] <= _EVENTS / 2 * 3
    assert _EVENTS / 200 / 3 <= found[1] <= _EVENTS / 200 * 3


def test_an_estimate_that_fails_leaves_the_transaction(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On DuckDB a table of this transaction, on PostgreSQL an EXPLAIN that is none."""
    given(monkeypatch, other(engine))
    monkeypatch.setattr(expected, "EXPLAIN", "EXPLAIN (NONSENSE) ")
    rewriting = rewrite_queries(engine)
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TEMP TABLE mine AS SELECT ts FROM events LIMIT 3")
        text = "SELECT ts AT TIME ZONE 'Asia/Kolkata' AS local FROM mine"
        connection.execute(sa.text(text)).all()
        connection.exec_driver_sql("INSERT INTO mine SELECT ts FROM mine")
        assert connection.exec_driver_sql("SELECT count(*) FROM mine").scalar() == 6
        # where PostgreSQL explains nothing, it may refuse the statement itself
        expects = [(None, None)] if engine.dialect.name == "duckdb" else []
        assert [(one.rows, one.error) for one in rewriting.decisions] == expects
        connection.rollback()
    rewriting.disable()


def test_several_statements_in_one_are_not_explained(engine: sa.Engine) -> None:
    """EXPLAIN would plan the first one and run the others."""
    rewriting = rewrite_queries(engine)
    text = f"{_ORIGINAL}; INSERT INTO events SELECT -1, 0, ts FROM events WHERE id = 1"
    with engine.connect() as connection:
        connection.exec_driver_sql(text)
        assert connection.exec_driver_sql("SELECT count(*) FROM events WHERE id < 0").scalar() == 1
        connection.rollback()
    assert [one.rows for one in rewriting.decisions] == [None]
    rewriting.disable()


def _offsets(options: dict[str, Any]) -> set[int]:
    zone = options["rules"].zone("Asia/Kolkata")
    return {kind.utc_offset for kind in zone.types}


def test_rules_come_from_the_tables(
    server: postgres.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And follow them when they are refreshed, within a minute."""
    for url in (f"duckdb:///{tmp_path}/rules.duckdb", server.fresh("rules_of_tables")):
        refresh(url, zones=_ZONES, tables=["daily"])  # and what is always loaded
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql(
                "CREATE TABLE events AS SELECT TIMESTAMPTZ '2026-01-01 00:00:00+00' AS ts"
            )
        options = given(monkeypatch, other(engine))
        rewriting, clock = timed(engine, {})
        with engine.connect() as connection:
            connection.execute(sa.text(_ORIGINAL)).all()
            first = options[-1]
            assert first["loaded"] == {"daily", "offset", "zone"}
            assert str(first["literals_until"]) == "2038-01-01"
            assert first["rules"].names == _ZONES
            assert _offsets(first) >= {19_800, 23_400}  # and summer time in two wars
            connection.rollback()
        refreshed = (
            "UPDATE time_zone_offset_conversion SET utc_offset_seconds = 7200 "
            "WHERE time_zone_name = 'Asia/Kolkata'",
            "UPDATE time_zone_conversion_release SET tz_release = '2099z'",
        )
        with engine.begin() as connection:
            for statement in refreshed:
                connection.exec_driver_sql(statement)
        with engine.connect() as connection:
            clock.now += 59
            connection.execute(sa.text(_ORIGINAL)).all()
            assert len(options) == 1
            clock.now += 2
            connection.execute(sa.text(_ORIGINAL)).all()
            assert options[-1]["rules"].release == "2099z"
            assert _offsets(options[-1]) == {7200}
            # a change of a table makes the statement decided anew, and the rules are not read again
            rules = options[-1]["rules"]
            connection.exec_driver_sql("CREATE TEMP TABLE another AS SELECT 1 AS n")
            connection.execute(sa.text(_ORIGINAL)).all()
            assert len(options) == 2
            connection.exec_driver_sql("ALTER TABLE events ADD more int")
            connection.execute(sa.text(_ORIGINAL)).all()
            assert len(options) == 3
            assert options[-1]["rules"] is rules
        rewriting.disable()
        engine.dispose()
    server.drop("rules_of_tables")


def test_an_expression_that_has_an_index_stays_and_the_rest_is_rewritten(
    urls: dict[str, str],
) -> None:
    made = sa.create_engine(urls["postgres"], connect_args={"options": "-c enable_seqscan=off"})
    served = "(ts AT TIME ZONE 'Europe/Berlin')::date >= '2026-01-10'"
    sql = f"SELECT max(ts AT TIME ZONE 'Asia/Kolkata') AS latest FROM tuned WHERE {served}"
    with made.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE tuned AS SELECT * FROM events; "
            "CREATE INDEX ON tuned (((ts AT TIME ZONE 'Europe/Berlin')::date)); ANALYZE tuned"
        )
    told = list[Decision]()
    rewrite_queries(made, on_decision=told.append)
    with made.connect() as connection:
        connection.exec_driver_sql(sql)
    [decision] = told
    made.dispose()
    assert [one.code for one in decision.left] == ["loses-index"]
    assert decision.rewritten is not None
    assert decision.rewritten.endswith(served)
