"""Each advice of the refresh job: its state is made, the advice is run as printed, it is cured.

``STATES`` are tested here; ``COVERED`` names the test of each other message, or says why there is
none. A message with an advice that neither has fails :func:`test_every_advice_is_known`.
"""

from __future__ import annotations

import ast
import datetime as dt
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT, databases, postgres
from tests.databases import Database
from tests.releases import TREE, tzif
from tests.waiting import eventually
from tzconv import tables
from tzconv.cli import main
from tzconv.engines.duckdb.load import DuckDB
from tzconv.engines.postgres.load import Postgres
from tzconv.tz import zones

RELEASE, DAILY, ZONE = tables.RELEASE.name, tables.DAILY.name, tables.ZONE.name
FEW = ("--zones", "UTC,Asia/Tokyo", "--tables", "daily")


class At:
    """A database in some state, and the commands of tzconv on it, in this process."""

    def __init__(
        self, database: Database, patch: pytest.MonkeyPatch, read: Callable[[], Any], folder: Path
    ) -> None:
        self.database, self.patch, self.folder = database, patch, folder
        self.run, self.read, self.url = database.run, read, database.url

    def do(self, *command: str) -> tuple[int, str]:
        """Exit code and all that a command says; the URL is added if none is given."""
        url = () if "--url" in command else ("--url", self.url)
        self.patch.setattr(sys, "argv", ["tzconv", *command, *url])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = self.read()
        assert "Traceback" not in printed.err
        return int(ended.value.code or 0), printed.out + printed.err

    def load(self, *options: str) -> None:
        self.works("refresh", *(options or FEW))

    def fails(self, *command: str, code: int = 1) -> str:
        ended, said = self.do(*command)
        assert ended == code, said
        return said

    def works(self, *command: str) -> str:
        return self.fails(*command, code=0)

    def follow(self, said: str, *more: str, code: int = 0) -> str:
        """Run the last command of tzconv in a text, as it is printed, and with more options."""
        commands = re.findall(r"tzconv (?:refresh|names|impact|doctor)(?: --?\w[\w-]*)*", said)
        assert commands, said
        return self.fails(*commands[-1].split()[1:], *more, code=code)

    def is_cured(self) -> None:
        self.works("doctor")

    def when(self, now: dt.datetime | None = None) -> None:
        """The clock of the database; that of the machine without a time."""
        clock = getattr(self, "clock", None)
        self.clock = clock or {kind: kind.now for kind in (DuckDB, Postgres)}
        for kind, real in self.clock.items():
            self.patch.setattr(kind, "now", (lambda _: now) if now else real)

    def tree(self, name: str, **files: bytes) -> str:
        """A folder of rules with few zones; ``files`` replace those of the package."""
        for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
            path = self.folder / name / zone
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files.get(zone.rpartition("/")[2], (TREE / zone).read_bytes()))
        (self.folder / name / "+VERSION").write_text(name)
        return str(self.folder / name)


STATES: dict[str, tuple[str, tuple[str, ...], Callable[[At], None]]] = {}
"""By name: a part of the message, the databases, and what is done."""
BOTH, FILE, SERVER = ("duckdb", "postgres"), ("duckdb",), ("postgres",)


def state(said: str, *kinds: str) -> Callable[[Callable[[At], None]], Callable[[At], None]]:
    def keep(function: Callable[[At], None]) -> Callable[[At], None]:
        STATES[function.__name__] = (said, kinds or FILE, function)
        return function

    return keep


def part(said: str, form: str) -> str:
    """The part of a message that is an advice."""
    found = re.search(form, said)
    assert found, said
    return found[1]


# -- guards


@state("of the loaded zones would be dropped")
def fewer_zones(at: At) -> None:
    at.load()
    said = at.fails("refresh", "--zones", "UTC")
    at.works("refresh", "--zones", "UTC", part(said, r"drop with (--\S+)\. "))
    at.is_cured()


@state("away from most of the loaded rows")
def another_horizon(at: At) -> None:
    at.load()
    days = ("--start", "2050-01-01", "--end", "2051-01-01")
    at.works("refresh", *days, part(at.fails("refresh", *days), r"or move it with (--\S+)\. "))
    assert at.run(f"SELECT min(day) FROM {DAILY}") >= [(dt.date(2049, 12, 31),)]


