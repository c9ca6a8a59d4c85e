"""Tables: the clauses about physical design, and the catalogs that show what there is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from vertica_python import Connection, errors

from tests import postgres
from tests.vertica_server import Server, running
from tests.vertica_server.client import connect, run
from tests.vertica_server.design import ENCODINGS, Design, Key

DAILY = """
CREATE TABLE IF NOT EXISTS tz.daily (
    time_zone_name varchar(400) NOT NULL ENCODING RLE,
    day date NOT NULL ENCODING COMMONDELTA_COMP,
    day_starts_at_utc timestamp NOT NULL ENCODING COMMONDELTA_COMP,
    note varchar(16),
    CONSTRAINT daily_pk PRIMARY KEY (time_zone_name, day) DISABLED
) ORDER BY time_zone_name, day UNSEGMENTED ALL NODES
"""


@pytest.fixture(scope="module")
def vertica_of_module(server: postgres.Server) -> Iterator[Server]:
    with running(server) as vertica:
        yield vertica


@pytest.fixture
def connection(vertica_of_module: Server) -> Iterator[Connection]:
    with connect(vertica_of_module) as connection:
        for schema, table, kind in run(
            connection, "SELECT schema_name, table_name, table_type FROM v_catalog.all_tables"
        ):
            if kind == "TABLE":
                run(connection, f"DROP TABLE {schema}.{table} CASCADE")
        for (name,) in run(
            connection, "SELECT schema_name FROM v_catalog.schemata WHERE NOT is_system_schema"
        ):
            if name != "public":
                run(connection, f"DROP SCHEMA {name} CASCADE")
        yield connection


def test_what_was_declared_is_remembered(vertica_of_module: Server, connection: Connection) -> None:
    run(connection, "CREATE SCHEMA tz")
    run(connection, DAILY)
    assert vertica_of_module.design("tz.daily") == Design(
        order_by=["time_zone_name", "day"],
        encodings={
            "time_zone_name": "RLE",
            "day": "COMMONDELTA_COMP",
            "day_starts_at_utc": "COMMONDELTA_COMP",
        },
        segmentation="UNSEGMENTED ALL NODES",
        keys=[Key("daily_pk", ["time_zone_name", "day"], primary=True, enabled=False)],
    )
    keys = "SELECT table_schema, table_name, constraint_name, column_name, is_enabled"
    assert run(connection, f"{keys} FROM v_catalog.primary_keys ORDER BY ordinal_position") == [
        ["tz", "daily", "daily_pk", "time_zone_name", False],
        ["tz", "daily", "daily_pk", "day", False],
    ]
    columns = "SELECT column_name, data_type, ordinal_position, is_nullable FROM v_catalog.columns"
    assert run(connection, f"{columns} ORDER BY ordinal_position") == [
        ["time_zone_name", "varchar(400)", 1, False],
        ["day", "date", 2, False],
        ["day_starts_at_utc", "timestamp", 3, False],
        ["note", "varchar(16)", 4, True],
    ]
    with pytest.warns(UserWarning, match="NOTICE 4214"):
        run(connection, DAILY)


FULL = "CREATE TABLE t (a int, b date, c varchar(9)) "


@pytest.mark.parametrize(
    ("clauses", "design"),
    [
        ("", Design()),
        ("ORDER BY b, a", Design(order_by=["b", "a"])),
        ("UNSEGMENTED ALL NODES", Design(segmentation="UNSEGMENTED ALL NODES")),
        (
            "ORDER BY a SEGMENTED BY HASH(a, c) ALL NODES KSAFE 1",
            Design(order_by=["a"], segmentation="HASH(a, c)", ksafe=1),
        ),
        ("SEGMENTED BY HASH(a) ALL NODES OFFSET 2", Design(segmentation="HASH(a)")),
        ("KSAFE", Design(ksafe=1)),
        (
            "ORDER BY a UNSEGMENTED ALL NODES PARTITION BY EXTRACT(year FROM b) GROUP BY a",
            None,  # year is a word here that no column has: see below
        ),
        (
            "UNSEGMENTED ALL NODES KSAFE 0 PARTITION BY year(b)",
            Design(segmentation="UNSEGMENTED ALL NODES", ksafe=0, partition_by="year(b)"),
        ),
    ],
)
def test_clauses(
    vertica_of_module: Server, connection: Connection, clauses: str, design: Design | None
) -> None:
    if design is None:
        with pytest.raises(errors.MissingColumn):
            run(connection, FULL + clauses)
        return
    run(connection, FULL + clauses)
    assert vertica_of_module.design("t") == design


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        (FULL + "UNSEGMENTED ALL NODES ORDER BY a", errors.VerticaSyntaxError),
        (FULL + "KSAFE 1 ORDER BY a", errors.VerticaSyntaxError),
        (FULL + "PARTITION BY a ORDER BY a", errors.VerticaSyntaxError),
        (FULL + "PARTITION BY a KSAFE 1", errors.VerticaSyntaxError),
        (FULL + "UNSEGMENTED", errors.VerticaSyntaxError),
        (FULL + "UNSEGMENTED ALL", errors.VerticaSyntaxError),
        (FULL + "UNSEGMENTED NODE x", errors.VerticaSyntaxError),
        (FULL + "SEGMENTED BY HASH(a)", errors.VerticaSyntaxError),
        (FULL + "SEGMENTED BY HASH(1) ALL NODES", errors.VerticaSyntaxError),
        (FULL + "SEGMENTED BY HASH(z) ALL NODES", errors.MissingColumn),
        (FULL + "ORDER BY z", errors.MissingColumn),
        (FULL + "ORDER BY a, a", errors.QueryError),
        (FULL + "ORDER BY a DESC", errors.VerticaSyntaxError),
        (FULL + "ORDER BY", errors.VerticaSyntaxError),
        (FULL + "TABLESPACE x", errors.VerticaSyntaxError),
        (FULL + "WITH (fillfactor = 10)", errors.VerticaSyntaxError),
        (FULL + "ON COMMIT PRESERVE ROWS", errors.VerticaSyntaxError),
        ("CREATE TABLE t (a int ENCODING FOO)", errors.VerticaSyntaxError),
        ("CREATE TABLE t (a int ENCODING)", errors.VerticaSyntaxError),
        ("CREATE TABLE t (a int ENCODING RLE NOT NULL)", errors.VerticaSyntaxError),
        ("CREATE TABLE t (a varchar(9) ENCODING COMMONDELTA_COMP)", errors.QueryError),
        ("CREATE TABLE t (a varchar(9) ENCODING DELTAVAL)", errors.QueryError),
        ("CREATE TABLE t (a int, a int)", errors.QueryError),
        ("CREATE TABLE t (a int, PRIMARY KEY (z))", errors.MissingColumn),
        ("CREATE TABLE t (a int PRIMARY KEY, b int PRIMARY KEY)", errors.QueryError),
        ("CREATE TABLE t (a int, PRIMARY KEY (a) NOT ENFORCED)", errors.VerticaSyntaxError),
        ("CREATE TABLE t (a int, FOREIGN KEY (a) REFERENCES u)", errors.VerticaSyntaxError),
        ("CREATE TABLE t (a serial)", errors.QueryError),
        ("CREATE TABLE t (a jsonb)", errors.QueryError),
        ("CREATE TABLE t (a text[])", errors.QueryError),
        ("CREATE TABLE t (a varchar(65001))", errors.QueryError),
        ("CREATE TABLE t (a int,)", errors.VerticaSyntaxError),
        ("CREATE TABLE t ()", errors.VerticaSyntaxError),
        ("CREATE TABLE t (a int) INHERITS (u)", errors.VerticaSyntaxError),
        ("CREATE TABLE t (a int GENERATED ALWAYS AS IDENTITY)", errors.VerticaSyntaxError),
        ("CREATE TEMP TABLE t (a int)", errors.QueryError),
        ("CREATE LOCAL TABLE t (a int)", errors.VerticaSyntaxError),
        ("CREATE LOCAL TEMP TABLE t (a int) ORDER BY a ON COMMIT DELETE ROWS", None),
        ("CREATE LOCAL TEMP TABLE t (a int) ON COMMIT DROP", errors.VerticaSyntaxError),
    ],
)
def test_wrong_clauses(connection: Connection, sql: str, kind: type[Exception] | None) -> None:
    with pytest.raises(kind or errors.VerticaSyntaxError):
        run(connection, sql)
    assert run(connection, "SELECT * FROM v_catalog.tables") == []


@pytest.mark.parametrize("encoding", sorted(ENCODINGS))
def test_every_encoding_has_a_type(connection: Connection, encoding: str) -> None:
    run(connection, f"CREATE TABLE t (a int ENCODING {encoding})")


def test_types(connection: Connection) -> None:
    written = {
        "int": "int",
        "smallint": "int",
        "bigint NOT NULL": "int",
        "varchar": "varchar(80)",
        "varchar(7)": "varchar(7)",
        "char": "char(1)",
        "character varying(7)": "varchar(7)",
        "long varchar": "long varchar(1048576)",
        "numeric": "numeric(37,15)",
        "decimal(6, 2)": "numeric(6,2)",
        "float": "float",
        "double precision": "float",
        "boolean": "boolean",
        "timestamp": "timestamp",
        "timestamp with time zone": "timestamptz",
        "timestamptz DEFAULT now()": "timestamptz",
        "datetime": "timestamp",
        "date DEFAULT '2026-01-01' NOT NULL": "date",
    }
    columns = ", ".join(f"c{at} {name}" for at, name in enumerate(written))
    run(connection, f"CREATE TABLE t ({columns})")
    found = run(connection, "SELECT data_type FROM v_catalog.columns ORDER BY ordinal_position")
    assert [name for (name,) in found] == list(written.values())


def test_altering(connection: Connection) -> None:
    run(connection, "CREATE TABLE t (a int)")
    run(connection, "ALTER TABLE t ADD COLUMN b varchar(9) DEFAULT 'x' NOT NULL")
    run(connection, "INSERT INTO t (a) VALUES (1)")
    run(connection, "ALTER TABLE t RENAME COLUMN b TO c")
    assert run(connection, "SELECT a, c FROM t") == [[1, "x"]]
    run(connection, "ALTER TABLE t DROP COLUMN c CASCADE")
    assert run(connection, "SELECT * FROM t") == [[1]]


def test_views(connection: Connection) -> None:
    run(connection, "CREATE TABLE t (a int)")
    run(connection, "CREATE VIEW v (b) AS SELECT a FROM t")
    run(connection, "CREATE OR REPLACE VIEW v (b) AS SELECT a + 1 FROM t")
    kinds = "SELECT table_name, table_type FROM v_catalog.all_tables ORDER BY 1"
    assert run(connection, kinds) == [["t", "TABLE"], ["v", "VIEW"]]
    assert run(connection, "SELECT table_name FROM v_catalog.tables") == [["t"]]
    assert run(connection, "SELECT table_name FROM v_catalog.views") == [["v"]]
    columns = "SELECT table_name, column_name, data_type FROM v_catalog.view_columns"
    assert run(connection, columns) == [["v", "b", "int"]]
    run(connection, "DROP VIEW v")
    with pytest.raises(errors.MissingRelation):
        run(connection, "DROP VIEW v")


def test_dropping_what_is_not_there(connection: Connection) -> None:
    for kind in ("TABLE", "VIEW", "SCHEMA"):
        with pytest.warns(UserWarning, match="NOTICE 4185: Nothing was dropped"):
            run(connection, f"DROP {kind} IF EXISTS missing")
    run(connection, "CREATE TABLE t (a int)")
    with pytest.warns(UserWarning, match="NOTICE 4185"):
        run(connection, "DROP TABLE IF EXISTS t, missing")
    assert run(connection, "SELECT * FROM v_catalog.tables") == []
    with pytest.warns(UserWarning, match="NOTICE 4214"):
        run(connection, "CREATE SCHEMA IF NOT EXISTS public")


def test_temporary_tables_are_ones_own(vertica_of_module: Server, connection: Connection) -> None:
    run(connection, "CREATE LOCAL TEMP TABLE stage (a int) ON COMMIT PRESERVE ROWS ORDER BY a")
    tables = "SELECT table_schema, table_name, is_temp_table FROM v_catalog.tables"
    assert run(connection, tables) == [["v_temp_schema", "stage", True]]
    with connect(vertica_of_module) as other:
        assert run(other, tables) == []
        run(other, "CREATE LOCAL TEMP TABLE stage (a int)")
