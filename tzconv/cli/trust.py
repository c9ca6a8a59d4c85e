"""Files of settings that ``tzconv init`` has written: they count as named.

A list in the state folder of the user (``$XDG_STATE_HOME``, or ``~/.local/state``) has a hash of
their place and of the settings that choose a database, SQL or files. So a file that is moved or
copied, or in which one of these is changed, has to be named; all other settings can be edited.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def trust(path: Path, settings: Mapping[str, Any]) -> bool:
    """Remember a file and its settings; False if that cannot be written."""
    try:
        known = _list()
        known.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with known.open("a", encoding="ascii") as file:
            file.write(_hash(path, settings) + "\n")
    except (OSError, RuntimeError):  # it may not be written; there is no home directory
        return False
    return True


def is_trusted(path: Path, settings: Mapping[str, Any]) -> bool:
    """Whether a file has the place and the settings that were remembered."""
    try:
        return _hash(path, settings) in _list().read_text("ascii").split()
    except (OSError, RuntimeError, UnicodeDecodeError):
        return False


def _list() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "tzconv" / "trusted"


def _hash(path: Path, settings: Mapping[str, Any]) -> str:
    text = json.dumps([str(path.resolve()), settings], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