@state("rows of the {one.table} table would be deleted")
def fewer_tables(at: At) -> None:
    at.load(*FEW[:2], "--tables", "daily,period")
    said = at.fails("refresh", "--tables", "period")
    at.works("refresh", "--tables", "period", part(said, r"or delete them with (--\S+)\. "))
    at.is_cured()


@state("Local times would change on most days")
def other_rules(at: At) -> None:
    at.load()
    two = tzif([], [], [(7200, 0, "XXX")], "XXX-2")
    given = ("--rules", at.tree("wrong", UTC=two, Tokyo=two))
    said = at.fails("refresh", *given)
    at.works("refresh", *given, part(said, r"replace the rows with (--\S+)\. "))
    at.is_cured()


@state("or go back to it with --allow-older", *BOTH)
def an_older_release(at: At) -> None:
    at.load()
    given = ("refresh", "--rules", at.tree("2020a"))
    at.works(*given, part(at.fails(*given, code=3), r"or go back to it with (--\S+)\. "))
    at.run(f"UPDATE {RELEASE} SET tzconv_version = '9.0'")
    more = (*given, "--zones", "UTC,Asia/Tokyo,America/New_York")
    at.works(*more, part(at.fails(*more, code=3), r"upgrade it here, or .* with (--\S+)\. "))
    at.is_cured()


# -- the selection


def accounts(at: At, *names: str) -> tuple[str, str]:
    at.run(
        "CREATE TABLE accounts (time_zone varchar(40))",
        *(f"INSERT INTO accounts VALUES ('{name}')" for name in names),
    )
    return "--zones", "sql:SELECT time_zone FROM accounts"


@state("The selection in the release table cannot be read")
def a_wrong_selection(at: At) -> None:
    at.load()
    at.run(f"UPDATE {RELEASE} SET selection = '['")
    said = at.fails("refresh")
    values = {
        "--zones": "UTC,Asia/Tokyo",
        "--tables": "daily",
        "--rules": "tzdata",
        "--start": "default",
        "--end": "default",
    }
    at.works(
        "refresh", *(word for flag in re.findall(r"--\w+", said) for word in (flag, values[flag]))
    )
    at.works("refresh")
    at.is_cured()


@state("make a view of the query of --zones")
def a_long_query(at: At) -> None:
    given = accounts(at, "UTC")
    at.fails("refresh", given[0], f"{given[1]} -- {'x' * 65_000}")
    at.run("CREATE VIEW names AS SELECT time_zone FROM accounts")
    at.load("--zones", "sql:SELECT * FROM names")
    at.is_cured()


@state("let it return one")
def two_columns(at: At) -> None:
    given = accounts(at, "UTC")
    at.fails("refresh", given[0], "sql:SELECT time_zone, 1 FROM accounts")
    at.load(*given)
    at.is_cured()


@state("returned no name: check the query")
def no_row(at: At) -> None:
    given = accounts(at)
    at.fails("refresh", *given)
    at.run("INSERT INTO accounts VALUES ('UTC')")
    at.load(*given)
    at.is_cured()


@state("is no text: write it in UTF-8")
def a_query_with_nul(at: At) -> None:
    given = accounts(at, "UTC")
    at.fails("refresh", given[0], f"{given[1]}\0")
    at.load(*given)


@state("show what they are with tzconv names", *BOTH)
def names_of_windows(at: At) -> None:
    given = accounts(at, "Tokyo Standard Time")
    shown = at.follow(
        at.fails("refresh", *given), "--column", "accounts.time_zone", "--sql", code=2
    )
    at.run("UPDATE accounts SET time_zone = 'Asia/Tokyo'")
    assert "Asia/Tokyo" in shown
    at.load(*given)
    at.is_cured()


@state("Show what they are with tzconv names")
def one_name_of_windows(at: At) -> None:
    given = accounts(at, "UTC", "Tokyo Standard Time")
    shown = at.follow(
        at.works("refresh", *given), "--column", "accounts.time_zone", "--sql", code=2
    )
    assert "Asia/Tokyo" in shown


