"""The macros of the package dbt/, in models that real dbt builds."""

from __future__ import annotations

import ast
import datetime as dt
import zoneinfo

import duckdb
import psycopg
import pytest

from tests import reference
from tests.dbt_package.builds import Build, dbt

pytestmark = pytest.mark.dbt

PAIRS = [
    ("constant_native", "constant_tables"),
    ("zones_native", "zones_tables"),
    ("days_native", "days_table"),
    ("days_native", "days_view"),
    ("dbt_date_native", "dbt_date_tables"),
]
ZONE = "America/St_Johns"


@pytest.mark.parametrize(("native", "tables"), PAIRS)
def test_same_rows(built: Build, native: str, tables: str) -> None:
    rows = built.rows(f"SELECT * FROM {native}")
    assert rows[1].total() > 5_000
    assert built.rows(f"SELECT * FROM {tables}") == rows


def test_macros_are_what_is_compared(built: Build) -> None:
    """The models of a pair differ, and those of the macros read the tables or have bounds."""
    for name in ("constant_tables", "zones_tables", "dbt_date_tables"):
        assert "time_zone_" in built.compiled(name), name
    assert " at time zone 'America/New_York'" not in built.compiled("days_table")
    assert " at time zone 'America/New_York'" in built.compiled("days_view")


def test_an_override_leaves_what_is_no_column_of_utc(built: Build) -> None:
    """Another source zone is dbt_date's own text."""
    text = built.compiled("dbt_date_tables")
    assert text.count("where time_zone_name") == (6 if built.kind == "duckdb" else 4)
    assert "at time zone 'Asia/Tokyo' at time zone 'Asia/Tehran'" in text


def test_local_times_are_those_of_zoneinfo(built: Build) -> None:
    _, rows = built.rows(
        f"SELECT DISTINCT CAST(action_event_time AS text) AS utc, "
        "CAST(local_time AS text) AS local_time FROM constant_tables "
        f"WHERE zone = '{ZONE}' AND action_event_time BETWEEN '2009-01-01' AND '2031-12-31'"
    )
    zone, seen = zoneinfo.ZoneInfo(ZONE), 0
    for row in rows:
        if built.kind == "duckdb":
            utc, local = ast.literal_eval(row)
        else:
            utc, local = (one.strip('"') for one in row.strip("()").split(","))
        moment = dt.datetime.fromisoformat(utc)
        offset = reference.offset_at(zone, reference.seconds(moment.replace(microsecond=0)))
        assert moment + dt.timedelta(seconds=offset) == dt.datetime.fromisoformat(local), row
        seen += 1
    assert seen > 1_000


@pytest.mark.parametrize(
    ("column", "value"), [("action_event_time", "seen"), ("seen", "action_event_time")]
)
def test_another_kind_than_that_of_the_column_is_an_error(
    built: Build, column: str, value: str
) -> None:
    text, _, relation = (
        built.compiled("constant_tables").partition("union all")[0].rpartition("from")
    )
    changed = (
        f"(SELECT action_publisher_id, {value}, {value} AS {column} FROM{relation}) AS changed"
    )
    with pytest.raises((duckdb.Error, psycopg.Error), match=r"add kind=|timestamp_pl_interval"):
        built.rows(f"{text} FROM {changed}")


def test_tests_of_a_schema(built: Build) -> None:
    """They have passed or warned in the build; they fail without a release, and at its end."""
    built.run("DELETE FROM time_zone_conversion_release WHERE finished_at = '2026-02-01'")
    ended = dbt(built, "test", code=1)
    assert "Got 1 result, configured to fail" in ended
    built.run(
        "INSERT INTO time_zone_conversion_release (finished_at, horizon_ends_before) "
        "VALUES ('2026-02-01', '2999-01-01')"
    )
    assert "WARN=1 ERROR=0" in dbt(built, "test")


def test_nanoseconds_are_kept(on_duckdb: Build) -> None:
    """The tables have microseconds: a nanosecond before a change of the clocks is not after it."""
    text = (
        "select cast({{ tzconv.local_time('ts', 'America/New_York') }} as text) as local_time "
        "from (select timestamp_ns '2026-03-08 06:59:59.999999999' as ts) as given"
    )
    compiled = dbt(on_duckdb, "--quiet", "compile", "--inline", text)
    _, rows = on_duckdb.rows(compiled[compiled.index("select") :])
    assert "2026-03-08 01:59:59.999999999" in str(rows)


def test_days_with_an_open_end(on_duckdb: Build) -> None:
    text = "select {{ tzconv.in_local_days('ts', 'UTC', '2026-03-08', '9999-12-31') }}"
    text += " as n from (select timestamp '2026-03-08' as ts) as given"
    compiled = dbt(on_duckdb, "--quiet", "compile", "--inline", text)
    _, rows = on_duckdb.rows(compiled[compiled.index("select") :])
    assert "('true',)" in str(rows)


@pytest.mark.parametrize(
    ("macro", "said"),
    [
        ("local_time('ts', 'p.zone')", "for a column use tzconv.join_zones"),
        ("local_time('ts', 'UTC', kind='date')", "kind is 'timestamp' or 'timestamptz'"),
        ("in_local_days('ts', 'UTC', '1 May', '2026-06-01')", "1 May is not a date"),
    ],
)
def test_wrong_arguments(on_duckdb: Build, macro: str, said: str) -> None:
    text = f"select {{{{ tzconv.{macro} }}}}"
    assert said in dbt(on_duckdb, "compile", "--inline", text, code=2)
