"""PostgreSQL behind SQLAlchemy, with whichever driver."""

from __future__ import annotations

import functools
import json
from typing import Any

from tzconv.engines.alchemy import Alchemy, Ask
from tzconv.engines.catalog import Types, types_by_name
from tzconv.engines.postgres import catalog, expected
from tzconv.sql.binder import Bind


class PostgresAlchemy(Alchemy):
    """What psycopg knows besides is used where it is the driver."""

    reports_zone = True
    has_savepoints = True
    has_rows_at_once = True
    percent_drivers = ("psycopg",)

    def column_types(self, driver: Any, ask: Ask, *, is_changing: bool) -> Types:
        return types_by_name(ask(catalog.COLUMNS)[1])

    def session_time_zone(self, driver: Any, ask: Ask) -> str:
        if hasattr(driver, "info"):
            reported = getattr(driver.info, "parameter_status", lambda name: None)("TimeZone")
            if reported:
                return str(reported)
        return super().session_time_zone(driver, ask)

    def expected_rows(self, driver: Any, ask: Ask, statement: str, parameters: Any) -> float | None:
        _, rows = ask(expected.EXPLAIN + statement, parameters)
        plans = json.loads(rows[0][0]) if isinstance(rows[0][0], str) else rows[0][0]

        def size(table: tuple[str, str]) -> float:
            return float(ask(expected.size_of(table))[1][0][0])

        return expected.rows_of(plans[0]["Plan"], size)

    def bind(self, driver: Any) -> Bind | None:
        if not hasattr(driver, "pgconn"):
            return None
        from tzconv.engines.postgres import query  # it needs psycopg

        return functools.partial(query.bind, driver.pgconn)


ALCHEMY = PostgresAlchemy()