@state("so the query of --zones cannot run: check the URL")
def a_wrong_file(at: At) -> None:
    given = accounts(at, "UTC")
    at.fails("refresh", *given, "--url", f"duckdb:///{at.folder}/other.duckdb")
    at.load(*given)


@state("load the file into a table")
def a_query_of_a_file(at: At) -> None:
    (at.folder / "names.csv").write_text("time_zone\nUTC\n")
    source = f"'{at.folder}/names.csv'"
    at.run("CREATE TABLE kept (n integer)")
    at.fails("refresh", "--zones", f"sql:SELECT time_zone FROM {source}")
    at.run(f"CREATE TABLE names AS FROM {source}")
    at.load("--zones", "sql:SELECT time_zone FROM names")


@state("may write there: REVOKE INSERT, UPDATE", *SERVER)
def a_kept_query_of_others(at: At) -> None:
    given = accounts(at, "UTC")
    at.load(*given)
    at.run(f"GRANT INSERT ON {RELEASE} TO PUBLIC")
    said = at.fails("refresh")
    at.works("refresh", *given)
    at.run(f"{part(said, '(REVOKE INSERT, UPDATE) on it')} ON {RELEASE} FROM PUBLIC")
    at.works("refresh")


@state("There is no table {unknown[0]}")
def a_table_of_another_name(at: At) -> None:
    said = at.fails("refresh", *FEW[:2], "--tables", "days")
    at.load(*FEW[:2], "--tables", part(said, r"choose from (\w+),"))


@state("is large: leave it out with --tables")
def a_large_table(at: At) -> None:
    at.patch.setattr("tzconv.cli.refresh._LARGE_BYTES", 100_000)
    given = ("refresh", "--dry-run", *FEW[:2], "--tables")
    said = at.fails(*given, "daily,hourly", code=2)
    assert "hourly is large" in said
    assert "is large" not in at.fails(*given, "daily", code=2)


# -- the database's own rules, which read EST as a fixed offset


@state("accept it with --on-mismatch warn", *SERVER)
def a_mismatch(at: At) -> None:
    given = ("refresh", "--zones", "UTC,MST", "--tables", "daily", "--on-mismatch", "fail")
    for cure in (("--rules", "database"), ("--zones", "UTC"), ("--on-mismatch", "warn")):
        said = at.fails(*given)
        assert (cure == ("--zones", "UTC") and "leave those zones out" in said) or " ".join(
            cure
        ) in said
        at.works(*given, *cure)
        at.run(
            *(f"DROP TABLE {table.name}" for table in tables.ALL), f"DROP TABLE {tables.MIGRATION}"
        )


@state("or load its rules with --rules database", *SERVER)
def a_function_that_differs(at: At) -> None:
    # the server has an older release
    at.load("--zones", "UTC,America/Edmonton", "--tables", "daily")
    said = at.fails("status", "--detailed-exitcode", code=3)
    at.works("refresh", *part(said, r"load its rules with (--rules \w+)").split())
    assert "has other answers" not in at.works("status")


# -- URLs and schemas


@state("is a file, not a URL: write it as")
def a_file_for_a_url(at: At) -> None:
    at.load()
    at.patch.chdir(at.folder)
    said = at.fails("status", "--url", at.database.path.name)
    at.works("status", "--url", part(said, r"write it as (\S+)\.\n"))


@state("is not used: write {driver}://", *SERVER)
def another_driver(at: At) -> None:
    at.load()
    _, _, rest = at.url.partition("://")
    said = at.fails("status", "--url", f"postgresql+psycopg2://{rest}")
    at.works("status", "--url", part(said, r"write (\S+://)\.\n") + rest)


@state("make it with CREATE SCHEMA", *BOTH)
def no_schema(at: At) -> None:
    said = at.fails("refresh", *FEW, "--db-schema", 'Reports "x"')
    at.load(*FEW, "--db-schema", {"duckdb": "main", "postgres": "public"}[at.database.kind])
    at.run(part(said, r"(CREATE SCHEMA \\?\".*\"), or name").replace('\\"', '"'))
    at.load(*FEW, "--db-schema", 'Reports "x"')


@state("That is not the name of a schema")
def an_empty_schema(at: At) -> None:
    said = at.fails("refresh", *FEW, "--db-schema", "")
    at.load(*FEW, part(said, r"name one with (--\S+)\."), "main")


