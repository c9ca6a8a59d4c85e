"""Tables of times around every change of offset of zones, in PostgreSQL and in DuckDB."""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa

from tests import postgres, reference
from tzconv.refresher import refresh
from tzconv.rewriter import Rewrite, rewrite, templated
from tzconv.sql.declarations import Declared
from tzconv.tz import zones

AWKWARD = [
    *("America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Tehran"),
    *("Africa/Casablanca", "America/Santiago", "Antarctica/Troll", "Asia/Kathmandu", "UTC", "EST"),
    *("Europe/Dublin", "Pacific/Kiritimati", "US/Pacific", "Etc/GMT+3", "America/Nuuk"),
]
EVERY = sorted(set(map(reference.first_name, reference.NAMES)))
"""One name of each history: other tests show that its equals have the same rows."""
ONE = "CREATE TABLE one (tz text); CREATE TABLE two (tz text);"
EDGES = "CREATE TABLE edges (zone text, ts timestamptz, local timestamp);"
TYPES = {
    "edges": {"zone": "text", "ts": "timestamptz", "local": "timestamp"},
    "one": {"tz": "text"},
    "two": {"tz": "text"},
}


def rewritten(text: str, dialect: str) -> Rewrite:
    one = functools.partial(rewrite, dialect=dialect)
    return templated.rewrite_each(text, one, Declared(TYPES), dialect)


def edges(names: Iterable[str], rules: zones.Rules) -> Iterator[tuple[str, float, float]]:
    """Seconds since 1970 on the UTC line and on the local line, around each change of a zone."""
    for name in names:
        starts, offsets = rules.zone(name).offset_changes(2_145_916_800)
        for at, before, after in zip(starts[1:], offsets, offsets[1:], strict=False):
            for offset in (before, after):
                for more in (-86_400, -1, -0.000001, 0, 1, 1_800, 3_599.5, 86_400):
                    if at > -2_208_988_800:
                        yield name, at + more, at + offset + more
        yield name, 1e9, 1e9


@contextlib.contextmanager
def opened(server: postgres.Server, names: list[str]) -> Iterator[psycopg.Connection[Any]]:
    url = server.fresh("one_zone")
    refresh(url, rules="database", zones=names, tables=("zone", "offset"))
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(EDGES + ONE)
        with connection.cursor().copy("COPY edges FROM STDIN") as copy:
            for zone, at, local in edges(names, zones.installed()):
                utc = f"{to_text(at)}+00"
                copy.write_row((zone, utc, to_text(local)))
        connection.execute("CREATE INDEX ON edges (zone); ANALYZE")
        yield connection


def to_text(seconds: float) -> str:
    return str(dt.datetime(1970, 1, 1) + dt.timedelta(seconds=float(seconds)))


@contextlib.contextmanager
def embedded(file: Path, names: list[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    refresh(f"duckdb:///{file}", rules="database", zones=names, tables=("zone", "period"))
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"SET TimeZone = 'UTC'; {EDGES} {ONE}")
        rows = [*edges(names, zones.installed())]
        made = pa.table(
            {
                "zone": [zone for zone, _, _ in rows],
                "utc": [round(at * 1e6) for _, at, _ in rows],
                "local": [round(local * 1e6) for _, _, local in rows],
            }
        )
        connection.register("made", made)
        connection.execute(
            "INSERT INTO edges SELECT zone, make_timestamptz(utc), make_timestamp(local) FROM made"
        )
        yield connection
