"""The same events as in tests/events.py, as Parquet files that Spark reads.

The times are inputs only: what is right about them is what Spark says of the original query.
"""

from __future__ import annotations

import atexit
import datetime as dt
import os
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from tests import events
from tzconv import tables
from tzconv.engines.spark.write import REFUSED
from tzconv.tables import generate
from tzconv.tz import zones

ODD_ZONES = ["UTC+3", "+05:45", "PST", "EST", "HST", "Z", "GMT+11", "-17:59", "+3:0", None]
"""What zone columns hold in practice beside IANA names, all known to Java."""

UNKNOWN_ZONES = ["america/new_york", "ROC", "Mars/Phobos", "", "utc"]
"""Names that Java refuses; they have no events."""

QUICK_JAVA = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""Java as it is fastest for many queries over few rows: compiled once, and not again and better;
classes are not verified.
"""

_FAR_AWAY = {"infinity": "9998-12-31 12:00:00", "-infinity": "0002-01-01 00:00:00"}


def session(master: str) -> Any:
    """A Spark session in UTC; an error, and no skipping, where there is no Java."""
    from pyspark.sql import SparkSession

    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        raise RuntimeError("These tests need Java 17 or later: see docs/spark.md.")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master(master).appName("tzconv tests")
    folder = tempfile.mkdtemp(prefix="tzconv-spark-")  # else tables are made in the working folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        # what fails for its zone fails again; what fails with its executor does not
        "spark.task.maxFailures": "2",
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.local.dir": f"{folder}/local",
        "spark.driver.extraJavaOptions": f"{QUICK_JAVA} -Dderby.system.home={folder}/derby",
        "spark.executor.extraJavaOptions": QUICK_JAVA,
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def load(spark: Any, folder: Path) -> None:
    """Write the tables of tests/events.py and conversion tables, and make views of them."""
    names = [*ODD_ZONES, *_known(), *UNKNOWN_ZONES]
    _publishers(folder, names)
    _actions(folder, names)
    _rest(folder)
    for table, rows in (
        ("offsets", generate.offset(None).read_all()),
        ("zones", generate.zone(None).read_all()),
        ("periods", generate.period(None).read_all().sort_by("zone_period")),
    ):
        pq.write_table(rows, folder / f"all_{table}.parquet", compression="zstd")
    for path in sorted(folder.glob("*.parquet")):
        spark.read.parquet(str(path)).createOrReplaceTempView(path.stem)
    _agree(spark, folder)


def rows_of(spark: Any, sql: str) -> tuple[list[object], Counter[str]]:
    """Names and types of the columns of a query, and how often each of its rows came."""
    made = re.match(r"INSERT INTO (\w+)", sql)
    if made:
        spark.sql(f"DROP TABLE IF EXISTS {made[1]}")
        spark.sql(f"CREATE TABLE {made[1]} (day DATE, n BIGINT) USING parquet")
        spark.sql(sql)
        sql = f"SELECT * FROM {made[1]}"
    frame = spark.sql(sql)
    names = [f"c{index}" for index in range(len(frame.columns))]
    text = frame.toDF(*names).selectExpr(*(f"CAST({name} AS STRING) {name}" for name in names))
    return list(frame.dtypes), Counter(str(tuple(row)) for row in text.collect())


def column_types(spark: Any) -> dict[str, dict[str, str]]:
    """Column types by table, as a user would declare them."""
    return {
        table.name: dict(spark.table(f"`{table.name}`").dtypes)
        for table in spark.catalog.listTables()
    }


def _known() -> list[str]:
    return [name for name in zones.installed().names if name not in REFUSED]


def _agree(spark: Any, folder: Path) -> None:
    """Keep the zones whose rules are those of Java: else there is nothing to compare.

    Names that Java refuses stay in the table: the rewrite must not use them.
    """
    refused = ", ".join(map(repr, REFUSED))
    spark.sql(
        f"""
        SELECT DISTINCT time_zone_name FROM (
            SELECT time_zone_name, utc_offset_seconds AS seconds, explode(array(
                starts_at_utc, ends_before_utc - INTERVAL '1' MICROSECOND,
                greatest(starts_at_utc, ends_before_utc - INTERVAL '100' DAY)
            )) AS t FROM all_offsets WHERE time_zone_name NOT IN ({refused})
        ) WHERE convert_timezone('UTC', time_zone_name, t) <> timestampadd(SECOND, seconds, t)
        """
    ).createOrReplaceTempView("differing")
    differing = {row[0] for row in spark.sql("SELECT * FROM differing").collect()}
    for name, table in (
        ("offsets", tables.OFFSET),
        ("zones", tables.ZONE),
        ("periods", tables.PERIOD),
    ):
        rows = pq.read_table(folder / f"all_{name}.parquet")
        known = pa.array([zone not in differing for zone in rows["time_zone_name"].to_pylist()])
        kept = rows if name == "periods" else rows.filter(known)  # zones share those
        assert name == "periods" or len(set(kept["time_zone_name"].to_pylist())) > 500
        path = folder / f"kept_{name}.parquet"
        pq.write_table(kept, path)
        spark.read.parquet(str(path)).createOrReplaceTempView(table.name)


def _publishers(folder: Path, names: list[str | None]) -> None:
    known = _known()
    made = pa.table(
        {
            "id": pa.array(range(len(names)), pa.int32()),
            "time_zone_name": pa.array(names, pa.utf8()),
            "name": [f"publisher {index % 40}" for index in range(len(names))],
            "billing.zone": [known[index * 7 % len(known)] for index in range(len(names))],
        }
    )
    pq.write_table(made, folder / "publishers.parquet")


def _actions(folder: Path, names: list[str | None]) -> None:
    # events.given() numbers all names of the tz release; those that Java refuses have no events
    rules = zones.installed()
    ids = {name: index for index, name in enumerate(names)}
    given = [*ODD_ZONES, *rules.names]
    pairs = [
        (ids[given[number]], _FAR_AWAY.get(time or "", time))
        for number, time in events.given(ODD_ZONES)
        if number < len(ODD_ZONES) or given[number] not in REFUSED
    ]
    numbers, times = zip(*pairs, strict=True)
    made = pa.table({"id": pa.array(numbers, pa.int32()), "t": pa.array(times, pa.utf8())})
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("given", made)
        actions = connection.execute(
            """
            SELECT t::timestamp AS action_event_time, id AS action_publisher_id,
                'click' AS action_name, t::timestamp AT TIME ZONE 'UTC' AS seen,
                t::timestamp + INTERVAL 1 MINUTE AS loaded, (hash(t) % 10)::integer AS n
            FROM given
            """
        ).to_arrow_table()
    pq.write_table(actions, folder / "actions.parquet")


def _rest(folder: Path) -> None:
    known = _known()
    opened = dt.datetime(2019, 3, 31, 1)
    now = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    pq.write_table(
        pa.table(
            {
                "n": pa.array(range(10), pa.int32()),
                "time_zone_name": known[300:310],
                "opened": pa.array([opened] * 10, pa.timestamp("us")),
            }
        ),
        folder / "sites.parquet",
    )
    times = [now - dt.timedelta(seconds=977 * index) for index in range(4000)]
    pq.write_table(
        pa.table(
            {
                "log_time": pa.array(
                    [*times, None, now + dt.timedelta(days=1)], pa.timestamp("us")
                ),
                "level": pa.array([*(index % 4 for index in range(4000)), 1, 2], pa.int32()),
            }
        ),
        folder / "logs.parquet",
    )
