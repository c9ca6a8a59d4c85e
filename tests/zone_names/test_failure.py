"""Why the original of a comparison fails: the zone, and the rows that hold it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import assert_one_sentence, run
from tests.databases import Database, small
from tests.discovery import shop
from tzconv import engines
from tzconv.zone_names import failure

ON_BOTH = pytest.mark.parametrize("database", ["duckdb", "postgres"], indirect=True)
SAID = (
    "q.sql: the original query fails, also without tzconv: the database does not know the time "
    "zone 'Pacific Standard Time' (a Windows name, which may be America/Los_Angeles), which 3 rows "
    "of accounts.time_zone hold: tzconv names --column accounts.time_zone with the same --url"
)
_WINDOWS = "a.time_zone = 'Pacific Standard Time'"
_JOIN = f"FROM events e JOIN accounts a ON a.id = e.account_id WHERE {_WINDOWS}"


@ON_BOTH
def test_the_rows_that_hold_the_name(database: Database, tmp_path: Path) -> None:
    shop.fill(database)
    small(database.url, "UTC", "Europe/Berlin")
    local = "e.ts AT TIME ZONE 'UTC' AT TIME ZONE"
    database.run(
        f"CREATE VIEW locals AS SELECT {local} a.time_zone AS x {_JOIN}",
        "CREATE VIEW outer_view AS SELECT x FROM locals",
    )
    for query in (
        f"SELECT {local} a.time_zone AS x {_JOIN}",
        f"SELECT timezone(a.TIME_ZONE, e.ts) AS x {_JOIN}",
        f"WITH c AS (SELECT ts, time_zone AS z {_JOIN}) SELECT {local.removeprefix('e.')} z FROM c",
        f"SELECT {local} coalesce(a.time_zone, 'UTC') AS x {_JOIN}",
        "SELECT x FROM outer_view",
    ):
        (tmp_path / "q.sql").write_text(query)
        done = run("compare", "q.sql", "--url", database.url, cwd=tmp_path)
        assert_one_sentence(done, SAID)
    for zone, said in (
        ("''", "the time zone '' (an empty text), which 1 row of accounts.time_zone holds"),
        ("' Europe/Paris'", "' Europe/Paris' (an IANA name but for its case, its underscores or"),
        (
            "'America/New_Yrok'",
            "'America/New_Yrok' (no name that tzconv knows, perhaps America/New_York), which",
        ),
    ):
        sql = f"SELECT {local} a.time_zone AS x {_JOIN}".replace(_WINDOWS, f"a.time_zone = {zone}")
        (tmp_path / "q.sql").write_text(sql)
        assert_one_sentence(run("compare", "q.sql", "--url", database.url, cwd=tmp_path), said)
    # names in quotes, in another schema, of a TIMESTAMPTZ
    (tmp_path / "q.sql").write_text(shop.ODD)
    odd = run("compare", "q.sql", "--url", database.url, cwd=tmp_path)
    assert_one_sentence(odd, "'Fiji Standard Time' (a Windows name, which may be Pacific/Fiji)")
    column = '"Sales EU"."Order"."Zone Name"'
    assert f"--column {column} with" in odd.stderr
    audit = run("names", "--url", database.url, "--column", column, cwd=tmp_path)
    assert "'Fiji Standard Time': windows, Pacific/Fiji" in audit.stdout


@ON_BOTH
@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE 'Foo/Bar' FROM events",
            "'Foo/Bar' (no name that tzconv knows), which the query names: write an IANA name",
        ),
        ("SELECT time_zon FROM accounts", "time_zon"),
        ("SELECT ts AT TIME ZONE 'UTC' FROM event", "event"),
        ("SELECT CAST(time_zone AS integer) FROM accounts", "Europe/Berlin"),
    ],
)
def test_other_failures(database: Database, query: str, said: str, tmp_path: Path) -> None:
    """The database's own sentence."""
    shop.fill(database)
    small(database.url, "UTC")
    done = run("compare", "-", "--url", database.url, cwd=tmp_path, stdin=query)
    assert_one_sentence(done, "-: the original query fails, also without tzconv", said)
    assert ("rows of" in done.stderr) is False


@ON_BOTH
def test_a_message_about_something_else(database: Database) -> None:
    """A name that the database takes, or that is nowhere, explains nothing."""
    shop.fill(database)
    with engines.connect(database.url, read_only=True) as backend:
        types = backend.column_types()
        for message in (
            "bad 'Europe/Berlin'",
            "bad 'PST'",
            "bad 'nowhere'",
            "bad",
            "bad integer ''",
            "no number: 'Pacific Standard Time'\nLINE 1: select time_zone::int, ts AT TIME ZONE",
        ):
            assert failure.refused(backend, shop.PER_ROW, message, types) is None, message
        assert failure.refused(backend, "SELECT (", "bad 'Pacific Standard Time'", types) is None
        for message in (
            "Zeitzone »Pacific Standard Time« nicht erkannt",
            "le fuseau horaire « Pacific Standard Time » n'est pas reconnu",
        ):
            found = failure.refused(backend, shop.PER_ROW, message, types)
            assert found == failure.explained("Pacific Standard Time", {"accounts.time_zone": 3})


def test_a_name_that_the_database_is_too_old_for() -> None:
    text = failure.explained("America/Coyhaique", {"accounts.tz": 2})
    assert "which is an IANA name of 20" in text
    assert "update the database's own rules" in text
