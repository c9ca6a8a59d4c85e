"""A folder of Parquet files in versions: readers see all of one version or all of the next.

::

    CURRENT                                      the name of the version to read, replaced at once
    LOCK                                         held by the refresh that is at work
    v000001/time_zone_offset_conversion/...      complete before CURRENT names it, never changed
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tzconv.errors import DatabaseError

_LOOK_AGAIN_SECONDS = 0.2
_FILE = "part-0.parquet"
_VERSION = re.compile(r"v\d{6,}")
SCRATCH = "tzconv-bench-"
"""How the names of folders begin in which the benchmark works."""
_ASKED = ".asked-"
_FORGOTTEN_SECONDS = 86_400
"""Files of questions to Spark that are older belong to a job that was killed."""


class Warehouse:
    """The versions in a folder that all machines see under one path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def current(self) -> str | None:
        """The name of the version that readers take; None before the first one.

        DatabaseError for a folder that is not ours, before anything in it is touched.
        """
        with self._usable("read"):
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

    def _refuse_foreign(self) -> None:
        try:
            there = {path.name for path in self.folder.iterdir()}
        except FileNotFoundError:
            return
        # the first thing that a refresh makes is LOCK: it is there even if the refresh was killed
        foreign = sorted(name for name in there if not name.startswith((_ASKED, SCRATCH)))
        if foreign and "LOCK" not in there:
            raise DatabaseError(
                f"{self.folder}: holds {foreign[0]!r} and no tables of tzconv's: name a folder of "
                "their own."
            )

    @contextlib.contextmanager
    def _usable(self, done: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise DatabaseError(f"{self.folder}: cannot be {done} ({error.strerror}).") from error

    def writing(self) -> contextlib.AbstractContextManager[None]:
        """DatabaseError where the file system refuses what the body does."""
        return self._usable("written")

    def make(self) -> None:
        """Make the folder itself, unless it is there; DatabaseError where it is not ours."""
        self.current()
        with self.writing():
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
        shutil.rmtree(made, ignore_errors=True)  # what a killed refresh left there
        try:
            with self.writing():
                made.mkdir(parents=True)
            yield made
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise

    def publish(self, version: str) -> None:
        """Let readers take a version that is complete, from one moment to the next."""
        written = self.folder / "CURRENT.new"
        with self.writing():
            with written.open("w") as file:
                file.write(version + "\n")
                file.flush()
                os.fsync(file.fileno())
            written.replace(self.folder / "CURRENT")
            descriptor = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)  # the rename too must survive a crash
            finally:
                os.close(descriptor)

    @contextlib.contextmanager
    def asking(self) -> Iterator[Path]:
        """A folder for questions to Spark, where the executors find it; removed afterwards."""
        self.make()
        with self.writing():
            made = tempfile.TemporaryDirectory(
                prefix=_ASKED, dir=self.folder, ignore_cleanup_errors=True
            )
        with made as name:
            yield Path(name)

    def sweep(self) -> None:
        """Remove all versions but the current one and the one before it, which queries may read.

        What killed jobs have left goes as well.
        """
        current = self.current()
        if current is None:
            return
        number = int(current[1:])
        for path in self.folder.iterdir():
            if _VERSION.fullmatch(path.name) and int(path.name[1:]) not in (number, number - 1):
                shutil.rmtree(path, ignore_errors=True)
            elif path.name.startswith(_ASKED):
                with contextlib.suppress(FileNotFoundError):  # its own job has just removed it
                    if time.time() - path.stat().st_mtime > _FORGOTTEN_SECONDS:
                        shutil.rmtree(path, ignore_errors=True)

    @contextlib.contextmanager
    def locked(self, timeout: float) -> Iterator[None]:
        """Alone at work, as long as the body runs; the lock of a killed process is free at once."""
        until = time.monotonic() + timeout
        with self.writing():
            opened = (self.folder / "LOCK").open("a+")
        with opened as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= until:
                        raise DatabaseError(
                            f"{self.folder}: another refresh is at work: wait until it has ended."
                        ) from None
                    time.sleep(_LOOK_AGAIN_SECONDS)
            yield
