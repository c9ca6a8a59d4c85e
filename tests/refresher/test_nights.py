"""Hundreds of nights in a row: releases, hosts and versions take turns, and things go wrong.

``TZCONV_NIGHTS=800`` runs as many nights with eight tz releases, which pip downloads.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests import ROOT, databases, postgres, releases
from tests.databases import Database
from tests.waiting import eventually
from tzconv import engines, health, tables
from tzconv.engines.duckdb.load import DuckDB
from tzconv.engines.postgres import load as loads
from tzconv.engines.postgres import session
from tzconv.engines.postgres.load import Postgres
from tzconv.errors import BusyError, DatabaseError, NewerTablesError
from tzconv.refresher import refresh
from tzconv.tables import generate
from tzconv.tz import horizon, numbers, zones
from tzconv.tz.horizon import Horizon, seconds_of
from tzconv.tz.periods import Numbers
from tzconv.tz.zones import Rules

NIGHTS = int(os.environ.get("TZCONV_NIGHTS", "24"))
LONG = NIGHTS >= 400
EVERY = 100 if LONG else 8
"""Nights between two tz releases, with each of which a client is stopped."""
VERSIONS = ("2024.1", "2024.2", "2025.1", "2025.2", "2025.3", "2026.1", "2026.3", "2026.6")
BEGAN = dt.datetime(2024, 6, 1, 3, 10) if LONG else dt.datetime(2024, 12, 19, 3, 10)
FIVE = ("America/New_York", "America/St_Johns", "Asia/Kolkata", "Australia/Lord_Howe", "UTC")
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "hourly": {
        "zones": FIVE,
        "tables": ("daily", "hourly", "period"),
        "start": dt.date(2015, 1, 1),
    },
    "default": {} if LONG else {"zones": FIVE},
}
AGE = dt.timedelta(hours=36)
JOB = """
import datetime as dt, sys
from pathlib import Path
from tzconv.engines.duckdb.load import DuckDB
from tzconv.engines.postgres import session
from tzconv.engines.postgres.load import Postgres
from tzconv.refresher import guards, loaded, refresh, wanted
from tzconv.tz import zones

url, tree, release, now, repair = sys.argv[1:]
DuckDB.now = Postgres.now = lambda self: dt.datetime.fromisoformat(now)
rules = zones.of_package(Path(tree), release, "tzdata")
zones.installed = lambda: rules
guards.__version__ = loaded.__version__ = wanted.__version__ = "0.10.0"
session._OURS["idle_in_transaction_session_timeout"] = "'3s'"
print("began", flush=True)
refresh(url, repair=bool(repair))
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Path]]:
    """Name and folder of each tz release, the oldest first."""
    folder = tmp_path_factory.mktemp("releases")
    found = []
    for version in VERSIONS if LONG else VERSIONS[-1:]:
        wheel = releases.wheel(version, folder)
        if wheel is None:
            pytest.skip("pip cannot get the tz releases")
        package = releases.tree(wheel, folder / version).parent
        year, number = version.split(".")
        found.append((f"{year}{'?abcdefgh'[int(number)]}", package))
    if not LONG:  # the same rules by other names, but for one zone
        name, package = found[0]
        older = folder / "older"
        subprocess.run(["cp", "-r", package, older], check=True)
        (older / "zoneinfo" / "America" / "New_York").write_bytes(
            (releases.TREE / "America" / "Chicago").read_bytes()
        )
        found = [("2026d", older), ("2026e", package), (name, package)]
    return found


