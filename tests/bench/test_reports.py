"""The suite of reports: its data, its rows, and its verdict on the rewriter's choices."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import json
import re
from collections import Counter
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests import ROOT, postgres
from tests.bench.runs import committed, read
from tests.bench.small import TODAY, schemas, silent
from tzconv import bench
from tzconv.bench import data, figures
from tzconv.bench.queries import choose, reports
from tzconv.bench.results import CHOSEN, ORIGINAL, REPORTS, TUNED, Measured, Run, Variant, verdict
from tzconv.cli import printing
from tzconv.engines import facts_of
from tzconv.engines.scratch import scratch
from tzconv.refresher import refresh

SMALL = bench.BenchOptions(rows=20_000, rounds=1, suite=REPORTS)


@pytest.fixture(autouse=True)
def few_zones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of the accounts' zones only, which are quick to load, and few runs."""
    monkeypatch.setattr("tzconv.compare._REPEATS", 2)
    zones = [*data.ACCOUNT_ZONES, "Asia/Kathmandu"]
    monkeypatch.setattr(bench, "refresh", functools.partial(refresh, zones=zones))


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_all_reports(
    kind: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = None
    if kind == "postgres":
        server: postgres.Server = request.getfixturevalue("server")
        url = server.fresh("bench_reports")
    found = bench.run(dataclasses.replace(SMALL, url=url), silent)
    assert [query.name for query in found.queries] == list(reports(TODAY))
    assert len(found.queries) == 12
    assert (found.suite, found.zones, found.one_thread) == (REPORTS, 22, False)
    for query in found.queries:
        original, chosen = query.variants[0], query.chosen
        # today may have just begun, and an account has four events
        assert original.rows or query.name in ("today", "one-tenant"), query.name
        assert chosen.problem is None, query.name
        assert chosen is original or chosen.same is True
        assert len(query.variants) <= 2
        for value in (original.wall, original.cpu, chosen.elapsed_of_native, chosen.of_native):
            assert value is not None
            assert value > 0
    (tmp_path / "run.json").write_text(json.dumps(found.as_dict()))
    assert read(tmp_path / "run.json") == found
    figures.show(found, printing.results())
    shown = capsys.readouterr().out
    assert verdict(found) in shown.replace("\n", " ")
    if kind == "postgres":
        assert schemas(server, "bench_reports") == []


@pytest.mark.by_turns(2)
@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_the_tuned_schema(kind: str, request: pytest.FixtureRequest) -> None:
    """Every query runs, and is rewritten with the same rows or left with a reason."""
    url = None
    if kind == "postgres":
        url = request.getfixturevalue("server").fresh("bench_tuned")
    found = bench.run(dataclasses.replace(SMALL, url=url, rows=5_000, suite=TUNED), silent)
    assert [query.name for query in found.queries] == list(reports(TODAY, TUNED))
    assert len(found.queries) == 28
    for query in found.queries:
        assert query.chosen.problem is None, query.name
        assert query.is_rewritten or query.left, query.name
    assert sum(query.variants[0].rows or 0 for query in found.queries) > 2_000


def test_what_is_tuned(server: postgres.Server) -> None:
    """PostgreSQL has what the queries are titled after."""
    asked = choose(["all"], reports(TODAY, TUNED))
    options = dataclasses.replace(SMALL, rows=3_000, suite=TUNED)
    with scratch(server.fresh("bench_built")) as place, place.open() as backend:
        bench.prepare(place, backend, options, asked, (), TODAY, silent)
        found = backend.query(
            "SELECT count(*) FILTER (WHERE indexprs IS NOT NULL AND NOT relispartition), "
            "count(*) FILTER (WHERE indpred IS NOT NULL), "
            "(SELECT count(DISTINCT inhparent) FROM pg_inherits WHERE inhparent IN "
            "('events_by_day'::regclass, 'events_by_time'::regclass)), "
            "(SELECT count(*) FROM pg_statistic_ext WHERE stxname LIKE 'events_%') "
            "FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
            "WHERE indrelid = 'events'::regclass"
        ).rows
        assert [int(column[0].as_py()) for column in found.columns] == [3, 2, 2, 2]


def test_the_data(server: postgres.Server) -> None:
    """Counted in Python by zoneinfo, against what PostgreSQL and DuckDB say of their own data."""
    for url in (None, server.fresh("bench_data")):
        asked = choose(["by-month", "today", "yesterday"], reports(TODAY))
        with scratch(url) as place, place.open() as backend:
            bench.prepare(place, backend, SMALL, asked, (), TODAY, silent)
            now = backend.now()
            rows = backend.query(
                "SELECT e.id, e.account_id, floor(extract(epoch FROM e.ts))::bigint, a.time_zone "
                "FROM events e JOIN accounts a ON a.id = e.account_id ORDER BY e.ts"
            ).rows.to_pydict()
            indexes = backend.query(
                "SELECT count(*) FROM pg_indexes WHERE schemaname LIKE 'tzconv_bench%' "
                "AND tablename IN ('events', 'accounts')"
            ).rows.column("c0")[0]
            months = backend.query(asked[0].sql).rows
            counted = [backend.query(query.sql).rows.column("c1") for query in asked[1:]]
        seconds = [dt.datetime.fromtimestamp(int(one), dt.UTC) for one in rows["c2"]]
        ids = [int(one) for one in rows["c0"]]
        assert ids == list(range(20_000)), "in the order of time"
        assert seconds[0].date().year == now.year - 12
        assert now - dt.timedelta(days=1) < seconds[-1].replace(tzinfo=now.tzinfo) <= now
        accounts = Counter(rows["c1"])
        assert len(accounts) > 4500
        in_zone = Counter(rows["c3"])
        assert set(in_zone) == set(data.ACCOUNT_ZONES)
        assert in_zone["America/New_York"] > 5 * in_zone["America/Mexico_City"]
        assert int(indexes.as_py()) == (0 if url is None else 4)
        new_york = [one.astimezone(ZoneInfo("America/New_York")) for one in seconds]
        by_month = Counter((one.year, one.month) for one in new_york)
        assert sorted(by_month.values()) == sorted(int(one.as_py()) for one in months.column("c1"))
        now = now.replace(tzinfo=dt.UTC)
        today = [one for one in new_york if one.date() == now.astimezone(one.tzinfo).date()]
        day = dt.timedelta(days=1)
        yesterday = [
            one
            for one, zone in zip(seconds, map(ZoneInfo, rows["c3"]), strict=True)
            if one.astimezone(zone).date() == now.astimezone(zone).date() - day
        ]
        for column, expected in zip(counted, (today, yesterday), strict=True):
            assert sum(int(one.as_py()) for one in column) == len(expected)


def _query(
    name: str, before: float, after: float, cpu: float = 1.0, text: str = "1234"
) -> Measured:
    """A query of four characters with such seconds before and after; CPU time is one before."""
    return Measured(
        name,
        name,
        (
            Variant((ORIGINAL,), "1234", (), wall=before, cpu=1.0, of_native=1.0),
            Variant(
                (CHOSEN,),
                text,
                ("x",),
                same=True,
                wall=after,
                cpu=cpu,
                of_native=cpu,
                elapsed_of_native=after / before,
            ),
        ),
    )


def _run(*queries: Measured) -> Run:
    return Run("0", "2026f", "duckdb", "DuckDB", 2, 1, 22, 1, "2026-11-22", queries, suite=REPORTS)


@pytest.mark.parametrize(
    ("query", "loses"),
    [
        (_query("faster", 0.1, 0.05), False),
        (_query("within-5-percent", 1.0, 1.049), False),
        (_query("slower", 1.0, 1.06), True),
        (_query("twice-but-short", 0.0001, 0.00025), False),
        (_query("short-and-slower", 0.0001, 0.00035), True),
        (_query("more-cpu", 1.0, 0.5, cpu=1.2), True),
    ],
    ids=lambda value: value.name if isinstance(value, Measured) else "",
)
def test_what_loses(query: Measured, loses: bool) -> None:
    assert query.loses is loses
    assert _run(query).summary.loses == ((query.name,) if loses else ())
    other = dataclasses.replace(query.variants[1], same=False, problem="1 row became 2")
    assert dataclasses.replace(query, variants=(query.variants[0], other)).loses


def test_the_verdict() -> None:
    quick, slow = _query("quick", 1.0, 0.25, text="12" * 10), _query("slow", 1.0, 4.0)
    found = _run(quick, slow, _query("same", 1.0, 1.0, text="12345678"))
    assert found.summary.loses == ("slow",)
    assert found.summary.elapsed_geometric_mean == pytest.approx(1.0)
    assert (found.summary.growth_median, found.summary.growth_worst) == (2.0, 5.0)
    assert verdict(found).startswith(
        "loses: slow (4.00 times as long); geometric mean of the elapsed ratios 1.00;"
    )
    assert verdict(_run(quick)).startswith("loses: none; geometric mean of the elapsed ratios 0.25")
    assert found.as_dict()["summary"]["loses"] == ("slow",)


def test_a_query_that_is_left_loses_nothing() -> None:
    left = Measured("left", "Left", _query("left", 1.0, 2.0).variants[:1], ("1:1: no strategy",))
    assert not left.loses
    assert left.growth == 1.0


def test_the_documents_show_the_committed_runs() -> None:
    text = (ROOT / "docs" / "bench.md").read_text(encoding="utf-8")
    starts = [
        path.read_text(encoding="utf-8")
        for path in (ROOT / "README.md", ROOT / "docs" / "index.md")
    ]
    for found in committed(REPORTS):
        assert found.same
        assert found.summary.loses == ()
        assert verdict(found) in " ".join(text.split())
        title = facts_of(found.dialect).title
        mean = f"{found.summary.elapsed_geometric_mean:.2f}"
        said = rf"{re.escape(mean)}( of their time.*?)?\son\s{title}"
        assert all(re.search(said, start, re.DOTALL) for start in starts)
        for query in found.queries:
            ratios = [query.chosen.elapsed_of_native, query.chosen.of_native]
            cells = " | ".join("" if one is None else f"{one:.2f}" for one in ratios)
            cells = cells if query.is_rewritten else "not rewritten |"
            assert f"| `{query.name}` | {cells} | {query.growth:.1f} |" in text, query.name
