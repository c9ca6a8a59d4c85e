"""The benchmark at small sizes."""

from __future__ import annotations

import datetime as dt

from tests import postgres

TODAY = dt.date(2026, 11, 21)
SMALL = ["--rows", "3000", "--zone-count", "12", "--rounds", "1"]


def silent(text: str) -> None:
    pass


def schemas(server: postgres.Server, name: str) -> list[object]:
    with server.connect(name) as connection:
        rows = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tzconv_bench%'"
        ).fetchall()
    return list(rows)