@dataclass
class Nights:
    """What happens, what rang, and what the tables must hold."""

    database: Database
    given: dict[str, Any]
    packages: list[tuple[str, Path]]
    patch: pytest.MonkeyPatch
    rang: dict[int, str] = field(default_factory=dict)
    must_ring: dict[int, str] = field(default_factory=dict)
    holds: tuple[str, Horizon] | None = None
    sums: dict[tuple[str, Horizon], dict[str, Any]] = field(default_factory=dict)
    wal: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    left: int = 0
    known: dict[int, Rules] = field(default_factory=dict)
    damaged: bool = False

    def now(self, night: int) -> dt.datetime:
        return BEGAN + dt.timedelta(days=night)

    def newest(self, night: int) -> int:
        return min(night // EVERY, len(self.packages) - 1)

    def rules(self, number: int) -> Rules:
        if number not in self.known:
            name, package = self.packages[number]
            self.known[number] = zones.of_package(package, name, "tzdata")
        return self.known[number]

    def set(self, night: int, rules: Rules, version: str) -> None:
        now = self.now(night)
        for backend in (DuckDB, Postgres):
            self.patch.setattr(backend, "now", lambda _: now)
        self.patch.setattr(zones, "installed", lambda: rules)
        for module in ("guards", "loaded", "wanted"):
            self.patch.setattr(f"tzconv.refresher.{module}.__version__", version)

    def ring(self, night: int, why: str) -> None:
        self.rang[night] = f"{self.rang[night]}; {why}" if night in self.rang else why

    def wanted(self, night: int, rules: Rules) -> tuple[str, Horizon]:
        return rules.release, horizon.choose(self.given.get("start"), None, self.now(night).date())

    def check(self, rules: Rules) -> None:
        """Every table equals the oracle: by DuckDB, which hashes the rows of both."""
        assert self.holds is not None
        release, covered = self.holds
        if self.holds not in self.sums:
            while rules.release != release:
                rules = next(
                    one
                    for one in map(self.rules, range(len(self.packages)))
                    if one.release == release
                )
            self.sums[self.holds] = self.expected(rules, covered)
        found = self.found()
        expected = self.sums[self.holds]
        for name, sums in expected.items():
            assert found[name] == sums, (name, self.holds)

    def expected(self, rules: Rules, covered: Horizon) -> dict[str, Any]:
        names = rules.select(self.given.get("zones"))
        ids, shared = (
            dict(self.database.run(f"SELECT time_zone_name, {column} FROM {tables.ZONE.name}"))
            for column in ("zone_id", "rules_id")
        )
        end = seconds_of(covered.offset_end)
        numbered = rules.with_numbers(numbers.numbered(rules, names, Numbers(ids, shared), end))
        loaded = [name for name, count in self.counts().items() if count]
        with duckdb.connect() as judge:
            sums = {}
            for name in loaded:
                rows = generate.stream(name, numbered, names, covered).read_all()
                judge.register("rows_of", rows)
                sums[name] = judge.execute(hashed(name, "rows_of")).fetchall()
        return sums

    def counts(self) -> dict[str, int]:
        return {
            name: self.database.run(f"SELECT count(*) FROM {table.name}")[0][0]
            for name, table in tables.CONVERSIONS.items()
        }

    def found(self) -> dict[str, Any]:
        assert self.holds is not None
        if self.database.server is None:
            with duckdb.connect(self.database.path, read_only=True) as database:
                return {
                    name: database.execute(hashed(name, table.name)).fetchall()
                    for name, table in tables.CONVERSIONS.items()
                }
        with duckdb.connect() as judge:
            found = {}
            for name in self.sums[self.holds]:
                columns = ", ".join(column.name for column in tables.CONVERSIONS[name].columns)
                judge.register("rows_of", self.database._rows(name, columns))
                found[name] = judge.execute(hashed(name, "rows_of")).fetchall()
        return found

    def written(self) -> object:
        """PostgreSQL's counters of changed rows; None where there are none."""
        if self.database.server is None:
            return None
        listed = ", ".join(f"'{table.name}'" for table in tables.CONVERSIONS.values())
        return self.database.run(
            "SELECT pg_stat_force_next_flush()",
            "SELECT relname, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables "
            f"WHERE relname IN ({listed}) ORDER BY 1",
        )

    def lsn(self) -> int:
        [(found,)] = self.database.run("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")
        return int(found)

    def size(self) -> int:
        if self.database.server is None:
            return self.database.path.stat().st_size
        [(found,)] = self.database.run(
            "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class "
            "WHERE relkind = 'r' AND relname LIKE 'time\\_zone\\_%'"
        )
        return int(found)

    def sessions(self) -> int:
        if self.database.server is None:
            return 0
        [(found,)] = self.database.run(
            # a session between two transactions keeps nothing
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'tzconv%' "
            f"AND datname = '{self.database.name}' AND xact_start IS NOT NULL"
        )
        return int(found)

    # -- what a night does

    def refresh(self, night: int, rules: Rules, **given: Any) -> bool:
        """One run of the job: whether it ended with 0; 3 is no alarm."""
        began = time.process_time()
        try:
            result = refresh(self.database.url, lock_timeout=5, **given)
        except NewerTablesError:
            return False
        except DatabaseError as error:
            self.ring(night, str(error)[-120:])
            return False
        self.cpu.append(time.process_time() - began)
        self.holds = self.wanted(night, rules)
        assert result.tz_release == rules.release
        return True

    def stopped(self, night: int, seconds: float) -> None:
        """A job that is stopped after some time, as by a machine that is suspended."""
        name, package = self.packages[self.newest(night)]
        command = [sys.executable, "-c", JOB, self.database.url, str(package), name]
        command += [str(self.now(night)), "yes"]
        with (
            subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as job,
            contextlib.ExitStack() as at_last,
        ):
            at_last.callback(job.kill)  # nobody waits for a stopped job where this fails
            assert job.stdout is not None
            job.stdout.readline()
            time.sleep(seconds)
            job.send_signal(signal.SIGSTOP)
            stat = Path(f"/proc/{job.pid}/stat")
            assert eventually(
                lambda: job.poll() is not None or stat.read_text().rsplit(") ")[-1][0] == "T"
            )
            if job.poll() is not None:  # it was faster
                assert job.returncode == 0
                self.holds = self.wanted(night, self.rules(self.newest(night)))
                return
            self.must_ring[night] = "the job hangs"
            self.ring(night, "the scheduler's limit")
            rules = self.rules(self.newest(night))  # of the next run, which meets it
            if self.database.server is not None:
                assert eventually(self.try_again, 60)
                outlived = "a session outlives its limit"
                assert eventually(lambda: self.try_again() and self.sessions() == 0, 60), outlived
            else:
                said = self.busy()
                assert said is None or f"end it with kill -9 {job.pid}" in said
        if self.database.server is None:
            refresh(self.database.url)
        self.holds = self.wanted(night, rules)

    def try_again(self) -> bool:
        try:
            refresh(self.database.url, lock_timeout=2)
        except BusyError:
            return False
        return True

    def busy(self) -> str | None:
        """What a refresh says that meets an open file; None if it meets none."""
        try:
            refresh(self.database.url, lock_timeout=0)
        except BusyError as error:
            return str(error)
        return None

    def full_disk(self, night: int, rules: Rules) -> None:
        """It has no room for three more years."""
        self.must_ring[night] = "the disk is full"
        more = {"end": dt.date(self.now(night).year + 12, 1, 1)}
        server, most = self.database.server, self.size()
        if server is not None:
            large = tables.HOURLY if "hourly" in self.given.get("tables", ()) else tables.DAILY
            [(size,)] = self.database.run(f"SELECT pg_relation_size('{large.name}')")
            most = max(size, 17 << 20)  # the write-ahead log has files of 16 MiB
        with postgres._limited_files(most):
            if server is not None:
                server.restart()
            assert not self.refresh(night, rules, **more)
        if server is not None:
            server.restart()
        said = self.rang[night]  # the limit of a file's size is not what an empty disk says
        assert "space" in said or "File too large" in said, said

    def watch(self, night: int, newest: Rules) -> None:
        """The monitor: status each night, doctor each week, on the host with the newest release."""
        self.set(night, newest, "0.10.0")
        weekly = night % 7 == 0
        with engines.connect(self.database.url, read_only=True) as backend:
            look = health.doctor if weekly else health.status
            found = look(backend, self.now(night), AGE)
        if not found.healthy:
            errors = [one.text for one in found.findings if one.level == "error"]
            self.ring(night, errors[0])
            if weekly:
                refresh(self.database.url, repair=True)
                self.damaged = False

    def damage(self, night: int) -> None:
        rows = f"FROM {tables.DAILY.name} WHERE time_zone_name = 'UTC'"
        self.database.run(
            f"UPDATE {tables.DAILY.name} SET day_ends_at_utc = day_starts_at_utc "
            f"WHERE time_zone_name = 'UTC' AND day = (SELECT max(day) {rows})"
        )
        self.must_ring[night + -night % 7] = "a row was changed"
        self.damaged = True

    def night(self, night: int, draw: random.Random) -> None:
        newest = self.newest(night)
        # the other host takes a release half of the time later
        behind = night % 2 and night % EVERY < EVERY // 2
        number = max(newest - bool(behind), 0)
        rules = self.rules(number)
        self.set(night, rules, "0.9.1" if night % 2 else "0.10.0")
        counted, wal = self.written(), self.lsn() if self.database.server else 0
        had = self.holds
        if night and night % EVERY == 0:
            self.stopped(night, draw.uniform(0.05, 1.5))
        elif night % (2 * EVERY) == EVERY // 2 and (
            LONG or "hourly" in self.given.get("tables", ())
        ):
            self.full_disk(night, rules)
        else:
            done = self.refresh(night, rules)
            # a host with an older tzconv or release leaves the work to the other one
            assert done or night % 2 or night in self.rang
        if self.database.server and self.holds == had and night not in self.rang:
            self.wal.append(self.lsn() - wal)
        if self.damaged:
            pass  # nobody has said that it is right
        elif counted is None or self.written() != counted or night % 20 == 0:
            self.check(rules)
        else:
            self.left += 1
        assert self.sessions() == 0
        if (LONG and night % 333 == 300) or (not LONG and night == 16):
            self.damage(night + 1)
        self.watch(night, self.rules(newest))
        self.sizes.append(self.size())


