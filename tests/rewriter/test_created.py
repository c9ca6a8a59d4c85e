"""What the files of a run say of their tables, beside what a database has after them."""

from __future__ import annotations

import pytest

from tests import postgres
from tzconv.rewriter.created import Created

MADE = "CREATE TABLE logs (t timestamp, n int)"
FILES: dict[tuple[str, ...], set[str]] = {
    (MADE, MADE.lower().replace(" ", "\n")): {"logs"},
    (MADE, "create table logs (t date)"): set(),
    (MADE, "alter table logs\nowner\nto somebody"): {"logs"},
    (f"DROP TABLE IF EXISTS others, logs; {MADE}",): {"logs"},
    (f"DROP TABLE IF EXISTS logs, others; {MADE}", "CREATE TABLE others (t date)"): {"logs"},
    ("CREATE TABLE others (t date); DROP TABLE logs", MADE): {"others"},
    ("DROP TABLE logs", MADE): set(),
    (MADE, f"DROP TABLE logs; {MADE}"): set(),
    ("ALTER TABLE logs OWNER TO somebody", MADE): {"logs"},
    ("ALTER TABLE logs RENAME n TO m", MADE): set(),
    ("CREATE TABLE logs AS SELECT 1", MADE): set(),
    ("CREATE TEMP TABLE logs (t timestamp, n int)", MADE): set(),
    ("CREATE TEMP TABLE logs (t date)",): set(),
    ("CREATE VIEW logs (t) AS SELECT 1",): set(),
    ("CREATE TABLE logs (t) AS SELECT now()",): set(),
}


@pytest.mark.parametrize("texts", FILES)
def test_files_agree_about_a_table(texts: tuple[str, ...]) -> None:
    created = Created("postgres")
    for text in texts:
        created.read(text, text)
    assert set(created.tables()) == FILES[texts]
    own = {name for name in ("logs", "others") if f"TABLE {name} (" in texts[0]}
    assert set(created.tables(but=texts[0])) == FILES[texts] - own


def test_a_file_that_is_no_sql_creates_no_table() -> None:
    created = Created("postgres")
    created.read("tables.sql", "CREATE TABLE logs (t timestamp); CREATE TABLE others (t date)")
    created.read("notes.sql", "don't CREATE TABLE logs (t timestamptz)")
    assert created.tables() == {"logs": {"t": "TIMESTAMP"}, "others": {"t": "DATE"}}


SAME, OTHER = "ALTER TABLE logs ALTER n SET NOT NULL", "ALTER t TYPE timestamptz"
AFTER = {
    SAME: True,
    "ALTER TABLE ONLY public.logs OWNER TO CURRENT_USER": True,
    "ALTER TABLE logs ADD CONSTRAINT c CHECK (n > 1), ENABLE ROW LEVEL SECURITY": True,
    "ALTER TABLE logs REPLICA IDENTITY FULL": True,
    "DROP TABLE IF EXISTS others; CREATE TABLE others AS SELECT 1": True,
    "DROP TABLE IF EXISTS others, further CASCADE; CREATE VIEW further AS SELECT 1": True,
    "CREATE TABLE others (LIKE logs)": True,
    f"-- x\nALTER TABLE logs {OTHER}": False,
    f"{SAME}, {OTHER}": False,
    f"{SAME}, /* x */ -- y\n {OTHER}": False,
    "ALTER TABLE logs RENAME TO others": False,
    'ALTER TABLE logs RENAME t TO u; ALTER TABLE "logs" RENAME n TO t': False,
    "CREATE TABLE others (t date); DROP TABLE logs; ALTER TABLE others RENAME TO logs": False,
    f"DO $$ BEGIN ALTER TABLE logs {OTHER}; END $$": False,
    "CREATE TEMP TABLE logs (t timestamptz)": False,
    "DROP TABLE logs; CREATE VIEW logs AS SELECT now() AS t": False,
    "DROP TABLE logs; EXPLAIN ANALYZE CREATE TABLE logs AS SELECT now() AS t": False,
    "DROP TABLE logs; CREATE SCHEMA AUTHORIZATION CURRENT_USER CREATE TABLE logs (t date)": False,
}


@pytest.mark.parametrize("later", AFTER)
def test_files_create_what_the_database_has(later: str, server: postgres.Server) -> None:
    found = "SELECT format_type(atttypid, -1) FROM pg_attribute WHERE attrelid = to_regclass"
    created = Created("postgres")
    created.read("tables.sql", MADE)
    created.read("later.sql", later)
    assert ("logs" in created.tables()) == AFTER[later]
    with server.connect() as connection, connection.transaction(force_rollback=True):
        connection.execute(MADE)
        before = connection.execute(f"{found}('logs') AND attname = 't'").fetchall()
        connection.execute(later)
        after = connection.execute(f"{found}('logs') AND attname = 't'").fetchall()
    assert (before == after) == AFTER[later]


def test_a_backslash_in_a_file_that_changes_a_table() -> None:
    created = Created("spark")
    created.read("tables.sql", "CREATE TABLE logs (t timestamp)")
    created.read("later.sql", "ALTER TABLE logs RENAME TO others; SELECT 'it\\'s'")
    assert created.tables() == {}
