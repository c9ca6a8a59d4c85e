"""The benchmark at small sizes: that it measures what it says, compares rows and cleans up.

No time is asserted: how fast anything is depends on the machine.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pytest

from tests import databases, postgres
from tests.bench.runs import read
from tests.bench.small import SMALL, TODAY, schemas, silent
from tests.command import assert_one_sentence, run
from tests.waiting import SECONDS, eventually
from tzconv import bench, engines
from tzconv.bench import data, firstload, measure
from tzconv.bench.queries import Query, choose, standard
from tzconv.bench.results import CHOSEN, LIMIT, ORIGINAL, Run, Variant
from tzconv.compare import Cost
from tzconv.engines import facts_of
from tzconv.engines.backend import Result
from tzconv.engines.duckdb.write import DuckDBWriter
from tzconv.engines.postgres.write import PostgresWriter
from tzconv.engines.scratch import scratch
from tzconv.errors import DatabaseError, OutputError, QueryError, RewriteError
from tzconv.rewriter.strategies import STRATEGIES


@pytest.fixture(scope="module", autouse=True)
def _as_if_many() -> Iterator[None]:
    """The few thousand events of these tests stand for millions, and no figure counts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tzconv.compare._REPEATS", 2)
        for engine in (DuckDBWriter, PostgresWriter):
            patch.setattr(engine, "fewest_rows", 0)
        yield


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """A small run on DuckDB of everything but the load, and the file it was written to."""
    options = bench.BenchOptions(rows=3000, zones=12, strategies=("all",), rounds=2)
    found = bench.run(options, silent, TODAY)
    path = tmp_path_factory.mktemp("bench") / "run.json"
    path.write_text(json.dumps(found.as_dict()))
    return found, path


@pytest.mark.not_core
def test_every_query_has_original_limit_and_rewrites(measured: tuple[Run, Path]) -> None:
    found, _ = measured
    assert [query.name for query in found.queries] == list(standard(TODAY))
    assert found.same
    for query in found.queries:
        assert query.variants[0].names == (ORIGINAL,)
        assert query.variants[1].names == (LIMIT,)
        for one in query.variants[2:]:
            assert one.same is True, (query.name, one)
            assert one.rows == query.variants[0].rows
            assert one.rounds in (1, 2)
            for value in (one.wall, one.wall_best, one.cpu, one.of_native, one.of_limit):
                assert value is not None
                assert value >= 0
            assert one.sql != query.variants[0].sql
    texts = {query.name: len({one.sql for one in query.variants}) for query in found.queries}
    assert texts == {query.name: len(query.variants) for query in found.queries}, "no text twice"
    forced = {name for query in found.queries for one in query.variants for name in one.names}
    assert {*facts_of("duckdb").verdicts, "hourly", "daily", CHOSEN} <= forced
    assert forced <= {*STRATEGIES, ORIGINAL, LIMIT, CHOSEN}


@pytest.mark.not_core
def test_a_run_is_read_as_it_was_written(measured: tuple[Run, Path]) -> None:
    found, path = measured
    assert read(path) == found


def test_the_events_lie_where_the_queries_look(tmp_path: Path) -> None:
    """Counted in Python by zoneinfo, against what the original query says."""
    options = bench.BenchOptions(rows=2000, zones=9)
    asked = choose(["day-zone", "local-days", "now"], standard(TODAY))
    with scratch(None) as place, place.open() as backend:
        names = bench.prepare(place, backend, options, asked, (), TODAY, silent)
        events = backend.query(
            "SELECT epoch_us(a.action_event_time), p.time_zone_name FROM actions a "
            "JOIN publishers p ON a.action_publisher_id = p.id"
        ).rows.to_pydict()
        counted = backend.query(asked[0].sql).rows.column("c0")[0].as_py()
        history = backend.query("SELECT count(*), min(seen), max(seen) FROM history").rows
    day = TODAY - dt.timedelta(days=20)
    assert set(events["c1"]) == set(names)
    local = [
        dt.datetime.fromtimestamp(moment / 1e6, ZoneInfo(zone)).date()
        for moment, zone in zip(events["c0"], events["c1"], strict=True)
    ]
    assert counted == local.count(day) > 0
    # none on the day that NOW() looks back to, so that the rows do not depend on the second
    days = {dt.datetime.fromtimestamp(moment / 1e6, dt.UTC).date() for moment in events["c0"]}
    assert not days & {TODAY - dt.timedelta(days=7), TODAY - dt.timedelta(days=6)}
    assert max(days) == TODAY
    assert history.column("c0")[0].as_py() > 1900
    assert history.column("c1")[0].as_py().date() == data.begin_of("history", TODAY)


