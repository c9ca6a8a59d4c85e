"""Which literals a kept text may hold, the comment that names the others, and its check."""

from __future__ import annotations

import datetime as dt
import functools
import io
import json
import re
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tzconv import cli, rewriter
from tzconv.rewriter import Rewrite, kept, statements
from tzconv.tz import zones

# From the NEWS file of the tz project: the day of each release in universal time.
RELEASED = {
    "2012a": "2012-03-01",
    "2012b": "2012-03-02",
    "2012c": "2012-03-27",
    "2012d": "2012-07-19",
    "2012e": "2012-08-03",
    "2012f": "2012-09-13",
    "2012g": "2012-10-18",
    "2012h": "2012-10-27",
    "2012i": "2012-11-03",
    "2012j": "2012-11-13",
    "2013a": "2013-02-27",
    "2013b": "2013-03-11",
    "2013c": "2013-04-19",
    "2013d": "2013-07-05",
    "2016g": "2016-09-13",
    "2016h": "2016-10-20",
    "2016i": "2016-11-02",
    "2016j": "2016-11-23",
    "2017a": "2017-02-28",
    "2018c": "2018-01-23",
    "2022g": "2022-11-29",
    "2023a": "2023-03-22",
    "2023b": "2023-03-24",
    "2023c": "2023-03-28",
    "2023d": "2023-12-22",
    "2024a": "2024-02-01",
    "2025b": "2025-03-22",
    "2025c": "2025-12-10",
    "2026a": "2026-03-01",
    "2026b": "2026-04-22",
    "2026c": "2026-07-08",
    "2026d": "2026-09-11",
    "2026e": "2026-09-29",
}
RELEASE = zones.installed().release
TYPES = {"logs": {"t": "timestamp"}}
QUERY = (
    "SELECT (t AT TIME ZONE 'UTC' AT TIME ZONE 'america/vancouver')::date FROM logs "
    "WHERE t >= TIMESTAMP '2027-01-01' AND t < TIMESTAMP '2027-02-01'"
)
HELD = f"-- tzconv: literals of {RELEASE} for America/Vancouver\n"
OLD = "-- tzconv: literals of 2001c for America/Vancouver, Europe/Paris\n"


@pytest.mark.parametrize(("release", "day"), RELEASED.items())
def test_what_lies_before_a_release_is_history(release: str, day: str) -> None:
    until = kept.history_until(release)
    assert until <= dt.date.fromisoformat(day)
    assert until.year == int(release[:4])
    assert (str(until) == day) == (release > "2025")


def test_a_later_letter_makes_more_of_the_year_history() -> None:
    days = [kept.history_until(f"2026{letter}") for letter in "abcdefghijklmnopqrstuvwxyz"]
    assert days == sorted(days)
    # the autumn of 2026 begins after it: it may still have changed
    assert dt.date(2026, 9, 29) < kept.history_until("2026f") <= dt.date(2026, 10, 28)
    assert kept.history_until("2027a") == dt.date(2027, 1, 1)
    assert kept.history_until("2016g-23-g50556e3-dirty") == kept.history_until("2016g")


@pytest.mark.parametrize("release", ["", "unknown", "PostgreSQL 18.4", "DuckDB 2.0.0", "2026", "v"])
def test_of_rules_without_a_date_nothing_is_history(release: str) -> None:
    assert kept.history_until(release) == dt.date(1970, 1, 1)


