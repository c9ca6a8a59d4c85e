"""DuckDB's errors as sentences for the user, and files that it cannot open."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import duckdb

from tzconv.errors import BusyError, DatabaseError

PREFIX = "DuckDB error: "
LOCKED = "Could not set lock"
"""In DuckDB's message about a file that another process has open."""


@contextlib.contextmanager
def as_error(kind: type[DatabaseError], prefix: str) -> Iterator[None]:
    """Raise ``kind`` instead of DuckDB's errors."""
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except duckdb.Error as error:
        message = prefix + _first_lines(str(error)) + _advice(error)
        if isinstance(error, duckdb.TransactionException) and "onflict" in message:
            message += " Another connection changes the same rows: try again."
        if isinstance(error, duckdb.PermissionException):
            message += ": load the file into a table, and query that."
        raise kind(message) from error


def check_file(path: Path, read_only: bool) -> None:
    """DatabaseError where DuckDB's own is unclear; for a SQLite file it would go online."""
    try:
        if path.is_dir():
            raise DatabaseError(f"{path}: is a folder: name a file in it.")
        if path.exists():
            with path.open("rb") as file:
                if file.read(12)[8:] != b"DUCK":
                    raise DatabaseError(f"{path}: is not a DuckDB file: check the URL.")
        elif read_only:
            raise DatabaseError(
                f"{path}: no such file: make it with tzconv refresh, or name "
                "another database with --url."
            )
        elif not path.parent.is_dir():
            raise DatabaseError(f"{path.parent}: no such folder: create it, or check the URL.")
    except OSError as error:
        raise DatabaseError(f"{path}: cannot be opened: {error.strerror}.") from error


def cannot_open(path: str, error: Exception) -> DatabaseError:
    """The error for one of DuckDB's at opening."""
    message = str(error)
    if LOCKED in message:
        found = re.search(r"PID (\d+)", message)
        who = f"process {found[1]}" if found else "another process"
        todo = "wait until it is closed there, or use another file"
        with contextlib.suppress(OSError, IndexError):
            if found and Path(f"/proc/{found[1]}/stat").read_text().rsplit(") ")[-1][0] == "T":
                todo = f"it was stopped: end it with kill -9 {found[1]}, and run this again"
        return BusyError(f"{path}: is in use by {who}: {todo}.")
    if "different configuration" in message:
        return BusyError(
            f"{path}: is open in this program in another mode: close that connection first."
        )
    return DatabaseError(f"{path}: cannot be opened: {_first_lines(message)}{_advice(error)}")


def _advice(error: Exception) -> str:
    if isinstance(error, duckdb.OutOfMemoryException):
        return "; give the process more memory, or load less with --zones or --tables."
    is_full = "No space left" in str(error) or "File too large" in str(error)
    if is_full or (isinstance(error, duckdb.IOException) and "write" in str(error)):
        return ": free some space, or load less with --zones or --tables."
    if "Corrupt database file" in str(error):
        return (
            "; restore the file from a copy, or, if it holds tzconv's tables alone, delete it "
            "and run tzconv refresh."
        )
    return ""


def _first_lines(message: str) -> str:
    """The first two lines of a message: the rest points into the statement."""
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    return " ".join(lines[:2]).partition(" Possible solutions:")[0]


@contextlib.contextmanager
def closing(rows: Generator[object, None, None]) -> Iterator[None]:
    """Close a generator afterwards, which a thread of DuckDB 1.x may still run after an error."""
    try:
        yield
    finally:
        for _ in range(500):
            try:
                rows.close()
                break
            except ValueError:  # "already executing"
                time.sleep(0.02)
