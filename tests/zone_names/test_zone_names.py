"""A dirty zone column on databases: what it holds, what their functions take, and the script."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from tests import zone_texts
from tests.command import run
from tests.databases import Database, small
from tests.releases import TREE
from tzconv import engines, zone_names
from tzconv.errors import DatabaseError
from tzconv.sql.text import literal
from tzconv.zone_names import script

KNOWN = {one.text: one for one in zone_texts.read() if "\0" not in one.text}
ON_BOTH = pytest.mark.parametrize("database", ["duckdb", "postgres"], indirect=True)


def filled(database: Database, values: list[str | None]) -> None:
    """A table of accounts, one for each value, and up to six events of each."""
    texts = ", ".join(
        f"({place}, {'NULL' if text is None else literal(text)})"
        for place, text in enumerate(values)
    )
    database.run(
        "CREATE TABLE accounts (id integer, time_zone varchar)",
        f"INSERT INTO accounts VALUES {texts}",
        "CREATE TABLE events (account_id integer)",
        "INSERT INTO events SELECT id FROM accounts, (VALUES (1), (2), (3), (4), (5), (6)) AS n(k) "
        "WHERE k <= id % 7",
    )


def taken(database: Database, texts: Iterable[str]) -> set[str]:
    """The texts that the database's function takes: each one was asked, whatever it looks like."""
    found = set()
    with contextlib.ExitStack() as stack:
        connection: Any
        if database.server is None:
            connection = stack.enter_context(duckdb.connect(database.path))
        else:
            connection = stack.enter_context(database.server.connect(database.name))
            connection.autocommit = True
        for text in texts:
            with contextlib.suppress(duckdb.Error, psycopg.Error):
                connection.execute(f"SELECT TIMESTAMP '2026-01-01' AT TIME ZONE {literal(text)}")
                found.add(text)
    return found


@ON_BOTH
def test_a_column_of_everything(database: Database) -> None:
    values: list[str | None] = [*KNOWN, *list(KNOWN)[::3], None, None]
    filled(database, values)
    with engines.connect(database.url, read_only=True) as backend:
        found = zone_names.of_column(
            backend, "accounts.time_zone", ["events.account_id=accounts.id"]
        )
    assert {one.text: one.rows for one in found.names} == Counter(values)
    assert [one.rows for one in found.names] == sorted(Counter(values).values(), reverse=True)
    events: Counter[str | None] = Counter()
    for place, text in enumerate(values):
        events[text] += place % 7
    assert {one.text: one.fact_rows["events.account_id"] for one in found.names} == events
    named = {one.text: one for one in found.names if one.text is not None}
    assert {text: one.kind for text, one in named.items()} == {
        text: known.kind for text, known in KNOWN.items()
    }
    accepted = {text for text, one in named.items() if one.accepted}
    assert accepted == taken(database, KNOWN)
    assert {one.accepted for one in found.names} == {True, False, None}


