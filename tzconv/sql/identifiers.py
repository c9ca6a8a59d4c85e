"""Whether two names are one to an engine; for ``schema`` and ``names``, which compare them.

PostgreSQL folds the ASCII letters of names without quotes and keeps those in quotes; the others
ignore the case of both. Letters outside ASCII depend on the engine or on the encoding of the
database. So a name has two forms. Names are the same where their keys are equal, and differ where
their folded forms do; between the two it is not known.
"""

from __future__ import annotations

import string
from typing import NamedTuple

from sqlglot import exp

from tzconv.sql.reading import reading_of
from tzconv.sql.reasons import Reason

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


class Name(NamedTuple):
    """A name as it is looked for, and as it is compared; an empty key is equal to no other."""

    folded: str
    key: str


def name_of(identifier: exp.Identifier | None, dialect: str) -> Name:
    """A name as a statement writes it."""
    if identifier is None:
        return Name("", "")
    text = identifier.name
    if identifier.args.get("quoted"):
        return stored(text, dialect)
    key = text.translate(_LOWER)
    # a database in Latin-1 folds these too: then a name without quotes is not the one in quotes
    return Name(text.casefold(), key if key == key.lower() else f"{key}\0")


def stored(text: str, dialect: str) -> Name:
    """A name as the catalog has it."""
    return Name(text.casefold(), text if reading_of(dialect).keeps_case else text.translate(_LOWER))


def declared(identifier: exp.Expr, dialect: str) -> str:
    """The name that the catalog has of what a statement makes."""
    if not reading_of(dialect).keeps_case or identifier.args.get("quoted"):
        return identifier.name
    return identifier.name.translate(_LOWER)


def why_cut(statement: exp.Expr, dialect: str) -> Reason | None:
    """The reason to leave a statement with a name that the engine would cut: it may be another."""
    longest = reading_of(dialect).longest_name
    for name in statement.find_all(exp.Identifier) if longest else ():
        if longest and len(name.name.encode()) > longest:
            text = f"{dialect} cuts names to {longest} bytes: shorten {name.name}"
            return Reason("long-name", text)
    return None