def test_the_readme_shows_what_every_past_day_gets() -> None:
    """Bounds without a join, for Sundays (some are a change of clocks) two days before the release.

    A law that comes after it may set the clock back by less than that.
    """
    blocks = re.findall(r"```sql\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    bound = re.compile(r"\d{4}(-\d\d){2} 0[45]")
    until = kept.history_until(RELEASE)
    day = dt.date(2025, 1, 5)
    while day < until - dt.timedelta(days=3):
        sql = blocks[1].replace("2026-03-08", str(day))
        types = {"events": {"ts": "timestamp"}}
        text = rewriter.rewrite(sql, schema=types, literals_until=until).sql
        assert bound.sub("", text) == bound.sub("", blocks[2])
        day += dt.timedelta(days=7)


def rewritten_with_comment(text: str) -> Rewrite:
    """Rewritten with all literals, as if a kept text could hold none of them."""
    rewrite = functools.partial(rewriter.rewrite, schema=TYPES, strategy="inline")
    with_comment = kept.with_comment(rewrite, _unchanged, zones.installed())
    return statements.rewrite_each(text, with_comment)


def _unchanged(sql: str) -> Rewrite:
    return Rewrite(sql, (), ())


def test_a_comment_names_release_and_zones() -> None:
    plain = rewriter.rewrite(QUERY, schema=TYPES, strategy="inline").sql
    assert plain != QUERY
    result = rewritten_with_comment(f"{QUERY};\n")
    assert result.sql == f"{HELD}{plain};\n"
    assert kept.outdated(result.sql, "") == [kept.Held(1, 1, RELEASE, ("America/Vancouver",))]
    assert rewritten_with_comment(result.sql).sql == result.sql


def test_comments_of_several_statements_and_line_ends() -> None:
    text = f"/* one */ {QUERY}; {QUERY.replace(' FROM', chr(13) + chr(10) + 'FROM')}\r\n"
    result = rewritten_with_comment(text)
    assert [one.release for one in kept.outdated(result.sql, "")] == [RELEASE, RELEASE]
    assert f"{HELD.rstrip()}\r\nSELECT" in result.sql
    assert rewritten_with_comment(result.sql).sql == result.sql
    assert len(statements.split(result.sql)) == 2


def test_a_comment_names_no_other_zone_of_the_statement() -> None:
    assert rewritten_with_comment(QUERY.replace("SELECT", "SELECT 'Europe/Paris',")).sql.startswith(
        f"{HELD}SELECT"
    )


def test_zones_that_never_change_need_no_comment() -> None:
    result = rewritten_with_comment(QUERY.replace("america/vancouver", "Etc/GMT+3"))
    assert result.changes
    assert kept.outdated(result.sql, "") == []


def test_the_same_literals_need_no_comment() -> None:
    rewrite = functools.partial(rewriter.rewrite, schema=TYPES, strategy="inline")
    result = kept.with_comment(rewrite, rewrite, zones.installed())(QUERY)
    assert result == rewrite(QUERY)


def test_other_comments_name_no_literals() -> None:
    text = (
        "-- tzconv: ignore\nSELECT '-- tzconv: literals of 2001c for X'; -- tzconv: literals of x\n"
    )
    assert kept.outdated(text, "") == []
    assert [one.line for one in kept.outdated(f"SELECT 1;\n  {OLD}{HELD}SELECT 2", RELEASE)] == [2]


# The command line


def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    """The command line in this process: exit code, standard output and standard error."""
    monkeypatch.setattr(sys, "argv", ["tzconv", "rewrite", *arguments])
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert isinstance(ended.value.code, int)
    printed = capsys.readouterr()
    return ended.value.code, printed.out, printed.err


def test_check_finds_literals_of_another_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.sql").write_text(f"SELECT 1;\n{OLD}SELECT 2;\n")
    Path("new.sql").write_text(f"{HELD}SELECT 2;\n")
    said = (
        "old.sql:2:1: has literals of 2001c for America/Vancouver, Europe/Paris, but the rules "
        f"are those of {RELEASE}: rewrite it again from its original\n"
    )
    run = functools.partial(command, monkeypatch, capsys)
    assert run("old.sql", "new.sql", "--check")[:2] == (2, said)
    assert run("new.sql", "--check")[:2] == (0, "")
    code, out, err = run("old.sql")
    assert (code, out) == (0, Path("old.sql").read_text())
    assert err.startswith(said)
    code, out, _ = run("old.sql", "--json")
    (held,) = json.loads(out)["outdated"]
    assert held == {
        "line": 2,
        "column": 1,
        "release": "2001c",
        "zones": ["America/Vancouver", "Europe/Paris"],
    }
