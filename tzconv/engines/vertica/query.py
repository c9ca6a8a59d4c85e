"""The user's queries on Vertica, one SELECT at a time; values are the server's texts."""

from __future__ import annotations

import re
import time

import vertica_python
from vertica_python.datatypes import VerticaType

from tzconv.engines.backend import Result, column_of, numbered
from tzconv.engines.vertica import errors
from tzconv.errors import QueryError
from tzconv.sql.lexer import Lexer


def check(sql: str) -> None:
    """QueryError for anything but one SELECT; the driver itself runs several statements."""
    bare = _code(sql).strip()
    words = re.findall(r"\w+", bare)
    first = words[0].upper() if words else "nothing"
    if ";" in bare.rstrip("; \n\t"):
        raise QueryError("it has multiple commands, and only a single SELECT is run here")
    if first not in ("SELECT", "WITH"):
        raise QueryError(f"it is {first}, and only a single SELECT is run here")
    if "INTO" in map(str.upper, words):
        raise QueryError("it writes, and only a single SELECT is run here")


def _code(sql: str) -> str:
    """A text without its strings, quoted names and comments; doubtful ones stay."""
    parts, position = [], 0
    for piece in Lexer().pieces(sql):
        text = sql[piece.start : piece.end]
        # the server may end these earlier
        is_doubtful = text.startswith("$") or (piece.kind == "comment" and "/*" in text[2:])
        if piece.kind != "open" and not is_doubtful:
            parts += [sql[position : piece.start], " "]
            position = piece.end
    return "".join([*parts, sql[position:]])


def run(connection: vertica_python.Connection, sql: str) -> Result:
    """Run one SELECT of the user's and fetch its rows; QueryError."""
    check(sql)
    cursor = connection.cursor()
    cursor.disable_sqldata_converter = True
    try:
        with errors.as_error("", QueryError):
            began = time.perf_counter()
            cursor.execute(sql)
            rows = cursor.fetchall()
            description = list(cursor.description or ())
            while cursor.nextset():  # an error may come after the rows
                pass
            seconds = time.perf_counter() - began
    finally:
        cursor.disable_sqldata_converter = False
    columns = list(zip(*rows, strict=True)) or [() for _ in description]
    arrays = [
        column_of(values, is_float=column.type_code == VerticaType.FLOAT8)
        for values, column in zip(columns, description, strict=True)
    ]
    return Result(
        tuple(column.name for column in description),
        tuple(column.type_name for column in description),
        numbered(arrays),
        seconds,
    )
