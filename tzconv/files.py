"""Files of the commands: finds SQL files in folders, reads them, replaces them atomically."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import secrets
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tzconv.errors import OutputError

STANDARD_INPUT = "-"
_BOM = "\ufeff"
_MOST_BYTES = 5_000_000
"""No query is longer; a dump of data is, and would take minutes to parse."""


@dataclass(frozen=True, slots=True)
class SqlFile:
    """A file as it was read. ``text`` is without ``mark``, the byte order mark of some editors."""

    name: str
    text: str
    mark: str

    def diff(self, text: str) -> str:
        """A unified diff to another text, as ``patch -p0`` takes it; nothing for the same one."""
        name = self.name
        lines = difflib.unified_diff(
            _lines(self.mark + self.text), _lines(self.mark + text), fromfile=name, tofile=name
        )
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )


def find(paths: Iterable[str]) -> list[str]:
    """The files that paths name, each once: of a folder all ``*.sql``, also in its folders, sorted.

    Folders whose names begin with a dot, links to folders, and named pipes are skipped.
    """
    found: dict[str, str] = {}
    for path in paths:
        if path == STANDARD_INPUT:
            found[path] = path
            continue
        for name in _in_folder(path) if Path(path).is_dir() else [path]:
            found.setdefault(os.path.realpath(name), name)
    return list(found.values())


def read(name: str) -> SqlFile:
    """A file, or standard input for ``-``; OutputError where it is no readable UTF-8 text."""
    data = read_bytes(name)
    if len(data) > _MOST_BYTES:
        raise OutputError(
            f"{name}: has {len(data) / 1e6:.1f} MB, more than the {_MOST_BYTES / 1e6:.0f} MB that "
            "are read as SQL; keep queries apart from data."
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise OutputError(f"{name}: is not UTF-8 text; save it as UTF-8 first.") from error
    if "\0" in text:
        raise OutputError(f"{name}: holds NUL characters, so it is no SQL text.")
    plain = text.removeprefix(_BOM)
    return SqlFile(name, plain, text[: len(text) - len(plain)])


def read_bytes(name: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``; OutputError if it cannot be read."""
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except IsADirectoryError as error:
        raise OutputError(f"{name}: is a folder: name one file of it.") from error
    except FileNotFoundError as error:
        raise OutputError(f"{name}: there is no such file: check its name and folder.") from error
    except OSError as error:
        raise OutputError(f"{name}: cannot be read ({error.strerror}).") from error


def is_file(name: str | Path) -> bool:
    """Whether it is a plain file, or a link to one, in a folder that may be searched."""
    return os.path.isfile(name)  # noqa: PTH113 - Path.is_file() raises in a folder without rights


def replace(file: SqlFile, text: str) -> None:
    """Replace the text of a file atomically: a reader sees the old or the new text.

    Its mode stays, and a link stays a link to it.
    """
    target = Path(file.name)
    with refusing(file.name):
        if not os.access(target, os.W_OK):  # renaming would replace a read-only file, too
            raise OutputError(f"{file.name}: cannot be written (it is read-only).")
        with writing(file.name) as out:
            Path(out.name).chmod(target.stat().st_mode & 0o7777)  # before it has any text
            out.write(file.mark + text)
            out.flush()
            os.fsync(out.fileno())
            if target.read_bytes() != (file.mark + file.text).encode():
                raise OutputError(f"{file.name}: was changed meanwhile; run the command again.")


@contextlib.contextmanager
def writing(name: str) -> Iterator[IO[str]]:
    """A text file that gets its name when the block ends, and is removed after an error.

    OutputError at once where it cannot be written: the block may take minutes.
    """
    target = Path(os.path.realpath(name))
    new = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    with refusing(name):
        if target.exists() and not target.is_file():  # root would replace /dev/null, too
            raise OutputError(f"{name}: is a folder, a device or a pipe: name a file.")
        out = new.open("x", encoding="utf-8", newline="")
    try:
        yield out
        with refusing(name):
            out.close()
            new.replace(target)
    finally:  # after Ctrl-C too
        out.close()
        new.unlink(missing_ok=True)


@contextlib.contextmanager
def refusing(name: str) -> Iterator[None]:
    """Raise OutputError with the name instead of the file system's errors."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{name}: cannot be written ({error.strerror}).") from error


def _in_folder(path: str) -> list[str]:
    def refuse(error: OSError) -> None:
        raise OutputError(f"{error.filename}: cannot be read ({error.strerror}).") from error

    names: list[str] = []
    for folder, folders, files in os.walk(path, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found = (Path(folder, name) for name in files if name.lower().endswith(".sql"))
        names += [str(path) for path in found if not path.is_fifo()]  # it may wait for ever
    if not names:
        raise OutputError(f"{path}: there is no .sql file in this folder.")
    return sorted(names)


def _lines(text: str) -> list[str]:
    """Lines as ``patch`` counts them: only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
