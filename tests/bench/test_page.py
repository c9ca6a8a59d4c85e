"""The page of the benchmark: what it says, and what a browser makes of it."""

from __future__ import annotations

import dataclasses
import re
from html import unescape
from pathlib import Path

import pytest

from tests import browser
from tests.bench.runs import FOLDER, committed, read
from tests.command import assert_one_sentence, run
from tzconv.bench.measure import _Text
from tzconv.bench.page import page
from tzconv.bench.results import (
    CHOSEN,
    ORIGINAL,
    REPORTS,
    FirstLoad,
    Measured,
    Run,
    Variant,
    headline,
    verdict,
)
from tzconv.compare import Cost


def _query(title: str, after: float, problem: str | None = None) -> Measured:
    """One second before; with a problem its rows are others."""
    original = Variant((ORIGINAL,), "SELECT 1 < 2", (), wall=1.0, cpu=1.0, of_native=1.0)
    chosen = Variant(
        (CHOSEN,),
        "SELECT 'x&y'",
        ("range",),
        same=problem is None,
        problem=problem,
        wall=after,
        cpu=after,
        of_native=after,
        elapsed_of_native=after,
    )
    return Measured(title.lower().replace(" ", "-"), title, (original, chosen))


def _run(*queries: Measured) -> Run:
    return Run("0", "2026f", "duckdb", "DuckDB", 2, 1, 22, 1, "2026-11-22", queries)


_SAME = Measured("as-it-was", "As it was", _query("x", 1.0).variants[:1], ("1:8: no <type>",))


@pytest.mark.parametrize(
    ("queries", "expected"),
    [
        ([_query("Days", 0.1)], "1 of 1 query faster; none slower; all rows identical"),
        (
            [_query("Days", 0.1), _SAME, _query("Hours", 0.97)],
            "1 of 3 queries faster; 2 about the same; none slower; all rows identical",
        ),
        (
            [_query("Days", 0.1), _query("Hours of a shop", 1.2)],
            "1 of 2 queries faster; 1 slower (Hours of a shop); all rows identical",
        ),
        (
            [_query("Days", 0.1, "1 row became 2"), _query("Hours", 0.2)],
            "1 of 2 queries faster; none slower; other rows or an error in Days",
        ),
    ],
)
def test_headline(queries: list[Measured], expected: str) -> None:
    assert headline(_run(*queries)) == expected


def test_the_printed_ratio_is_that_of_the_printed_times() -> None:
    """Also where the rounds disagree; and only the figure that decides is marked."""
    rounds = [(0.40, 0.36), (0.47, 0.49), (0.52, 0.46)]  # the median of the ratios is 0.90
    texts = [_Text(Variant((name,), name, ())) for name in (ORIGINAL, CHOSEN)]
    for text, costs in zip(texts, zip(*rounds, strict=True), strict=True):
        text.costs = [Cost(9.0, 9.0), *(Cost(one, one / 4) for one in costs)]
    original = texts[0].cost
    before, after = (text.measured(original, None) for text in texts)
    assert (before.wall, after.wall, after.elapsed_of_native) == (0.47, 0.46, 0.46 / 0.47)
    after = dataclasses.replace(after, cpu=0.2, of_native=0.2 / 0.1175)
    run = _run(Measured("q", "Q", (before, after)))
    assert verdict(run).startswith("loses: q (1.70 times the CPU time); ")
    cells = re.findall(r'<td class="([^"]*)"[^>]*>([\d.]+)', page(run))
    assert cells == [
        ("number", "470.0"),
        ("number", "460.0"),
        ("number ", "0.98"),
        ("number slower", "1.70"),
    ]


@pytest.mark.parametrize("found", [*committed(), *committed(REPORTS)], ids=lambda run: run.product)
def test_ratios_fit_times(found: Run) -> None:
    """In what JSON, the table and the page print of the committed runs."""
    text = page(found)
    for query in found.queries:
        original = query.variants[0]
        for one in query.variants:
            if one.wall and original.wall:
                assert one.elapsed_of_native == pytest.approx(one.wall / original.wall)
            if one.cpu and original.cpu:
                assert one.of_native == pytest.approx(one.cpu / original.cpu)
        assert query.is_rewritten or "not rewritten" in text


def test_the_page_says_what_was_measured() -> None:
    """In words, escaped, and with nothing from elsewhere."""
    slow = dataclasses.replace(_query("Hours of <b>", 1.25), left=("2:1: no <type>",))
    load = FirstLoad(1000, 3.0, 2.0, 1_000_000, 1.0, 1_000_000)
    text = page(dataclasses.replace(_run(_query("One local day", 0.0817), slow), first_load=load))
    body = text[text.index("<h1>") :]
    plain = unescape(re.sub(r"<[^>]+>", " ", body))
    for expected in (
        "1 of 2 queries faster; 1 slower (Hours of <b>); all rows identical",
        "One local day",
        "one-local-day",
        "81.7 ms",
        "0.082",
        "SELECT 1 < 2",
        "SELECT 'x&y'",
        "left: 2:1: no <type>",
        "tz release 2026f",
        "First load of 1,000 rows: tzconv refresh 3.0 s",
    ):
        assert expected in plain, expected
    assert "<b>" not in body
    assert not re.search(r"https?:|//|@import|url\(|<script|<link|<img", body)
    assert re.search(r'class="number slower"[^>]*>1.25<', body)
    assert re.search(r'class="number faster"[^>]*>0.082<', body)


