"""Where a session looks up the names of tables: temporary tables and search paths are its own."""

from __future__ import annotations

import itertools
import re
from typing import Any, TypeAlias

from sqlalchemy.engine import Connection

from tzconv.sql.lexer import SPACE

Place: TypeAlias = str | int
"""Sessions of one place see the same tables: a text has put them there, or a number is its own."""

BEFORE = rf"(?:{SPACE}|\()*"
"""What may stand before the first word of a statement."""
_SETS = re.compile(
    rf"(?:\A|;){BEFORE}(?:USE\b|DISCARD\b|(?:SET|RESET)\b"
    r"[^;]*\b(?:ALL|search_path|schema|role|authorization)\b)",
    re.IGNORECASE | re.DOTALL,
)
_IS_PATH = re.compile(r"\s*SET\s+(?:SESSION\s+)?(?:search_path|schema)\b[^;]*;?\s*\Z", re.I)
"""The whole of a path, whatever it was before; a role or USE keeps a part of it."""
_IS_OWN = re.compile(r"\b(?:TEMP|TEMPORARY|set_config)\b", re.IGNORECASE)
_PLACE = "tzconv_place"
_MOVED = "tzconv_moved"
_numbers = itertools.count()


def moves(statement: str) -> bool:
    """Whether a statement may change which tables its session sees under their names."""
    return bool(_SETS.search(statement) or _IS_OWN.search(statement))


def place_of(connection: Connection) -> Place:
    """The place of a connection's session; all are in one to begin with."""
    place: Place = connection.info.get(_PLACE, "")
    return place


def move(connection: Connection, statement: str, parameters: Any) -> None:
    """Note that a session runs such a statement."""
    is_shared = _IS_PATH.match(statement) and not _IS_OWN.search(statement) and not parameters
    is_own = isinstance(place_of(connection), int)  # it may have temporary tables
    connection.info[_PLACE] = statement if is_shared and not is_own else next(_numbers)
    connection.info[_MOVED] = True


def end(connection: Connection, *, is_undone: bool) -> None:
    """Note the end of a transaction, with which a place may end that was taken inside it."""
    has_moved = connection.info.pop(_MOVED, False)
    if has_moved and (is_undone or isinstance(place_of(connection), int)):
        connection.info[_PLACE] = next(_numbers)
