"""Sessions at a prompt: what each command prints, word for word, one after the other.

The other tests prove single answers. These notice that a sentence, a count or an exit code is
another one than before. TZCONV_UPDATE_GOLDEN=1 runs the lines of a file that begin with ``$`` (the
command line) or ``sql>`` (the database, past tzconv) again and writes it anew; look at each line
that has changed before you commit it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.command import run
from tests.databases import Database
from tests.discovery import shop

FOLDER = Path(__file__).with_name("sessions")
FILES = {
    "day.sql": f"{shop.VIEW} ORDER BY 1;\n",
    "row.sql": f"{shop.PER_ROW};\n",
    "odd.sql": f"-- as it came\n{shop.ODD};\nSELECT 1;\n",
    "wrong.sql": "SELECT count(*) FROM events WHERE ts >= now( - INTERVAL '1 day';\n",
    "now.sql": "SELECT count(*) FROM events WHERE ts >= NOW() - INTERVAL '7 days';\n",
    "tables.sql": "CREATE TABLE events (ts TIMESTAMP, account_id INTEGER);\n",
    "names.txt": "Europe/Berlin\nEurope/Berlin\nEurope/Belrin\n",
    "rollups.toml": '[[rollups]]\ntable = "sums"\nsource = "events"\ntimestamp = "ts"\n'
    'bucket = "bucket"\nkeys = ["account_id"]\nzone = "America/St_Johns"\n'
    'values = { n = "count(*)" }\n',
}
_TIME = re.compile(
    r"(refreshed |looked at |finished at |(?:started|finished|checked)_at\": \")"
    r"[\d-]{10}[ T][\d:.]+"
)
_MEASURED = re.compile(
    r"\b\d[\d,.]*(?: [kMG]B\b|(?= ?(?:ms|s|µs)\b))|\d+(?= days (?:left|old)|(?<=, in \d{4}) days)"
    r"|(?<=\"slower\": )\w+|(?<=ratio )\d[\d.]*|(?<=seconds\": )\d+\.[\de.-]+"
    r"|(?<=\"rows\": )\d+\.\d+"  # what ANALYZE estimates from a sample
    r"|(?<=\"first\": \")[\d-]+ [\d:.]+|(?<=\"last\": \")[\d-]+ [\d:.]+"  # found by a sample, too
    r"|(?<=bytes\": )\d+|(?<=count\": )\d+|(?<=days_left\": )\d+"
)
_AGE = re.compile(
    r'(?m)^\w+ +The installed tz release .*\n|^    \{\n      "check": "tz release age",[^}]*\},?\n'
)
"""What status says of the package that is installed: half a year after its year it is a warning."""
_PAGES = re.compile(r"(?<=\": )\d{4,}")
_MOST_LINES = 30
"""Of one command; the digest of what follows is kept."""


def masked(text: str, database: Database, folder: Path) -> str:
    """Without what differs from run to run: places, the time of today, what a clock measures."""
    text = _AGE.sub("", text).replace(database.url, "<url>").replace(str(folder), "<folder>")
    text = _MEASURED.sub("#", _TIME.sub(r"\1<now>", text))
    return _PAGES.sub(lambda match: match[0] if int(match[0]) % 8192 else "#", text)


def session(commands: list[str], database: Database, folder: Path) -> Iterator[str]:
    for command in commands:
        yield command
        if command.startswith("sql> "):
            database.run(command.removeprefix("sql> "))
            continue
        words = shlex.split(command.removeprefix("$ tzconv ").replace("<url>", database.url))
        done = run(*words, cwd=folder)
        printed = masked(done.stdout + done.stderr, database, folder)
        lines = [line.rstrip() for line in printed.splitlines()]
        yield from lines[:_MOST_LINES]
        if rest := "\n".join(lines[_MOST_LINES:]):
            digest = hashlib.sha256(rest.encode()).hexdigest()[:8]
            yield f"… {len(lines) - _MOST_LINES} more lines, {digest}"
        if done.returncode:
            yield f"[exit {done.returncode}]"


@pytest.mark.skipif(duckdb.__version__.startswith("1."), reason="they are those of DuckDB 2.0")
@pytest.mark.parametrize("database", ["duckdb", "postgres"], indirect=True)
def test_sessions(database: Database, tmp_path: Path) -> None:
    file = FOLDER / f"{database.kind}.txt"
    before = file.read_text().splitlines()
    shop.fill(database)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    commands = [line for line in before if line.startswith(("$ ", "sql> "))]
    after = list(session(commands, database, tmp_path))
    if os.environ.get("TZCONV_UPDATE_GOLDEN"):
        file.write_text("\n".join(after) + "\n")
    assert after == before