def hashed(name: str, relation: str) -> str:
    """The SELECT of the count and a sum of hashes of all rows; NULL is a value."""
    columns = ", ".join(column.name for column in tables.CONVERSIONS[name].columns)
    return f"SELECT count(*), sum(hash({columns})::HUGEINT) FROM {relation}"


@pytest.fixture
def opened(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Database]:
    server: postgres.Server | None = None
    if kind == "postgres":
        server = request.getfixturevalue("server")
    with databases.fresh(kind, tmp_path, server) as database:
        yield database


@pytest.mark.not_core
@pytest.mark.parametrize("configuration", CONFIGURATIONS)
@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_nights(
    kind: str,
    configuration: str,
    opened: Database,
    packages: list[tuple[str, Path]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("STALLED_AFTER", "UNREAD_AFTER"):
        monkeypatch.setattr(session, name, "1s")
    monkeypatch.setattr(loads, "_LONG_WAIT", 1.0)
    given = CONFIGURATIONS[configuration]
    nights = Nights(opened, given, packages, monkeypatch)
    draw = random.Random(36)
    first = nights.rules(0)
    nights.set(0, first, "0.9.1")
    refresh(opened.url, **given)
    nights.holds = nights.wanted(0, first)
    fresh = nights.size()
    for night in range(NIGHTS):
        nights.night(night, draw)
    report = {
        "kind": kind,
        "configuration": configuration,
        "nights": NIGHTS,
        "rang": nights.rang,
        "must_ring": nights.must_ring,
        "size": [fresh, max(nights.sizes), nights.sizes[-1]],
        "wal": sorted(nights.wal)[len(nights.wal) // 2 :: max(1, len(nights.wal) // 2)],
        "counters_only": nights.left,
        "cpu_median": sorted(nights.cpu)[len(nights.cpu) // 2],
    }
    print(json.dumps(report))
    if LONG:
        Path(f"nights-{kind}-{configuration}.json").write_text(json.dumps(report))
    assert nights.rang.keys() == nights.must_ring.keys()
    assert not nights.wal or sorted(nights.wal)[len(nights.wal) // 2] < 2_000
