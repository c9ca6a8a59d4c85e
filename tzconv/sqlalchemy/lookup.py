"""Where a session looks up table names: temporary tables and search paths are its own.

The hook remembers column types and decisions by it.
"""

from __future__ import annotations

import itertools
import re
from typing import Any, TypeAlias

from sqlalchemy.engine import Connection

from tzconv.sql.lexer import SPACE

Lookup: TypeAlias = str | int
"""Equal for sessions that see the same tables: a statement that set it, or a number of its own."""

BEFORE = rf"(?:{SPACE}|\()*"
"""What may precede the first word of a statement."""
_SETS = re.compile(
    rf"(?:\A|;){BEFORE}(?:USE\b|DISCARD\b|(?:SET|RESET)\b"
    r"[^;]*\b(?:ALL|search_path|schema|role|authorization)\b)",
    re.IGNORECASE | re.DOTALL,
)
_SETS_PATH = re.compile(r"\s*SET\s+(?:SESSION\s+)?(?:search_path|schema)\b[^;]*;?\s*\Z", re.I)
"""Replaces the whole path; a role or USE keeps a part of it."""
_IS_OWN = re.compile(r"\b(?:TEMP|TEMPORARY|set_config)\b", re.IGNORECASE)
_LOOKUP = "tzconv_lookup"
_CHANGED = "tzconv_lookup_changed"
_numbers = itertools.count()


def changes_lookup(statement: str) -> bool:
    """Whether a statement may change which tables its session finds by their names."""
    return bool(_SETS.search(statement) or _IS_OWN.search(statement))


def lookup_of(connection: Connection) -> Lookup:
    """The look-up of a connection's session; the same for all new sessions."""
    found: Lookup = connection.info.get(_LOOKUP, "")
    return found


def change(connection: Connection, statement: str, parameters: Any) -> None:
    """Note that a session runs a statement that changes its look-up."""
    is_shared = _SETS_PATH.match(statement) and not _IS_OWN.search(statement) and not parameters
    is_own = isinstance(lookup_of(connection), int)  # it may have temporary tables
    connection.info[_LOOKUP] = statement if is_shared and not is_own else next(_numbers)
    connection.info[_CHANGED] = True


def end_transaction(connection: Connection, *, is_undone: bool) -> None:
    """Note the end of a transaction, which may end a change made inside it."""
    has_changed = connection.info.pop(_CHANGED, False)
    if has_changed and (is_undone or isinstance(lookup_of(connection), int)):
        connection.info[_LOOKUP] = next(_numbers)
