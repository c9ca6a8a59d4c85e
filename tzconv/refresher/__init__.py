"""Refresh the conversion tables of a database; ``job`` has the steps in their order.

A reader sees the old tables or the new ones, and a killed job leaves the old ones.
"""

from __future__ import annotations

from tzconv.refresher.function_check import Disagreement
from tzconv.refresher.guards import NotAllowedError
from tzconv.refresher.job import (
    MismatchError,
    Refresh,
    disagreements,
    make_plan,
    open_for_plan,
    refresh,
)
from tzconv.refresher.plan import Plan
from tzconv.refresher.selection import Request

__all__ = [
    "Disagreement",
    "MismatchError",
    "NotAllowedError",
    "Plan",
    "Refresh",
    "Request",
    "disagreements",
    "make_plan",
    "open_for_plan",
    "refresh",
]
