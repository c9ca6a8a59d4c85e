"""``tzconv rewrite`` over files and folders: what it prints, writes and leaves alone."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.waiting import SECONDS, eventually
from tzconv import cli, engines, files
from tzconv.errors import CheckError
from tzconv.refresher import refresh
from tzconv.sql.parse import Source

DDL = "CREATE TABLE logs (t TIMESTAMP NOT NULL); CREATE TABLE p (id INTEGER, z VARCHAR);\n"
OLD = "SELECT count(*) FROM logs WHERE t >= NOW();\n"
NEW = "SELECT count(*) FROM logs WHERE t >= CAST(NOW() AS TIMESTAMP);\n"
PLAIN = "SELECT 1;\n"
BROKEN = "SELECT 1;\nSELECT a,\n  b c d\nFROM t;\n"


@dataclass
class Done:
    code: int
    out: str
    words: str


Run = Callable[..., Done]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """The command line in this process, in a folder of its own that has the file of types."""
    (tmp_path / "ddl.sql.txt").write_text(DDL)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str = "") -> Done:
        words = ["tzconv", "rewrite", "--schema-file", "ddl.sql.txt", *arguments]
        monkeypatch.setattr(sys, "argv", words)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert isinstance(ended.value.code, int)
        captured = capfdbinary.readouterr()
        done = Done(ended.value.code, captured.out.decode(), captured.err.decode())
        assert "Traceback" not in done.words
        return done

    return run


def write(**texts: str) -> None:
    """Files of the current folder: ``a=…`` is a.sql, ``q__a=…`` is q/a.sql."""
    for name, text in texts.items():
        path = Path(*name.split("__")).with_suffix(".sql")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def content(name: str) -> str:
    return Path(name).read_bytes().decode()


# Which files


def test_a_folder_is_walked_in_order(run: Run) -> None:
    write(q__b=OLD, q__a=OLD, q__sub__deeper__c=OLD, q__hidden=OLD)
    Path("q/.git").mkdir()
    Path("q/.git/x.sql").write_text(OLD)
    Path("q/UPPER.SQL").write_text(OLD)
    Path("q/notes.txt").write_text("not SQL")
    Path("q/dir.sql").mkdir()
    Path("q/dir.sql/d.sql").write_text(OLD)
    names = ["q/UPPER.SQL", "q/a.sql", "q/b.sql", "q/dir.sql/d.sql", "q/hidden.sql"]
    assert files.find(["q"]) == [*names, "q/sub/deeper/c.sql"]
    done = run("q", "--check")
    assert [line.split(":")[0] for line in done.out.splitlines()] == files.find(["q"])


def test_a_file_named_twice_is_done_once(run: Run) -> None:
    write(q__a=OLD)
    done = run("q/a.sql", "q", "./q/a.sql", "--check")
    assert done.out.count("\n") == 1
    assert "1 file: 1 would change, 0 unchanged." in done.words


def test_links(run: Run) -> None:
    write(real__a=OLD, q__plain=PLAIN)
    Path("q/link.sql").symlink_to(Path("../real/a.sql"))
    Path("q/folder").symlink_to(Path("../real"), target_is_directory=True)
    os.mkfifo("q/pipe.sql")
    Path("q/nowhere.sql").symlink_to("gone.sql")
    assert files.find(["q"]) == ["q/link.sql", "q/nowhere.sql", "q/plain.sql"]
    done = run("q", "--in-place")
    assert done.code == 1
    assert "tzconv: q/nowhere.sql: there is no such file: check its name and folder." in done.words
    assert content("real/a.sql") == NEW
    assert Path("q/link.sql").is_symlink()
    assert Path("q/nowhere.sql").is_symlink()


# --check


def test_check(run: Run) -> None:
    write(q__a=f"{PLAIN}-- x\n{OLD}", q__b=PLAIN)
    before = Path("q/a.sql").stat().st_mtime_ns
    done = run("q", "--check")
    assert done.code == 2
    assert done.out == (
        "q/a.sql:3:38: could be rewritten by now: the column was cast to TIMESTAMPTZ for every "
        "row; now the constant is cast once\n"
    )
    assert done.words == "2 files: 1 would change, 1 unchanged.\n"
    assert Path("q/a.sql").stat().st_mtime_ns == before
    assert run("q/b.sql", "--check").code == 0
    assert run("q/a.sql", "--check").code == 2
    assert run("-", "--check", stdin=OLD).out.startswith("-:1:38: could be rewritten")
    assert run("--check", stdin=PLAIN).code == 0


def test_what_is_left_is_no_reason_to_fail(run: Run) -> None:
    write(a="SELECT t AT TIME ZONE 'UTC' AT TIME ZONE 'Mars/Phobos' FROM logs;")
    done = run("a.sql", "--check")
    assert (done.code, done.out) == (0, "")


# --diff


def test_diff(run: Run) -> None:
    lines = [f"SELECT {number};\n" for number in range(1, 9)]
    write(q__a="".join(lines) + OLD, q__b=PLAIN)
    done = run("q", "--diff")
    assert done.code == 0
    assert done.out == (
        "--- q/a.sql\n+++ q/a.sql\n@@ -6,4 +6,4 @@\n"
        f" SELECT 6;\n SELECT 7;\n SELECT 8;\n-{OLD}+{NEW}"
    )
    assert content("q/a.sql").endswith(OLD)
    assert run("q", "--diff", "--check").code == 2
    assert run("q/b.sql", "--diff", "--check").code == 0


def test_a_pipe(run: Run) -> None:
    """As the shell's ``<(...)`` gives it: it can be read once."""
    reader, writer = os.pipe()
    os.write(writer, OLD.encode())
    os.close(writer)
    assert run(f"/dev/fd/{reader}").out == NEW
    os.close(reader)


