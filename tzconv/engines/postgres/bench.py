"""PostgreSQL in the benchmark: a schema before the user's own in the search path."""

from __future__ import annotations

import time
from pathlib import Path

import psycopg
import pyarrow as pa
from psycopg import sql

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


class PostgresScratch(SchemaScratch):
    """A schema of PostgreSQL."""

    writing = WRITING
    indexes_reports = True

    def open(self) -> Backend:
        backend = connect(urls.parse(self.url))
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
        plain = urls.parse(self.url).set(drivername="postgresql")
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
