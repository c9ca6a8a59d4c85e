"""The folder of versions that Spark reads, and what tzconv does of it without Spark or Java."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from tests import ROOT
from tests.command import assert_one_sentence
from tzconv.engines.spark.warehouse import Warehouse
from tzconv.errors import DatabaseError

NO_SPARK = "raise SystemExit('Spark was imported')\n"


def made(folder: Path, *versions: str) -> Warehouse:
    """A folder with these versions; the last one is current."""
    warehouse = Warehouse(folder)
    warehouse.make()
    with warehouse.locked(0):
        for version in versions:
            with warehouse.making(version) as path:
                (path / "rows").write_text(version)
            warehouse.publish(version)
    return warehouse


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_versions_follow_each_other(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "tz")
    assert warehouse.current() is None
    assert warehouse.following() == "v000001"
    made(tmp_path / "tz", "v000001")
    assert (warehouse.current(), warehouse.following()) == ("v000001", "v000002")
    made(tmp_path / "tz", "v999999", "v1000000")
    assert (warehouse.current(), warehouse.following()) == ("v1000000", "v1000001")


def half_written(warehouse: Warehouse, version: str) -> None:
    with warehouse.making(version) as path:
        (path / "rows").write_text("half")
        raise KeyboardInterrupt


def test_a_version_that_fails_leaves_nothing(tmp_path: Path) -> None:
    warehouse = made(tmp_path, "v000001")
    with pytest.raises(KeyboardInterrupt):
        half_written(warehouse, "v000002")
    assert names(tmp_path) == {"CURRENT", "LOCK", "v000001"}
    assert warehouse.current() == "v000001"


def test_what_a_killed_job_left_is_not_part_of_the_next_version(tmp_path: Path) -> None:
    warehouse = made(tmp_path, "v000001")
    (tmp_path / "v000002").mkdir()
    (tmp_path / "v000002" / "half").touch()
    with warehouse.making(warehouse.following()) as path:
        assert not list(path.iterdir())


def test_sweep_keeps_two_versions_and_all_that_is_not_ours(tmp_path: Path) -> None:
    warehouse = made(tmp_path, *(f"v{number:06d}" for number in range(1, 5)))
    (tmp_path / "v2-of-somebody").mkdir()
    (tmp_path / "notes.txt").touch()
    for name, age in ((".asked-old", 90_000), (".asked-new", 10)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    warehouse.sweep()
    assert names(tmp_path) == {
        *("CURRENT", "LOCK", "v000003", "v000004"),
        *("v2-of-somebody", "notes.txt", ".asked-new"),
    }


@pytest.mark.parametrize("name", ["report.sql", "v000001", "CURRENT.new"])
def test_a_folder_of_something_else_is_not_touched(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(DatabaseError, match=f"holds '{name}' and no tables"):
        Warehouse(tmp_path).current()
    with pytest.raises(DatabaseError, match="name an empty folder"):
        Warehouse(tmp_path).make()
    assert names(tmp_path) == {name}


def test_a_first_refresh_that_was_killed_leaves_a_folder_of_ours(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    warehouse.make()
    with warehouse.locked(0), warehouse.making("v000001"):
        assert Warehouse(tmp_path).current() is None


@pytest.mark.parametrize("text", ["", "main\n", "v1\n", "../v000001\n", "v000001 v000002\n"])
def test_a_pointer_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    made(tmp_path, "v000001")
    (tmp_path / "CURRENT").write_text(text)
    with pytest.raises(DatabaseError, match="CURRENT is not one of tzconv's"):
        Warehouse(tmp_path).current()


def test_a_pointer_to_nothing_is_told(tmp_path: Path) -> None:
    made(tmp_path, "v000001")
    (tmp_path / "CURRENT").write_text("v000007\n")
    with pytest.raises(DatabaseError, match="'v000007', which is not there"):
        Warehouse(tmp_path).current()


def _hold(folder: Path, held: Event, end: Event) -> None:
    with Warehouse(folder).locked(0):
        held.set()
        end.wait()


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    held, end = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path, held, end))
    other.start()
    try:
        assert held.wait(60)
        with pytest.raises(DatabaseError, match="another refresh is at work"):
            Warehouse(tmp_path).locked(0.3).__enter__()
    finally:
        other.kill()
        other.join()
    with Warehouse(tmp_path).locked(0.3):
        assert names(tmp_path) == {"LOCK"}


def test_readers_see_no_moment_without_a_version(tmp_path: Path) -> None:
    warehouse = made(tmp_path, "v000001")
    reader = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, pathlib\n"
            "from tzconv.engines.spark.warehouse import Warehouse\n"
            "warehouse, seen = Warehouse(pathlib.Path(sys.argv[1])), []\n"
            "print('go', flush=True)\n"
            "while not seen or seen[-1] < 'v000200':\n"
            "    seen.append(warehouse.current())\n"
            "    assert seen[-1] is not None\n"
            "assert seen == sorted(seen)\n",
            str(tmp_path),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    with reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "go\n"
        for number in range(2, 201):
            with warehouse.making(f"v{number:06d}"):
                pass
            warehouse.publish(f"v{number:06d}")
        assert reader.wait(60) == 0


def test_without_the_extra_the_url_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pyspark'] = None; from tzconv.cli import main; "
        "sys.argv = ['tzconv', 'status', '--url', 'spark:///nowhere']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert_one_sentence(done, "pyspark", "pip install 'tzconv[spark]'")


def test_nothing_imports_spark_but_its_url(tmp_path: Path) -> None:
    """A package of that name that ends the process stands in front of the real one."""
    for name in ("pyspark", "py4j"):
        (tmp_path / "path" / name).mkdir(parents=True)
        (tmp_path / "path" / name / "__init__.py").write_text(NO_SPARK)
    (tmp_path / "q.sql").write_text("SELECT from_utc_timestamp(t, 'Asia/Tokyo') FROM x")
    (tmp_path / "x.sql").write_text("CREATE TABLE x (t TIMESTAMP)")
    commands = (
        ["--version"],
        ["--help"],
        ["rewrite", "q.sql", "--dialect", "spark", "--schema-file", "x.sql"],
        ["lint", "q.sql", "--dialect", "spark"],
        ["refresh", "--zones", "Asia/Tokyo"],
        ["doctor"],
        ["bench", "--help"],
    )
    said = _run_in_turn(tmp_path, *commands)
    assert "tz release" in said, "the commands are at work"
    assert "Spark was imported" not in said
    assert "Traceback" not in said, said
    # the same package does end a process that asks for Spark: the test can fail
    assert "Spark was imported" in _run_in_turn(tmp_path, ["status", "--url", "spark:///nowhere"])


def _run_in_turn(folder: Path, *commands: list[str]) -> str:
    """All that commands say which run in one process."""
    code = (
        "import json, sys\n"
        "from tzconv.cli import main\n"
        "for sys.argv[1:] in json.loads(sys.argv[1]):\n"
        "    try: main()\n"
        "    except SystemExit as end: print(end.code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(commands)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(folder / "path"), str(ROOT)))},
        check=True,
    )
    return done.stdout