def test_a_diff_can_be_applied(run: Run) -> None:
    """Also with a byte order mark, Windows' line ends and no line end at all at the end."""
    texts = {
        "q/mark.sql": "\ufeff" + OLD,
        "q/lines.sql": "SELECT 1;\r\n\tSELECT 2;\r\n" + OLD.replace("\n", "\r\n"),
        "q/end.sql": OLD.rstrip("\n"),
        "q/odd.sql": f"SELECT '\x0b\u2028', 'é';\n{OLD}",
    }
    Path("q").mkdir()
    for name, text in texts.items():
        Path(name).write_bytes(text.encode())
    done = run("q", "--diff")
    subprocess.run(["patch", "-p0", "--binary", "-s"], input=done.out.encode(), check=True)
    for name, text in texts.items():
        assert content(name) == text.replace("NOW()", "CAST(NOW() AS TIMESTAMP)")


def test_colours_on_a_terminal_only(run: Run, tmp_path: Path) -> None:
    write(a=OLD)
    assert "\x1b[" not in run("a.sql", "--diff").out
    words = ["rewrite", "--schema-file", "ddl.sql.txt", "a.sql", "--diff"]
    for colours, environment in ((True, {}), (False, {"NO_COLOR": "1"})):
        master, slave = pty.openpty()
        subprocess.run(
            [sys.executable, "-m", "tzconv", *words],
            cwd=tmp_path,
            stdout=slave,
            stderr=subprocess.DEVNULL,
            env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **environment},
            check=True,
        )
        os.close(slave)
        shown = os.read(master, 100_000).decode()
        os.close(master)
        assert "+SELECT count(*)" in shown
        assert ("\x1b[32m+SELECT" in shown) is colours
        assert ("\x1b[31m-SELECT" in shown) is colours


# --in-place


