"""COPY ... FROM STDIN: the statement, and its data on their way to PostgreSQL's COPY.

Whole records pass in blocks as they arrive, so neither the input nor a part of it that grows with
the input is ever in memory. A block that needs no change is passed on as it is; only blocks with
escapes, quotes or values to cut are taken apart. Documented: that NO COMMIT is last, that values
too long for a VARCHAR are cut unless ENFORCELENGTH is given, that a NULL in a NOT NULL column
rejects the row, and that the default NULL is the empty string. Assumptions: a record ends at a
newline even inside quotes unless it is escaped, white space belongs to the value, and a compressed
stream that is cut off fails the statement.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from tests.vertica_server.engine import Engine
from tests.vertica_server.errors import (
    VerticaError,
    missing_column,
    missing_relation,
    rejected,
    unsupported,
)
from tests.vertica_server.lexer import Reader, folded

_BLOCK = 1 << 17


@dataclass(frozen=True)
class Copy:
    """A COPY statement that was understood."""

    table: str
    columns: tuple[str, ...] = ()
    is_compressed: bool = False
    delimiter: str = "|"
    null: str = ""
    enclosed_by: str = ""
    escape: bool = True
    enforce_length: bool = False
    abort_on_error: bool = False
    no_commit: bool = False


def read(reader: Reader) -> Copy:
    """Read a COPY statement; its options come in any order, NO COMMIT at the end."""
    reader.expect("COPY")
    table = reader.table()
    columns = tuple(reader.names()) if reader.peek() == "(" else ()
    reader.expect("FROM")
    if reader.peek() == "LOCAL":
        raise unsupported("COPY FROM LOCAL")
    reader.expect("STDIN")
    is_compressed = reader.accept("GZIP")
    seen: dict[str, object] = {}
    while not reader.done:
        at = reader.at
        if reader.accept("NO", "COMMIT"):
            reader.end()
            seen["no_commit"] = True
            break
        for name, value in _option(reader).items():
            if name in seen:
                raise reader.error(at)
            seen[name] = value
    return Copy(table, columns, is_compressed, **seen)  # type: ignore[arg-type] # by _option


_FLAGS: dict[tuple[str, ...], dict[str, object]] = {
    ("ABORT", "ON", "ERROR"): {"abort_on_error": True},
    ("NO", "ESCAPE"): {"escape": False},
    ("ENFORCELENGTH",): {"enforce_length": True},
    ("DIRECT",): {},  # these three are ignored since release 9.3
    ("AUTO",): {},
    ("TRICKLE",): {},
}
_TEXTS = {"DELIMITER": "delimiter", "NULL": "null", "ENCLOSED": "enclosed_by"}
_KNOWN = (
    *("PARSER", "FILTER", "REJECTED", "EXCEPTIONS", "TRAILING", "WITH", "TRIM", "STREAM", "SKIP"),
    *("REJECTMAX", "UNCOMPRESSED", "BZIP", "LZO", "ZSTD"),
)
"""Options of Vertica that nothing here needs."""


def _option(reader: Reader) -> dict[str, object]:
    """Read one option."""
    for words, found in _FLAGS.items():
        if reader.accept(*words):
            return found
    at = reader.at
    word = reader.next().word
    if word in _KNOWN:
        raise unsupported(f"COPY with {word}")
    if word == "RECORD":
        reader.expect("TERMINATOR")
    elif word in _TEXTS or word == "ESCAPE":
        _ = reader.accept("BY" if word == "ENCLOSED" else "AS")
    else:
        raise reader.error(at)
    text = reader.string()
    if word != "NULL" and len(text.encode()) != 1:
        raise VerticaError("22023", 2745, f"COPY {word} must be a single ASCII character")
    if word in _TEXTS:
        return {_TEXTS[word]: text}
    if text != ("\n" if word == "RECORD" else "\\"):
        raise unsupported(f"COPY with another {word} than the usual one")
    return {}


@dataclass(frozen=True)
class Target:
    """What must be known of the table: its columns as they come in the data."""

    names: tuple[str, ...]
    limits: tuple[int, ...]
    """Of each column, how many bytes a VARCHAR takes; 0 for other types."""
    required: tuple[int, ...]
    """The places of the columns that are NOT NULL."""
    temporary: bool


def target(engine: Engine, copy: Copy) -> Target:
    """Look the table up."""
    parts = ".".join(f'"{folded(part)}"' for part in copy.table.split("."))
    number = engine.run("SELECT to_regclass($1)::oid::text", parts)[0][0]
    if number is None:
        raise missing_relation(copy.table)
    rows = engine.run(
        "SELECT attname, attnotnull, CASE WHEN atttypid IN (1042, 1043) THEN atttypmod - 4 END, "
        "(SELECT relpersistence = 't' FROM pg_class WHERE oid = attrelid) "
        "FROM pg_attribute "
        "WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        number,
    )
    known = {str(row[0]): row for row in rows}
    wanted = tuple(folded(name) for name in copy.columns) or tuple(known)
    for name in wanted:
        if name not in known:
            raise missing_column(name, copy.table)
    return Target(
        wanted,
        tuple(int(known[name][2] or 0) for name in wanted),
        tuple(at for at, name in enumerate(wanted) if known[name][1] == "t"),
        any(row[3] == "t" for row in rows),
    )


@dataclass
class Loader:
    """Takes the data of one COPY as they arrive and passes them to PostgreSQL."""

    engine: Engine
    copy: Copy
    target: Target
    records: int = 0
    """How many records there were, with those that were rejected."""
    rejected: int = 0
    _passed: int = 0
    _rest: bytes = b""
    _expander: _Expander | None = None

    def begin(self) -> None:
        """Start PostgreSQL's COPY; waits for the lock on the table."""
        copy = self.copy
        if copy.is_compressed:
            self._expander = _Expander()
        null = "\\N" if copy.enclosed_by else copy.null
        columns = ", ".join('"{}"'.format(name.replace('"', '""')) for name in self.target.names)
        ignore = "" if copy.abort_on_error else ", ON_ERROR ignore, LOG_VERBOSITY silent"
        self.engine.copy_begin(
            f"COPY {copy.table} ({columns}) FROM STDIN (FORMAT text, "
            f"DELIMITER E'{_octal(copy.delimiter)}', NULL E'{_octal(null)}'{ignore})"
        )

    def feed(self, data: bytes) -> None:
        """Take the next part of the input."""
        for part in (data,) if self._expander is None else self._expander.expand(data):
            self._plain(part)

    def end(self) -> tuple[int, int]:
        """The input is complete; how many rows were loaded and how many rejected."""
        try:
            if self._expander is not None:
                self._expander.end()
            if self._rest:
                rest, self._rest = self._rest, b""
                self._records(rest + b"\n")
        except VerticaError as error:
            self.fail(error)
            raise
        try:
            loaded = self.engine.copy_end()
        except VerticaError as error:
            raise self._as_rejection(error) from None
        self.rejected += self._passed - loaded
        return loaded, self.rejected

    def fail(self, error: VerticaError) -> None:
        """Give PostgreSQL's COPY up because of an error found here."""
        try:
            self.engine.copy_end(error.message)
        except VerticaError:
            return
        raise AssertionError("a COPY that was given up went through")

    def _as_rejection(self, error: VerticaError) -> VerticaError:
        """PostgreSQL's complaint about a line as the rejection of a record."""
        place = re.search(r"line (\d+)(?:, column (\w+))?", error.where)
        if place is None or not error.sqlstate.startswith("22"):
            return error
        why = error.message + (f" for column {place[2]}" if place[2] else "")
        limit = re.search(r"too long for type character (?:varying)?\((\d+)\)", why)
        value = re.search(r'column \w+: "(.*)"$', error.where, re.DOTALL)
        if limit and value:
            size, at = len(value[1].encode()), self.target.names.index(place[2]) + 1
            type_name = f"Varchar({limit[1]})"
            why = (
                f"The {size}-byte value is too long for type {type_name}, column {at} ({place[2]})"
            )
        return rejected(int(place[1]), why)

    def _plain(self, data: bytes) -> None:
        """Cut the stream at its last newline that ends a record."""
        data = self._rest + data if self._rest else data
        cut = len(data)
        while True:
            cut = data.rfind(b"\n", 0, cut)
            if cut < 0:
                self._rest = data
                return
            if not self._escaped(data, cut):
                break
        self._rest = data[cut + 1 :]
        self._records(data[: cut + 1])

    def _escaped(self, data: bytes, at: int) -> bool:
        if not self.copy.escape:
            return False
        before = at
        while before and data[before - 1] == 0x5C:
            before -= 1
        return (at - before) % 2 == 1

    def _records(self, block: bytes) -> None:
        """Pass on whole records, changed only where they must be."""
        copy = self.copy
        limit = 0 if copy.enforce_length else min(filter(None, self.target.limits), default=0)
        lines = block[:-1].split(b"\n")
        plain = not copy.enclosed_by and b"\\" not in block and b"\r" not in block
        plain = plain and not (limit and max(map(len, lines)) > limit)
        if plain and copy.abort_on_error:
            self.records += len(lines)
            self._passed += len(lines)
            self.engine.copy_write(block)
            return
        changed = [line for record in self._joined(lines) if (line := self._record(record))]
        self._passed += len(changed)
        for start in range(0, len(changed), 1000):
            self.engine.copy_write(b"".join(changed[start : start + 1000]))

    def _joined(self, lines: list[bytes]) -> Iterator[bytes]:
        """Records of lines: a newline behind a backslash belongs to the record."""
        record = b""
        for line in lines:
            record += line
            if self._escaped(record, len(record)):
                record += b"\n"
            else:
                yield record
                record = b""

    def _record(self, record: bytes) -> bytes:
        """One record as PostgreSQL reads it; nothing if it was rejected here."""
        self.records += 1
        values = [self._value(field) for field in self._fields(record)]
        why = ""
        if len(values) != len(self.target.names):
            why = "Too few columns found" if len(values) < len(self.target.names) else ""
            why = why or "Too many columns found"
        elif any(values[at] is None for at in self.target.required):
            why = "Cannot set a NOT NULL column to a NULL value"
        if why and self.copy.abort_on_error:
            raise rejected(self.records, why)
        if why:
            self.rejected += 1
            return b""
        delimiter = self.copy.delimiter.encode()
        null = b"\\N" if self.copy.enclosed_by else self.copy.null.encode()
        shown = []
        for value, limit in zip(values, self.target.limits, strict=True):
            if value is not None and limit and not self.copy.enforce_length:
                value = _cut(value, limit)  # noqa: PLW2901 - the value, shorter
            shown.append(null if value is None else _escape(value, delimiter))
        return delimiter.join(shown) + b"\n"

    def _fields(self, record: bytes) -> list[bytes]:
        """The fields of a record with their quotes and escapes."""
        delimiter, quote = self.copy.delimiter.encode(), self.copy.enclosed_by.encode()
        if not quote and not (self.copy.escape and b"\\" in record):
            return record.split(delimiter)
        fields, start, at, quoted = [], 0, 0, False
        while at < len(record):
            byte = record[at : at + 1]
            if byte == b"\\" and self.copy.escape:
                at += 1
            elif quote and byte == quote and (quoted or at == start):
                quoted = not quoted
            elif byte == delimiter and not quoted:
                fields.append(record[start:at])
                start = at + 1
            at += 1
        fields.append(record[start:])
        return fields

    def _value(self, field: bytes) -> bytes | None:
        """What a field says, None for NULL."""
        quote = self.copy.enclosed_by.encode()
        if quote and len(field) > 1 and field.startswith(quote) and field.endswith(quote):
            field = field[1:-1]
        elif field == self.copy.null.encode():
            return None
        if self.copy.escape and b"\\" in field:
            return re.sub(rb"\\(.)", rb"\1", field, flags=re.DOTALL)
        return field


