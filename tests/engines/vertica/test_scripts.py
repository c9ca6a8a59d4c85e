"""The two queries that tzconv began with, in Vertica's spelling.

`sql/vertica/` shows what becomes of them; both versions return the same rows through the driver.

TZCONV_UPDATE_GOLDEN=1 writes the scripts anew; read the diff before you commit it.
"""

from __future__ import annotations

import datetime as dt
import os

import pytest
import sqlfluff.core

from tests import ROOT
from tests.databases import Database
from tzconv import engines
from tzconv.refresher import refresh
from tzconv.rewriter import rewrite

SQL = ROOT / "sql" / "vertica"
TYPES = {
    "actions": {"action_event_time": "timestamp", "action_publisher_id": "integer"},
    "publishers": {"id": "integer", "time_zone_name": "varchar"},
    "logs": {"log_time": "timestamp", "level": "varchar"},
}
HOURLY = (ROOT / "tests" / "rewriter" / "golden" / "offset_vertica.sql").read_text()
RECENT = """\
SELECT level, count(*)
FROM logs
WHERE log_time >= NOW() - INTERVAL '1 day'
GROUP BY 1;
"""
TITLES = {
    "hourly_report.sql": ("Taboola's report: actions by hour of each publisher's zone.", HOURLY),
    "recent_log.sql": ("The comparison with NOW() that Adform found loading a cluster.", RECENT),
}


def script(name: str) -> str:
    title, before = TITLES[name]
    after = rewrite(before, dialect="vertica", schema=TYPES).sql
    return (
        f"-- {title}\n\n-- before\n{before}\n"
        f"-- after, as `tzconv rewrite --dialect vertica` prints it\n{after}"
    )


@pytest.mark.parametrize("name", TITLES)
def test_scripts_are_up_to_date_and_read_by_others(name: str) -> None:
    path = SQL / name
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        path.write_text(script(name))
    assert path.read_text() == script(name)
    for version in versions(name):
        read = sqlfluff.core.Linter(dialect="vertica").parse_string(version + "\n")
        assert read.violations == []
        assert read.tree is not None
        assert "unparsable" not in read.tree.type_set()


def versions(name: str) -> list[str]:
    parts = (SQL / name).read_text().split("-- after")
    found = [part[part.index("SELECT") :].strip().removesuffix(";") for part in parts]
    assert found[0] != found[1]
    return found


@pytest.mark.parametrize("database", ["vertica"], indirect=True)
@pytest.mark.parametrize("name", TITLES)
def test_both_versions_return_the_same_rows(name: str, database: Database) -> None:
    zones = ["America/New_York", "Asia/Kolkata", "Australia/Adelaide", "Asia/Gaza", "UTC"]
    refresh(database.url, zones=zones, start=dt.date(2017, 1, 1), end=dt.date(2018, 1, 1))
    database.run(
        "CREATE TABLE publishers (id int, time_zone_name varchar)",
        "CREATE TABLE actions (action_event_time timestamp, action_publisher_id int, "
        "action_name varchar)",
        "CREATE TABLE logs (log_time timestamp, level varchar)",
        *[f"INSERT INTO publishers VALUES ({n}, '{zone}')" for n, zone in enumerate(zones)],
        "INSERT INTO publishers VALUES (9, NULL)",
        "INSERT INTO actions SELECT TIMESTAMP '2017-04-18' + n * INTERVAL '17 minutes', n % 10, "
        "CASE WHEN n % 7 > 0 THEN 'click' END FROM generate_series(0, 900) AS n",
        "INSERT INTO actions VALUES (NULL, 1, 'click')",
        "INSERT INTO logs SELECT (now() AT TIME ZONE 'UTC') - n * INTERVAL '37 minutes', 'info' "
        "FROM generate_series(-5, 90) AS n",
        "INSERT INTO logs VALUES (NULL, 'info'), (TIMESTAMP '2017-01-01', 'old')",
    )
    before, after = versions(name)
    with engines.connect(database.url, read_only=True) as backend:
        rows = [sorted(map(str, backend.query(sql).rows.to_pylist())) for sql in (before, after)]
    assert len(rows[0]) > 0
    assert rows[0] == rows[1]