def test_in_place_twice(run: Run) -> None:
    write(q__a=OLD, q__sub__b=OLD + OLD, q__c=PLAIN)
    Path("q/a.sql").chmod(0o640)
    kept = Path("q/c.sql").stat()
    first = run("q", "--in-place")
    assert (first.code, first.out) == (0, "")
    assert first.words.splitlines() == [
        "q/a.sql: rewritten in 1 place.",
        "q/sub/b.sql: rewritten in 2 places.",
        "3 files: 2 rewritten, 1 unchanged.",
    ]
    assert [content(name) for name in files.find(["q"])] == [NEW, PLAIN, NEW + NEW]
    assert Path("q/a.sql").stat().st_mode & 0o777 == 0o640
    now = Path("q/c.sql").stat()
    assert (now.st_mtime_ns, now.st_ino) == (kept.st_mtime_ns, kept.st_ino)
    written = {name: Path(name).stat().st_mtime_ns for name in files.find(["q"])}
    second = run("q", "--in-place")
    assert second.words == "3 files: 0 rewritten, 3 unchanged.\n"
    assert written == {name: Path(name).stat().st_mtime_ns for name in files.find(["q"])}
    assert sorted(path.name for path in Path("q").rglob("*")) == ["a.sql", "b.sql", "c.sql", "sub"]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff-- é\r\nSELECT\tcount(*)\r\nFROM logs\r\nWHERE t > {} -- x\r\n",
        "SELECT count(*) FROM logs WHERE t > {}",
        "\tSELECT 'a;b', \"c;d\", $x$ ; $x$ FROM logs WHERE t > {};;\n\n;",
        "/* a; /* b; */ c; */ SELECT 1 FROM logs WHERE t > {} -- ; '\n;-- '",
        "\r\n\r\nSELECT 1;\r\r\nSELECT 2 FROM logs WHERE t > {};\r\n",
    ],
)
def test_every_other_byte_stays(run: Run, text: str) -> None:
    Path("a.sql").write_bytes(text.format("now()").encode())
    assert run("a.sql", "--in-place").code == 0
    assert content("a.sql") == text.format("CAST(now() AS TIMESTAMP)")


def test_inserted_lines_end_as_those_of_the_file(run: Run) -> None:
    text = (
        "SELECT 1;\r\nSELECT logs.t AT TIME ZONE 'UTC' AT TIME ZONE p.z AS l\r\nFROM logs\r\n"
        "JOIN p ON p.id = 1\r\nWHERE logs.t BETWEEN '2026-01-01' AND '2026-02-01';\r\n"
    )
    Path("a.sql").write_bytes(text.encode())
    assert "rewritten in 2 places" in run("a.sql", "--in-place").words
    assert content("a.sql").count("\n") == content("a.sql").count("\r\n") > text.count("\n")


def test_a_file_that_cannot_be_read_does_not_stop_the_others(run: Run) -> None:
    converting = f"{BROKEN}  SELECT t AT TIME ZONE 'Asia/Tokyo' FROM a b c;\n"
    write(q__a=OLD, q__b=BROKEN + OLD, q__d=converting + OLD, q__z=OLD)
    Path("q/c.sql").write_bytes(b"\xff\xfeS\x00")
    Path("q/e.sql").write_text("SELECT 1;\nSELECT 'open;\n")
    done = run("q", "--in-place")
    assert (done.code, done.out) == (1, "")
    assert done.words.splitlines() == [
        "q/a.sql: rewritten in 1 place.",
        "q/b.sql: rewritten in 1 place.",
        "tzconv: q/c.sql: is not UTF-8 text; save it as UTF-8 first.",
        "q/d.sql: rewritten in 1 place.",
        "q/d.sql:5:10: left: not understood as SQL near 'c', read as duckdb (line 5, column 47)",
        "tzconv: q/e.sql:2:8: a quoted text or comment is not closed",
        "q/z.sql: rewritten in 1 place.",
        "6 files: 4 rewritten, 0 unchanged, 2 failed.",
    ]
    assert (content("q/b.sql"), content("q/d.sql")) == (BROKEN + NEW, converting + NEW)
    assert content("q/z.sql") == NEW
    assert run("q/b.sql", "--check").code == 0, "no conversion is in what is not understood"
    assert run("q/d.sql", "--check").code == 1
    assert run("q/d.sql", "--in-place").code == 0
    missing = run("missing.sql", "q/z.sql", "--check")
    assert missing.code == 1
    assert "missing.sql: there is no such file: check its name and folder." in missing.words


