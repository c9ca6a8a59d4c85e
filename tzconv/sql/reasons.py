"""Why a place of a query is left as it is: a code for programs, a sentence for people.

What decides whether a conversion may be rewritten gives a :class:`Reason`; strategies raise it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Code: TypeAlias = Literal[
    "constant",
    "engine-refuses",
    "few-rows",
    "fixed-offset",
    "fold",
    "future-rules",
    "grouping",
    "joined-on-zone",
    "locks",
    "long-name",
    "loses-estimate",
    "loses-index",
    "loses-order",
    "loses-parallel",
    "loses-partition",
    "loses-statistics",
    "may-fail",
    "name-taken",
    "nested",
    "no-gain",
    "no-join",
    "no-strategy",
    "no-window",
    "not-a-time",
    "not-loaded",
    "not-parsed",
    "other-dialect",
    "outer-join",
    "reads-more",
    "row-order",
    "rules-end",
    "session-time-zone",
    "shows-columns",
    "statement",
    "statement-before",
    "template",
    "too-many-changes",
    "unknown-column",
    "unknown-type",
    "unknown-zone",
    "unnamed-column",
    "unnamed-parameter",
    "unsupported",
    "updatable-view",
    "varies",
]
"""``tzconv rewrite --json`` shows them; docs/reasons.md says what each means."""


QUIET: frozenset[Code] = frozenset({"constant", "fixed-offset"})
"""Why a conversion looks up no zone rules for each row: a rewrite would gain nothing."""


class Reason(NamedTuple):
    """Why a place is left: ``code`` stays the same between releases, ``text`` may not."""

    code: Code
    text: str


TRUNCATES = Reason("no-gain", "date_trunc() in a zone was measured to be no slower")
"""Of ``date_trunc(unit, value, zone)``, however it is called."""


class LeaveError(Exception):
    """Raised by a strategy at a place that it must leave; callers of tzconv never see it."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        self.reason = Reason(code, text)


def leave_if(reason: Reason | None) -> None:
    """LeaveError if there is a reason."""
    if reason is not None:
        raise LeaveError(*reason)
