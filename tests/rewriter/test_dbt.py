"""A dbt project is rewritten, and each model gives the same rows however it is rendered."""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import dbt_project, events, events_postgres, postgres
from tests.command import run
from tests.dbt_project import MODELS, PROJECT, render
from tzconv.cli.rewriting import ColumnTypes, column_types
from tzconv.rewriter import Rewrite, rewrite, templated
from tzconv.sql.declarations import add_columns, read


@pytest.fixture(scope="module")
def database(server: postgres.Server) -> Iterator[events_postgres.Connection]:
    with events_postgres.connect(server.loaded(dbt_project.load)) as connection:
        yield connection


@functools.cache
def types(dialect: str) -> ColumnTypes:
    return column_types(str(PROJECT / "target" / "catalog.json"), (), dialect)


@functools.cache
def rewritten(name: str, dialect: str = "postgres") -> Rewrite:
    known, text = types(dialect), MODELS[name].read_text()
    one = functools.partial(rewrite, dialect=dialect)
    return templated.rewrite_each(text, one, known.of_file(name))


def test_artifacts_are_fresh(database: events_postgres.Connection) -> None:
    for name, document in dbt_project.artifacts(database).items():
        path = PROJECT / "target" / f"{name}.json"
        if os.environ.get("TZCONV_UPDATE_GOLDEN"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(document, separators=(",", ":")) + "\n")
        assert json.loads(path.read_text()) == document


def test_a_relation_of_dbt_types_no_other_of_its_name() -> None:
    def node(schema: str, name: str = "orders", **columns: str) -> dict[str, Any]:
        of = {one: {"data_type": kind} for one, kind in columns.items()}
        return {"resource_type": "model", "name": name, "schema": schema, "columns": of}

    nodes = {"model.own.orders": node("own"), "model.base.orders": node("base", ts="timestamptz")}
    nodes["model.own.untyped"] = node("own", "untyped")
    sources = {"source.own.raw.calls": node("raw", "calls", ts="timestamptz")}
    sources["source.own.raw.calls"]["resource_type"] = "source"
    declared = read(json.dumps({"nodes": nodes, "sources": sources}), "postgres")
    add_columns(declared.tables, ["untyped.ts=timestamptz"], "postgres")
    one = functools.partial(rewrite, dialect="postgres")
    text = "SELECT ts AT TIME ZONE 'Europe/Berlin' AS local FROM {}"
    base = (
        *("base.orders", "{{ ref('base', 'orders') }}", "{{ ref('untyped') }}", "own.untyped"),
        *("calls", "{{ source('raw', 'calls') }}"),
    )
    for name in (
        *base,
        "{{ ref('calls') }}",  # an ephemeral model, or one that is not built yet
        "{{ source('files', 'calls') }}",
        "own.orders",
        "orders",
        "{{ ref('orders') }}",
        "{{ ref('own', 'orders') }}",
    ):
        result = templated.rewrite_each(text.format(name), one, declared, "postgres")
        assert bool(result.changes) == (name in base), name


LOCAL = "{% macro day(c) %}{{ c }} AT TIME ZONE 'UTC' AT TIME ZONE s.tz{% endmacro %}"
CAST = "{% macro day(c) %}CAST({{ c }} AS date){% endmacro %}"
NUMBERED = "{% macro day(c) %}row_number() OVER (PARTITION BY {{ c }}){% endmacro %}"


@pytest.mark.parametrize(
    ("macros", "is_known", "converts"),
    [
        ([CAST], True, False),
        ([LOCAL, CAST], True, True),
        ([CAST, LOCAL], True, True),
        ([NUMBERED, CAST], False, False),
        ([CAST, NUMBERED], False, False),
    ],
)
def test_macros_of_one_name(macros: list[str], *, is_known: bool, converts: bool) -> None:
    """Of two packages: a call may be of either. What numbers rows has no join beside it."""
    found = {
        str(number): {"name": "day", "package_name": str(number), "macro_sql": text}
        for number, text in enumerate(macros)
    }
    declared = read(json.dumps({"nodes": {}, "macros": found}), "postgres")
    declared.converting = templated.converting(declared.macros)
    declared.tables = {"orders": {"id": "int", "ts": "timestamptz", "tz": "text"}}
    one = functools.partial(rewrite, dialect="postgres")
    text = "SELECT {{ day('ts') }} AS day, s.ts AT TIME ZONE s.tz AS l FROM orders s"
    result = templated.rewrite_each(text, one, declared, "postgres")
    assert bool(result.changes) == is_known
    assert any("the macro day converts" in one.reason for one in result.left) == converts


