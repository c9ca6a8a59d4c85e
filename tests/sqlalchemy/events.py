"""Events in two schemas, and queries of them, for tests of what a name leads to."""

from __future__ import annotations

import sqlalchemy as sa

from tzconv.refresher import refresh

ZONES = ("Asia/Kolkata", "Europe/Berlin")
QUERIES = [
    "SELECT max(ts AT TIME ZONE 'UTC' AT TIME ZONE zone)::text AS latest FROM events WHERE n < 40",
    "SELECT count(*) AS n FROM events "
    "WHERE (ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata')::date = DATE '2026-03-02'",
    "WITH e AS (SELECT * FROM events) SELECT sum(extract(hour FROM "
    "ts AT TIME ZONE 'UTC' AT TIME ZONE zone)) AS hours FROM e",
    "SELECT count(*) AS n FROM events WHERE ts >= now() - INTERVAL '7 days'",
    "SELECT (seen AT TIME ZONE zone)::text AS local FROM events ORDER BY n, 1 LIMIT 3",
]
EVENTS = [
    "CREATE TABLE {0}events AS SELECT i AS n, CAST({1} AS {2}) AS ts, "
    "CAST(TIMESTAMP '2026-03-01 00:00' + i * INTERVAL '1 hour' AS timestamptz) AS seen, "
    "CASE WHEN mod(i, 2) = 0 THEN 'Asia/Kolkata' ELSE 'Europe/Berlin' END AS zone, "
    "TIMESTAMP '2026-01-01' + i * INTERVAL '1 day' AS other FROM generate_series(1, 60) AS t (i)",
]
TS = "TIMESTAMP '2026-03-01 00:00' + i * INTERVAL '1 hour'"


def load(url: str) -> None:
    """Events in two schemas, of other types; a role, and a function that sets the path."""
    refresh(url, zones=ZONES)
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE SCHEMA tenant")
        connection.exec_driver_sql(EVENTS[0].format("", TS, "timestamp"))
        connection.exec_driver_sql(EVENTS[0].format("tenant.", TS, "timestamptz"))
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(
                "DO $$ BEGIN CREATE ROLE asker; EXCEPTION WHEN duplicate_object THEN END $$"
            )
            connection.exec_driver_sql(
                "CREATE FUNCTION enter() RETURNS text LANGUAGE sql AS "
                "$$ SELECT set_config('search_path', 'tenant, public', false) $$"
            )
            connection.exec_driver_sql("GRANT USAGE ON SCHEMA tenant TO PUBLIC")
            for schema in ("public", "tenant"):
                connection.exec_driver_sql(
                    f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO PUBLIC"
                )
    engine.dispose()
