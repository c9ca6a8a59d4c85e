"""The examples in docs/scheduling: they upgrade tzdata, refresh with or without it, and check.

Their commands run with the paths of a virtual environment that has a stand-in for pip.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import psycopg
import pytest
import tzdata

from tests import ROOT, postgres
from tests.databases import Database
from tzconv.refresher import refresh
from tzconv.tz import zones

EXAMPLES = ROOT / "docs" / "scheduling"
REFRESHED = "; rows: daily "
CHECKED = f"tz release {zones.installed().release}"


class Machine:
    """Folders for the files that the examples have in /opt/tzconv, /etc/tzconv and /var/log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.log = folder / "log" / "tzconv.log"
        self.bin.mkdir()
        self.log.parent.mkdir()
        self.url = f"duckdb:///{folder}/reports.duckdb"
        self.program(
            "python",
            f'echo "$@" >>{folder}/pip.txt\n'
            'case "$PIP" in\n'
            "fail) echo 'ERROR: no matching distribution' >&2; exit 1;;\n"
            "hang) exec sleep 0;;\n"
            "esac",
        )
        self.program("tzconv", f'exec {sys.executable} -m tzconv "$@"')

    def program(self, name: str, script: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / name).chmod(0o755)

    def here(self, text: str) -> str:
        """A text of an example with this machine's paths and database."""
        text = text.replace("/opt/tzconv/bin", str(self.bin))
        text = text.replace("/var/log/tzconv.log", str(self.log))
        text = re.sub(r"postgresql\+psycopg://tzconv@db(\.example\.com)?/reports", self.url, text)
        return text.replace("/etc/tzconv/refresh", str(self.folder / "refresh"))

    def install(self) -> None:
        script = self.here((EXAMPLES / "tzconv-refresh.sh").read_text())
        (self.folder / "refresh").write_text(script)
        (self.folder / "refresh").chmod(0o755)

    def run(self, command: str | list[str], **environment: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.bin}:{os.environ['PATH']}"
        return subprocess.run(
            ["sh", "-c", command] if isinstance(command, str) else command,
            cwd=self.folder,
            env={**os.environ, "PATH": path, "TZCONV_ZONES": "UTC,Asia/Tokyo", **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def upgrades(self) -> str:
        """The arguments of pip."""
        return (self.folder / "pip.txt").read_text()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_script_may_be_run() -> None:
    assert (EXAMPLES / "tzconv-refresh.sh").stat().st_mode & stat.S_IXUSR
    subprocess.run(["sh", "-n", EXAMPLES / "tzconv-refresh.sh"], check=True)


@pytest.mark.parametrize("pip", ["works", "fail"])
def test_cron(pip: str, machine: Machine) -> None:
    """Nothing is mailed after a success, and the end of the log after a failure."""
    machine.install()
    lines = machine.here((EXAMPLES / "crontab").read_text()).splitlines()
    given = dict(line.split("=", 1) for line in lines if re.match(r"[A-Z]+", line))
    job, weekly = [line for line in lines if re.match(r"\d", line)]
    minute, hour, *days, command = job.split(maxsplit=5)
    assert int(minute) < 60
    assert int(hour) < 24
    assert days == ["*", "*", "*"]
    assert "%" not in command  # cron reads it as a line break
    done = machine.run(command, PIP=pip, **given)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    log = machine.log.read_text()
    assert REFRESHED in log
    assert CHECKED in log
    assert ("tzdata was not upgraded" in log) == (pip == "fail")
    assert "install" in machine.upgrades()
    assert machine.upgrades().endswith("--upgrade tzdata\n")
    failed = machine.run(command, **given | {"TZCONV_URL": "duckdb:///no/such.duckdb"})
    assert "no such folder" in failed.stdout
    assert failed.returncode == 0  # of tail: cron mails because something was printed
    assert CHECKED in failed.stdout  # of the day before
    *when, command = weekly.split(maxsplit=5)
    assert when[2:] == ["*", "*", "0"]
    done = machine.run(command, **given)
    assert (done.stdout, done.stderr) == ("", "")
    assert "Every row is as it was loaded." in machine.log.read_text()
    Database("duckdb", machine.url).run("DELETE FROM time_zone_daily_conversion")
    assert "Not as loaded" in machine.run(command, **given).stdout


def test_the_script_fails_where_a_step_fails(machine: Machine) -> None:
    machine.install()
    machine.program("tzconv", 'echo "$1" >>steps; test "$1" != "$BROKEN"')
    for broken, steps in (("refresh", "refresh\n"), ("status", "refresh\nstatus\n")):
        (machine.folder / "steps").unlink(missing_ok=True)
        assert machine.run([str(machine.folder / "refresh")], BROKEN=broken).returncode == 1
        assert (machine.folder / "steps").read_text() == steps
    machine.program("tzconv", 'test "$1" != refresh || exit 3')  # a newer host's tables
    assert machine.run([str(machine.folder / "refresh")]).returncode == 0


@pytest.mark.parametrize("pip", ["works", "fail"])
def test_systemd(pip: str, machine: Machine) -> None:
    """The commands run in order; only the first may fail."""
    text = machine.here((EXAMPLES / "tzconv-refresh.service").read_text())
    settings = re.findall(r"(?m)^(\w+)=(.*)$", text)
    steps = [value for name, value in settings if name.startswith("Exec")]
    assert [name for name, _ in settings if name.startswith("Exec")] == [
        *("ExecStartPre", "ExecStart", "ExecStartPost")
    ]
    [url] = [value for _, value in settings if value.startswith("TZCONV_URL=")]
    codes, said = [], ""
    for step in steps:
        done = machine.run(
            shlex.split(step.removeprefix("-")), PIP=pip, TZCONV_URL=url.partition("=")[2]
        )
        codes.append(done.returncode)
        said += done.stdout + done.stderr
    assert codes == [int(pip == "fail"), 0, 0]
    assert [step.startswith("-") for step in steps] == [True, False, False]
    assert REFRESHED in said
    assert CHECKED in said
    assert ("ERROR" in said) == (pip == "fail")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_takes_the_units(machine: Machine) -> None:
    units = []
    for name in sorted(path.name for path in EXAMPLES.glob("tzconv-*.[st]*i*")):
        unit = machine.folder / name
        unit.write_text(machine.here((EXAMPLES / name).read_text()).replace("=tzconv\n", "=root\n"))
        units.append(str(unit))
    verify = ["systemd-analyze", "verify", "--man=no", *units]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert str(machine.folder) not in done.stderr
    assert "tzconv-refresh" not in done.stderr


def test_kubernetes(machine: Machine) -> None:
    """A newer tz release in /tz counts, and without one that of the image."""
    yaml: Any = importlib.import_module("yaml")  # has no types
    job = yaml.safe_load(machine.here((EXAMPLES / "cronjob.yaml").read_text()))
    pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    [fetch], [main] = pod["initContainers"], pod["containers"]
    assert fetch["image"] == main["image"]
    assert not main["image"].endswith(":latest")
    assert {one["mountPath"] for one in fetch["volumeMounts"] + main["volumeMounts"]} == {"/tz"}
    given = {one["name"]: one["value"] for one in main["env"] if "value" in one}
    assert given["PYTHONPATH"] == "/tz"
    given["PYTHONPATH"] = f"{machine.folder}/tz:{ROOT}"
    for pip, said in (("works", ""), ("fail", "tzdata was not downloaded")):
        done = machine.run(fetch["command"], PIP=pip)
        assert done.returncode == 0
        assert said in done.stderr
    assert "--target /tz tzdata\n" in machine.upgrades()
    old = machine.run(main["command"], **given)
    assert old.returncode == 0, old
    assert REFRESHED in old.stderr
    assert CHECKED in old.stdout
    newer = machine.folder / "tz" / "tzdata"
    shutil.copytree(Path(tzdata.__file__).parent, newer)
    source = (newer / "__init__.py").read_text()
    (newer / "__init__.py").write_text(source.replace(tzdata.IANA_VERSION, "2099a"))
    new = machine.run(main["command"], **given)
    assert new.returncode == 0, new
    assert "tz release 2099a" in new.stderr


class Task:
    """A BashOperator that only remembers."""

    made: list[Task] = []  # noqa: RUF012 - emptied by the test

    def __init__(self, task_id: str, bash_command: str) -> None:
        self.task_id, self.bash_command = task_id, bash_command
        self.made.append(self)

    def __rshift__(self, later: Task) -> Task:
        assert self.made.index(self) + 1 == self.made.index(later)
        return later


class Dag:
    """A DAG that only remembers its arguments."""

    options: dict[str, Any]

    def __init__(self, name: str, **options: Any) -> None:
        assert name == "tzconv_refresh"
        Dag.options = options

    def __enter__(self) -> None: ...

    def __exit__(self, *exception: object) -> None: ...


@pytest.mark.parametrize("pip", ["works", "fail"])
def test_airflow(pip: str, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Airflow: the tasks run in order, as its BashOperator would run them."""
    sdk, bash = ModuleType("airflow.sdk"), ModuleType("airflow.providers.standard.operators.bash")
    vars(sdk)["DAG"], vars(bash)["BashOperator"] = Dag, Task
    monkeypatch.setitem(sys.modules, sdk.__name__, sdk)
    for place in range(1, 5):
        package = ".".join(bash.__name__.split(".")[:place])
        monkeypatch.setitem(sys.modules, package, ModuleType(package))
    monkeypatch.setitem(sys.modules, bash.__name__, bash)
    Task.made.clear()
    source = machine.here((EXAMPLES / "airflow_dag.py").read_text())
    exec(compile(source, "airflow_dag.py", "exec"), {})
    defaults = Dag.options["default_args"]
    assert defaults["append_env"]
    assert [task.task_id for task in Task.made] == ["upgrade", "refresh", "check", "doctor"]
    said = ""
    for task in Task.made:
        done = machine.run(["bash", "-c", task.bash_command], PIP=pip, **defaults["env"])
        assert done.returncode == 0, done
        said += done.stdout + done.stderr
    assert REFRESHED in said
    assert CHECKED in said
    assert ("tzdata was not upgraded" in said) == (pip == "fail")


def test_pg_cron(server: postgres.Server) -> None:
    """Without pg_cron: what it runs succeeds, and fails once the job has stopped."""
    url = server.fresh("watched")
    database = Database("postgres", url, server, "watched")
    database.run("CREATE SCHEMA reporting")
    refresh(url, zones=["UTC"], schema="reporting")
    found = re.search(r"\$watch\$(.*)\$watch\$", (EXAMPLES / "pg_cron.sql").read_text(), re.DOTALL)
    assert found
    database.run(found[1])
    release = "UPDATE reporting.time_zone_conversion_release SET"
    database.run(f"{release} last_checked_at = now() AT TIME ZONE 'UTC' - interval '2 days'")
    with pytest.raises(psycopg.Error, match="last looked at"):
        database.run(found[1])
    database.run(f"{release} last_checked_at = now(), horizon_ends_before = current_date + 80")
    with pytest.raises(psycopg.Error, match="end on"):
        database.run(found[1])
    server.drop("watched")


def test_the_limits_are_the_measured_ones() -> None:
    """The page says what was measured; the examples take it from there."""
    page = (ROOT / "docs" / "refresh.md").read_text()
    [limit] = re.findall(r"a limit of (\d+) MiB", page)
    [request] = re.findall(r"a request of (\d+) MiB", page)
    job = (EXAMPLES / "cronjob.yaml").read_text()
    assert f"limits: {{memory: {limit}Mi}}" in job
    assert f"requests: {{cpu: 500m, memory: {request}Mi}}" in job
    assert f"\nMemoryMax={limit}M\n" in (EXAMPLES / "tzconv-refresh.service").read_text()
    peaks = re.findall(r"(\d+) MiB \|", page)
    assert peaks
    assert max(map(int, peaks)) < int(limit)