def test_how_models_refer_to_each_node() -> None:
    def node(name: str) -> dict[str, Any]:
        metadata = {"database": "shop", "schema": "main", "name": name}
        return {"metadata": metadata, "columns": {"ts": {"type": "timestamp"}}}

    keys = ("model.shop.orders", "seed.shop.zones", "snapshot.base.then", "model.shop.old.v2")
    nodes = {key: node(key.split(".")[2]) for key in (*keys, "test.shop.orders.1")}
    document = {"nodes": nodes, "sources": {"source.shop.raw.events": node("events")}}
    names = {("ref", "orders"), ("ref", "zones"), ("ref", "then"), ("source", "raw", "events")}
    names |= {("ref", "shop", "orders"), ("ref", "shop", "zones"), ("ref", "base", "then")}
    assert set(read(json.dumps(document), "postgres").models) == names


WAYS: list[dict[str, Any]] = [
    {},
    {"incremental": True},
    {"local_time": False, "only_past": False},
    {"target": "dev"},
]


@pytest.mark.parametrize("name", MODELS)
def test_same_rows(name: str, database: events_postgres.Connection) -> None:
    text, result = MODELS[name].read_text(), rewritten(name)
    for change in result.changes:
        assert text[change.start : change.end] == change.before
    if result.sql == text:
        return
    seen = 0
    for way in WAYS:
        before, after = (render(one, name, **way) for one in (text, result.sql))
        rows = events_postgres.rows_of(database, before)
        assert events_postgres.rows_of(database, after) == rows, (way, after)
        seen += rows[1].total()
    assert seen, "a model without rows proves nothing"


def test_same_rows_on_duckdb() -> None:
    database = events.connect()
    for statement in dbt_project.statements():
        database.execute(statement)
    changed = 0
    for name, path in MODELS.items():
        text, result = path.read_text(), rewritten(name, "duckdb")
        changed += bool(result.changes)
        for way in WAYS[:2] if result.changes else ():
            rows, after = (
                (found.description, Counter(map(repr, found.fetchall())))
                for one in (text, result.sql)
                for found in [database.execute(render(one, name, **way))]
            )
            assert after == rows, (name, way)
    assert changed >= 65
    database.close()


def test_every_conversion_is_rewritten_or_left_with_its_reason() -> None:
    silent = [
        name
        for name, path in MODELS.items()
        if "at time zone" in path.read_text()
        if not rewritten(name).changes and not rewritten(name).left
    ]
    assert set(silent) <= {"rpt_shifts_of_today"}, "which converts only NOW()"
    assert sum(bool(rewritten(name).changes) for name in MODELS) >= 61
    codes = {one.code for name in MODELS for one in rewritten(name).left}
    assert codes <= {"template", "unsupported", "joined-on-zone", "loses-estimate", "loses-order"}


def test_of_the_command_line(tmp_path: Path) -> None:
    """The folder in place, the second time without a change; a check says what it would do."""
    shutil.copytree(PROJECT, tmp_path / "dbt")
    options = ["--schema-file", "dbt/target/catalog.json", "--dialect", "postgres"]
    done = run("rewrite", "dbt/models", *options, "--in-place", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name, path in MODELS.items():
        new = tmp_path / "dbt" / path.relative_to(PROJECT)
        assert new.read_text() == rewritten(name).sql
    again = run("rewrite", "dbt/models", *options, "--check", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (0, "")
    assert "100 files: 0 would change, 100 unchanged." in again.stderr


def test_of_the_manifest(tmp_path: Path) -> None:
    """It has the types of columns that a project describes."""
    known = column_types(str(PROJECT / "target" / "manifest.json"), (), "postgres")
    text = MODELS["int_signups_localized"].read_text()
    one = functools.partial(rewrite, dialect="postgres")
    result = templated.rewrite_each(text, one, known.of_file(""))
    assert result.sql == rewritten("int_signups_localized").sql