@ON_BOTH
def test_the_script_corrects_what_is_certain(database: Database) -> None:
    small(database.url, "UTC", "America/New_York", "America/Edmonton", rules=TREE)
    values: list[str | None] = [*KNOWN, None]
    filled(database, values)
    with engines.connect(database.url) as backend:
        found = zone_names.of_column(backend, "accounts.time_zone")
        before = database.run("SELECT count(*) FROM accounts") if database.server else None
        text = "\n".join(script.text(backend, found))
    assert before in (None, [(len(values),)])
    assert all(one.isprintable() for one in text.replace("\n", ""))
    # a person has decided one name, and has made another one an alias of something else
    own = "('PST', 'America/Los_Angeles', 'own'), ('Mumbai', 'Asia/Colombo', 'own')"
    table, _, rest = text.partition(");")
    database.run(f"{table});", f"INSERT INTO time_zone_alias VALUES {own}", rest)
    database.run(text.partition("-- Once")[0])  # a second time
    if database.server is not None:
        with engines.connect(database.url) as backend:
            again = "\n".join(script.text(backend, found))
        database.run(again)
    expected = {
        known.text: known.zone
        if known.zone and known.kind in ("spelling", "windows", "rails")
        else known.text
        for known in KNOWN.values()
    }
    expected |= {"PST": "America/Los_Angeles", "Mumbai": "Asia/Colombo"}
    rows = dict(database.run("SELECT id, time_zone FROM accounts"))
    for place, value in enumerate(values):
        assert rows[place] == (None if value is None else expected[value])
    aliases = dict(database.run("SELECT name, iana_name FROM time_zone_alias"))
    assert aliases == {name: zone for name, zone in expected.items() if name != zone}
    if database.server is None:
        return
    database.run("CREATE SCHEMA other", "CREATE TABLE other.accounts AS SELECT * FROM accounts")
    with engines.connect(database.url) as backend:
        for column, is_there in (("accounts.time_zone", True), ("other.accounts.time_zone", False)):
            text = "\n".join(script.text(backend, zone_names.of_column(backend, column)))
            assert ("is there already" in text) == is_there, column
    # each script runs, twice: what stands in a column once, and again when new names have come
    database.run(
        "ALTER TABLE accounts ADD own varchar",
        """CREATE TABLE "Sales.EU" ("Time ""Zone" char(20), day date)""",
        """INSERT INTO "Sales.EU" VALUES ('Mumbai'), (NULL)""",
        "CREATE TABLE parts (zone text, day date) PARTITION BY RANGE (day)",
        "CREATE TABLE parts_rest PARTITION OF parts DEFAULT",
        "INSERT INTO parts VALUES ('america/new_york', '2026-01-01')",
        "CREATE TYPE zone AS ENUM ('Mumbai', 'UTC')",
        "CREATE TABLE typed AS SELECT 'Mumbai'::zone AS zone",
        "CREATE MATERIALIZED VIEW seen AS SELECT 'Mumbai'::text AS zone",
        "CREATE VIEW shown AS SELECT zone FROM seen",
    )
    corrected = [
        "parts.zone",
        "ACCOUNTS.Own",
        'public."Sales.EU"."Time ""Zone"',
        "other.accounts.time_zone",
    ]
    for column in (*corrected, "typed.zone", "seen.zone", "shown.zone"):
        for known in (False, True):
            with engines.connect(database.url) as backend:
                text = "\n".join(script.text(backend, zone_names.of_column(backend, column)))
            assert ("is there already" in text) == (known and column in corrected), text
            assert ("No text column" in text) == (column not in corrected), text
            database.run(text)
    [(zone,)] = database.run("""SELECT trim(max("Time ""Zone")) FROM "Sales.EU\"""")
    assert zone == "Asia/Colombo"
    assert database.run(
        "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conparentid = 0"
    ) == [(5,)]
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        database.run("INSERT INTO accounts VALUES (1, 'PST')")
    database.run("INSERT INTO accounts VALUES (1, 'America/Edmonton')")
    # the constraint lets a refresh replace the row of that zone
    assert small(database.url, "UTC", "America/New_York", "America/Edmonton", rules="tzdata")
    with pytest.raises(DatabaseError, match="time_zone_is_known"):
        small(database.url, "UTC")


def rubbish() -> Iterator[str]:
    """10,000 texts of any characters that a column holds."""
    chosen = random.Random(2026)
    for number in range(1000, 11_000):
        letters = [chr(chosen.choice((chosen.randrange(1, 0x300), 0x1B, 0x202E))) for _ in range(6)]
        yield f"{''.join(letters)}{number}" if number % 2 else f"America/{number}{letters[0]}"


@ON_BOTH
def test_binary_rubbish_reaches_no_terminal(database: Database, tmp_path: Path) -> None:
    values = list(rubbish())
    filled(database, [*values, "x" * 1000, "\x1b[31mred", "UTC"])
    asked = ["names", "--url", database.url, "--column", "accounts.time_zone"]
    for option in ([], ["--json"], ["--sql"]):
        done = run(*asked, *option, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (2, "")
        assert done.stdout.replace("\n", "").isprintable()
        if "--sql" not in option:
            assert (
                "10003 values" in done.stdout.replace(",", "") or '"\\u001b[31mred"' in done.stdout
            )


def test_columns_that_cannot_be_read(database: Database) -> None:
    filled(database, ["UTC"])
    database.run(
        'CREATE TABLE "Odd ""Table" ("Time Zone" varchar, id integer)',
        """INSERT INTO "Odd ""Table" VALUES ('PST', 0)""",
    )
    with engines.connect(database.url, read_only=True) as backend:
        quoted = zone_names.of_column(
            backend, '"Odd ""Table"."Time Zone"', ['accounts.id = "Odd ""Table".id']
        )
        assert [(one.text, dict(one.fact_rows)) for one in quoted.names] == [
            ("PST", {"accounts.id": 1})
        ]
        for column, facts, said in (
            ("time_zone", (), "TABLE.COLUMN"),
            ("accounts.time_zone; DROP TABLE accounts", (), "is no column"),
            ("accounts.nothing", (), "nothing"),
            ("accounts.time_zone", ("events.account_id",), "is no join"),
            ("accounts.time_zone", ("events.account_id=users.id",), "zone column is one of"),
            (
                "accounts.time_zone",
                ("nowhere.x=ACCOUNTS.id",),
                "^--fact nowhere.x=ACCOUNTS.id: there is no table nowhere that you may read",
            ),
            ("accounts.time_zone", ("accounts.x=accounts.id",), "^--fact .*: accounts has no colu"),
            ("accounts.time_zone", ("accounts.id=accounts.y",), ": accounts has no column y: it "),
        ):
            with pytest.raises(DatabaseError, match=said) as caught:
                zone_names.of_column(backend, column, facts)
            assert "\n" not in str(caught.value)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(zone_names, "MOST_NAMES", 0)
            with pytest.raises(DatabaseError, match="distinct values"):
                zone_names.of_column(backend, "accounts.time_zone")