@pytest.mark.skipif(os.geteuid() == 0, reason="everything is allowed to root")
def test_permissions(run: Run) -> None:
    write(q__a=OLD, q__b=OLD)
    Path("q/a.sql").chmod(0)
    Path("q/b.sql").chmod(0o444)
    done = run("q", "--in-place")
    assert done.code == 1
    assert "q/a.sql: cannot be read (Permission denied)." in done.words
    assert "q/b.sql: cannot be written (it is read-only)." in done.words
    assert content("q/b.sql") == OLD


def test_a_read_only_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(q__a=OLD, q__b=OLD)
    allowed = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path).name != "a.sql" and allowed(path, mode)
    )
    done = run("q", "--in-place")
    assert done.code == 1
    assert "tzconv: q/a.sql: cannot be written (it is read-only)." in done.words
    assert (content("q/a.sql"), content("q/b.sql")) == (OLD, NEW)


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    run: Run, monkeypatch: pytest.MonkeyPatch, step: str, failure: BaseException
) -> None:
    write(q__a=OLD)

    def fail(*_: object) -> None:
        assert len(list(Path("q").iterdir())) == 2, "the new file is beside the old one"
        raise failure

    monkeypatch.setattr(os if step == "fsync" else Path, step, fail)
    done = run("q", "--in-place")
    assert done.code == (1 if isinstance(failure, OSError) else 130)
    assert ("cannot be written (No space left on device)" in done.words) is (done.code == 1)
    assert [path.name for path in Path("q").iterdir()] == ["a.sql"]
    assert content("q/a.sql") == OLD


