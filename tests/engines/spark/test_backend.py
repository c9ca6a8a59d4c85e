"""The tables in a folder for Spark: refresh, readers, and executors and jobs that are killed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.engines.spark.loaded import ONE, OTHER, SPRING, assert_holds, rows_in
from tzconv import health, tables
from tzconv.errors import DatabaseError, QueryError
from tzconv.refresher import MismatchError, Request, make_plan, refresh

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]


def test_refresh_loads_what_is_generated(spark: Any, backend: Any, tmp_path: Path) -> None:
    first = refresh(backend, zones=ONE, **SPRING)
    assert first.changed
    assert not first.disagreements
    assert_holds(spark, tmp_path / "tz", ONE)
    written = (tmp_path / "tz" / "CURRENT").stat().st_mtime_ns
    assert not refresh(backend, zones=ONE, **SPRING).changed
    assert (tmp_path / "tz" / "CURRENT").stat().st_mtime_ns == written
    second = refresh(backend, zones=OTHER, **SPRING)
    assert set(second.dropped) == set(ONE) - set(OTHER)
    assert_holds(spark, tmp_path / "tz", OTHER)
    third = refresh(backend, zones=ONE, **SPRING)
    assert third.changed
    kept = {path.name for path in (tmp_path / "tz").glob("v*")}
    assert kept == {"v000002", "v000003"}, "the version before may still be read"


def test_spark_s_own_function_judges(backend: Any, tmp_path: Path) -> None:
    found = refresh(backend, zones=["Asia/Tokyo", "EST", "ROC"], **SPRING).disagreements
    assert [(one.zone, one.kind) for one in found] == [("EST", "abbreviation"), ("ROC", "unknown")]
    before = (tmp_path / "tz" / "CURRENT").read_text()
    with pytest.raises(MismatchError, match="ROC"):
        refresh(backend, zones=["Asia/Seoul", "ROC"], on_mismatch="fail", **SPRING)
    assert (tmp_path / "tz" / "CURRENT").read_text() == before
    assert len(list((tmp_path / "tz").glob("v*"))) == 1, "nothing is left of the failed refresh"


def test_views_have_only_zones_that_java_knows(spark: Any, backend: Any, tmp_path: Path) -> None:
    refresh(backend, zones=["Asia/Tokyo", "ROC"], **SPRING)
    assert set(rows_in(spark, tmp_path / "tz")["offset"]["time_zone_name"].to_pylist()) == {
        "Asia/Tokyo"
    }


def test_status_and_doctor(backend: Any, tmp_path: Path) -> None:
    refresh(backend, zones=ONE, **SPRING)
    found = health.doctor(backend, dt.datetime(2026, 4, 1))
    assert found.healthy
    assert found.database.startswith("Spark 4")
    path = tmp_path / "tz" / "v000001" / tables.PERIOD.name / "part-0.parquet"
    pq.write_table(pq.read_table(path).slice(1), path)
    damaged = health.doctor(backend, dt.datetime(2026, 4, 1))
    assert not damaged.healthy
    assert any("period" in finding.text for finding in damaged.findings)
    assert refresh(backend, zones=ONE, repair=True, **SPRING).changed
    assert health.doctor(backend, dt.datetime(2026, 4, 1)).healthy


def test_rows_that_spark_reads_otherwise_are_not_published(
    backend: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh(backend, zones=ONE, **SPRING)
    write = backend._write

    def damaging(folder: Path) -> None:
        write(folder)
        path = folder / tables.DAILY.name / "part-0.parquet"
        pq.write_table(pq.read_table(path).slice(1), path)

    monkeypatch.setattr(backend, "_write", damaging)
    with pytest.raises(DatabaseError, match="Spark reads other rows"):
        refresh(backend, zones=OTHER, **SPRING)
    assert (tmp_path / "tz" / "CURRENT").read_text() == "v000001\n"
    assert not (tmp_path / "tz" / "v000002").exists()


def test_a_version_that_is_not_published_is_not_read(
    backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh(backend, zones=ONE, **SPRING)
    before = backend.newest_release()

    def full(_: str) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(backend._warehouse, "publish", full)
        with pytest.raises(OSError, match="No space"):
            refresh(backend, zones=OTHER, **SPRING)
    assert backend.newest_release() == before
    assert health.status(backend, dt.datetime(2026, 4, 1)).healthy


def test_two_refreshes_at_once(backend: Any, spark: Any, tmp_path: Path) -> None:
    from tzconv.engines.spark.load import Spark

    refresh(backend, zones=ONE, **SPRING)
    with Spark(tmp_path / "tz", session=spark, lock_timeout=0.3) as other, backend.transaction():
        backend.lock()
        with pytest.raises(DatabaseError, match="another refresh is at work"):
            refresh(other, zones=OTHER, **SPRING)


@pytest.mark.parametrize("sql", ["SHOW TABLES", "DROP VIEW x", "INSERT INTO x VALUES (1)", "SELEC"])
def test_only_queries_are_run(backend: Any, sql: str) -> None:
    with pytest.raises(QueryError):
        backend.query(sql)


def test_a_plan_writes_nothing(backend: Any, tmp_path: Path) -> None:
    refresh(backend, zones=ONE, **SPRING)
    before = sorted(path.name for path in (tmp_path / "tz").iterdir())
    planned = make_plan(backend, Request(OTHER, SPRING["start"], SPRING["end"]))
    assert planned.needed
    assert sorted(path.name for path in (tmp_path / "tz").iterdir()) == before
