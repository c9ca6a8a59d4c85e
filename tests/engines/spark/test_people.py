"""Statements that people write for Spark, run as they were and as they were rewritten."""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.people import data, measure, statements
from tzconv import tables
from tzconv.tables import generate

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]
# pyspark's own warnings are not ours


@pytest.fixture(scope="module")
def people(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The tables as Parquet files, with the types that tests.people.data declares for Spark."""
    folder = tmp_path_factory.mktemp("people")
    _write(folder)
    for path in folder.glob("*.parquet"):
        spark.read.parquet(str(path)).createOrReplaceTempView(path.stem)
    for name in ("codegen.wholeStage", "adaptive.enabled"):
        spark.conf.set(f"spark.sql.{name}", "false")  # few rows: no plan is compiled or revised
    return spark


def _write(folder: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(data.ddl("duckdb"))
        for table, path in data.csv_files(folder, odd=None).items():
            connection.execute(f"COPY {table} FROM '{path}' (FORMAT csv, HEADER false)")
            times = [
                str(column)
                for column, kind, *_ in connection.execute(f"DESCRIBE {table}").fetchall()
                if kind == "TIME"
            ]
            texts = ", ".join(f"{column}::VARCHAR AS {column}" for column in times)
            chosen = f"* REPLACE ({texts})" if times else "*"
            file = folder / f"{table.strip(chr(34))}.parquet"
            connection.execute(f"COPY (SELECT {chosen} FROM {table}) TO '{file}'")
        for kept, made in (
            (tables.OFFSET, generate.offset(data.ZONES)),
            (tables.ZONE, generate.zone(data.ZONES)),
            (tables.PERIOD, generate.period(data.ZONES)),
        ):
            connection.register("made", made)
            connection.execute(f"COPY (FROM made) TO '{folder / kept.name}.parquet'")


def frame_of(spark: Any, text: str) -> Any:
    """A statement's rows as a frame that has not run; those of the view that it makes."""
    text = text.removeprefix("EXPLAIN ")
    if text.startswith("CREATE"):
        spark.sql(text)
        return spark.table(text.split(" AS ")[0].split()[-1])
    return spark.sql(text)


def test_same_rows(people: Any) -> None:
    """Few queries for all: planning one costs more than its rows, and now() is one time in each."""
    results = measure.rewritten("spark")
    every = [*statements("spark")]
    for names in (every[start : start + 11] for start in range(0, len(every), 11)):
        frames = {}
        for name in names:
            one = statements("spark")[name]
            before = frame_of(people, one.rendered(one.text))
            frames[name, "before"] = before
            if results[name].changes:
                frames[name, "after"] = after = frame_of(people, one.rendered(results[name].sql))
                assert after.dtypes == before.dtypes, name
        rows = _collected(frames)
        for name in names:
            assert rows[name, "before"], f"{name}: a statement without rows proves nothing"
            after_rows = rows.get((name, "after"), rows[name, "before"])
            assert after_rows == rows[name, "before"], results[name].sql


def _collected(frames: dict[tuple[str, str], Any]) -> dict[tuple[str, str], Counter[str]]:
    """The rows of all frames as text, collected at once."""
    marked = []
    for (name, when), frame in frames.items():
        plain = frame.toDF(*(f"c{index}" for index in range(len(frame.columns))))
        text = "CAST(struct(*) AS STRING) AS row"
        marked.append(plain.selectExpr(f"'{name}' AS name", f"'{when}' AS time", text))
    rows: dict[tuple[str, str], Counter[str]] = {key: Counter() for key in frames}
    for name, when, row in functools.reduce(lambda one, other: one.union(other), marked).collect():
        rows[name, when][row] += 1
    return rows
