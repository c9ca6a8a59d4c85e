"""The session's part of a decision's key: its path, role, settings, and tables that it alone has.

Decisions are remembered by it: sessions with the same path and role share theirs, and a temporary
table matters to statements that use its name. What is not seen here, such as a path that a function
sets, is found by the types that a rewritten text checks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sqlalchemy.engine import Connection

from tzconv.sqlalchemy import look

Key: TypeAlias = tuple[tuple[str, str], ...]
"""Settings (``=search_path``) and names, each with the text of the statement that made it."""
Entries: TypeAlias = dict[str, tuple[str, str | None]]
"""By name (``:app.tenant`` for other settings): the text now, and after a commit if it lasts."""

_FLAGS = re.IGNORECASE | re.DOTALL
_PART = r'(?:"(?:[^"]|"")+"|[\w$]+)'
_NAME = rf"({_PART}(?:\s*\.\s*{_PART})*)"
_SETS = re.compile(
    r"(?:SET|RESET|PRAGMA)\s+(LOCAL\s+)?(?:SESSION\s+)?\"?(?:session_)?"
    r"(search_path|schema|role|authorization|all|variable\s+\w+|\w+\.[\w.]+)\b",
    _FLAGS,
)
_SETTING = re.compile(r"search_path|role|session_authorization|\w+\.[\w.]+", _FLAGS)
_SET_CONFIG = re.compile(
    r"set_config(?<!\wset_config)\s*\(\s*(?:'([^']*)')?(?:(?:(?!set_config).)*?,\s*'?"
    r"(?:(t|true|on|yes|1)|(f|false|off|no|0))'?(?:::bool\w*)?\s*\))?",
    _FLAGS,
)
_CREATES = re.compile(
    r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:GLOBAL\s+|LOCAL\s+)?(TEMP(?:ORARY)?\s+)?(?:\w+\s+)??"
    rf"(?:TABLE|VIEW)\s+(IF\s+NOT\s+EXISTS\s+)?{_NAME}",
    _FLAGS,
)
_INTO_TEMP = re.compile(
    r"(?<!INSERT\s)\bINTO\s+(?:(?:LOCAL\s+|GLOBAL\s+)?TEMP(?:ORARY)?\s+(?:TABLE\s+)?|(?=pg_temp\.))"
    rf"{_NAME}",
    _FLAGS,
)
_RENAMED = re.compile(rf"\sRENAME\s+TO\s+{_NAME}", _FLAGS)
_VALUE = re.compile(r"'[^']*'|\b\d+\b|%s|%\(\w+\)s|\$\d+|\?")
_REPEATED = re.compile(r"(?<=\bIN \()(\S)(?:, \1)+|(\([^()]*\))(?:,\s*\2)+", re.IGNORECASE)
_SAVEPOINT = re.compile(
    r"(SAVEPOINT|RELEASE(?:\s+SAVEPOINT)?"
    rf"|ROLLBACK\s+(?:WORK\s+|TRANSACTION\s+)?TO(?:\s+SAVEPOINT)?)\s+{_NAME}",
    _FLAGS,
)
_SETTERS = {"SET", "RESET", "USE", "DISCARD", "PRAGMA"}
_CHANGES = {*_SETTERS, "CREATE", "ALTER", "DROP", "ATTACH", "DETACH"}
_HEADS = {*_CHANGES, "SAVEPOINT", "RELEASE", "ROLLBACK"}
_TARGETS = 12
"""So many names at the beginning of ALTER or DROP may be those of tables."""
_MOST = 100
_PLACE = "tzconv_place"
Changes: TypeAlias = tuple[list[tuple[str, str]], list[tuple[str | None, bool | None]]]
Saved: TypeAlias = "tuple[str, Entries, Saved] | None"


@dataclass(slots=True)
class Place:
    """What a session has changed."""

    entries: Entries = field(default_factory=dict)
    before: Entries = field(default_factory=dict)
    savepoints: Saved = None
    altered: set[str] = field(default_factory=set)

    def put(self, name: str, text: str, *, is_local: bool = False) -> None:
        """Note what a name leads to; after a commit a local one is again what it was."""
        if name == "=authorization":  # it ends SET ROLE
            self.put("=role", "", is_local=is_local)
        _, after = self.entries.get(name, ("", None))
        self.entries[name] = text, after if is_local else text


def changes(statement: str) -> Changes | None:
    """What may change what a name leads to: the parts of a text, and its calls of set_config()."""
    low = statement.lower()
    may = not _HEADS.isdisjoint(map(look.head, low.split(";")))
    if not (may or "set_config" in low or "temp" in low):
        return None
    parts = [*look.parts(statement)]
    calls = [
        (one[1], one[2] is not None if one[2] or one[3] else None)
        for one in _SET_CONFIG.finditer(statement)
    ]
    is_any = any(a in _CHANGES or _SAVEPOINT.match(b) or _INTO_TEMP.search(b) for a, b in parts)
    return (parts, calls) if is_any or calls else None


def place_of(connection: Connection) -> Place:
    """What a session has changed."""
    place: Place = connection.info.setdefault(_PLACE, Place())
    return place


def key_of(place: Place, words: Collection[str], path: str | None) -> Key:
    """What decides the meaning of these names; ``path`` is the search path if it is reported."""
    found: Key = () if path is None else (("path", path),)
    return found + tuple(
        (name, text)
        for name, (text, _) in sorted(place.entries.items())
        if (name[0] == "=" and text and (path is None or name != "=search_path")) or name in words
    )


def others(place: Place, values: list[Any]) -> tuple[str, ...]:
    """What may change how many rows a query reaches: parameters, and settings of the application.

    Row-level security often reads such a setting: ``SET app.tenant = '7'``. Empty without any.
    """
    settings = (text for name, (text, _) in sorted(place.entries.items()) if name[0] == ":")
    return *map(repr, values), *settings


def change(connection: Connection, made: Changes, statement: str, parameters: Any) -> set[str]:
    """Note what a statement changes; returns the names whose tables it changes for all."""
    place = place_of(connection)
    altered: set[str] = set()
    values = [*(parameters.values() if hasattr(parameters, "values") else parameters or ())]
    given = ((type(one), getattr(one, "tzinfo", None) is None) for one in values)
    kinds = [kind for kind, _ in itertools.groupby(given)]
    for word, text in made[0]:
        if word in _SETTERS:
            _set(place, word, text, parameters)
        elif word in _CHANGES:
            altered |= _altered(place, text, kinds)
        elif (found := _SAVEPOINT.match(text)) is not None:
            _save(place, found[1][:2].upper(), _last(found[2]))
        elif (into := _INTO_TEMP.search(text)) is not None:
            place.put(_last(into[1]), _made(place, _last(into[1]), text, kinds))
    for name, is_local in made[1]:
        for one in [name] if name else values:
            if isinstance(one, str) and _SETTING.fullmatch(one):
                ends = True in values if is_local is None else is_local
                place.put(_setting(one), f"{statement} {parameters!r}", is_local=ends)
    place.altered |= altered
    while len(place.entries) > _MOST:
        place.entries.pop(min(place.entries, key=lambda name: name[0] == "="))
    return altered


def _save(place: Place, word: str, name: str) -> None:
    saved = place.savepoints
    while word != "SA" and saved and saved[0] != name:
        saved = saved[2]
    if word == "SA":
        place.savepoints = name, dict(place.entries), saved
    elif word == "RO":
        place.entries, place.savepoints = dict(saved[1] if saved else place.before), saved
    elif saved:
        place.savepoints = saved[2]


def end_transaction(connection: Connection, *, is_undone: bool, keeps_settings: bool) -> set[str]:
    """Note the end of a transaction; returns the names whose tables it has changed for all.

    ``keeps_settings`` says that a rollback does not undo settings.
    """
    place = place_of(connection)
    entries = place.entries
    if is_undone:
        settings = {one: entries[one] for one in entries if keeps_settings and one[0] in "=:"}
        entries = {**place.before, **settings}
    kept: Entries = {name: (after, after) for name, (_, after) in entries.items() if after}
    connection.info[_PLACE] = Place(kept, dict(kept))
    return place.altered


def _set(place: Place, word: str, text: str, parameters: Any) -> None:
    found, low, gone = _SETS.match(text), text.lower(), list[str]()
    name = found[2].lower() if found else ""
    if word == "DISCARD":
        tables = (one for one in place.entries if "temp" in low and one[0] not in "=:")
        gone = [*(place.entries if "all" in low else tables)]
    elif name == "all":  # the role stays
        gone = [one for one in place.entries if one[0] == ":" or one == "=search_path"]
    elif word == "RESET" and name:
        gone = [_setting(name)]
        place.put(gone[0], "")
    elif word == "USE" or name:
        shown = f"{text} {parameters!r}" if parameters else text
        place.put(_setting(name), shown, is_local=bool(found and found[1]))
    for one in gone:
        del place.entries[one]


def _setting(name: str) -> str:
    """The entry of a setting; SET schema and USE are other words for a path."""
    name = ".".join(name.lower().split()).removeprefix("session_")
    is_general = name in ("role", "authorization")
    return f":{name}" if "." in name else f"={name}" if is_general else "=search_path"


def _altered(place: Place, text: str, kinds: object) -> set[str]:
    created, is_drop = _CREATES.match(text), look.head(text) == "DROP"
    if created is not None and (created[1] or created[3].lower().startswith("pg_temp.")):
        name = _last(created[3])
        made, (known, _) = _made(place, name, text, kinds), place.entries.get(name, ("", None))
        if created[2] and known:  # it may have been there
            made = known if made in known else f"{known}; {made}"
        is_dropped = re.search(r"ON\s+COMMIT\s+DROP", text, re.IGNORECASE) is not None
        place.put(name, made, is_local=is_dropped)
        return set() if created[1] else {name}
    most = _MOST if is_drop else _TARGETS
    names = [created[3]] if created else re.findall(_NAME, text[:2000])[:most]
    found, own = {_last(name) for name in names}, list[str]()
    for name in found:
        if is_drop:
            place.entries.pop(name, None)
        known, after = place.entries.get(name, (text, None))
        own += [f"{known}; {text}"] if after else []
        # until the transaction ends, the table is this session's own
        place.entries[name] = (own[-1],) * 2 if after else (known, None)
    if own and (renamed := _RENAMED.search(text)) is not None:
        place.put(_last(renamed[1]), min(own))
    return found


def _made(place: Place, name: str, text: str, kinds: object) -> str:
    """What makes a table: its columns are those for other values of the same kinds, too."""
    own = key_of(place, look.words(text) - {name}, None)
    shape = _VALUE.sub(lambda one: "0" if one[0].isdigit() else one[0][0], text)
    return _REPEATED.sub(r"\1\2", shape) + f" {kinds} {hash(own)}"


def _last(name: str) -> str:
    return str(re.findall(_PART, name)[-1]).strip('"').replace('""', '"').lower()
