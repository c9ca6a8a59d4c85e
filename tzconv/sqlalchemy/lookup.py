"""The session's part of a decision's key: its path, role, settings, and tables that it alone has.

Decisions are remembered by it: sessions with the same path and role share theirs, and a temporary
table matters to statements that use its name. What is not seen here, such as a path that a function
sets, is found by the types that a rewritten text checks.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sqlalchemy.engine import Connection

from tzconv.sqlalchemy import look

Key: TypeAlias = tuple[tuple[str, str], ...]
"""Settings (``=search_path``) and names, each with the text of the statement that made it."""
Entries: TypeAlias = dict[str, tuple[str, str | None]]
"""By name: the text now, and the one after a commit, None if it ends with the transaction."""

_FLAGS = re.IGNORECASE | re.DOTALL
_NAME = r'((?:"[^"]+"|[\w$]+)(?:\s*\.\s*(?:"[^"]+"|[\w$]+))*)'
_SETS = re.compile(
    r"\W*(?:SET|RESET)\s+(SESSION\s+|LOCAL\s+)?"
    r"(search_path|schema|role|session\s+authorization|authorization|all"
    r"|variable\s+\w+|\w+\.[\w.]+)\b",
    _FLAGS,
)
_CUSTOM = re.compile(r"\w+\.[\w.]+")
"""The name of a setting of the application's own."""
_SET_CONFIG = re.compile(r"set_config(?<!\wset_config)\s*\(\s*(?:'([^']*)')?")
_IS_LOCAL = re.compile(r",\s*'?(?:t|true|on|yes|1)'?(?:::bool\w*)?\s*\)", _FLAGS)
_CREATES = re.compile(
    r"\W*CREATE\s+(?:OR\s+REPLACE\s+)?(?:GLOBAL\s+|LOCAL\s+)?(TEMP(?:ORARY)?\s+)?(?:\w+\s+)??"
    rf"(?:TABLE|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}",
    _FLAGS,
)
_INTO_TEMP = re.compile(
    rf"\bINTO\s+(?:LOCAL\s+|GLOBAL\s+)?TEMP(?:ORARY)?\s+(?:TABLE\s+)?{_NAME}", _FLAGS
)
_LITERALS = re.compile(r"(?:(?:'[^']*'|\b\d+\b|%s|%\(\w+\)s|\$\d+|\?)[\s,()]*)+")
"""Values in a statement: tables made of other values have the same columns."""
_SAVEPOINT = re.compile(
    r"\W*(SAVEPOINT|ROLLBACK\s+(?:WORK\s+|TRANSACTION\s+)?TO(?:\s+SAVEPOINT)?)\s+(\S+)", _FLAGS
)
_SETTINGS = {"search_path", "role", "session_authorization"}
_CHANGES = {"SET", "RESET", "USE", "DISCARD", "CREATE", "ALTER", "DROP", "ATTACH", "DETACH"}
_TARGETS = 12
"""So many names at the beginning of ALTER or DROP may be those of tables."""
_MOST = 100
_LONG = 10_000
"""Characters of a statement that is read each time: what was read of shorter ones is kept."""
_PLACE = "tzconv_place"


@dataclass(slots=True)
class Place:
    """What a session has changed."""

    entries: Entries = field(default_factory=dict)
    before: Entries | None = None
    savepoints: dict[str, Entries] = field(default_factory=dict)
    altered: set[str] = field(default_factory=set)

    def put(self, name: str, text: str, *, is_local: bool = False) -> None:
        """Note what a name leads to; after a commit a local one is again what it was."""
        _, after = self.entries.get(name, ("", None))
        self.entries[name] = text, after if is_local else text


def may_change(statement: str) -> bool:
    """Whether a statement may change what a name leads to."""
    low = statement.lower()
    return (
        any(word in _CHANGES or _SAVEPOINT.match(text) for word, text in look.parts(statement))
        or "set_config" in low
        or ("into" in low and _INTO_TEMP.search(statement) is not None)
    )


def place_of(connection: Connection) -> Place | None:
    """What a session has changed; None if nothing."""
    place: Place | None = connection.info.get(_PLACE)
    return place


def key_of(place: Place | None, words: Collection[str], path: str | None) -> Key:
    """What decides the meaning of these names; ``path`` is the search path if it is reported."""
    found: Key = () if path is None else (("path", path),)
    if place is None or not place.entries:
        return found
    return found + tuple(
        (name, text)
        for name, (text, _) in sorted(place.entries.items())
        if (name[0] == "=" and "." not in name and (path is None or name != "=search_path"))
        or name in words
    )


def others(place: Place | None, values: list[Any]) -> tuple[str, ...]:
    """What may change how many rows a query reaches: parameters, and settings of the application.

    Row-level security often reads such a setting: ``SET app.tenant = '7'``. Empty without any.
    """
    entries = sorted(place.entries.items()) if place is not None else []
    settings = (text for name, (text, _) in entries if name[0] == "=" and "." in name)
    return *map(repr, values), *settings


