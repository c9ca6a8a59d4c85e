"""Vertica's types: their numbers on the wire, and their names in a CREATE TABLE.

Text results of expressions, which PostgreSQL calls `text`, are sent as VARCHAR.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from psycopg import pq

from tests.vertica_server.errors import VerticaError, unsupported
from tests.vertica_server.lexer import Reader
from tests.vertica_server.protocol import Column

INT, VARCHAR = 6, 9

# PostgreSQL's number of a type to Vertica's and to its size, -1 where it varies
_RESULTS = {
    16: (5, 1),  # bool
    20: (INT, 8),
    21: (INT, 8),
    23: (INT, 8),
    26: (INT, 8),  # oid
    700: (7, 8),
    701: (7, 8),
    1042: (8, -1),  # char
    18: (VARCHAR, -1),
    19: (VARCHAR, -1),
    25: (VARCHAR, -1),
    1043: (VARCHAR, -1),
    705: (VARCHAR, -1),  # a literal that nothing gave a type to
    2205: (VARCHAR, -1),
    1082: (10, 8),
    1083: (11, 8),
    1114: (12, 8),
    1184: (13, 8),
    1186: (14, 8),
    1266: (15, 8),
    1700: (16, -1),
    17: (17, -1),
    2950: (20, 16),
}


def of_postgres(oid: int) -> tuple[int, int]:
    """Vertica's number and size for a type of PostgreSQL."""
    if oid not in _RESULTS:
        raise unsupported(f"the type that PostgreSQL numbers {oid}")
    return _RESULTS[oid]


def columns(result: pq.abc.PGresult) -> list[Column]:
    """The columns of a result, in Vertica's types."""
    found = []
    for number in range(result.nfields):
        kind, size = of_postgres(result.ftype(number))
        name = (result.fname(number) or b"").decode()
        found.append(Column(name, kind, size, result.fmod(number)))
    return found


Family = Literal["text", "integer", "float", "numeric", "time", "boolean", "binary", "other"]


@dataclass(frozen=True)
class Type:
    """A type in a CREATE TABLE: PostgreSQL's spelling, and what encodings ask about it."""

    postgres: str
    family: Family


_PLAIN: dict[str, Type] = {
    **dict.fromkeys(
        ("INT", "INTEGER", "BIGINT", "INT8", "SMALLINT", "TINYINT"), Type("bigint", "integer")
    ),
    **dict.fromkeys(("FLOAT8", "REAL"), Type("double precision", "float")),
    **dict.fromkeys(("BOOLEAN", "BOOL"), Type("boolean", "boolean")),
    **dict.fromkeys(("DATETIME", "SMALLDATETIME"), Type("timestamp", "time")),
    "DATE": Type("date", "time"),
    "TIMESTAMPTZ": Type("timestamptz", "time"),
    "TIMETZ": Type("timetz", "time"),
    "INTERVAL": Type("interval", "time"),
    "UUID": Type("uuid", "other"),
}
_NUMERIC = {"NUMERIC": [37, 15], "DECIMAL": [37, 15], "NUMBER": [38, 0], "MONEY": [18, 4]}


def read(reader: Reader) -> Type:  # noqa: PLR0911 - one branch for each way to write a type
    """Read a type as CREATE TABLE has it; integers have 64 bits whatever they are called."""
    name = reader.next().word
    if name == "DOUBLE":
        reader.expect("PRECISION")
        return Type("double precision", "float")
    if name == "FLOAT":
        _sizes(reader)
        return Type("double precision", "float")
    if name in _NUMERIC:
        sizes = _sizes(reader) or _NUMERIC[name]
        return Type(f"numeric({', '.join(map(str, sizes))})", "numeric")
    if name == "LONG":
        if reader.choose("VARCHAR", "VARBINARY") == "VARCHAR":
            _sizes(reader)
            return Type("text", "text")
        _sizes(reader)
        return Type("bytea", "binary")
    if name in ("VARCHAR", "CHAR", "CHARACTER"):
        varying = name == "VARCHAR" or (name == "CHARACTER" and reader.accept("VARYING"))
        size = (_sizes(reader) or [80 if varying else 1])[0]
        if not 1 <= size <= 65000:
            raise VerticaError("22023", 4800, f"Length for type varchar cannot be {size}")
        return Type(f"varchar({size})" if varying else f"char({size})", "text")
    if name in ("VARBINARY", "BINARY", "BYTEA", "RAW"):
        _sizes(reader)
        return Type("bytea", "binary")
    if name in ("TIMESTAMP", "TIME"):
        sizes = _sizes(reader)
        zone = reader.accept("WITH", "TIME", "ZONE") or reader.accept("WITH", "TIMEZONE")
        if not zone:
            _ = reader.accept("WITHOUT", "TIME", "ZONE") or reader.accept("WITHOUT", "TIMEZONE")
        precision = f"({sizes[0]})" if sizes else ""
        return Type(name.lower() + precision + (" with time zone" if zone else ""), "time")
    if name in _PLAIN:
        return _PLAIN[name]
    raise VerticaError(
        "42704", 5108, f'Type "{reader.statement.tokens[reader.at - 1].text}" does not exist'
    )


def _sizes(reader: Reader) -> list[int]:
    """One or two numbers in parentheses, or nothing."""
    if not reader.accept("("):
        return []
    found = [reader.number()]
    if reader.accept(","):
        found.append(reader.number())
    reader.expect(")")
    return found
