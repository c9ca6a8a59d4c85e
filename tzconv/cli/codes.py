"""The exit codes of every command."""

from __future__ import annotations

import enum


class ExitCode(enum.IntEnum):
    """``FOUND`` is the code of ``terraform plan``, ``USAGE`` that of sysexits.h."""

    DONE = 0
    ERROR = 1
    """An error in one sentence, rows that differ, or a check that failed."""
    FOUND = 2
    """``--dry-run`` or ``--check`` found changes, lint has findings, or local times differ."""
    WARNED = 3
    """``--detailed-exitcode`` of status or doctor: warnings, and no error."""
    USAGE = 64
    """Wrong options or arguments; nothing was begun."""
    STOPPED = 130
    """Ctrl-C; unfinished changes were undone."""
