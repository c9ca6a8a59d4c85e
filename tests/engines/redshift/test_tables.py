"""The tables for Redshift, and the statements of docs/redshift.md that check them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT, events_postgres, events_redshift, postgres
from tzconv import engines
from tzconv.tables import CONVERSIONS, generate

NAMES = ["America/New_York", "Asia/Kolkata", "Europe/Paris"]
DELETE, UPDATE, CHECK = re.findall(
    r"(?:DELETE|UPDATE|SELECT)[^;]+;",
    "".join(re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "redshift.md").read_text(), re.S)),
)


@pytest.fixture
def connection(server: postgres.Server, tmp_path: Path) -> Iterator[events_postgres.Connection]:
    """The tables of the script in a schema of their own, loaded with a few zones."""
    with events_postgres.connect(server.loaded(*events_redshift.LOADS)) as connection:
        connection.execute("CREATE SCHEMA kept; SET search_path = kept, public")
        script = re.sub(r"\nDISTSTYLE ALL\nSORTKEY \([\w, ]+\)", "", engines.script_of("redshift"))
        connection.execute(script)
        for name, rows in (("offset", generate.offset(NAMES)), ("zone", generate.zone(NAMES))):
            path = tmp_path / f"{name}.csv"
            generate.write(rows, path, "csv")
            copying = f"COPY {CONVERSIONS[name].name} FROM STDIN (FORMAT csv, HEADER)"
            with connection.cursor().copy(copying) as copy:
                copy.write(path.read_bytes())
        yield connection


def differing(connection: events_postgres.Connection) -> list[tuple[object, ...]]:
    return connection.execute(events_redshift.transliterated(CHECK)).fetchall()


def test_every_table_has_a_copy_on_each_node() -> None:
    script = engines.script_of("redshift")
    made = re.findall(r"CREATE TABLE IF NOT EXISTS (\w+) .*?\nDISTSTYLE ALL\nSORTKEY", script, re.S)
    names = ("offset", "zone", "period", "daily", "hourly")
    assert made == [CONVERSIONS[name].name for name in names]


def test_the_check_of_the_tables(connection: events_postgres.Connection) -> None:
    for statement in (DELETE, UPDATE):
        connection.execute(events_redshift.transliterated(statement))
    table = CONVERSIONS["offset"].name
    edges = f"SELECT min(starts_at_utc)::text, max(ends_before_utc)::text FROM {table}"
    assert connection.execute(edges).fetchone() == ("1902-01-01 00:00:00", "2038-01-01 00:00:00")
    assert differing(connection) == []
    for wrong in ("starts_at_time_zone = starts_at_utc", "utc_offset_seconds = 19801"):
        connection.execute("BEGIN")
        connection.execute(f"UPDATE {table} SET {wrong} WHERE time_zone_name = 'Asia/Kolkata'")
        assert [row[0] for row in differing(connection)] == ["Asia/Kolkata"]
        connection.execute("ROLLBACK")