@state("create it, or check the URL", *SERVER)
def no_database(at: At) -> None:
    url = at.url.replace(at.database.name, "later")
    assert 'database "later" does not exist: create it' in at.fails("refresh", "--url", url)
    at.run("CREATE DATABASE later")
    at.load(*FEW, "--url", url)
    at.run("DROP DATABASE later WITH (FORCE)")


@state("is a folder: name a file in it")
def a_folder(at: At) -> None:
    (at.folder / "data").mkdir()
    assert "name a file in it" in at.fails("refresh", *FEW, "--url", f"duckdb:///{at.folder}/data")
    at.load(*FEW, "--url", f"duckdb:///{at.folder}/data/tz.duckdb")


@state("no such file: make it with tzconv refresh")
def no_file(at: At) -> None:
    at.follow(at.fails("status"), *FEW)
    at.works("status")


@state("no such folder: create it")
def no_folder(at: At) -> None:
    url = f"duckdb:///{at.folder}/a/b/tz.duckdb"
    said = at.fails("refresh", *FEW, "--url", url)
    Path(part(said, r"(/\S+): no such folder: create it")).mkdir(parents=True)
    at.load(*FEW, "--url", url)


@state("is not a DuckDB file: check the URL")
def another_file(at: At) -> None:
    at.load()
    (at.folder / "notes").write_text("a file of somebody else")
    at.fails("status", "--url", f"duckdb:///{at.folder}/notes")
    at.works("status")


@state("if it holds tzconv's tables alone, delete it and run tzconv refresh")
def a_damaged_file(at: At) -> None:
    at.load()
    data = bytearray(at.database.path.read_bytes())
    data[2 * 4096 + 100] ^= 255  # of both headers, one is in use
    data[4096 + 100] ^= 255
    at.database.path.write_bytes(data)
    said = at.fails("status")
    at.database.path.unlink()
    at.follow(said, *FEW)
    at.is_cured()


# -- tables of others


@state("without the release row of a refresh", *BOTH)
def no_release_row(at: At) -> None:
    at.load()
    at.run(f"DELETE FROM {RELEASE}")
    at.follow(at.fails("refresh").partition("; otherwise")[0])
    at.is_cured()


@state("rows ({found}) instead of one: delete those", *BOTH)
def two_revisions(at: At) -> None:
    at.load()
    at.run(f"INSERT INTO {tables.MIGRATION} VALUES ('mine')")
    assert "delete those that tzconv did not write" in at.fails("refresh")
    at.run(f"DELETE FROM {tables.MIGRATION} WHERE version_num = 'mine'")
    at.works("refresh")
    at.is_cured()


KEY = f"{ZONE}_pkey"
ADDED = {
    "the trigger": (
        f"CREATE TRIGGER t BEFORE INSERT ON {ZONE} FOR EACH ROW "
        "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        f"DROP TRIGGER t ON {ZONE}",
    ),
    "the rule": (
        f"CREATE RULE r AS ON INSERT TO {ZONE} DO INSTEAD NOTHING",
        f"DROP RULE r ON {ZONE}",
    ),
    "row-level security": (
        f"ALTER TABLE {ZONE} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {ZONE} DISABLE ROW LEVEL SECURITY",
    ),
    "a parent or child table": (
        f"CREATE TABLE child () INHERITS ({DAILY})",
        f"ALTER TABLE child NO INHERIT {DAILY}",
    ),
    "a default": (
        f"ALTER TABLE {DAILY} ALTER day SET DEFAULT '2000-01-01'",
        f"ALTER TABLE {DAILY} ALTER day DROP DEFAULT",
    ),
    "the constraint": (
        f"ALTER TABLE {ZONE} ADD CONSTRAINT c CHECK (zone_id > -9)",
        f"ALTER TABLE {ZONE} DROP CONSTRAINT c",
    ),
    "the index": (f"CREATE INDEX i ON {ZONE} (abs(zone_id))", "DROP INDEX i"),
    "a collation": (
        f'ALTER TABLE {ZONE} ALTER canonical_name TYPE varchar(400) COLLATE "POSIX"',
        f"DROP TABLE {ZONE}",
    ),
}
"""What somebody adds, and what its advice undoes."""


