"""What sqlglot has no node for, or has one for that dialects do not agree about."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp


class NewTime(exp.Expression, exp.Func):
    """NEW_TIME: ``this``, a TIMESTAMP of the clock of ``source``, on the clock of ``target``."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "source": True, "target": True}


class StatementTime(exp.Expression, exp.Func):
    """GETDATE(), SYSDATE: the start of the statement as a TIMESTAMP of the session's zone.

    With ``utc`` it is GETUTCDATE(), which shows it in UTC.
    """

    arg_types: ClassVar[dict[str, bool]] = {"utc": False}


class Interpolate(exp.Expression, exp.Binary, exp.Predicate):
    """``this`` INTERPOLATE PREVIOUS VALUE ``expression``: joins to the last row before."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True, "expression": True, "direction": True}
