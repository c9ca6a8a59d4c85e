"""Local times that become UTC on Spark, around every gap and fold of every zone that Java knows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tzconv import tables
from tzconv.rewriter import rewrite
from tzconv.tables import generate
from tzconv.tz import zones
from tzconv.tz.posix import Int64

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]
# pyspark's own warnings are not ours

DAY, SECOND = 86_400 * 10**6, 10**6
AROUND = [-DAY, -3_600 * SECOND, -1, 0, 1, 1_800 * SECOND, 3_600 * SECOND - 1, DAY - 1, DAY]
TYPES = {"edges": {"zone": "string", "at": "timestamp_ntz", "instant": "timestamp"}}
WINDOW = "AND {0} >= TIMESTAMP{1} '1971-01-01' AND {0} < TIMESTAMP{1} '2037-01-01'"


def _changes(name: str) -> tuple[Int64, Int64, Int64]:
    """The changes of a zone in seconds, and the offsets before and after each."""
    starts, offsets = zones.installed().zone(name).offset_changes(2_114_380_800)
    later = starts[1:] > 31_536_000
    return starts[1:][later], offsets[:-1][later], offsets[1:][later]


def _edges(names: list[str]) -> pa.Table:
    def made() -> Iterator[tuple[str, Int64]]:
        for name in names:
            starts, before, after = _changes(name)
            for offset, more in itertools.product((before, after), AROUND):
                yield name, (starts + offset) * SECOND + more

    rows = [*made()]
    texts = np.concatenate([np.full(len(values), name, object) for name, values in rows])
    times = np.concatenate([values for _, values in rows])
    return pa.table({"zone": texts, "us": times})


@pytest.fixture(scope="module")
def edges(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The tables, and times around the changes that Java's rules and ours have in common."""
    from tzconv.engines.spark import sessions  # it needs pyspark

    folder = tmp_path_factory.mktemp("edges")
    known = sessions.java_zones(spark)
    names = [name for name in zones.installed().names if name in known]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for table, made in (("offset", generate.offset(names)), ("zone", generate.zone(names))):
            connection.register("made", made)
            path = folder / f"{tables.CONVERSIONS[table].name}.parquet"
            connection.execute(f"COPY (FROM made) TO '{path}'")
        connection.register("rows", _edges(names))
        path = folder / "edges.parquet"
        connection.execute(
            "COPY (SELECT zone, make_timestamp(us) AS at, make_timestamptz(us) AS instant "
            f"FROM rows) TO '{path}'"
        )
    for path in folder.glob("*.parquet"):
        spark.read.parquet(str(path)).createOrReplaceTempView(path.stem)
    for name in _of_other_rules(spark, folder, names):
        names.remove(name)
    frame = spark.table("edges")
    frame.where(frame.zone.isin(names)).createOrReplaceTempView("edges")
    assert len(names) > 500
    return spark


def _of_other_rules(spark: Any, folder: Path, names: list[str]) -> list[str]:
    """Zones that Java has another release's rules for: what it shows says so.

    It is asked at each change, a second before it, and every ten days.
    """
    texts, times, locals_ = list[str](), list[Int64](), list[Int64]()
    for name in names:
        starts, offsets = zones.installed().zone(name).offset_changes(2_114_380_800)
        changes = _changes(name)[0]
        days = np.arange(31_536_000, 2_114_380_800, 864_000)
        utc = np.concatenate([changes, changes - 1, days])
        texts += [name] * len(utc)
        times.append(utc)
        locals_.append(utc + offsets[np.searchsorted(starts, utc, "right") - 1])
    table = pa.table({"zone": texts, "utc": np.concatenate(times), "at": np.concatenate(locals_)})
    path = folder / "rules.parquet"
    with duckdb.connect() as connection:
        connection.register("made", table)
        connection.execute(f"COPY (FROM made) TO '{path}'")
    frame = spark.read.parquet(str(path))
    differs = "unix_seconds(from_utc_timestamp(timestamp_seconds(utc), zone)) <> at"
    return [row[0] for row in frame.where(differs).select("zone").distinct().collect()]


@pytest.mark.parametrize(
    ("call", "column", "kind"),
    [
        ("convert_timezone(zone, 'UTC', at)", "at", "_NTZ"),
        ("to_utc_timestamp(instant, zone)", "instant", ""),
    ],
)
@pytest.mark.parametrize("session", ["UTC", "America/New_York"])
def test_gaps_and_folds(edges: Any, call: str, column: str, kind: str, session: str) -> None:
    where = WINDOW.format(column, kind)
    text = f"SELECT zone, {column}, {call} AS utc FROM edges WHERE zone > '' {where}"
    result = rewrite(text, dialect="spark", schema=TYPES, session_time_zone=session)
    assert {one.strategy for one in result.changes} == {"offset"}
    edges.conf.set("spark.sql.session.timeZone", session)
    try:
        before, after = edges.sql(text), edges.sql(result.sql)
        assert before.dtypes == after.dtypes
        assert before.exceptAll(after).limit(5).collect() == []
        assert before.count() == after.count() > 100_000
    finally:
        edges.conf.set("spark.sql.session.timeZone", "UTC")