def test_a_file_that_somebody_saves_meanwhile_stays_theirs(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(q__a=OLD)

    def save(_: int) -> None:
        Path("q/a.sql").write_text(OLD + PLAIN)

    monkeypatch.setattr(os, "fsync", save)
    done = run("q", "--in-place")
    assert done.code == 1
    assert "tzconv: q/a.sql: was changed meanwhile; run the command again." in done.words
    assert content("q/a.sql") == OLD + PLAIN
    assert [path.name for path in Path("q").iterdir()] == ["a.sql"]


def test_interrupted(run: Run, tmp_path: Path) -> None:
    """Ctrl-C in the middle: every file is the old or the new one, and none is left over."""
    names = [f"q/{number:04}.sql" for number in range(1500)]
    Path("q").mkdir()
    for name in names:
        Path(name).write_text(OLD * 3)
    words = ["rewrite", "q", "--in-place", "--schema-file", "ddl.sql.txt"]
    job = subprocess.Popen(
        [sys.executable, "-m", "tzconv", *words],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert eventually(lambda: content(names[20]) != OLD * 3 or job.poll() is not None)
    job.send_signal(signal.SIGINT)
    _, said = job.communicate(timeout=SECONDS)
    assert job.returncode == 130, said
    assert said.endswith("tzconv: stopped; unfinished changes were undone.\n")
    texts = [content(name) for name in names]
    assert set(texts) == {OLD * 3, NEW * 3}
    assert sorted(str(path) for path in Path("q").iterdir()) == names


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (CheckError("The rewritten statement does not parse."), "The rewritten statement does not"),
        (
            AttributeError("no name\nat all"),
            "this statement makes an error inside tzconv (AttributeError: no name): please "
            "report it\n",
        ),
    ],
)
def test_a_statement_that_fails_inside_does_not_stop_other_files(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    def wrong(source: Source, *_: object) -> None:
        if "1" in source.text:
            raise error

    bad = PLAIN + OLD.replace("*", "1")
    write(q__a=bad, q__b=OLD)
    monkeypatch.setattr("tzconv.rewriter.passes.check", wrong)
    done = run("q", "--in-place")
    assert done.code == 1
    assert f"tzconv: q/a.sql:2:1: {said}" in done.words
    assert (content("q/a.sql"), content("q/b.sql")) == (bad, NEW)


# --json and --explain


def test_json_says_why_with_a_code(run: Run) -> None:
    write(q__a="SELECT t AT TIME ZONE 'UTC' AT TIME ZONE x.z FROM logs, p x FOR UPDATE")
    (left,) = json.loads(run("q/a.sql", "--json").out)["left"]
    assert (left["line"], left["column"], left["code"]) == (1, 8, "locks")
    assert "FOR UPDATE" in left["reason"]


def test_json(run: Run) -> None:
    broken = "SELECT a,\n  b c d\nFROM t;\n"
    write(q__a=PLAIN + OLD, q__b=broken)
    one = run("q/a.sql", "--json")
    assert (one.code, one.words) == (0, "")
    document = json.loads(one.out)
    assert set(document) == {"sql", "changes", "left", "outdated"}
    (change,) = document["changes"]
    assert (change["line"], change["column"], change["before"]) == (2, 38, "NOW()")
    assert (PLAIN + OLD)[change["start"] : change["end"]] == "NOW()"
    many = run("q", "--json")
    assert many.code == 1
    assert json.loads(many.out) == [
        {"file": "q/a.sql", **document},
        {
            "file": "q/b.sql",
            "error": {
                "code": "parse",
                "exit_code": 1,
                "message": "q/b.sql:2:7: not understood as SQL near 'd', read as duckdb",
                "file": "q/b.sql",
                "line": 2,
                "column": 7,
            },
        },
    ]
    Path("q/b.sql").unlink()
    assert json.loads(run("q", "--json").out) == [{"file": "q/a.sql", **document}]
    checked = run("q/a.sql", "--json", "--check")
    assert (checked.code, json.loads(checked.out)) == (2, document)
    assert content("q/a.sql") == PLAIN + OLD
    written = run("q", "--json", "--in-place")
    assert (written.code, json.loads(written.out)[0]["sql"]) == (0, PLAIN + NEW)
    assert content("q/a.sql") == PLAIN + NEW


def test_explain(run: Run) -> None:
    day = "SELECT 1 FROM logs WHERE (t AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata')::date = "
    write(a=f"{day}'2026-01-01';\nSELECT t AT TIME ZONE 'UTC' AT TIME ZONE 'Mars/X' FROM logs;\n")
    done = run("a.sql", "--explain")
    assert done.code == 0
    assert "t >= TIMESTAMP '2025-12-31 18:30:00'" in done.out
    words = done.words.splitlines()
    assert words[0].startswith("a.sql:1:2")
    assert words[0].endswith(": changed by range")
    assert words[1].startswith("    before:  ")
    assert words[2].startswith("    after:   ")
    assert words[3].startswith("    why:     ")
    others = ["offset", "period", "hourly", "daily"]  # `inline` needs a bounded window
    assert words[4].startswith("    cost:    0.002 with a constant zone")
    assert words[5] == "    instead: " + ", ".join(f"--strategy {name}" for name in others)
    assert words[-3:] == [
        "a.sql:2:8: left",
        "    text:    t AT TIME ZONE 'UTC' AT TIME ZONE 'Mars/X'",
        "    why:     'Mars/X' is no time zone of the tz release",
    ]
    (change,) = json.loads(run("a.sql", "--explain", "--json").out)["changes"]
    assert change["alternatives"] == others
    checked = run("a.sql", "--explain", "--check")
    assert checked.code == 2
    assert "    before:  " in checked.words


def test_wrong_options_are_said_once(run: Run) -> None:
    write(q__a=OLD, q__b=OLD)
    for flags, said in (
        (["--dialect", "klingon"], "'klingon'"),
        (["--strategy", "magic"], "'magic'"),
    ):
        done = run("q", "--in-place", *flags)
        assert done.code == 1
        assert done.words.count("\n") == 1
        assert said in done.words
    assert content("q/a.sql") == OLD


def test_statements_that_are_not_queries(run: Run) -> None:
    """Also those that no parser knows; the queries inside them are rewritten."""
    others = (
        "\\timing on\nSET TIME ZONE 'UTC';\nCOPY logs FROM 'x;y' WITH (whatever);\r\n"
        "GRANT ALL ON logs TO everyone;\nEXPLAIN SELECT 1 FROM logs WHERE t > {0};\n"
        "CREATE FUNCTION f() AS $$ SELECT 1 FROM logs WHERE t > now(); $$;\n"
        "DELETE FROM logs WHERE t < {0};\nFROBNICATE"
    )
    before, after = others.format("now()"), others.format("CAST(now() AS TIMESTAMP)")
    done = run("-", stdin=before.replace("FROBNICATE", OLD))
    assert (done.code, done.out) == (0, after.replace("FROBNICATE", NEW))
    said = [line.split(": ")[:2] for line in done.words.splitlines()]
    assert said == [
        ["-:5:38", "changed by now"],
        ["-:7:28", "changed by now"],
        ["-:8:38", "changed by now"],
        ["-:6:52", "left"],
    ]
    odd = run("-", stdin=f"{before} x y z;\n{OLD}")
    assert (odd.code, odd.out) == (0, f"{after} x y z;\n{NEW}")
    refused = run("-", stdin="FROBNICATE x y z;\n")
    assert (refused.code, refused.out) == (1, "")
    assert refused.words.startswith("tzconv: -:1:")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT 1", "no time zone is converted for each row"),
        ("SELECT now() AT TIME ZONE 'Asia/Tokyo'", "no time zone is converted for each row"),
        (
            "SELECT t AT TIME ZONE 'UTC' FROM logs",
            "rows are converted only to or from UTC or a fixed offset",
        ),
    ],
)
def test_what_looks_up_no_rules_is_said_on_request(run: Run, sql: str, said: str) -> None:
    assert run("-", stdin=sql).words == f"-: {said}; nothing to do.\n"
    left = json.loads(run("-", "--json", stdin=sql).out)["left"]
    assert len(left) == ("AT" in sql)
    assert ("left" in run("-", "--explain", stdin=sql).words) == ("AT" in sql)