def test_zones_are_spread_evenly() -> None:
    names = [f"z{number:03}" for number in range(600)]
    assert data.some_zones(names, None) == names
    assert data.some_zones(names, 900) == names
    assert data.some_zones(names, 3) == ["z000", "z200", "z400"]


_WRONG = {
    "duckdb": "UPDATE time_zone_offset_conversion "
    "SET utc_offset_seconds = utc_offset_seconds + 3600",
    "postgres": "UPDATE time_zone_conversion_zone SET utc_offsets = ARRAY("
    "SELECT one + INTERVAL '1 hour' FROM unnest(utc_offsets) WITH ORDINALITY AS made(one, place) "
    "ORDER BY place)",
}


@pytest.mark.parametrize("kind", _WRONG)
def test_other_rows_are_found(kind: str, request: pytest.FixtureRequest) -> None:
    """A rewrite with a wrong table is caught: the benchmark compares, it does not believe."""
    url = None
    if kind == "postgres":
        url = request.getfixturevalue("server").fresh("bench_wrong")
    options = bench.BenchOptions(url, rows=3000, zones=12)
    asked = choose(["hourly", "now"], standard(TODAY))
    with scratch(url) as place, place.open() as backend:
        bench.prepare(place, backend, options, asked, (), TODAY, silent)
        backend.execute(_WRONG[kind])
        types = place.types(backend)
        wrong, right = (measure.measure(backend, query, types, ["range"], 1) for query in asked)
    chosen = wrong.variant(CHOSEN)
    assert chosen is not None
    assert chosen.same is False
    assert "new" in str(chosen.problem)
    ranged = wrong.variant("range")
    assert ranged is not None
    assert ranged.same is True, "it does not read the table"
    now = right.variant(CHOSEN)
    assert now is not None
    assert now.same is True


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_a_rewrite_that_takes_too_long_is_stopped(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = None
    numbers = "range(100000000)"
    if kind == "postgres":
        url = request.getfixturevalue("server").fresh("bench_slow")
        numbers = "generate_series(1, 100000000)"
    slow = f"SELECT count(*) FROM {numbers} a(n), {numbers} b(n) WHERE a.n * b.n % 7 = 3"
    monkeypatch.setattr(
        measure,
        "variants",
        lambda *_: (
            [
                Variant((ORIGINAL,), "SELECT 1", ()),
                Variant(("slow",), slow, ("slow",)),
                Variant(("quick",), "SELECT 1", ("quick",)),
            ],
            (),
        ),
    )
    first = measure._first

    def limited(backend: Any, text: Any, *rest: Any) -> None:
        """On a busy machine any text may take a second."""
        monkeypatch.setattr(measure, "_SOME_SECONDS", 0.5 if "slow" in text.variant.names else 300)
        first(backend, text, *rest)

    monkeypatch.setattr(measure, "_first", limited)
    monkeypatch.setattr(measure, "_ONCE", float("inf"))
    with scratch(url) as place, place.open() as backend:
        found = measure.measure(backend, Query("q", "Q", "SELECT 1", None, ()), {}, [], 2)
    slow_one, quick = found.variant("slow"), found.variant("quick")
    assert slow_one is not None
    assert quick is not None
    assert slow_one.same is None
    assert str(slow_one.problem).startswith("stopped after")
    assert slow_one.of_native is None
    assert quick.same is True
    assert quick.rounds == 2


@pytest.mark.parametrize(("cpu", "shown"), [(0.2, 0.2), (math.nan, 0.5)])
def test_elapsed_time_decides_where_no_cpu_time_is_seen(cpu: float, shown: float) -> None:
    assert measure._cpu_or_elapsed(Cost(0.5, cpu), Cost(1.0, 1.0)) == shown
    assert measure._cpu_or_elapsed(Cost(0.5, 0.2), Cost(1.0, math.nan)) == 0.5


def test_texts_are_warmed_up_unless_they_are_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Spark: two runs more of a text, none of which counts.

    What a text takes is made up: on a busy machine any text may be slow.
    """
    texts = [
        Variant((ORIGINAL,), "SELECT 1 /* slow */", ()),
        Variant(("quick",), "SELECT 1", ("quick",)),
    ]
    monkeypatch.setattr(measure, "variants", lambda *_: (texts, ()))
    monkeypatch.setattr("tzconv.compare._REPEATS", 1)
    ran: list[str] = []
    with scratch(None) as place, place.open() as backend:
        query = backend.query

        def noted(sql: str) -> Result:
            ran.append(sql)
            spent = 20.0 if "slow" in sql else 0.1
            return dataclasses.replace(query(sql), seconds=spent, cpu_seconds=spent)

        monkeypatch.setattr(backend, "query", noted)
        found = measure.measure(
            backend, Query("q", "Q", "SELECT 1", None, ()), {}, [], 1, warm_runs=2
        )
    slow, quick = (one.sql for one in texts)
    assert ran == [slow, slow, quick, *([quick] * 2), slow, quick]
    assert [one.rounds for one in found.variants] == [1, 1]


def test_postgres(server: postgres.Server) -> None:
    url = server.fresh("bench")
    with server.connect("bench") as connection:
        connection.execute("CREATE TABLE mine AS SELECT TIMESTAMP '2026-10-01 12:00:00' AS t")
    found = bench.run(
        bench.BenchOptions(
            url,
            rows=3000,
            zones=12,
            queries=("hourly", "local-days", "now"),
            rounds=1,
        ),
        silent,
        TODAY,
    )
    assert found.same
    assert found.dialect == "postgres"
    for query in found.queries:
        chosen = query.variant(CHOSEN)
        assert chosen is not None
        assert chosen.cpu is not None, "the server is on this machine"
    assert schemas(server, "bench") == []
    with server.connect("bench") as connection:
        tables = connection.execute("SELECT relname FROM pg_stat_user_tables").fetchall()
    assert tables == [("mine",)]


def test_vertica(tmp_path: Path, server: postgres.Server) -> None:
    """Against the test server: that it works, and leaves nothing; figures are PostgreSQL's."""
    with databases.fresh("vertica", tmp_path, server) as database:
        database.apply("CREATE TABLE mine (t timestamp)", "CREATE TABLE publishers (x int)")
        (tmp_path / "mine.sql").write_text("SELECT NEW_TIME(t, 'UTC', 'Asia/Kolkata') FROM mine")
        mine = str(tmp_path / "mine.sql")
        found = bench.run(
            bench.BenchOptions(
                database.url,
                rows=3000,
                zones=12,
                queries=("all", mine),
                rounds=1,
            ),
            silent,
            TODAY,
        )
        assert database.run("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tzconv%'") == []
        tables = database.run(
            "SELECT relname::text FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace "
            "WHERE nspname = 'public' AND relkind = 'r' ORDER BY 1"
        )
        with pytest.raises(DatabaseError, match="leave --load out"):
            bench.run(bench.BenchOptions(database.url, first_load=True), silent, TODAY)
    assert tables == [("mine",), ("publishers",)]
    assert found.same
    assert found.dialect == "vertica"
    assert [query.name for query in found.queries] == [*standard(TODAY), mine]
    changed = [query.name for query in found.queries if query.variant(CHOSEN) is not None]
    assert {"hourly", "constant-days", "day-zone", "now", mine} <= set(changed)
    for query in found.queries:
        for one in query.variants:
            assert one.wall is not None
            assert one.cpu is None, "a server that runs elsewhere"
            if one.names != (LIMIT,) and query.name != mine:
                assert one.rows


@pytest.mark.parametrize(
    ("driver", "extra", "url"),
    [
        ("psycopg", "postgres", "postgresql+psycopg://me@127.0.0.1:1/x"),
        ("vertica_python", "vertica", "vertica+vertica_python://me@127.0.0.1:1/x"),
        ("pyspark", "spark", "spark:///no/such"),
    ],
)
def test_a_driver_that_is_not_installed(driver: str, extra: str, url: str, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules[{driver!r}] = None; sys.argv = ['tzconv', 'bench', '--url', "
        f"{url!r}]; from tzconv.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert_one_sentence(done, f"The driver {driver} is not installed")
    assert f"tzconv[{extra}]" in done.stderr


def test_a_query_of_the_users(tmp_path: Path) -> None:
    """Over the user's own file, which is only read."""
    theirs = tmp_path / "theirs.duckdb"
    with duckdb.connect(theirs) as connection:
        connection.execute(
            "CREATE TABLE logs AS SELECT TIMESTAMP '2026-10-01' + to_seconds(n) AS t, "
            "'Asia/Kolkata' AS zone FROM range(200000) AS made(n)"
        )
    before = theirs.read_bytes()
    (tmp_path / "my.sql").write_text(
        "SELECT (t AT TIME ZONE 'UTC' AT TIME ZONE zone)::date AS day, count(*) "
        "FROM logs GROUP BY 1"
    )
    done = run(
        *["bench", "--url", f"duckdb:///{theirs}", "--queries", "my.sql", "--json", *SMALL],
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    (query,) = json.loads(done.stdout)["queries"]
    assert query["name"] == "my.sql"
    chosen = [one for one in query["variants"] if CHOSEN in one["names"]]
    assert [one["same"] for one in chosen] == [True]
    assert theirs.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my.sql", "theirs.duckdb"]


def test_a_table_of_the_users_is_not_taken_for_a_made_up_one(server: postgres.Server) -> None:
    url = server.fresh("bench_names")
    with server.connect("bench_names") as connection:
        connection.execute("CREATE TABLE actions AS SELECT generate_series(1, 7) AS n")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "my.sql"
        file.write_text("SELECT n FROM actions")
        options = bench.BenchOptions(url, rows=100, zones=3, queries=("now", str(file)), rounds=1)
        found = bench.run(options, silent, TODAY)
    ours, theirs = found.queries
    assert ours.name == "now"
    assert theirs.variants[0].rows == 7
    assert (found.zones, schemas(server, "bench_names")) == (3, [])


def test_what_a_file_may_hold(tmp_path: Path) -> None:
    for text, said in (
        ("SELECT 1; SELECT 2", "is not one query"),
        ("DROP TABLE actions", "is not one query"),
        ("SELECT 1 FROM x y z", "my.sql:1:19: not understood as SQL"),
        ("SELECT * FROM nowhere", "nowhere"),
    ):
        (tmp_path / "my.sql").write_text(text)
        done = run("bench", "--queries", "my.sql", *SMALL, cwd=tmp_path)
        assert done.returncode == 1
        assert said in done.stderr
        assert "Traceback" not in done.stderr
        # what is no query is said before anything is loaded
        assert ("Loaded" in done.stderr) == (said == "nowhere")


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    done = run(
        *["bench", "--queries", "now,day-constant", *SMALL],
        cwd=tmp_path,
        TMPDIR=str(tmp_path / "temporary"),
    )
    assert done.returncode == 0, done.stderr
    assert "now: Adform's filter" in done.stdout
    assert "no conversion" in done.stdout
    assert "identical" in done.stdout
    assert "loses: " in done.stdout
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--queries", "hourli"], "did you mean hourly?"),
        (["--queries", "none.sql"], "none.sql: there is no such file"),
        (["--strategies", "fast"], "There is no strategy 'fast'"),
        (["--url", "mysql://host/db", "--queries", "now"], "is not supported"),
        (["--suite", "reports", "--queries", "hourly"], "There is no query 'hourly'"),
        (["--suite", "reports", "--url", "vertica+vertica_python://host/db"], "leave --suite"),
        (["--one-thread", "--url", "spark:///no/such"], "leave --suite and --one-thread out"),
        (["--url", "duckdb:///none.duckdb"], "none.duckdb"),
    ],
)
def test_bad_input(arguments: list[str], said: str, tmp_path: Path) -> None:
    assert_one_sentence(run("bench", *arguments, *SMALL, cwd=tmp_path), said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["--rows", "0"],
        ["--zone-count", "-1"],
        ["--rounds", "x"],
        ["--queries", ","],
        ["--suite", "none"],
        ["--no-such-flag"],
    ],
)
def test_wrong_usage(arguments: list[str], tmp_path: Path) -> None:
    done = run("bench", *arguments, cwd=tmp_path)
    assert done.returncode == 64
    assert "Error:" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.not_core
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_benchmark_leaves_nothing(
    server: postgres.Server, number: signal.Signals, tmp_path: Path
) -> None:
    url = server.fresh("bench_stopped")
    with subprocess.Popen(
        [
            *[sys.executable, "-m", "tzconv", "bench", "--url", url, "--zone-count", "12"],
            *["--rows", "300000", "--rounds", "1000", "--queries", "local-days"],
        ],
        cwd=tmp_path,
        env={**os.environ, "TZ": "UTC"},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith("Measuring"):
                    break
            assert eventually(lambda: len(schemas(server, "bench_stopped")) == 1)
            process.send_signal(number)
            while process.poll() is None:  # Ctrl-C again and again
                process.send_signal(number)
                time.sleep(0.02)
            said = process.stderr.read()
            assert process.wait(SECONDS) == 130
        finally:
            process.kill()
    assert "Traceback" not in said
    assert schemas(server, "bench_stopped") == []


def test_an_error_leaves_nothing(server: postgres.Server) -> None:
    url = server.fresh("bench_error")
    with pytest.raises(QueryError), scratch(url) as place, place.open() as backend:
        backend.query("SELECT 1 / 0")
    assert schemas(server, "bench_error") == []


def test_a_user_who_may_make_nothing(server: postgres.Server) -> None:
    server.fresh("bench_reader")
    with server.connect("bench_reader") as connection:
        connection.execute("DROP ROLE IF EXISTS bench_reader")
        connection.execute("CREATE ROLE bench_reader LOGIN")
    with (
        pytest.raises(DatabaseError, match="permission denied"),
        scratch(server.url("bench_reader", "bench_reader")),
    ):
        pass


def test_unknown_names_are_refused_before_anything_is_made() -> None:
    with pytest.raises(RewriteError, match="no strategy 'x'"):
        bench.run(bench.BenchOptions(strategies=("x",)), silent)
    with pytest.raises(OutputError, match="no query 'x'"):
        bench.run(bench.BenchOptions(queries=("x",)), silent)


def test_a_failing_original_is_an_error(tmp_path: Path) -> None:
    query = Query("q", "Q", "SELECT 1 / 0 = nothing", None, ())
    options = bench.BenchOptions(zones=1)
    with scratch(None) as place, place.open() as backend:
        bench.prepare(place, backend, options, [query], (), TODAY, silent)
        with pytest.raises(QueryError, match="nothing"):
            measure.measure(backend, query, {}, [], 1)


@pytest.mark.parametrize("database", ["duckdb", "postgres"], indirect=True)
def test_a_first_load(database: databases.Database) -> None:
    url = None if database.kind == "duckdb" else database.url
    found = bench.run(
        bench.BenchOptions(url, rows=100, zones=3, queries=("now",), rounds=1, first_load=True),
        silent,
        TODAY,
    ).first_load
    assert found is not None
    assert found.rows > 3 * 3 * 365 * 24
    assert found.raw > 0
    assert found.refresh > 0
    assert found.peak_bytes > 10_000_000
    if database.server is not None:
        assert schemas(database.server, database.name) == []


def test_large_tables_are_loaded_for_their_strategies() -> None:
    said: list[str] = []
    for strategies in ((), ("daily",)):
        options = bench.BenchOptions(
            rows=100, zones=2, queries=("now",), strategies=strategies, rounds=1
        )
        bench.run(options, said.append, TODAY)
    loaded = re.findall(r"Loaded ([\d,]+) rows", "\n".join(said))
    few, many = (int(one.replace(",", "")) for one in loaded)
    assert few + 3 * 365 < many


def test_a_first_load_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scratch(None) as place:
        monkeypatch.setattr(place, "url", f"duckdb:///{tmp_path}/none/tz.duckdb")
        with pytest.raises(DatabaseError, match=r"failed: /.*/none: no such folder"):
            firstload._refresh(place, ["UTC"])
        monkeypatch.setattr(sys, "executable", shutil.which("false"))
        with pytest.raises(DatabaseError, match="refresh failed: exit code 1"):
            firstload._refresh(place, ["UTC"])


def test_settings_of_the_session_do_not_stay(server: postgres.Server) -> None:
    url = server.fresh("bench_settings")
    settings = "SELECT current_setting('jit'), current_setting('max_parallel_workers_per_gather')"
    with server.connect("bench_settings") as connection:
        (own,) = connection.execute(settings).fetchall()
    for one_thread, expected in ((False, own), (True, ("off", "0"))):
        with scratch(url, one_thread) as place, place.open() as backend:
            (row,) = backend.query(settings).rows.to_pylist()
            assert tuple(row.values()) == expected
    assert own[1] != "0"
    with engines.connect(url) as backend:
        assert schemas(server, "bench_settings") == []
        path = backend.query("SHOW search_path").rows.column("c0")[0].as_py()
        assert "tzconv_bench" not in path


def test_one_thread_if_asked() -> None:
    with duckdb.connect() as own:
        [(threads,)] = own.execute("SELECT current_setting('threads')").fetchall()
    for one_thread, expected in ((False, threads), (True, 1)):
        with scratch(None, one_thread) as place, place.open() as backend:
            [row] = backend.query("SELECT current_setting('threads') AS n").rows.to_pylist()
            assert [*row.values()] == [expected]