@state("which tzconv did not make: {remedy}", *SERVER)
def something_added(at: At) -> None:
    at.load()
    for what, (change, undo) in ADDED.items():
        at.run(change)
        said = at.fails("doctor")
        assert f"has {what}" in said
        remedy = part(said, r"which tzconv did not make: (.*)\.\n").partition(",")[0]
        words = remedy.replace("...", "").replace("drop it", "DROP").replace("drop the", "DROP")
        assert all(word in undo for word in words.split() if word.isupper()), (remedy, undo)
        at.run(undo)
        at.works("refresh")
        at.is_cured()


@state("has a primary key of", *SERVER)
def another_key(at: At) -> None:
    at.load()
    at.run(
        f"ALTER TABLE {ZONE} DROP CONSTRAINT {KEY}", f"ALTER TABLE {ZONE} ADD PRIMARY KEY (zone_id)"
    )
    said = at.fails("doctor")
    at.run(part(said, r"(ALTER TABLE \S+ DROP CONSTRAINT \S+), and"))
    at.follow(said)
    at.is_cured()


@state("could run: run tzconv", *SERVER)
def another_owner(at: At) -> None:
    at.load()
    name = f"owner_of_{at.database.name}"
    at.run(f"CREATE ROLE {name} LOGIN", f"ALTER TABLE {ZONE} OWNER TO {name}")
    said = at.fails("refresh")
    assert "ALTER TABLE ... OWNER TO the role that runs it" in said
    at.run(f"ALTER TABLE {ZONE} OWNER TO postgres", f"DROP ROLE {name}")
    at.works("refresh")
    at.is_cured()


