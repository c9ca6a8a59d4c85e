"""Vertica behind SQLAlchemy."""

from __future__ import annotations

from typing import Any

from tzconv.engines.alchemy import Alchemy, Ask
from tzconv.engines.catalog import Types, types_by_name
from tzconv.engines.vertica import catalog


class VerticaAlchemy(Alchemy):
    """Vertica shows the name of a setting before its value."""

    session_zone = "SHOW TIMEZONE"
    has_one_cursor = True
    has_shadow = False

    def column_types(self, driver: Any, ask: Ask, *, is_changing: bool) -> Types:
        path = catalog.schemas_of_path(
            str(ask("SHOW SEARCH_PATH")[1][0][1]), str(ask("SELECT CURRENT_USER")[1][0][0])
        )
        return types_by_name(ask(catalog.COLUMNS)[1], path)

    def between_zones(self, column: str, from_zone: str, to_zone: str) -> str:
        return f"new_time({column}, {from_zone}, {to_zone})"


ALCHEMY = VerticaAlchemy()
