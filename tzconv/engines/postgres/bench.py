"""PostgreSQL in the benchmark: a schema before the user's own in the search path."""

from __future__ import annotations

import time
from pathlib import Path

import psycopg
import pyarrow as pa
from psycopg import sql
from sqlalchemy.engine import make_url

from tzconv.engines import urls
from tzconv.engines.backend import Backend
from tzconv.engines.postgres.copy import encoded
from tzconv.engines.postgres.load import connect
from tzconv.engines.scratch import SchemaScratch, Writing
from tzconv.tables import Table, ddl

_CHUNK = 1 << 22

WRITING = Writing(
    "generate_series(0, {count} - 1) AS made(n)",
    "(ARRAY[{items}])",
    "((hashint8(n{salt})::bigint + 2147483648) % {below})::integer",
    "TIMESTAMP '{begin}' + ({microseconds}) * INTERVAL '1 microsecond'",
)

_NEW_YORK = "ts AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York'"
_DAY = f"(({_NEW_YORK})::date)"
_TUNED = (
    f"CREATE INDEX ON events ({_DAY})",
    f"CREATE INDEX ON events (account_id, {_DAY})",
    "CREATE INDEX ON events (account_id, ts) INCLUDE (id, kind)",
    "CREATE INDEX ON events (ts) WHERE kind = 'export'",
    f"CREATE INDEX ON events ({_DAY}) WHERE kind = 'click'",
    f"CREATE STATISTICS events_days ON {_DAY}, kind FROM events",
    f"CREATE STATISTICS events_hours ON (extract(hour FROM {_NEW_YORK})) FROM events",
    f"CREATE TABLE events_by_day (LIKE events) PARTITION BY RANGE ({_DAY})",
    "CREATE TABLE events_by_time (LIKE events) PARTITION BY RANGE (ts)",
    """
    DO $$ BEGIN FOR y IN 2000 .. extract(year FROM now())::int + 1 LOOP
        EXECUTE format('CREATE TABLE events_by_day_%1$s PARTITION OF events_by_day FOR VALUES '
            'FROM (%2$L) TO (%3$L)', y, y || '-01-01', y + 1 || '-01-01');
        EXECUTE format('CREATE TABLE events_by_time_%1$s PARTITION OF events_by_time FOR VALUES '
            'FROM (%2$L) TO (%3$L)', y, y || '-01-01', y + 1 || '-01-01');
    END LOOP; END $$
    """,
    "INSERT INTO events_by_day SELECT * FROM events",
    "INSERT INTO events_by_time SELECT * FROM events",
    "CREATE INDEX ON events_by_time USING brin (ts) WITH (pages_per_range = 16)",
)


class PostgresScratch(SchemaScratch):
    """A schema of PostgreSQL."""

    writing = WRITING
    indexes_reports = True
    tuned = _TUNED

    def open(self) -> Backend:
        backend = connect(urls.parse(self.url), read_only=False, schema=None, lock_timeout=0)
        path = backend.query("SHOW search_path").rows.column("c0")[0].as_py()
        found = {"search_path": f"{self.name}, {path or 'pg_catalog'}", "TimeZone": "'UTC'"}
        if self._one_thread:
            found |= {"max_parallel_workers_per_gather": "0", "jit": "off"}
        backend.settings |= found
        return backend

    def load_bare(self, table: Table, rows: pa.RecordBatchReader, file: Path) -> float:
        with file.open("wb") as made:
            for piece in encoded(rows):
                made.write(piece)
        plain = make_url(self.url).set(drivername="postgresql")
        with psycopg.connect(plain.render_as_string(hide_password=False)) as connection:
            path = sql.SQL("SET LOCAL search_path = {}").format(sql.Identifier(str(self.schema)))
            connection.execute(path)
            began = time.perf_counter()
            connection.execute(ddl.create_table(table, key=False).encode())
            connection.commit()
            connection.execute(path)
            columns = ", ".join(column.name for column in table.columns)
            statement = f"COPY {table.name} ({columns}) FROM STDIN (FORMAT BINARY)"
            with connection.cursor().copy(statement.encode()) as copy, file.open("rb") as bare:
                while piece := bare.read(_CHUNK):
                    copy.write(piece)
            key = f"ALTER TABLE {table.name} ADD PRIMARY KEY ({', '.join(table.key)})"
            connection.execute(key.encode())
            connection.commit()
            return time.perf_counter() - began


scratch = PostgresScratch
