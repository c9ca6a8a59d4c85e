"""How every command ends."""

from __future__ import annotations

import enum


class ExitCode(enum.IntEnum):
    """The exit codes; ``FOUND`` is that of ``terraform plan``, ``USAGE`` that of sysexits.h."""

    DONE = 0
    ERROR = 1
    """An error in one sentence, rows that differ, or a check that failed."""
    FOUND = 2
    """``--dry-run`` or ``--check`` found something to do, or lint something to say."""
    USAGE = 64
    """Wrong options or arguments; nothing was begun."""
    STOPPED = 130
    """Ctrl-C; what was not finished was undone."""
