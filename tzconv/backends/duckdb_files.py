"""DuckDB's files: what cannot be opened, and why, in one sentence."""

from __future__ import annotations

import re
from pathlib import Path

from tzconv.errors import DatabaseError


def check(path: Path, read_only: bool) -> None:
    """Errors that DuckDB words badly; it takes a SQLite file for a reason to go online."""
    try:
        if path.is_dir():
            raise DatabaseError(f"{path}: is a folder: name a file in it.")
        if path.exists():
            with path.open("rb") as file:
                if file.read(12)[8:] != b"DUCK":
                    raise DatabaseError(f"{path}: is not a DuckDB file: check the URL.")
        elif read_only:
            raise DatabaseError(
                f"{path}: no such file: make it with tzconv refresh, or check the URL."
            )
        elif not path.parent.is_dir():
            raise DatabaseError(f"{path.parent}: no such folder: create it, or check the URL.")
    except OSError as error:
        raise DatabaseError(f"{path}: cannot be opened: {error.strerror}.") from error


def is_locked(error: Exception) -> bool:
    """Whether another process has the file open."""
    return "Could not set lock" in str(error)


def cannot_open(path: str, error: Exception) -> str:
    """What to say of an error of DuckDB's at opening."""
    message = str(error)
    if is_locked(error):
        found = re.search(r"PID (\d+)", message)
        who = f"process {found[1]}" if found else "another process"
        return f"{path}: is in use by {who}: wait until it is closed there, or use another file."
    if "different configuration" in message:
        return f"{path}: is open in this program in another mode: close that connection first."
    return f"{path}: cannot be opened: {first_lines(message)}"


def first_lines(message: str) -> str:
    """The first two lines of a message: the rest points into the statement."""
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    return " ".join(lines[:2])
