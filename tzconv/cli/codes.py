"""The exit codes of every command, and which commands end with those that not all have."""

from __future__ import annotations

import enum
from collections.abc import Mapping


class ExitCode(enum.IntEnum):
    """``FOUND`` is the code of ``terraform plan``, ``USAGE`` that of sysexits.h."""

    DONE = 0
    ERROR = 1
    """An error in one sentence, rows that differ, or a check that failed."""
    FOUND = 2
    """``--dry-run`` or ``--check`` found changes, lint has findings, or local times differ."""
    WARNED = 3
    """``--detailed-exitcode`` found warnings; or a newer host made the tables, which stay."""
    USAGE = 64
    """Wrong options or arguments; nothing was begun."""
    STOPPED = 130
    """Ctrl-C; unfinished changes were undone."""


FOUND: Mapping[str, str] = {
    "refresh": "`--dry-run` found changes",
    "rewrite": "`--check` found queries to rewrite, or outdated literals",
    "lint": "findings",
    "dbt": "models to rewrite, without `--output-dir`",
    "rollup": "`--dry-run` found something to do",
    "names": "names that are not IANA's",
    "impact": "local times differ; with `--verify`, rows of a rollup do",
}
"""By command: what 2 means."""
WARNED: Mapping[str, str] = {
    "refresh": "left alone: tables of a newer tz release or tzconv than this host's",
    **dict.fromkeys(
        ("migrate", "rewrite", "compare", "lint", "dbt", "view", "init"),
        "left alone: tables of a newer tzconv",
    ),
    **dict.fromkeys(("status", "doctor"), "`--detailed-exitcode`: warnings, and no error"),
}
"""By command: what 3 means."""