@pytest.mark.parametrize("found", [*committed(), *committed(REPORTS)], ids=lambda run: run.product)
def test_every_row_has_every_column(found: Run) -> None:
    text = page(found)
    (head,) = re.findall(r"<thead>.*?</thead>", text)
    rows = re.findall(r"<tr><td>.*?</tr>", text, re.DOTALL)
    assert len(rows) == len(found.queries) == 12
    assert {row.count("<td") for row in rows} == {head.count("<th>")} == {6}
    assert ", strategy <" not in text  # of what was not rewritten


def test_the_file_of_the_command(tmp_path: Path) -> None:
    options = ["bench", "--rows", "500", "--zone-count", "3", "--rounds", "1", "--queries", "now"]
    done = run(*options, "--html", "run.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "run.html").read_text()
    (title,) = re.findall("<title>tzconv bench: (.*)</title>", text)
    assert unescape(title) in done.stdout.replace("\n", " ")
    assert run(*options, "--html", "", cwd=tmp_path).returncode == 64
    for place, reason in [("none/run.html", "No such file"), (".", "is a folder")]:
        done = run(*options, "--html", place, cwd=tmp_path)
        assert done.returncode == 1
        assert reason in done.stderr
        assert_one_sentence(done)
        assert "Measuring" not in done.stderr, "before it has measured anything"


@pytest.mark.browser
@pytest.mark.parametrize("width", [1200, 400, 320])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_on_a_screen(chromium: browser.Browser, tmp_path: Path, width: int, dark: bool) -> None:
    for name in ("duckdb", "reports-postgres"):
        file = tmp_path / "run.html"
        file.write_text(page(read(FOLDER / f"{name}.json")))
        chromium.open(file.as_uri(), width, dark=dark)
        for unfolded in (False, True):
            if unfolded:
                chromium.run("document.querySelectorAll('details').forEach(one => one.open = true)")
            found = chromium.probe()
            assert found["width"] == width
            assert found["scrolled"] <= width, f"{name} is wider than the window"
            assert found["contrast"][0] >= 4.5, found["contrast"]
            assert found["smallest"] >= 12
            assert found["texts"] > 60
            assert (max(found["background"]) < 60) is dark
            assert chromium.requests == [file.as_uri()]
            if not unfolded:
                colours = "dark" if dark else "light"
                picture = chromium.picture(f"bench-{name}-{width}-{colours}", whole=width < 600)
                assert not browser.is_blank(picture)


@pytest.mark.browser
def test_on_paper(chromium: browser.Browser, tmp_path: Path) -> None:
    """Black on white, also from a dark screen; no query is cut in two."""
    file = tmp_path / "run.html"
    file.write_text(page(read(FOLDER / "reports-duckdb.json")))
    chromium.open(file.as_uri(), 700, dark=True, media="print")
    found = chromium.probe()
    assert found["background"] == [255, 255, 255]
    assert found["contrast"][0] >= 4.5, found["contrast"]
    assert chromium.run(
        "[...document.querySelectorAll('tr')].every("
        "one => getComputedStyle(one).breakInside === 'avoid')"
    )
    heights = chromium.run(
        "[...document.querySelectorAll('td:last-child')].filter("
        "one => one.innerText === 'identical').map(one => {"
        "const range = document.createRange(); range.selectNodeContents(one);"
        "return range.getClientRects().length})"
    )
    assert set(heights) == {1}, "a word is cut in two"
    paper = chromium.paper("bench-print")
    assert paper.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) in (1, 2)


@pytest.mark.browser
def test_what_the_probe_sees(chromium: browser.Browser, tmp_path: Path) -> None:
    """A page with each fault."""
    file = tmp_path / "bad.html"
    file.write_text(
        "<body style='background:#fff'><p style='width:900px;color:#ddd;font-size:9px'>pale</p>"
        "<img src=none.png>"
    )
    chromium.open(file.as_uri(), 400)
    found = chromium.probe()
    assert found["scrolled"] > 800
    assert found["contrast"][0] == pytest.approx(1.36, abs=0.02)
    assert found["contrast"][1] == "pale"
    assert found["smallest"] == 9
    assert found["broken"] == [(tmp_path / "none.png").as_uri()]
    file.write_text("<body style='background:#fff'>")
    chromium.open(file.as_uri(), 400)
    assert browser.is_blank(chromium.picture("blank"))
