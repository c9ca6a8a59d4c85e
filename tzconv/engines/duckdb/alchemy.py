"""DuckDB behind SQLAlchemy."""

from __future__ import annotations

from typing import Any

from tzconv.engines.alchemy import Alchemy, Ask
from tzconv.engines.catalog import Types
from tzconv.engines.duckdb import bind, catalog, expected
from tzconv.sql.binder import Bind, BoundColumns


class DuckDBAlchemy(Alchemy):
    """The driver is the engine itself."""

    session_zone = "SELECT current_setting('TimeZone')"

    def column_types(self, driver: Any, ask: Ask, *, is_changing: bool) -> Types:
        return catalog.column_types(driver, is_changing=is_changing)

    def expected_rows(self, driver: Any, ask: Ask, statement: str, parameters: Any) -> float | None:
        return expected.expected(driver, statement, parameters)

    def bind(self, driver: Any) -> Bind:
        def asked(sql: str) -> BoundColumns:
            with driver.duplicate() as own:
                return bind.bind(own, sql)

        return asked

    def private(self, driver: Any) -> Any:
        return driver.duplicate()


ALCHEMY = DuckDBAlchemy()
