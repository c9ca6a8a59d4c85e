"""A few zones for Spark, and what its tables hold of them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

from tests import databases
from tests.databases import FREE
from tzconv import tables
from tzconv.tables import generate
from tzconv.tz.horizon import Horizon
from tzconv.tz.zones import installed

ONE = ["America/New_York", "Asia/Kolkata", "America/St_Johns", "Pacific/Apia", "UTC"]
OTHER = ["America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Europe/Paris"]
SPRING: dict[str, Any] = {
    **FREE,
    "start": dt.date(2026, 3, 1),
    "end": dt.date(2026, 5, 1),
    "tables": databases.ALL,
}


def rows_in(spark: Any, folder: Path) -> dict[str, Any]:
    """All rows of the tables as Spark reads them."""
    from tzconv.engines.spark.load import attach

    attach(spark, folder)
    return {
        name: spark.sql(
            f"SELECT {', '.join(c.name for c in table.columns)} FROM {table.name} "
            f"ORDER BY {', '.join(table.key)}"
        ).toArrow()
        for name, table in tables.CONVERSIONS.items()
    }


def assert_holds(spark: Any, folder: Path, names: list[str]) -> None:
    """Row for row what the generator says."""
    there = rows_in(spark, folder)
    horizon = Horizon(SPRING["start"], SPRING["end"])
    for name, table in tables.CONVERSIONS.items():
        expected = generate.stream(name, installed(), sorted(names), horizon).read_all()
        columns = [column.name for column in table.columns]
        assert rows_of(there[name]) == rows_of(expected.select(columns)), name


def rows_of(made: Any) -> list[tuple[Any, ...]]:
    """The rows of an Arrow table in order of all their values, those without one last."""
    rows = zip(*(column.to_pylist() for column in made.columns), strict=True)
    return sorted(rows, key=lambda row: [(value is None, value or 0) for value in row])
