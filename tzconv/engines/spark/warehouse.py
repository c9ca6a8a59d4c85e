"""The folder of the Spark backend: versions of Parquet files. Readers see one version or the next.

::

    CHECKED                                      when a refresh last looked
    CURRENT                                      the name of the version to read, replaced at once
    LOCK                                         held by the refresh that is at work
    v000001/time_zone_offset_conversion/...      complete before CURRENT names it, never changed
"""

from __future__ import annotations

import contextlib
import datetime as dt
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tzconv.engines.locks import attempts
from tzconv.errors import DatabaseError

_FILE = "part-0.parquet"
_VERSION = re.compile(r"v\d{6,}")
SCRATCH = "tzconv-bench-"
"""The prefix of the benchmark's folders."""
_QUESTIONS = ".asked-"
_ABANDONED_SECONDS = 86_400
"""Older files of questions to Spark belong to a job that was killed."""


class Warehouse:
    """The versions in a folder that all machines see under one path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def current(self) -> str | None:
        """The name of the version that readers read; None before the first one.

        DatabaseError if the folder belongs to something else; it is left as it is.
        """
        with self.accessed("read"):
            try:
                text = (self.folder / "CURRENT").read_text(encoding="utf-8", errors="replace")
            except FileNotFoundError:
                self._refuse_foreign()
                return None
        name = text.strip()
        if not _VERSION.fullmatch(name):
            raise DatabaseError(
                f"{self.folder}: its file CURRENT is not one of tzconv's: name another folder, or "
                "remove that file and run tzconv refresh."
            )
        if not (self.folder / name).is_dir():
            raise DatabaseError(
                f"{self.folder}: its file CURRENT names {name!r}, which is not there: restore that "
                "folder, or remove CURRENT and run tzconv refresh."
            )
        return name

    def check_in(self, moment: dt.datetime) -> None:
        """Note that a refresh has looked."""
        self._replace("CHECKED", moment.isoformat())

    def checked(self) -> dt.datetime | None:
        """When a refresh last looked, in UTC; None where no note can be read."""
        with contextlib.suppress(OSError, ValueError):
            text = (self.folder / "CHECKED").read_text("utf-8")
            return dt.datetime.fromisoformat(text.strip())
        return None

    def _refuse_foreign(self) -> None:
        try:
            there = {path.name for path in self.folder.iterdir()}
        except FileNotFoundError:
            return
        # a refresh makes LOCK first, so that even a killed one has left it
        foreign = sorted(name for name in there if not name.startswith((_QUESTIONS, SCRATCH)))
        if foreign and "LOCK" not in there:
            raise DatabaseError(
                f"{self.folder}: holds {foreign[0]!r} and no tables of tzconv's: name an empty "
                "folder."
            )

    @contextlib.contextmanager
    def accessed(self, done: str) -> Iterator[None]:
        """Raise DatabaseError, such as "cannot be written", instead of the file system's errors."""
        try:
            yield
        except OSError as error:
            raise DatabaseError(f"{self.folder}: cannot be {done} ({error.strerror}).") from error

    def make(self) -> None:
        """Make the folder unless it exists; DatabaseError if it belongs to something else."""
        self.current()
        with self.accessed("written"):
            self.folder.mkdir(parents=True, exist_ok=True)

    def file(self, version: str, table: str) -> Path:
        """The Parquet file of a table."""
        return self.folder / version / table / _FILE

    def following(self) -> str:
        """The name of the version after the current one."""
        return f"v{int((self.current() or 'v0')[1:]) + 1:06d}"

    @contextlib.contextmanager
    def making(self, version: str) -> Iterator[Path]:
        """A new folder for a version; it is removed when the body raises."""
        made = self.folder / version
        shutil.rmtree(made, ignore_errors=True)  # left by a killed refresh
        try:
            with self.accessed("written"):
                made.mkdir(parents=True)
            yield made
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise

    def publish(self, version: str) -> None:
        """Make a complete version the current one, atomically."""
        self._replace("CURRENT", version)

    def _replace(self, name: str, text: str) -> None:
        written = self.folder / f"{name}.new"
        with self.accessed("written"):
            with written.open("w") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            written.replace(self.folder / name)
            descriptor = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)  # the rename too must survive a crash
            finally:
                os.close(descriptor)

    @contextlib.contextmanager
    def asking(self) -> Iterator[Path]:
        """A temporary folder for questions to Spark, where the executors find it."""
        self.make()
        with self.accessed("written"):
            made = tempfile.TemporaryDirectory(
                prefix=_QUESTIONS, dir=self.folder, ignore_cleanup_errors=True
            )
        with made as name:
            yield Path(name)

    def sweep(self) -> None:
        """Remove files of killed jobs, and old versions.

        Queries may still read the version before the current one, so it stays.
        """
        current = self.current()
        if current is None:
            return
        number = int(current[1:])
        for path in self.folder.iterdir():
            if _VERSION.fullmatch(path.name) and int(path.name[1:]) not in (number, number - 1):
                shutil.rmtree(path, ignore_errors=True)
            elif path.name.startswith(_QUESTIONS):
                with contextlib.suppress(FileNotFoundError):  # its job has just removed it
                    if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                        shutil.rmtree(path, ignore_errors=True)

    @contextlib.contextmanager
    def locked(self, timeout: float) -> Iterator[None]:
        """Hold the lock of the folder during the body; it is free once its process has ended."""
        with self.accessed("written"):
            opened = (self.folder / "LOCK").open("a+")
        with opened as file:
            for is_last in attempts(timeout):
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if is_last:
                        raise DatabaseError(
                            f"{self.folder}: another refresh is at work: wait until it has ended."
                        ) from None
            yield
