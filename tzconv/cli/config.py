"""Defaults of options: from TZCONV_URL and its like, and from tzconv.toml or pyproject.toml.

An option on the command line wins over the environment, and that over the file. The file is the
nearest one up from the working directory: ``tzconv.toml``, or ``pyproject.toml`` with a table
``[tool.tzconv]``.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from tzconv.errors import OutputError, nearest_names

_NAMES = ("url", "db-schema", "zones", "start", "end", "rules", "tables", "dialect", "schema")
KEYS = {name: name.replace("-", "_") for name in _NAMES}
"""Parameters of the commands, by the names of the options, which are those in the file."""


def defaults(file: str | None) -> tuple[dict[str, str], list[str]]:
    """Defaults by parameter, and where they come from; OutputError for an invalid file.

    ``file`` is that of ``--config``; None looks for one.
    """
    found: dict[str, str] = {}
    sources: list[str] = []
    path = _nearest(Path.cwd()) if file is None else Path(file)
    if path is not None:
        found = _read(path, explicit=file is not None)
        sources += [str(path)] if found else []
    for key, parameter in KEYS.items():
        variable = variable_of(key)
        if os.environ.get(variable):
            found[parameter] = os.environ[variable]
            sources.append(variable)
    return found, sources


def variable_of(key: str) -> str:
    """The environment variable for a key."""
    return "TZCONV_" + key.upper().replace("-", "_")


def _nearest(folder: Path) -> Path | None:
    for parent in (folder, *folder.parents):
        if (parent / "tzconv.toml").is_file():
            return parent / "tzconv.toml"
        project = parent / "pyproject.toml"
        if project.is_file() and "tzconv" in _parse(project).get("tool", {}):
            return project
    return None


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise OutputError(f"{path}: cannot be read ({error.strerror}).") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise OutputError(f"{path}: is not TOML ({error}).") from error


def _read(path: Path, *, explicit: bool) -> dict[str, str]:
    document = _parse(path)
    if path.name == "pyproject.toml":
        document = document.get("tool", {}).get("tzconv", {})
        if explicit and not document:
            raise OutputError(f"{path}: has no table [tool.tzconv].")
    values: dict[str, str] = {}
    for key, value in document.items():
        if key not in KEYS:
            near = nearest_names(key, KEYS)
            hint = f"did you mean {near[0]!r}?" if near else f"choose of {', '.join(KEYS)}."
            raise OutputError(f"{path}: there is no setting {key!r}: {hint}")
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            text = ",".join(value)  # options take names separated by commas
        elif isinstance(value, (bool, int, float, dict, list)):
            raise OutputError(f"{path}: {key} must be a text, a date, or a list of texts.")
        else:
            text = str(value)
        # a path in a file is relative to that file
        values[KEYS[key]] = str(path.parent / text) if key == "schema" else text
    return values
