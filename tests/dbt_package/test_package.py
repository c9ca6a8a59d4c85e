"""The macros of the package dbt/, in models that real dbt builds."""

from __future__ import annotations

import pytest

from tests.dbt_package.builds import Build

pytestmark = pytest.mark.dbt

PAIRS = [
    ("constant_native", "constant_tables"),
    ("zones_native", "zones_tables"),
    ("days_native", "days_table"),
    ("days_native", "days_view"),
    ("dbt_date_native", "dbt_date_tables"),
]


@pytest.mark.parametrize(("native", "tables"), PAIRS)
def test_same_rows(built: Build, native: str, tables: str) -> None:
    rows = built.rows(f"SELECT * FROM {native}")
    assert rows[1].total() > 5_000
    assert built.rows(f"SELECT * FROM {tables}") == rows