def _escape(value: bytes, delimiter: bytes) -> bytes:
    """A value in PostgreSQL's text format."""
    if b"\\" in value:
        value = value.replace(b"\\", b"\\\\")
    if b"\n" in value or b"\r" in value:
        value = value.replace(b"\n", b"\\n").replace(b"\r", b"\\r")
    return value.replace(delimiter, b"\\" + delimiter) if delimiter in value else value


def _cut(value: bytes, limit: int) -> bytes:
    """The first bytes of a value, never a part of a character."""
    return value if len(value) <= limit else value[:limit].decode("utf-8", "ignore").encode()


def _octal(text: str) -> str:
    """A text inside E'...'."""
    return "".join(f"\\{byte:03o}" for byte in text.encode())


class _Expander:
    """Expands a GZIP stream in parts of bounded size; several may follow each other."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)
        self._untouched = True

    def expand(self, data: bytes) -> Iterator[bytes]:
        try:
            while data:
                if self._stream.eof:
                    self._stream = zlib.decompressobj(wbits=31)
                self._untouched = False
                part = self._stream.decompress(data, _BLOCK)
                if part:
                    yield part
                data = self._stream.unused_data or self._stream.unconsumed_tail
        except zlib.error as error:
            raise VerticaError("22V04", 2000, "COPY: the input is not GZIP") from error

    def end(self) -> None:
        if not self._stream.eof and not self._untouched:
            raise VerticaError("22V04", 2000, "COPY: the GZIP input is cut off")
