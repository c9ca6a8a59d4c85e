"""Statements that people write for Spark, run as they were and as they were rewritten."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests import events_spark
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


def rows_of(spark: Any, text: str) -> tuple[list[object], Counter[str]]:
    text = text.removeprefix("EXPLAIN ")
    view = text.startswith("CREATE")
    if view:
        spark.sql(text)
        text = f"SELECT * FROM {text.split(' AS ')[0].split()[-1]}"
    return events_spark.rows_of(spark, text)


@pytest.mark.parametrize("name", statements("spark"))
def test_same_rows(name: str, people: Any) -> None:
    text, result = statements("spark")[name].text, measure.rewritten("spark")[name]
    before = rows_of(people, text)
    assert before[1], "a statement without rows proves nothing"
    if result.changes:
        assert rows_of(people, result.sql) == before, result.sql
