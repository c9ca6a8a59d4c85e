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
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from tzconv.errors import DatabaseError

_LOOK_AGAIN_SECONDS = 0.2
_FILE = "part-0.parquet"


class Warehouse:
    """The versions in a folder that all machines see under one path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def current(self) -> str | None:
        """The name of the version that readers take; None before the first one."""
        try:
            name = (self.folder / "CURRENT").read_text().strip()
        except FileNotFoundError:
            return None
        if not (self.folder / name).is_dir():
            raise DatabaseError(
                f"{self.folder}: its file CURRENT names {name!r}, which is not there: restore that "
                "folder, or remove CURRENT and run tzconv refresh."
            )
        return name

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
            made.mkdir(parents=True)
            yield made
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise

    def publish(self, version: str) -> None:
        """Let readers take a version that is complete, from one moment to the next."""
        written = self.folder / "CURRENT.new"
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

    def sweep(self) -> None:
        """Remove all versions but the current one and the one before it, which queries may read."""
        current = self.current()
        if current is None:
            return
        number = int(current[1:])
        for path in self.folder.glob("v[0-9]*"):
            if path.is_dir() and int(path.name[1:]) not in (number, number - 1):
                shutil.rmtree(path, ignore_errors=True)

    @contextlib.contextmanager
    def locked(self, timeout: float) -> Iterator[None]:
        """Alone at work, as long as the body runs; the lock of a killed process is free at once."""
        until = time.monotonic() + timeout
        with (self.folder / "LOCK").open("a+") as file:
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
