"""Exact UTC-to-local conversion tables from IANA tzdata, and SQL rewritten to use them.

::

    import tzconv
    result = tzconv.rewrite(sql, dialect="duckdb", schema={"actions": {"at": "timestamp"}})
    result.sql; result.changes; result.left
    tzconv.refresh("duckdb:///reports.duckdb", zones=["Europe/Berlin"])
    tzconv.generate.daily(["Europe/Berlin"], start, end)    # a pyarrow.RecordBatchReader

Everything is imported when it is first used, so that ``import tzconv`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tzconv._version import __version__
from tzconv.errors import TzconvError

if TYPE_CHECKING:
    from tzconv.refresher import Refresh, refresh
    from tzconv.rewriter import Change, Left, Rewrite, rewrite
    from tzconv.tables import generate
    from tzconv.target import read_options
    from tzconv.tz import zones

__all__ = [
    "Change",
    "Left",
    "Refresh",
    "Rewrite",
    "TzconvError",
    "__version__",
    "generate",
    "read_options",
    "refresh",
    "rewrite",
    "zones",
]

_HOMES = {
    **dict.fromkeys(("Change", "Left", "Rewrite", "rewrite"), "tzconv.rewriter"),
    **dict.fromkeys(("Refresh", "refresh"), "tzconv.refresher"),
    "read_options": "tzconv.target",
}
_MODULES = {"generate": "tzconv.tables.generate", "zones": "tzconv.tz.zones"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'tzconv' has no attribute {name!r}")
