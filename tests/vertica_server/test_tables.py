"""The tables in sql/vertica: two readers of Vertica's SQL take them, and they are our tables."""

from __future__ import annotations

import pytest
import sqlfluff

from tests import ROOT
from tests.vertica_server import Server
from tests.vertica_server.client import connect, run
from tzconv import tables

SCRIPT = (ROOT / "sql" / "vertica" / "tables.sql").read_text()
TYPES = {"timestamp": "timestamp", "date": "date", "boolean": "boolean"}


def unparsable(sql: str) -> list[str]:
    """What sqlfluff cannot read of a script in Vertica's dialect."""
    found = sqlfluff.lint(sql, dialect="vertica", rules=["LT12"])
    return [one["description"] for one in found if one["code"] in ("PRS", "LXR", "TMP")]


def test_sqlfluff_takes_the_tables() -> None:
    assert unparsable(SCRIPT) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ORDER BY time_zone_name", "ORDER time_zone_name"),
        ("UNSEGMENTED ALL NODES", "UNSEGMENTED ALL"),
        ("NOT NULL ENCODING RLE,", "NOT NULL ENCODING FOO,"),
        ("VARCHAR(400) NOT NULL", "VARCHAR(400) NOT NIL"),
        ("DISABLED\n)", "DISABLED"),
    ],
)
def test_both_readers_refuse_what_is_broken(vertica: Server, old: str, new: str) -> None:
    """Else their consent would mean nothing."""
    broken = SCRIPT.replace(old, new)
    assert broken != SCRIPT
    assert unparsable(broken) != []
    with connect(vertica) as connection, pytest.raises(Exception, match="yntax error"):
        run(connection, broken)


def test_they_are_our_tables(vertica: Server) -> None:
    with connect(vertica) as connection:
        run(connection, SCRIPT)
        columns = run(
            connection,
            "SELECT table_name, column_name, data_type, is_nullable FROM v_catalog.columns "
            "ORDER BY table_name, ordinal_position",
        )
        keys = run(
            connection,
            "SELECT table_name, column_name FROM v_catalog.primary_keys "
            "WHERE NOT is_enabled ORDER BY table_name, ordinal_position",
        )
    ordered = sorted(tables.ALL, key=lambda table: table.name)
    assert columns == [
        [
            table.name,
            column.name,
            f"varchar({column.length})"
            if column.type in ("name", "text")
            else TYPES.get(column.type, "int"),
            column.nullable,
        ]
        for table in ordered
        for column in table.columns
    ]
    assert keys == [[table.name, column] for table in ordered for column in table.key]


@pytest.mark.parametrize("table", tables.ALL, ids=lambda table: str(table.name))
def test_they_are_sorted_by_their_key_on_every_node(vertica: Server, table: tables.Table) -> None:
    with connect(vertica) as connection:
        run(connection, SCRIPT)
    design = vertica.design(table.name)
    assert design.order_by == list(table.key)
    assert design.segmentation == "UNSEGMENTED ALL NODES"
    if table is not tables.RELEASE:
        assert set(design.encodings) == {column.name for column in table.columns}
        runs = table.key[0] == "time_zone_name" and table is not tables.ZONE
        assert (design.encodings["time_zone_name"] == "RLE") == runs
