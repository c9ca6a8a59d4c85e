"""Column types from files, options and the files of the run themselves."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.command import assert_one_sentence, run

QUERY = "SELECT e.ts AT TIME ZONE u.tz AS l FROM app.events e JOIN users u ON u.id = e.user_id;\n"
DDL = (
    "CREATE TABLE app.events (ts timestamptz, user_id int);\n"
    "CREATE TABLE users (id int, tz text);\n"
)
POSTGRES = ("--dialect", "postgres")
CATALOG = {
    "nodes": {
        "model.shop.users": {
            "metadata": {"schema": "app", "name": "users"},
            "columns": {"id": {"type": "integer"}, "tz": {"type": "text", "name": "tz"}},
        }
    },
    "sources": {
        "source.shop.raw.events": {
            "metadata": {"schema": "app", "name": "events"},
            "columns": {"ts": {"type": "timestamp with time zone"}, "user_id": {"type": "integer"}},
        }
    },
}
MANIFEST = {
    "nodes": {
        "model.shop.users": {
            "resource_type": "model",
            "schema": "app",
            "alias": "users",
            "name": "users_of_today",
            "columns": {"id": {"data_type": "integer"}, "tz": {"data_type": "text"}},
        }
    },
    "sources": {
        "source.shop.raw.events": {
            "resource_type": "source",
            "schema": "app",
            "name": "events",
            "columns": {"ts": {"data_type": "timestamptz"}, "user_id": {"data_type": "integer"}},
        }
    },
}
CSV = """column_name,data_type,table_name,table_schema,is_nullable
ts,timestamp with time zone,events,app,YES
tz,character varying,users,public,YES
id,integer,users,public,YES
"""
SEMICOLONS = CSV.replace(",", ";").upper().replace("TS;", "ts;").replace("TZ;", "tz;")


@pytest.mark.parametrize(
    "text",
    [
        DDL,
        json.dumps(CATALOG),
        json.dumps(MANIFEST),
        CSV,
        CSV.replace(",", ";"),
        re.sub(r"([^,\n]+)", r'"\1"', CSV).replace(",", ", "),
        CSV.replace(",", "  | "),
        "\\restrict x\n" + DDL + "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ x $$;",
    ],
    ids=["ddl", "catalog", "manifest", "csv", "semicolons", "quoted", "aligned", "dump"],
)
def test_files_of_types(text: str, tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text(QUERY)
    (tmp_path / "types").write_text(text)
    done = run("rewrite", "q.sql", "--schema-file", "types", *POSTGRES, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "COALESCE" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', "types:1:1: is JSON without nodes and sources"),
        ('{"nodes": ', "types:1:11: begins like JSON"),
        ("table_name,column_name\na,b\n", "the header lacks table_schema, data_type"),
        ("SELECT FROM FROM", "types:1:"),
        *(
            (text, "types:1:1: is JSON with nodes and sources of another form")
            for text in (
                '{"nodes": [1]}',
                '{"nodes": {"model.a.b": null}}',
                '{"nodes": {"model.a.b": {"metadata": {"name": 5}, "columns": {}}}}',
                '{"nodes": {"model.a.b": {"metadata": {"name": "b"}, "columns": [1]}}}',
                '{"nodes": {"model.a.b": {"metadata": {}, "columns": {"c": {"type": {}}}}}}',
                '{"nodes": {"model.a.b": {"resource_type": "model", "columns": {"c": "text"}}}}',
                '{"nodes": {}, "macros": {"macro.a.b": null}}',
            )
        ),
        (f"{CSV}{'x' * 200_000},,,\n", "cannot be read as CSV (field larger than field limit"),
    ],
)
def test_files_of_no_types(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text(QUERY)
    (tmp_path / "types").write_text(text)
    assert_one_sentence(run("rewrite", "q.sql", "--schema-file", "types", cwd=tmp_path), said)


@pytest.mark.parametrize(
    "text",
    [
        "table_catalog,table_schema,table_name,column_name,data_type\n"
        "here,app,events,ts,timestamp with time zone\nthere,app,events,ts,timestamp\n",
        "table_schema,table_name,column_name,data_type\n"
        "app,events,ts,timestamp with time zone\napp,events,ts,timestamp\n",
        json.dumps(
            {
                "nodes": {
                    f"model.{database}.events": {
                        "metadata": {"database": database, "schema": "app", "name": "events"},
                        "columns": {"ts": {"type": kind}},
                    }
                    for database, kind in (("here", "timestamptz"), ("there", "timestamp"))
                }
            }
        ),
    ],
    ids=["databases", "no databases", "dbt"],
)
def test_tables_of_one_name_in_two_databases(text: str, tmp_path: Path) -> None:
    """The query does not say which it means, and their columns have different types."""
    (tmp_path / "q.sql").write_text(QUERY)
    (tmp_path / "types").write_text(text)
    single = ("--types", "users.tz=text")
    done = run("rewrite", "q.sql", "--schema-file", "types", *single, *POSTGRES, cwd=tmp_path)
    assert done.stdout == QUERY
    assert "the type of e.ts is not known" in done.stderr


def test_two_types_of_one_column(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text(QUERY)
    twice = ("--types", "app.events.ts=timestamptz", "--types", "app.Events.ts=timestamp")
    done = run("rewrite", "q.sql", *twice, *POSTGRES, cwd=tmp_path)
    assert_one_sentence(done, "gives app.events.ts two types, timestamptz and timestamp: keep one.")


def test_single_columns(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text(QUERY)
    bare = run("rewrite", "q.sql", *POSTGRES, cwd=tmp_path)
    assert 'add --types "app.events.ts=timestamptz" (or timestamp)' in bare.stderr
    first = ("--types", "app.events.ts=timestamptz")
    half = run("rewrite", "q.sql", *first, *POSTGRES, cwd=tmp_path)
    assert 'add --types "users.tz=text"' in half.stderr
    done = run("rewrite", "q.sql", *first, "--types", " users.tz=text,", *POSTGRES, cwd=tmp_path)
    assert "COALESCE" in done.stdout
    linted = run("lint", "q.sql", *first, "--types", "users.tz=text", *POSTGRES, cwd=tmp_path)
    assert "TZ001" in linted.stdout
    (tmp_path / "tzconv.toml").write_text(
        'types = ["app.events.ts=timestamptz", "users.tz=text"]\ndialect = "postgres"\n'
    )
    assert run("rewrite", "q.sql", cwd=tmp_path).stdout == done.stdout
    given = {"TZCONV_TYPES": "app.events.ts=timestamptz,users.tz=varchar(50)"}
    assert run("rewrite", "q.sql", cwd=tmp_path, **given).stdout == done.stdout
    (tmp_path / "types").write_text(DDL)
    for name in ("app.events", "events"):
        wrong = ("--schema-file", "types", "--types", f"{name}.ts=text")
        left = run("rewrite", "q.sql", *wrong, cwd=tmp_path)
        assert "neither TIMESTAMP nor TIMESTAMPTZ" in left.stderr


def test_a_type_of_another_form_is_said_once(tmp_path: Path) -> None:
    for name in ("a.sql", "b.sql"):
        (tmp_path / name).write_text(QUERY)
    done = run(
        "rewrite", "a.sql", "b.sql", "--diff", "--types", "events.ts", *POSTGRES, cwd=tmp_path
    )
    assert_one_sentence(done, "--types 'events.ts' is not of the form TABLE.COLUMN=TYPE")


def test_undeclared_columns_may_have_any_name(tmp_path: Path) -> None:
    """A star of a table with some columns declared shows others, too."""
    text = "SELECT l FROM (SELECT *, 1 AS created FROM events) e WHERE created > now();\n"
    (tmp_path / "q.sql").write_text(text)
    types = ("--types", "events.ts=timestamp")
    assert run("rewrite", "q.sql", *types, cwd=tmp_path).stdout == text
    (tmp_path / "q.sql").write_text("SELECT 1 FROM (SELECT * FROM events) e WHERE ts > now();\n")
    done = run("rewrite", "q.sql", *types, cwd=tmp_path)
    assert "CAST(now() AS TIMESTAMP)" in done.stdout


def test_no_option_declares_the_type_of_a_function(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT f(ts) AT TIME ZONE 'Asia/Tokyo' AS l FROM events;\n")
    (tmp_path / "b.sql").write_text("SELECT 1;\n")
    types = ("--types", "events.ts=timestamp")
    done = run("rewrite", "a.sql", "b.sql", "--diff", *types, *POSTGRES, cwd=tmp_path)
    assert done.stderr.splitlines()[-1] == (
        "1 conversion was left because types are unknown: their reasons say what to do."
    )


def test_a_check_without_types_fails(tmp_path: Path) -> None:
    (tmp_path / "q").mkdir()
    (tmp_path / "q" / "a.sql").write_text(QUERY)
    check = ("rewrite", "q", "--check", *POSTGRES)
    done = run(*check, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "1 conversion was left because column types are unknown: add --types "
        '"app.events.ts=timestamptz", or give --schema-file or --url.'
    )
    (tmp_path / "q" / "tables.sql").write_text(DDL)
    assert run(*check, cwd=tmp_path).returncode == 2
    (tmp_path / "q" / "a.sql").write_text("SELECT 1;\n")
    assert run(*check, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("other", "believed"),
    [
        ("", True),
        ("DROP TABLE IF EXISTS users; " + DDL, False),
        ("CREATE TABLE IF NOT EXISTS users (id int, tz text);", True),
        ("ALTER TABLE ONLY users ADD CONSTRAINT k PRIMARY KEY (id);", True),
        ("ALTER TABLE users OWNER TO me; CREATE INDEX i ON users (tz);", True),
        ("CREATE TABLE users (id int, tz interval);", False),
        ("ALTER TABLE users ALTER COLUMN tz TYPE interval;", False),
        ("ALTER TABLE users RENAME COLUMN a TO tz;", False),
        ("DROP TABLE users;", False),
        ("CREATE TABLE users AS SELECT 1 AS id;", False),
        ("CREATE TEMP TABLE users (id int, tz text);", False),
        ("CREATE VIEW users AS SELECT 1 AS id;", False),
    ],
)
def test_tables_of_the_same_folder(other: str, believed: bool, tmp_path: Path) -> None:
    folder = tmp_path / "q"
    (folder / "migrations").mkdir(parents=True)
    (folder / "report.sql").write_text(QUERY)
    (folder / "migrations" / "001.sql").write_text("DROP TABLE IF EXISTS users; " + DDL)
    (folder / "migrations" / "002.sql").write_text(other)
    done = run("rewrite", "q", "--in-place", *POSTGRES, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ("COALESCE" in (folder / "report.sql").read_text()) == believed, done.stderr


def test_types_of_a_manifest(tmp_path: Path) -> None:
    """By the words that dbt knows its nodes by, where their tables have other names."""
    query = (
        "SELECT e.ts AT TIME ZONE u.tz AS l FROM {{ source('raw', 'events') }} e "
        "JOIN {{ ref('users') }} u ON u.id = e.user_id\n"
    )
    (tmp_path / "q.sql").write_text(query)
    (tmp_path / "manifest.json").write_text(json.dumps(MANIFEST))
    done = run("rewrite", "q.sql", "--schema-file", "manifest.json", *POSTGRES, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "COALESCE" in done.stdout, done.stderr


def test_types_of_a_model(tmp_path: Path) -> None:
    """What is declared for a table counts for the dbt model of its name."""
    model = "select count(*) from {{ ref('orders') }} where made >= now() - interval '1 day'\n"
    (tmp_path / "model.sql").write_text(model)
    (tmp_path / "tables.sql").write_text("CREATE TABLE app.orders (made timestamp);")
    for types in (
        ("--types", "orders.made=timestamp"),
        ("tables.sql",),
        ("--schema-file", "tables.sql"),
    ):
        done = run("rewrite", "model.sql", *types, "--check", cwd=tmp_path)
        assert "could be rewritten by now" in done.stdout, (types, done.stdout, done.stderr)
        done = run("lint", "model.sql", *types, cwd=tmp_path)
        assert "TZ002" in done.stdout, (types, done.stdout, done.stderr)


def test_a_column_of_a_catalog_without_a_type_is_unknown(tmp_path: Path) -> None:
    columns = {"columns": {"ts": {"type": None}, "user_id": {"type": "integer"}}}
    source = CATALOG["sources"]["source.shop.raw.events"] | columns
    (tmp_path / "catalog.json").write_text(
        json.dumps({"nodes": {}, "sources": {"source.a": source}})
    )
    query = "SELECT 1 FROM app.events WHERE ts > now();\n"
    given = ("--schema-file", "catalog.json", *POSTGRES)
    done = run("rewrite", "-", *given, cwd=tmp_path, stdin=query)
    assert "the type of ts is not known" in done.stderr


@pytest.mark.parametrize("type", ["integer", "int", "bigint", "numeric(10, 2)", "interval"])
def test_types_of_no_time_are_no_slips(type: str, tmp_path: Path) -> None:
    done = run("rewrite", "-", "--types", f"publishers.id={type}", cwd=tmp_path, stdin="SELECT 1")
    assert done.returncode == 0, done.stderr
