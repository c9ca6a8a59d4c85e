"""Defaults of options: from TZCONV_URL and its like, and from tzconv.toml or pyproject.toml.

An option on the command line wins over the environment, and that over the file. A file that nobody
named is the nearest one up from the working directory, and is trusted less than that of --config:
whoever may write into a folder above must not choose a database, SQL to run there, or other files.
A file that ``tzconv init`` has written is trusted as a named one. A list in the state folder of the
user (``$XDG_STATE_HOME``, or ``~/.local/state``) has a hash of its place and of the settings that
choose a database, SQL or files. So a file that is moved or copied, or in which one of these is
changed, has to be named; all other settings can be edited.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shlex
import stat
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tzconv import files
from tzconv.engines import urls
from tzconv.errors import OutputError, nearest_names

_NAMES = (
    *("url", "db-schema", "zones", "start", "end", "rules", "tables", "dialect"),
    *("schema-file", "types"),
)
KEYS = {name: name.replace("-", "_") for name in _NAMES} | {"schema-file": "schema"}
"""Parameters of the commands, by the names of the options, which are those in the file."""
_LISTS = ("rollups", "appointments")
"""Tables of settings that are no options."""
_ROOTS = (".git", ".hg")
"""What the root folder of a repository holds; no file is looked for above it."""


@dataclass
class Defaults:
    """``values`` are for click, by parameter; a function is called where the value is needed.

    ``found`` is the file that nobody has named, ``used`` its settings that were needed so far,
    ``ignored`` the nearer files of other users. ``sources`` were named. ``rollups`` and
    ``appointments`` are tables of ``file``, of whichever kind.
    """

    values: dict[str, str | Callable[[], str]] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)
    found: Path | None = None
    used: list[str] = field(default_factory=list)
    ignored: list[Path] = field(default_factory=list)
    file: str | None = None
    rollups: list[dict[str, Any]] = field(default_factory=list)
    appointments: list[dict[str, Any]] = field(default_factory=list)


def defaults(file: str | None) -> Defaults:
    """Defaults by parameter, and where they come from; OutputError for an invalid file.

    ``file`` is that of ``--config``; None looks for one.
    """
    made, is_named = Defaults(), file is not None
    path = _nearest(made.ignored) if file is None else Path(file)
    if path is not None:
        settings = _read(path, made, is_named=is_named)
        if is_named or _is_trusted(path, _chosen(settings, made)):
            made.values |= {KEYS[key]: text for key, text in settings.items()}
            if "url" in settings:
                made.values["url"] = urls.beside(path.parent, settings["url"])
            made.sources += [file or str(path)] if settings or not is_named else []
        else:
            made.found = path
            for key, text in settings.items():
                made.values[KEYS[key]] = functools.partial(_from_found, made, path, key, text)
    for key, parameter in KEYS.items():
        variable = variable_of(key)
        if os.environ.get(variable):
            made.values[parameter] = os.environ[variable]
            made.sources.append(variable)
    return made


def remember(path: Path) -> bool:
    """Let a file choose as if it were named; False if that cannot be kept."""
    made, place = Defaults(), path.resolve()
    line = _hash(place, _chosen(_read(place, made, is_named=True), made)) + "\n"
    try:
        known = _trusted()
        known.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with known.open("a", encoding="ascii") as file:
            file.write(line)
    except (OSError, RuntimeError):  # it may not be written; there is no home directory
        return False
    return True


def _is_trusted(path: Path, chosen: Mapping[str, Any]) -> bool:
    """Whether a file has the place and the settings that were remembered."""
    try:
        return _hash(path, chosen) in _trusted().read_text("ascii").split()
    except (OSError, RuntimeError, UnicodeDecodeError):
        return False


def _trusted() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "tzconv" / "trusted"


def _hash(path: Path, chosen: Mapping[str, Any]) -> str:
    text = json.dumps([str(path.resolve()), chosen], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _chosen(settings: Mapping[str, str], made: Defaults) -> dict[str, Any]:
    """The settings that choose a database, SQL or files."""
    risky = {key: text for key, text in settings.items() if _risk(key, text)}
    return {**risky, "rollups": made.rollups, "appointments": made.appointments}


def variable_of(key: str) -> str:
    """The environment variable for a key."""
    return "TZCONV_" + key.upper().replace("-", "_")


def _from_found(made: Defaults, path: Path, key: str, text: str) -> str:
    """A setting of a file that nobody has named; OutputError for one that it may not have."""
    is_inside = Path(text).resolve().is_relative_to(path.parent.resolve())
    if (risk := _risk(key, text)) and not (key == "schema-file" and is_inside):
        raise untrusted(path, f"sets {key} to {risk}", f"give --{key}, or trust it with")
    if key not in made.used:
        made.used.append(key)
    return text


def untrusted(path: Path, why: str, how: str = "trust it with") -> OutputError:
    """The error for what only a file that somebody has named may set."""
    return OutputError(
        f"{path}: {why}, and nobody has named this file: {how} --config {shlex.quote(str(path))} "
        "before the command, or with TZCONV_CONFIG."
    )


def _risk(key: str, text: str) -> str | None:
    """What a setting chooses that not everybody may choose; None for all others."""
    if key == "url":
        return "a database"
    if key == "zones" and text.startswith("sql:"):
        return "a query"
    if key == "rules" and text not in ("tzdata", "database"):
        return "a folder"
    return "a file outside its folder" if key == "schema-file" else None


def _nearest(ignored: list[Path]) -> Path | None:
    for folder in _folders():
        project = folder / "pyproject.toml"
        for path in (folder / "tzconv.toml", project):
            if not files.is_file(path):
                continue
            is_own = _is_own(path)
            if path == project and not _has_table(path, is_own=is_own):
                continue
            if is_own:
                return path
            ignored.append(path)
    return None


def _folders() -> Iterator[Path]:
    """The working directory and those above it, up to the repository or the home directory."""
    with contextlib.suppress(OSError, RuntimeError):  # it was deleted; there is no home directory
        here, home = Path.cwd(), Path.home()
        for folder in (here, *here.parents):
            yield folder
            if folder == home or any(os.path.lexists(folder / name) for name in _ROOTS):
                return


def _is_own(path: Path) -> bool:
    """Whether no other user has made or may change the file; root is trusted."""
    if not hasattr(os, "geteuid"):
        return True
    own = {0, os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        own.add(int(os.environ["SUDO_UID"]))
    link, file = path.lstat(), path.stat()
    return {link.st_uid, file.st_uid} <= own and not file.st_mode & stat.S_IWOTH


def _has_table(project: Path, *, is_own: bool) -> bool:
    try:
        tool = _parse(project).get("tool", {})
    except OutputError:
        if is_own:
            raise
        return False
    return isinstance(tool, dict) and "tzconv" in tool


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(files.read(str(path)).text)
    except tomllib.TOMLDecodeError as error:
        raise OutputError(
            f'{path}: is not TOML ({error}): write texts in double quotes, as in zones = "all".'
        ) from error


def _read(path: Path, made: Defaults, *, is_named: bool) -> dict[str, str]:
    """The settings of a file as texts; its tables of settings go into ``made``."""
    document: Any = _parse(path)
    if path.name == "pyproject.toml":
        tool = document.get("tool")
        document = tool.get("tzconv", {}) if isinstance(tool, dict) else {}
        if not isinstance(document, dict) or (is_named and not document):
            raise OutputError(f"{path}: has no table [tool.tzconv].")
    values: dict[str, str] = {}
    made.file = str(path)
    for name, value in document.items():
        key = {"schema": "schema-file"}.get(name, name)
        if key in _LISTS:
            if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
                raise OutputError(f"{path}: {key} must be tables: begin each with [[{key}]].")
            setattr(made, key, value)
            continue
        if key not in KEYS:
            known = (*KEYS, *_LISTS)
            near = nearest_names(key, known)
            hint = f"did you mean {near[0]!r}?" if near else f"choose of {', '.join(known)}."
            raise OutputError(f"{path}: there is no setting {key!r}: {hint}")
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            text = ",".join(value)  # options take names separated by commas
        elif isinstance(value, (bool, int, float, dict, list)):
            raise OutputError(f"{path}: {key} must be a text, a date, or a list of texts.")
        else:
            text = str(value)
        # a path in a file is relative to that file
        values[key] = str(path.parent / text) if key == "schema-file" else text
    return values