def has_own(connection: Connection) -> bool:
    """Whether the session has tables that other sessions do not see."""
    place: Place | None = connection.info.get(_PLACE)
    return place is not None and any(name[0] != "=" for name in place.entries)


def change(connection: Connection, statement: str, parameters: Any) -> set[str]:
    """Note what a statement changes; returns the names whose tables it changes for all."""
    place: Place = connection.info.setdefault(_PLACE, Place())
    if place.before is None:
        place.before = dict(place.entries)
    altered: set[str] = set()
    parts, calls, is_local = (_read if len(statement) < _LONG else _read.__wrapped__)(statement)
    for word, text in parts:
        if word in ("SET", "RESET", "USE", "DISCARD"):
            _set(place, word, text, parameters)
        elif word in _CHANGES:
            altered |= _altered(place, text)
        elif (found := _SAVEPOINT.match(text)) is not None:
            if found[1].upper() == "SAVEPOINT":
                place.savepoints[found[2].lower()] = dict(place.entries)
            else:
                place.entries = dict(place.savepoints.get(found[2].lower(), place.before))
        elif (into := _INTO_TEMP.search(text)) is not None:
            place.put(_last(into[1]), _LITERALS.sub("?", text))
    for name in calls:
        _configured(place, name, statement, parameters, is_local=is_local)
    place.altered |= altered
    while len(place.entries) > _MOST:
        place.entries.pop(next(iter(place.entries)))
    return altered


@functools.lru_cache(_MOST)
def _read(statement: str) -> tuple[list[tuple[str, str]], list[str | None], bool]:
    """The parts of a text, what its calls of ``set_config()`` name, and whether for a transaction.

    Kept, because an application sets its tenant before each query.
    """
    called = [one[1] for one in _SET_CONFIG.finditer(statement.lower())]
    return [*look.parts(statement)], called, _IS_LOCAL.search(statement) is not None


def end_transaction(
    connection: Connection, place: Place, *, is_undone: bool, keeps_settings: bool
) -> set[str]:
    """Note the end of a transaction; returns the names whose tables it has changed for all.

    ``keeps_settings`` says that a rollback does not undo settings.
    """
    entries = place.entries
    if is_undone and place.before is not None:
        settings = {name: one for name, one in entries.items() if name[0] == "="}
        entries = {**place.before, **(settings if keeps_settings else {})}
    kept: Entries = {name: (after, after) for name, (_, after) in entries.items() if after}
    connection.info[_PLACE] = Place(kept)
    return place.altered


def _set(place: Place, word: str, text: str, parameters: Any) -> None:
    found = _SETS.match(text)
    scope, name = (found[1] or "", found[2].lower()) if found else ("", "")
    if word == "DISCARD" or name == "all":
        is_all, is_reset = "all" in text.lower(), word == "RESET"
        keeps_names = is_reset or not (is_all or "temp" in text.lower())
        role = {"=role"} if is_reset else {}  # RESET ALL does not reset it
        place.entries = {
            one: value
            for one, value in place.entries.items()
            if (not is_all or one in role if one[0] == "=" else keeps_names)
        }
        return
    # SET schema and USE are other words for a path
    setting = "=role" if "role" in name or "auth" in name else "=search_path"
    if "." in name or name.startswith("variable"):
        setting = "=" + ".".join(name.split())
    if word == "RESET" and name:
        place.entries.pop(setting, None)
    elif word == "USE" or name:
        shown = f"{text.strip()} {parameters!r}" if parameters else text.strip()
        place.put(setting, shown, is_local=scope.strip().upper() == "LOCAL")


def _configured(
    place: Place, name: str | None, statement: str, parameters: Any, *, is_local: bool
) -> None:
    values = [*(parameters.values() if hasattr(parameters, "values") else parameters or ())]
    names = {name} if name else {one for one in values if isinstance(one, str)}
    for setting in map(str.lower, names):
        is_custom = _CUSTOM.fullmatch(setting) is not None
        if is_custom or setting in _SETTINGS:
            is_local = is_local or True in values
            name = f"={setting}" if is_custom or setting == "search_path" else "=role"
            place.put(name, f"{statement} {parameters!r}", is_local=is_local)


def _altered(place: Place, text: str) -> set[str]:
    created, made = _CREATES.match(text), _LITERALS.sub("?", text)
    if created is not None and created[1]:
        is_dropped = re.search(r"ON\s+COMMIT\s+DROP", text, re.IGNORECASE) is not None
        place.put(_last(created[2]), made, is_local=is_dropped)
        return set()
    found = {_last(created[2])} if created else set(map(_last, look.targets(text, _TARGETS)))
    for name in found:
        if text.lstrip()[:4].upper() == "DROP":
            place.entries.pop(name, None)
        known, after = place.entries.get(name, (made, None))
        # until the transaction ends, the table is this session's own
        place.entries[name] = (known, None) if after is None else (f"{known}; {made}",) * 2
    return found


def _last(name: str) -> str:
    return name.rpartition(".")[2].strip().strip('"').lower()