# What the session and the clock are taken for


def test_now_as_a_time_of_ones_own(run: Run) -> None:
    write(a="SELECT CURRENT_DATE AS d FROM logs WHERE t >= NOW() - INTERVAL '1 day';\n")
    done = run("a.sql", "--now", "2026-01-01T00:00:00Z")
    assert done.code == 0
    assert done.out == (
        "SELECT DATE '2026-01-01' AS d FROM logs WHERE t >= "
        "CAST(TIMESTAMPTZ '2026-01-01 00:00:00+00' - INTERVAL '1 day' AS TIMESTAMP);\n"
    )
    assert "the given time replaces" in done.words
    assert run("a.sql", "--now", "2026-01-01T00:00:00Z", "--check").code == 2


def test_now_is_the_date_of_the_session(run: Run) -> None:
    arguments = ["-", "--now", "2026-01-01T03:00Z", "--session-time-zone", "America/New_York"]
    done = run(*arguments, "--json", stdin="SELECT CURRENT_DATE AS d")
    assert json.loads(done.out)["sql"] == "SELECT DATE '2025-12-31' AS d"


def test_the_zone_of_the_session_decides_about_now(run: Run) -> None:
    write(a=OLD)
    done = run("a.sql", "--session-time-zone", "Etc/GMT+5")
    assert (done.code, done.out) == (0, NEW)
    done = run("a.sql", "--session-time-zone", "America/New_York")
    assert (done.code, done.out) == (0, OLD)
    assert "changes its offset" in done.words


def test_vertica(run: Run) -> None:
    where = "WHERE t BETWEEN '2026-01-01' AND '2026-02-01';\n"
    write(a=f"SELECT new_time(t, 'UTC', 'Asia/Tokyo') FROM logs {where}")
    done = run("a.sql", "--dialect", "vertica")
    assert done.code == 0
    assert done.out == f"SELECT (t + INTERVAL '9 hours') AS \"new_time\" FROM logs {where}"


def test_a_version_that_was_not_measured_is_said_once(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh("duckdb:///tz.duckdb", zones=["UTC"], tables=["offset"])
    write(old=OLD, new=NEW)
    given = ["old.sql", "new.sql", "--check", "--url", "duckdb:///tz.duckdb"]
    said = "the strategies were measured on DuckDB"
    assert said not in run(*given).words
    other = dataclasses.replace(engines.facts_of("duckdb"), measured=("1.3", "9"))
    monkeypatch.setattr("tzconv.engines.duckdb.facts.FACTS", other)
    words = run(*given).words
    assert words.count(f"{said} 1.3, 9, not on this version: check a query with tzconv ") == 1
    assert "2 files: 1 would change" in words