@state("grant that right to the user of the URL", *SERVER)
def no_right(at: At) -> None:
    name = f"job_of_{at.database.name}"
    at.run(f"CREATE ROLE {name} LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    assert at.database.server is not None
    url = at.database.server.url(at.database.name, name)
    assert "permission denied for schema public" in at.fails("refresh", *FEW, "--url", url)
    at.run(f"GRANT CREATE ON SCHEMA public TO {name}")
    at.load(*FEW, "--url", url)
    at.run(f"DROP OWNED BY {name}", f"DROP ROLE {name}")


@state("close other connections, or try again later", *SERVER)
def too_many_connections(at: At) -> None:
    name = f"few_of_{at.database.name}"
    at.run(
        f"CREATE ROLE {name} LOGIN CONNECTION LIMIT 0", f"GRANT CREATE ON SCHEMA public TO {name}"
    )
    assert at.database.server is not None
    url = at.database.server.url(at.database.name, name)
    assert "too many connections" in at.fails("refresh", *FEW, "--url", url)
    at.run(f"ALTER ROLE {name} CONNECTION LIMIT 9")
    at.load(*FEW, "--url", url)
    at.run(f"DROP OWNED BY {name}")
    gone = f"SELECT 1 FROM pg_stat_activity WHERE usename = '{name}'"
    assert eventually(lambda: not at.run(gone))
    at.run(f"DROP ROLE {name}")


@state("another session holds a lock on that table", *SERVER)
def a_locked_table(at: At) -> None:
    at.load()
    server = at.database.server
    assert server is not None
    more = ("refresh", "--zones", "UTC,Asia/Tokyo,Asia/Kolkata", "--lock-timeout", "1")
    with server.connect(at.database.name) as other, other.transaction():
        other.execute(f"LOCK TABLE {RELEASE} IN SHARE MODE")
        assert "another session holds a lock on that table" in at.fails(*more)
    at.works(*more)
    at.is_cured()


# -- what status and doctor find


@state("No conversion tables are loaded: run tzconv refresh", *BOTH)
def nothing_loaded(at: At) -> None:
    at.run("CREATE TABLE t (n integer)")
    at.follow(at.fails("status"), *FEW)
    at.works("status")


@state("Not as loaded: {damage}; run tzconv refresh --repair", *BOTH)
def lost_rows(at: At) -> None:
    for damage in (
        f"DELETE FROM {DAILY}",
        f"DROP TABLE {DAILY}",
        f"DELETE FROM {tables.MIGRATION}",
    ):
        at.load()
        at.run(damage)
        at.follow(at.fails("status"))
        at.is_cured()


@state("{text}: run tzconv refresh --repair", *BOTH)
def a_changed_row(at: At) -> None:
    at.load()
    newest = f"SELECT max(day) FROM {DAILY} WHERE time_zone_name = 'UTC'"
    for change in (
        "day_ends_at_utc = day_starts_at_utc",
        "day_ends_before_utc = day_starts_at_utc",
    ):
        at.run(f"UPDATE {DAILY} SET {change} WHERE time_zone_name = 'UTC' AND day = ({newest})")
        at.works("status")
        at.follow(at.fails("doctor"))
        at.is_cured()


@state("check both clocks, and run", *BOTH)
def a_clock_that_was_ahead(at: At) -> None:
    at.load()
    at.run(f"UPDATE {RELEASE} SET last_checked_at = '2199-01-01 00:00:00'")
    at.follow(at.fails("status", "--max-age", "36h"))
    at.works("status", "--max-age", "36h")


@state("look at the log of the job that runs", *BOTH)
def no_refresh_for_days(at: At) -> None:
    at.load()
    at.run(
        f"UPDATE {RELEASE} SET last_checked_at = TIMESTAMP '2020-01-01 00:00:00', "
        "finished_at = TIMESTAMP '2020-01-01 00:00:00'"
    )
    at.follow(at.fails("status", "--max-age", "36h"))
    at.works("status", "--max-age", "36h")


@state("rewritten queries convert later times by the database's own function", *BOTH)
def a_horizon_that_has_ended(at: At) -> None:
    for years in (2, 10):
        at.when(dt.datetime(2024 - years, 6, 1))
        at.load(*FEW, "--allow-delete")
        at.when(dt.datetime(2024, 6, 1))
        at.follow(at.fails("status"))
        at.is_cured()


@state("check the clock of the last refresh, and run tzconv", *BOTH)
def a_horizon_of_a_wrong_clock(at: At) -> None:
    at.when(dt.datetime(2099, 6, 1))
    at.load()
    at.when(dt.datetime(2024, 6, 1))
    at.follow(at.fails("status"))
    at.is_cured()


@state("{text}: run tzconv refresh.", *BOTH)
def few_days_are_left(at: At) -> None:
    at.when(dt.datetime(2023, 6, 1))
    at.load()
    at.when(dt.datetime(2024, 11, 30))
    said = at.fails("status", "--detailed-exitcode", code=3)
    at.follow(part(said, r"The horizon ends on (.*)\n"))
    assert "The horizon ends on 2026-01-01, in 397 days." in at.works("doctor")


@state("is installed: run tzconv refresh")
def a_newer_package(at: At) -> None:
    new = zones.installed()
    old = zones.load(at.tree("2020a"))
    at.patch.setattr(
        zones, "installed", lambda: zones.Rules.of("2020a", "tzdata", map(old.zone, old.names))
    )
    at.load()
    at.patch.setattr(zones, "installed", lambda: new)
    said = at.fails("status", "--detailed-exitcode", code=3)
    at.follow(part(said, r"tz release 2020a is loaded, (.*)\n"))
    assert "the one installed" in at.works("status")


@state("Local times changed for")
def local_times_that_changed(at: At) -> None:
    """The old rules are gone, and the release table keeps what differed."""
    names = ("--zones", "UTC,Asia/Tokyo,America/New_York", "--tables", "daily")
    older = at.tree("2020a", New_York=(TREE / "America/Chicago").read_bytes())
    at.load(*names, "--rules", older)
    said = at.works("refresh", "--rules", "tzdata")
    command = part(said, r"tzconv (impact --from loaded), with")
    assert "America/New_York" in at.fails(*command.split(), code=2)


# -- every message


HERE = "tests/test_advice_states.py"
JOB = (
    "refresher/*.py",
    "migrate.py",
    "health.py",
    "engines/*.py",
    "engines/duckdb/*.py",
    "engines/postgres/*.py",
    "cli/refresh.py",
)
"""The messages of Vertica and Spark are in the tests of those engines, without their advice."""
NOT_OF_THE_JOB = {
    "refresher/replaced_rules.py": "impact",
    "engines/facts.py": "rewrite",
    "engines/foreign.py": "rewrite",
    "engines/alchemy.py": "the SQLAlchemy hook",
    "engines/duckdb/alchemy.py": "the SQLAlchemy hook",
    "engines/duckdb/contents.py": "init",
    "engines/postgres/contents.py": "init",
    "engines/postgres/ddl.py": "ddl",
}
COVERED: dict[str, str] = {
    "give a datetime.date or": "tests/refresher/test_selection.py::test_a_day_is_a_date",
    "give texts, each of them": "tests/refresher/test_selection.py::test_a_name_is_a_text",
    "name fewer with --zones": "tests/test_upgrade.py::test_more_zones_than_numbers",
    "has just changed the selection": (
        "tests/refresher/test_selection.py::test_another_selection_came_first"
    ),
    "The tables have revision {revision}, and": (
        "tests/test_advice.py::test_tables_of_a_newer_tzconv"
    ),
    "which checks every row": "tests/test_advice.py::test_two_versions_take_turns",
    "DROP COLUMN": "tests/test_advice.py::test_a_column_that_somebody_added",
    "The database has something else named": (
        "tests/test_advice.py::test_a_column_that_somebody_dropped"
    ),
    "No schema of the search path exists": (
        "tests/engines/postgres/test_sessions.py::test_a_search_path_without_a_schema_for_tables"
    ),
    "Another refresh is at work on these tables": (
        "tests/engines/postgres/test_backend.py::"
        "test_a_second_refresh_waits_and_then_says_who_is_at_work"
    ),
    "free some space": "tests/test_advice.py::test_a_full_disk",
    "give the process more memory": "tests/test_advice.py::test_no_memory",
    "wait until it is closed there": "tests/test_advice.py::test_a_report_has_the_file_open",
    "is in use by {who}": "tests/test_advice.py::test_a_report_has_the_file_open",
    "end it with kill -9": "tests/test_advice.py::test_a_stopped_process_has_the_file_open",
    "in this program in another mode": (
        "tests/engines/duckdb/test_backend.py::test_open_in_this_program_already"
    ),
    "check the user and the password": (
        "tests/engines/postgres/test_backend.py::test_a_wrong_password"
    ),
    "set PGPASSWORD": "tests/engines/postgres/test_backend.py::test_a_wrong_password",
    "ALTER ROLE … LOGIN": (
        "tests/engines/postgres/test_backend.py::test_no_such_database_user_or_host"
    ),
    "choose from {', '.join(known)}": ("tests/refresher/test_selection.py::test_other_arguments"),
    "cannot be used: give a URL": "tests/refresher/test_selection.py::test_other_arguments",
    "default_transaction_read_only is off": (
        "tests/engines/postgres/test_sessions.py::test_a_role_that_only_reads"
    ),
    "the server shut the connection down": (
        "tests/engines/postgres/test_backend.py::test_a_lost_connection_leaves_the_old_state"
    ),
    "check the options after the question mark": (
        "tests/engines/postgres/test_backend.py::test_no_such_database_user_or_host"
    ),
    "check the host of the URL": (
        "tests/engines/postgres/test_backend.py::test_no_such_database_user_or_host"
    ),
    "check host and port of the URL": (
        "tests/engines/postgres/test_backend.py::test_no_such_database_user_or_host"
    ),
    "at least {least} days old": "tests/test_health.py::test_the_age_of_the_installed_release",
    "is installed here: pip install": "tests/test_advice.py::test_two_hosts_take_turns",
    "is not installed: pip install": (
        "tests/engines/postgres/test_backend.py::test_without_the_driver"
    ),
    "for more time, raise statement_timeout": (
        "tests/engines/postgres/test_sessions.py::test_a_users_query_has_the_limit_of_its_role"
    ),
    "run it again": "tests/engines/postgres/test_backend.py::test_a_deadlock",
    "prints the plan of a --dry-run": "tests/cli/test_wrong_input.py::test_without_a_database",
    "both print to standard output": "tests/cli/test_wrong_input.py::test_without_a_database",
    "is not a database URL": "tests/cli/test_wrong_input.py::test_without_a_database",
    "The URL scheme": "tests/cli/test_wrong_input.py::test_without_a_database",
}
UNTESTED: dict[str, str] = {
    "other rows than were loaded for": "a trigger that changes rows is refused before the load",
    "cannot be run: {message}": "the database's own words",
    "cannot be rewritten: use an engine of": "of rewrite",
    "needs no CREATE TABLE statements": "of ddl",
    "tzconv does not connect to": "of an engine that is loaded by hand",
    "does not take this URL": "the driver's own words",
    "control character: remove it": "of the URL that a person writes",
    "The URL has more than one @": "of the URL that a person writes",
    "Another connection changes the same rows": "of a connection in the caller's own program",
    "FROM pg_class c JOIN": "a query, whose remedies the state something_added has",
    "SELECT c.relname::text": "a query, whose remedies the state something_added has",
    "the server is starting or stopping": "depends on how fast a server starts",
    "raise idle_session_timeout": "a setting of the role, which a test of sessions sees",
    "raise that limit for the user": "temp_file_limit, which a first load of all zones needs",
    "look for a trigger": "a trigger that changes rows is refused before the load",
    "check the user of the URL and the server's pg_hba.conf": "of the server's administrator",
    "check sslmode": "the server of the tests has no TLS",
    "check constraint": "a kind of object",
    "choose one of": "the end of a message about a dialect",
    "verified with a random sample": "what was done, and no advice",
    "only abbreviations or flags change": "what will be done, and no advice",
    "more groups of zones: --json has them all": "of a person who reads the plan",
}
"""Messages without a test of their advice, and why."""

_ADVICE = re.compile(
    r"run tzconv|with tzconv|[Uu]se |[Dd]rop |--[a-z]|pip install|DROP COLUMN|REVOKE|rename|end it|"
    r"(run it|try|refresh) again|which tzconv did not make|"
    r"(^|[:,;] )(or )?(allow|ask|check|choose|close|create|delete|free|give|grant|leave|let|load|"
    r"look|make|name|raise|restore|set|show|take|use|wait|write) "
)


def advices() -> Iterator[tuple[str, str]]:
    """File and text of each message of the job that has an advice; values are in braces."""
    for path in (one for form in JOB for one in sorted((ROOT / "tzconv").glob(form))):
        name = str(path.relative_to(ROOT / "tzconv"))
        if name in NOT_OF_THE_JOB:
            continue
        found = ast.parse(path.read_text())
        bare = [one.value for one in ast.walk(found) if isinstance(one, ast.Expr)]  # docstrings
        help_ = [k for one in ast.walk(found) if isinstance(one, ast.Call) for k in one.keywords]
        skip = {id(one) for one in (*bare, *(k.value for k in help_ if k.arg == "help"))}
        texts = []
        for one in ast.walk(found):
            if isinstance(one, ast.JoinedStr):
                skip |= {id(value) for value in one.values}
                texts.append("".join(map(_written, one.values)))
            elif (
                isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in skip
            ):
                texts.append(one.value)
        yield from ((name, text) for text in texts if " " in text and _ADVICE.search(text))


def _written(value: ast.expr) -> str:
    if isinstance(value, ast.Constant):
        return str(value.value)
    assert isinstance(value, ast.FormattedValue)
    return f"{{{ast.unparse(value.value)}}}"


@pytest.mark.not_core
def test_every_advice_is_known() -> None:
    """A new message needs a state above, or the name of its test."""
    known = {**{said: HERE for said, _, _ in STATES.values()}, **COVERED, **UNTESTED}
    texts = list(advices())
    assert [one for one in texts if not any(said in one[1] for said in known)] == []
    assert [said for said in known if not any(said in text for _, text in texts)] == []
    for place in COVERED.values():
        file, _, name = place.partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(), place


@pytest.mark.not_core
@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, (_, kinds, _) in STATES.items() for kind in kinds]
)
def test_advice(
    name: str,
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    server: postgres.Server | None = None
    if kind == "postgres":
        server = request.getfixturevalue("server")
    monkeypatch.chdir(tmp_path)
    with databases.fresh(kind, tmp_path, server) as database:
        STATES[name][2](At(database, monkeypatch, capsys.readouterr, tmp_path))
