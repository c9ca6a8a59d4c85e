"""``tzconv dbt`` on artifacts as dbt writes them: what it prints, writes and refuses.

tests/dbt_package has a project that real dbt compiles.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.command import assert_one_sentence, run
from tests.dbt_artifacts import manifest, model, project, source, write

DAILY = """-- "shop"."main"."events" by day
select e.ts at time zone 'UTC' at time zone 'Asia/Kolkata' as local_time,
  '"shop"."main"."events"' as source
from "shop"."main"."events" as e"""
STAR = """select * from "shop"."main"."users" u join "shop"."main"."events" as e on e.user_id = u.id
where e.ts at time zone 'UTC' at time zone u.zone >= timestamp '2026-03-01'"""
PLAIN = 'select 1 as one from "shop"."main"."events"'
COLUMNS = {
    "events": {"ts": "TIMESTAMP", "user_id": "INTEGER"},
    "users": {"id": "INTEGER", "zone": "VARCHAR"},
}
TABLES = "; ".join(
    f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})"
    for table, columns in COLUMNS.items()
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A compiled project with one model to rewrite, a test, and a model of a package."""
    others = model("late", DAILY, resource_type="test"), model("a", DAILY, package_name="b")
    project(tmp_path, COLUMNS, model("daily", DAILY), model("plain", PLAIN), *others)
    return tmp_path


def test_prints_a_table_and_the_places(folder: Path) -> None:
    done = run("dbt", "shop", cwd=folder)
    assert done.returncode == 2, done
    lines = done.stdout.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["model", "would", "change", "left", "why"],
        ["daily", "2", "0"],
        ["plain", "0", "0"],
    ]
    at = "shop/target/compiled/shop/models/daily.sql"
    assert lines[3].startswith(f"{at}:2:8: could be rewritten by period: ")
    assert lines[4].startswith(f"{at}:4:")
    assert len(lines) == 5
    assert "2 models: 1 would change, 1 unchanged." in done.stderr


def test_the_places_of_a_snapshot_are_not_those_of_its_file(folder: Path) -> None:
    """dbt writes no compiled file for it."""
    snapshot = model("daily", DAILY, resource_type="snapshot", compiled_path=None)
    write(folder, manifest(COLUMNS, snapshot))
    lines = run("dbt", "shop", cwd=folder).stdout.splitlines()
    assert lines[2].startswith("shop/models/daily.sql (as compiled):2:8: could be rewritten")


