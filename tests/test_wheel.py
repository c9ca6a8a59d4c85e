"""What `pip install tzconv` gives a user: the wheel, in an environment that has nothing else.

The environment holds the wheel and, linked from this one, exactly the packages that the wheel
declares, and theirs: no driver, no extra, nothing of the tests. Nothing is downloaded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests import ROOT
from tzconv._version import __version__


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from what the Dockerfile copies, which must be enough."""
    folder, source = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("source")
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = re.findall(r"(?m)^COPY (?!--from)(.*) \S+$", dockerfile)
    for name in " ".join(copied).split():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name)
        else:
            shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    subprocess.run(
        [*command, "--no-build-isolation", "--wheel-dir", str(folder), str(source)], check=True
    )
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel and what it declares."""
    folder = tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    for name in sorted(_needed("tzconv")):
        _link(metadata.distribution(name), site)
    # another pip writes into it: it needs none of its own
    found = folder / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(found)]
    install = ["install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    subprocess.run([*command, *install], check=True)
    subprocess.run([*command, "check"], check=True)
    return found


def _needed(name: str) -> Iterator[str]:
    """The packages that one declares without extras, and those that they declare."""
    waiting, known = [(name, frozenset[str]())], set[tuple[str, frozenset[str]]]()
    while waiting:
        one, extras = waiting.pop()
        if (one, extras) in known:
            continue
        known.add((one, extras))
        if one != name:
            yield one
        for text in metadata.requires(one) or []:
            wanted = Requirement(text)
            environments = [{"extra": extra} for extra in (extras or {""})]
            if wanted.marker is None or any(map(wanted.marker.evaluate, environments)):
                waiting.append((wanted.name, frozenset(wanted.extras)))


def _link(package: metadata.Distribution, site: Path) -> None:
    for top in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
        target = Path(str(package.locate_file(top)))
        if target.exists() and not (site / top).exists():
            (site / top).symlink_to(target)


def run(python: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        [str(python.parent / "tzconv"), *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=kept,
        check=False,
    )


def test_what_the_wheel_holds(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (path,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        about = archive.read(path).decode()
    assert {"tzconv/py.typed", "tzconv/bench/page.css"} <= names
    suites = {f"tzconv/bench/{name}.sql" for name in ("conversions", "reports", "tuned")}
    assert {name for name in names if name.endswith(".sql")} == {"tzconv/demo.sql", *suites}
    for source in [*(ROOT / "tzconv").rglob("*.py"), *(ROOT / "migrations").rglob("*.py")]:
        inside = source.relative_to(ROOT).as_posix()
        assert inside.replace("migrations/", "tzconv/migrations/", 1) in names
    assert not [name for name in names if re.match(r"tests|docs|sql/", name)]
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert re.findall(r"(?m)^Provides-Extra: (\w+)$", about) == [
        "all",
        "postgres",
        "spark",
        "sqlalchemy",
        "vertica",
    ]
    assert "Requires-Python: >=3.11" in about


def test_a_new_user(python: Path, tmp_path: Path) -> None:
    version = run(python, "--version", cwd=tmp_path)
    assert version.stdout.splitlines()[0] == f"tzconv {__version__}"
    assert "psycopg not installed" in version.stdout
    assert "vertica-python not installed" in version.stdout
    shown = run(python, "demo", "--events", "20000", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert len(re.findall(r"\d rows?, identical", shown.stdout)) == 3
    options = ["--url", "duckdb:///own.duckdb", "--zones", "Europe/Berlin"]
    made = run(python, "refresh", *options, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert run(python, "doctor", *options[:2], cwd=tmp_path).returncode == 0
    (tmp_path / "q.sql").write_text(
        "SELECT TIMESTAMP '2026-01-01' < NOW() AT TIME ZONE 'Europe/Berlin' AS local\n"
    )
    assert run(python, "compare", "q.sql", *options[:2], cwd=tmp_path).returncode == 0
    assert "findings" in run(python, "lint", "q.sql", cwd=tmp_path).stderr
    assert "CREATE TABLE" in run(python, "ddl", "--dialect", "postgres", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("url", "extra"),
    [
        ("postgresql+psycopg://me@localhost/reports", "tzconv[postgres]"),
        ("vertica+vertica_python://me@localhost/reports", "tzconv[vertica]"),
    ],
)
@pytest.mark.parametrize("command", ["refresh", "status", "doctor"])
def test_a_missing_driver_is_one_sentence(
    command: str, url: str, extra: str, python: Path, tmp_path: Path
) -> None:
    done = run(python, command, "--url", url, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert f"pip install '{extra}'" in done.stderr
