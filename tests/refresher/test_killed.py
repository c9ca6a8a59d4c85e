"""Jobs and servers that are killed at random, with a reader running all the time."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests import databases, postgres
from tests.databases import Database
from tests.refresher.kills import ONE, OTHER, READ, Reader, end, fits, seconds_of_a_job, start
from tests.waiting import eventually
from tzconv import tables
from tzconv.refresher import refresh
from tzconv.tz.horizon import Horizon
from tzconv.tz.zones import installed

KILLS = int(os.environ.get("TZCONV_KILLS", "5"))
TABLES = [table.name for table in tables.ALL]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """In a server of its own, because the server is killed too."""
    with (
        postgres.running() as server,
        databases.fresh("postgres", tmp_path, server) as opened,
    ):
        yield opened


def kill_backend(database: Database) -> None:
    """SIGKILL to the server's process of the job: the whole server starts again."""
    try:
        found = database.run(
            "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'tzconv,%'"
        )
    except psycopg.OperationalError:
        return
    for (pid,) in found:
        with contextlib.suppress(ProcessLookupError):  # the job was done just now
            os.kill(int(str(pid)), signal.SIGKILL)


def wait_until_up(database: Database) -> None:
    def is_up() -> bool:
        with contextlib.suppress(psycopg.OperationalError):
            return bool(database.run("SELECT 1"))
        return False

    assert eventually(is_up), "the server does not come back"


def test_killed_at_random(database: Database) -> None:
    chance = random.Random(20261121)
    whole = seconds_of_a_job(database)
    reader = Reader(database)
    reader.start()
    for number in range(KILLS):
        made = start(database, OTHER if number % 2 else ONE)
        time.sleep(chance.uniform(0, whole))
        if chance.random() < 0.5:
            made.kill()
        else:
            kill_backend(database)
        end(made)
        wait_until_up(database)
        reader.wait_for_another()
    for zones in (ONE, OTHER):
        assert end(start(database, zones)) == 0
    reader.end()
    horizon = Horizon(dt.date(2026, 1, 1), dt.date(2028, 1, 1))
    database.assert_holds(installed(), OTHER.split(","), horizon)


@pytest.mark.parametrize("kills", [pytest.param(2, marks=pytest.mark.core), KILLS])
def test_duckdb_killed_at_random(kills: int, tmp_path: Path) -> None:
    """No reader can run beside a writing job, so each state is read after each death."""
    with databases.fresh("duckdb", tmp_path, None) as database:
        chance = random.Random(20261121)
        whole = seconds_of_a_job(database)
        survived = 0
        for number in range(kills):
            made = start(database, OTHER if number % 2 else ONE)
            time.sleep(chance.uniform(0, whole))
            made.kill()
            survived += end(made) == 0
            [row] = database.run(READ)
            assert fits(row)
        assert survived < kills
        for zones in (ONE, OTHER):
            assert end(start(database, zones)) == 0
        horizon = Horizon(dt.date(2026, 1, 1), dt.date(2028, 1, 1))
        database.assert_holds(installed(), OTHER.split(","), horizon)


def test_two_at_once_end_one_after_the_other(database: Database) -> None:
    for _ in range(2):  # some have nothing to do any more when their turn comes
        database.run(*[f"DROP TABLE IF EXISTS {t}" for t in (*TABLES, tables.MIGRATION)])
        jobs = [start(database, zones) for zones in (ONE, ONE, OTHER, ONE)]
        assert [end(made) for made in jobs] == [0, 0, 0, 0]
    [row] = database.run(READ)
    assert fits(row)
    assert refresh(database.url, zones=["UTC"], **databases.FREE).changed
