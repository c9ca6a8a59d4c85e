"""Every error that tzconv raises on purpose.

::

    TzconvError                  one sentence: what, where, what to do next
    ├── RulesError               a tz release cannot be read or ends too early
    │   └── UnknownZoneError     a name that the tz release does not have
    ├── HorizonError             start and end do not make a usable time range
    ├── OutputError              a file or folder cannot be written or read
    ├── DatabaseError            a database cannot be opened, or holds something unexpected
    │   ├── BusyError            another process has the file open, or holds the lock
    │   ├── NewerTablesError     tables of a newer tz release or tzconv than this host's
    │   └── QueryError           the database rejected a query
    └── RewriteError             SQL that tzconv will not touch
        └── PlacedError          at a line and column of a text
            ├── ParseError       not SQL of that dialect
            ├── CheckError       a rewrite failed its own check (a bug in tzconv, never wrong SQL)
            └── InternalError    any other bug in tzconv, found in one statement

The command line prints the message and exits with 1; with ``--json`` it prints ``code``, a word
that each class keeps between releases, too. No message holds a password: each one goes through
:func:`without_secrets`.
"""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Self

_USER_INFO = re.compile(r"(:/+).*@", re.DOTALL)
_OPTION = re.compile(r"(?i)((?:pass(?:word|wd|phrase)?|pwd|secret|token)=).*", re.DOTALL)
_NO_URL = re.compile(r"[\w.+-]+:(?!/)\S*@")


def visible(text: str) -> str:
    """A text with escapes like ``\\x1b`` for what cannot be printed."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


def some(texts: Sequence[str], most: int = 6) -> str:
    """The first of the texts, and how many more there are."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(map(visible, texts[:most])) + more


def without_secrets(text: str) -> str:
    """A message with ``***`` for what may be a password: in a URL, or behind ``password=``.

    It may hold any character, so everything up to the last @ is left out, or up to the end.
    """
    text = _USER_INFO.sub(r"\1***@", text)
    return _NO_URL.sub("***@", _OPTION.sub(r"\1***", text))


def at(file: str, line: int, column: int) -> str:
    """A place in a file as compilers and editors write it: ``file:line:column``, from 1."""
    return f"{file}:{line}:{column}"


class TzconvError(Exception):
    """Base class of all errors of tzconv; ``code`` is a word for programs."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str = "") -> None:
        super().__init__(without_secrets(message))


class RulesError(TzconvError):
    """The time zone rules cannot be read, or end before the requested time."""

    code = "rules"


class UnknownZoneError(RulesError):
    """A time zone name that the tz release does not have.

    ``name`` is the unknown name, ``nearest`` are up to three names that it may stand for, and
    ``hint`` is what the message says of them; :mod:`tzconv.tz.spellings` finds both.
    """

    code = "unknown-zone"

    def __init__(
        self, name: str, release: str, nearest: tuple[str, ...] = (), hint: str = ""
    ) -> None:
        self.name = name
        self.nearest = nearest
        more = f"; {hint}" if hint else "."
        super().__init__(f"Unknown time zone {name!r}: tz release {release} has no such name{more}")


class HorizonError(TzconvError):
    """A start and an end that are no valid time range of the tables."""

    code = "horizon"


class OutputError(TzconvError):
    """A file or folder that cannot be read or written."""

    code = "file"


class DatabaseError(TzconvError):
    """A database that cannot be opened or holds something tzconv must not touch."""

    code = "database"


class BusyError(DatabaseError):
    """A file that another process has open, or tables that another refresh has locked."""

    code = "busy"


class NewerTablesError(DatabaseError):
    """Tables that a host with a newer tz release or a newer tzconv has made; left as they are."""

    code = "newer-tables"


class QueryError(DatabaseError):
    """A query that the database rejected; the message is the database's own."""

    code = "query"


class RewriteError(TzconvError):
    """SQL that tzconv will not rewrite."""

    code = "rewrite"


class PlacedError(RewriteError):
    """An error at ``line`` and ``column`` of a text, counted from 1, and of ``file`` if known."""

    def __init__(
        self, reason: str, line: int = 1, column: int = 1, file: str | None = None
    ) -> None:
        self.reason, self.line, self.column, self.file = reason, line, column, file
        place = f"line {line}, column {column}" if file is None else at(file, line, column)
        super().__init__(f"{place}: {reason}")

    def in_file(self, file: str) -> Self:
        """The same error with the name of its file: ``file:line:column: reason``."""
        return type(self)(self.reason, self.line, self.column, file)

    def moved(self, line: int, column: int) -> Self:
        """The error in a part of a text, with its place in the text; the part begins there."""
        first = column - 1 if self.line == 1 else 0
        return type(self)(self.reason, self.line + line - 1, self.column + first)


class ParseError(PlacedError):
    """SQL that cannot be parsed: ``reason``, ``line`` and ``column``, counted from 1, ``file``."""

    code = "parse"


class CheckError(PlacedError):
    """A rewritten statement failed the check that runs before it is returned.

    It has the attributes of a ParseError; the place is where the statement begins.
    """

    code = "check"


class InternalError(PlacedError):
    """An unexpected error while a statement was read; the place is where the statement begins.

    ``__cause__`` is the error itself, with its traceback.
    """

    code = "bug"


@contextlib.contextmanager
def internal_errors() -> Iterator[None]:
    """Raise what is no error of tzconv as an InternalError where the statement begins."""
    try:
        yield
    except TzconvError:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(": ")
        reason = f"this statement makes an error inside tzconv ({what}): please report it"
        raise InternalError(reason) from error


def nearest_names(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Up to three of ``known`` that are most like ``name``, without regard to case.

    For options and settings; :mod:`tzconv.tz.spellings` has names of time zones.
    """
    by_folded = {candidate.casefold(): candidate for candidate in known}
    near = difflib.get_close_matches(name.strip().casefold(), by_folded, n=3)
    return tuple(by_folded[match] for match in near)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt where DuckDB makes an error of its own of a Ctrl-C."""
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


def refuse_types(
    error: type[TzconvError], *arguments: tuple[str, object, type | tuple[type, ...], str]
) -> None:
    """Raise the error for the first argument that has none of its types.

    Each is its name, its value, its types, and what to give instead.
    """
    for name, value, kinds, wanted in arguments:
        if not isinstance(value, kinds):
            raise error(f"{name}={value!r} cannot be used: give {wanted}.")


def refuse_tables(error: type[TzconvError], schema: object) -> None:
    """Raise the error if column types are not as ``{"actions": {"event_time": "timestamp"}}``."""
    if schema is not None:
        wanted = 'column types, as {"actions": {"event_time": "timestamp"}}'
        refuse_types(error, ("schema", schema, Mapping, wanted))
        for columns in schema.values():  # type: ignore[attr-defined]  # it is a Mapping
            refuse_types(error, ("schema", columns, Mapping, wanted))
