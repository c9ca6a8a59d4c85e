"""No message shows a password or a part of one, whatever characters it has and wherever it is."""

from __future__ import annotations

import traceback
import urllib.parse
from pathlib import Path

import pytest

from tests.command import run
from tzconv import engines
from tzconv.errors import DatabaseError, without_secrets

FIRST, LAST = "qalphaq", "qomegaq"
BETWEEN = [
    "",
    "@",
    ":",
    "/",
    "#",
    "?",
    "%",
    " ",
    "é",
    "@x:y@",
    "@/",
    "/@",
    "?a=b@",
    "%40@",
    "'@\"@",
]
SERVERS = ["postgresql+psycopg", "vertica+vertica_python", "vertica"]
EVERYWHERE = [
    *(f"{scheme}://me:{{raw}}@127.0.0.1:1/x" for scheme in SERVERS),
    *(f"{scheme}://me:{{safe}}@127.0.0.1:1/x" for scheme in SERVERS),
    *(f"{scheme}://me@127.0.0.1:1/x?password={{raw}}" for scheme in SERVERS),
    *(f"{scheme}://me@127.0.0.1:1/x?password={{safe}}&sslpassword={{safe}}" for scheme in SERVERS),
    "postgresql+psycopg://me:{raw}@h1:1,h2:2/x?host=h1:1&host=h2",
    "postgresql+psycopg://me:{raw}@/x?host=127.0.0.1:a",
    "postgresql+psycopg://me:{safe}@/x?host=127.0.0.1:a&host=b:c",
    "postgresql+psycopg://me:{safe}@127.0.0.1:1/x?port={raw}&pasword={raw}",
    "postgresql+psycopg://me:{safe}@127.0.0.1:1/x?autocommit={raw}&conninfo={raw}",
    "postgresql+psycopg://me:{safe}@127.0.0.1:1/x?password={safe}&password={safe}",
    "postgresql+psycopg://me:{safe}@a..b/x",
    "vertica://me:{safe}@a..b:1/x",
    "vertica://me:{safe}@127.0.0.1:1/x?oauth_access_token={raw}",
    "postgresql://me:{safe}",
    "postgres://me:{raw}@127.0.0.1/x",
    "mysql://me:{raw}@127.0.0.1/x",
    "postgresql:/me:{raw}@127.0.0.1/x.y",
    "me:{raw}@db.example.org",
    "host=127.0.0.1 user=me password={raw} dbname=x.y",
    "duckdb://me:{raw}@127.0.0.1/x.duckdb",
    "duckdb:///x.duckdb?password={raw}",
    "spark://me:{raw}@127.0.0.1/x",
]


def _assert_hidden(text: str) -> None:
    assert FIRST not in text
    assert LAST not in text
    assert "Traceback" not in text


@pytest.mark.parametrize("pattern", EVERYWHERE)
def test_urls(pattern: str) -> None:
    """Nothing listens at port 1. The causes of the error are shown to callers of the library."""
    for between in BETWEEN:
        password = f"{FIRST}{between}{LAST}"
        url = pattern.format(raw=password, safe=urllib.parse.quote(password, safe=""))
        with pytest.raises(DatabaseError) as caught:
            engines.connect(url)
        whole = [one for one in traceback.format_exception(caught.value) if "File" not in one]
        _assert_hidden("".join(whole).replace("Traceback (most recent call last)", ""))


@pytest.mark.parametrize("pattern", EVERYWHERE[::4])
def test_commands(pattern: str, tmp_path: Path) -> None:
    """The URL is given in each of the three ways."""
    password = f"{FIRST}@{LAST}"
    url = pattern.format(raw=password, safe=urllib.parse.quote(password, safe=""))
    (tmp_path / "named.toml").write_text(f'url = "{url}"\n')
    for done in (
        run("status", "-v", "--json", "--url", url, cwd=tmp_path),
        run("refresh", "-v", cwd=tmp_path, TZCONV_URL=url),
        run("--config", "named.toml", "migrate", cwd=tmp_path),
    ):
        assert done.returncode == 1, (url, done)
        assert done.stderr.strip(), url
        _assert_hidden(done.stdout + done.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        "refresh URL",
        "URL",
        "refresh --start URL",
        "refresh --rules URL",
        "refresh --tables URL",
        "refresh --zones URL",
        "refresh --lock-timeout URL",
        "refresh --on-mismatch URL",
        "refresh --db-schema URL --dry-run",
        "refresh --=URL",
        "rewrite URL",
        "rewrite q.sql --dialect URL",
        "lint URL",
        "lint q.sql --select URL",
        "show URL",
        "show UTC URL",
        "--config URL status",
        "generate --out x --tables URL",
        "ddl --dialect URL",
    ],
)
def test_a_url_in_the_wrong_place(arguments: str, tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text("SELECT 1")
    for between in ("@", " /@ "):
        url = f"postgresql+psycopg://me:{FIRST}{between}{LAST}@127.0.0.1:1/x"
        given = [one.replace("URL", url) for one in arguments.split()]
        done = run(*given, cwd=tmp_path)
        assert done.returncode != 0, done
        _assert_hidden(done.stdout + done.stderr)


def test_a_password_with_a_space_that_is_not_quoted(tmp_path: Path) -> None:
    done = run(
        *("status", "--url", f"postgresql+psycopg://me:{FIRST}", f"{LAST}@h/x"), cwd=tmp_path
    )
    assert done.returncode == 64
    assert "unexpected extra argument (***@h/x)" in done.stderr
    _assert_hidden(done.stderr)


@pytest.mark.parametrize(
    "url", ["postgresql://me:pw@h/x\n", "postgresql://me:p\x1bw@h/x", "duckdb:///a\udcff.duckdb"]
)
def test_control_characters_in_a_url(url: str) -> None:
    with pytest.raises(DatabaseError, match="control character"):
        engines.connect(url)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a://me:p@ss:w/o@host/x: gone", "a://***@host/x: gone"),
        ("no a:/me:p ss@host", "no a:/***@host"),
        ("?password=a b&c", "?password=***"),
        ("db.sql:3:5: no table b@c", "db.sql:3:5: no table b@c"),
        ("write it as duckdb:///FILE, for example", "write it as duckdb:///FILE, for example"),
        ("Cannot connect to x on h: a@b: check", "Cannot connect to x on h: a@b: check"),
    ],
)
def test_without_secrets(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
    assert str(DatabaseError(text)) == shown