def test_the_files_of_the_project_stay(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for options in ([], ["--diff"], ["--json"], ["--output-dir", "out"]):
        run("dbt", "shop", *options, cwd=folder)
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    out = folder / "out/models/daily.sql"
    assert after.keys() - before.keys() == {out}
    assert {path: after[path] for path in before} == before
    assert run("dbt", "shop", "--output-dir", "out", cwd=folder).returncode == 1, "it has files"
    assert out.read_bytes() == after[out]


def test_names_of_databases_stay(folder: Path) -> None:
    write(folder, manifest(COLUMNS, model("daily", DAILY), model("star", STAR)))
    assert run("dbt", "shop", "--output-dir", "out", cwd=folder).returncode == 0
    daily, star = ((folder / f"out/models/{name}.sql").read_text() for name in ("daily", "star"))
    for text, new in ((DAILY, daily), (STAR, star)):
        assert new.count('"shop"."main".') == text.count('"shop"."main".')
        assert " " * 7 not in new
    diff = run("dbt", "shop", "--diff", "--select", "daily", cwd=folder).stdout
    assert "\n-select e.ts at" in diff
    assert "\n from" not in diff
    (document,) = json.loads(run("dbt", "shop", "--json", "--select", "star", cwd=folder).stdout)
    assert document["model"] == "star"
    for change in document["changes"]:
        assert STAR[change["start"] : change["end"]] == change["before"]


def test_the_new_text_runs(folder: Path) -> None:
    """In a database of that name, with the types from it instead of dbt's catalog."""
    url = "duckdb:///shop.duckdb"
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute(TABLES)
        database.execute(
            "INSERT INTO events SELECT '2026-01-01'::timestamp + to_hours(i), i % 2 "
            "FROM range(9000) r(i)"
        )
        database.execute("INSERT INTO users VALUES (0, 'Europe/Berlin'), (1, NULL)")
    done = run("refresh", "--url", url, "--zones", "Europe/Berlin,Asia/Kolkata", cwd=folder)
    assert done.returncode == 0, done
    (folder / "shop/target/catalog.json").unlink()
    models = {"daily": DAILY, "star": STAR}
    write(folder, manifest(COLUMNS, *(model(name, text) for name, text in models.items())))
    done = run("dbt", "shop", "--url", url, "--strategy", "period", "--json", cwd=folder)
    assert done.returncode == 2, done
    with duckdb.connect(folder / "shop.duckdb") as database:
        for one in json.loads(done.stdout):
            old, new = (
                sorted(map(str, database.execute(text).fetchall()))
                for text in (models[one["model"]], one["sql"])
            )
            assert one["changes"]
            assert old == new
            assert old


def test_a_table_of_another_database_is_unknown(folder: Path) -> None:
    document = manifest(COLUMNS, model("daily", DAILY.replace('"shop"', '"lake"')))
    document["sources"] = {"source.shop.raw.events": source("events", "lake")}
    write(folder, document)
    done = run("dbt", "shop", cwd=folder)
    assert "left (unknown-type)" in done.stdout
    assert done.returncode == 0


def test_models_that_cannot_be_read(folder: Path) -> None:
    models = [
        model("broken", "select a b c from t where"),
        model("fresh", None),
        model("daily", DAILY),
        model("learnt", "import numpy", language="python"),
        model("theirs", DAILY, package_name="other"),
    ]
    write(folder, manifest(COLUMNS, *models))
    done = run("dbt", "shop", cwd=folder)
    assert done.returncode == 1
    assert "theirs" not in done.stdout
    for row in (
        "broken  -  -  not understood",
        "fresh  -  -  not compiled",
        "learnt  -  -  not SQL",
    ):
        assert row.split() in [line.split() for line in done.stdout.splitlines()]
    assert "tzconv: shop/target/compiled/shop/models/broken.sql:1:12: " in done.stderr
    assert "4 models: 1 would change, 0 unchanged, 2 failed, 1 not SQL." in done.stderr
    assert "Not compiled: fresh: run dbt compile." in done.stderr
    assert run("dbt", "shop", "--select", "daily", cwd=folder).returncode == 2
    (folder / "new").mkdir()
    written = run("dbt", "shop", "--select", "daily", "--output-dir", "new", cwd=folder)
    assert "1 model: 1 written to new, 0 unchanged." in written.stderr


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "is not a manifest that dbt has written: run dbt compile again."),
        ([], "is not a manifest"),
        ({"metadata": {"dbt_schema_version": 12}, "nodes": {}}, "is not a manifest"),
        (manifest(COLUMNS, model("daily", DAILY), version=6), "is a manifest of version 6"),
        (
            manifest(COLUMNS, model("daily", DAILY), adapter="snowflake"),
            "the project is 'snowflake'",
        ),
        (manifest(COLUMNS, {"resource_type": "model"} | {"name": "x"}), "is not a manifest"),
    ],
)
def test_wrong_manifests(document: Any, said: str, folder: Path) -> None:
    write(folder, document)
    assert_one_sentence(run("dbt", "shop", cwd=folder), "shop/target/manifest.json: ", said)


def test_the_oldest_manifest(folder: Path) -> None:
    write(folder, manifest(COLUMNS, model("daily", DAILY), version=7))
    assert run("dbt", "shop", cwd=folder).returncode == 2


def test_wrong_folders(folder: Path) -> None:
    assert_one_sentence(run("dbt", cwd=folder), ".: has no dbt_project.yml: name the folder")
    assert_one_sentence(run("dbt", "nowhere", cwd=folder), "nowhere: has no dbt_project.yml")
    assert_one_sentence(
        run("dbt", "shop", "--target-path", "build", cwd=folder),
        "shop/build/manifest.json: does not exist: run dbt compile in shop first",
    )
    assert_one_sentence(
        run("dbt", "shop", "--select", "dayly", cwd=folder), "no model 'dayly': did you mean daily?"
    )
    assert run("dbt", "shop", "--diff", "--json", cwd=folder).returncode == 64


def test_types_that_are_unknown_are_no_failure(folder: Path) -> None:
    (folder / "shop/target/catalog.json").unlink()
    done = run("dbt", "shop", cwd=folder)
    assert done.returncode == 0
    assert "dbt docs generate writes a catalog.json with the types." in done.stderr
    named = run("dbt", "shop", "--types", "shop.main.events.ts=timestamp", cwd=folder)
    assert named.returncode == 2


def test_a_model_that_is_understood_in_part_has_not_passed(folder: Path) -> None:
    unread = "select a b c, e.ts at time zone 'UTC' at time zone 'Asia/Kolkata' from events e"
    write(folder, manifest(COLUMNS, model("hooked", f"{PLAIN};\n{unread}")))
    done = run("dbt", "shop", cwd=folder)
    assert done.returncode == 1
    assert "models/hooked.sql:2:15: left (not-parsed): not understood" in done.stdout
    assert "1 model: 0 would change, 1 unchanged." in done.stderr
