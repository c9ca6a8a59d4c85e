"""Zones of two releases, and horizons near days on which their clocks change."""

from __future__ import annotations

import datetime as dt
import random

from tests.releases import TREE
from tzconv.tz import zones
from tzconv.tz.horizon import Horizon

NEW, OLD = zones.installed(), zones.from_tree(TREE)
BOTH = [name for name in NEW.names if name in OLD]
ODD = [
    "Africa/Casablanca",
    "America/Edmonton",
    "Antarctica/Troll",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Pacific/Kwajalein",
    "UTC",
]
MARKS = [
    dt.date(1993, 8, 21),  # Kwajalein skips a day
    dt.date(2011, 12, 30),  # Apia does
    dt.date(1994, 12, 31),  # and Kiritimati
    dt.date(2026, 3, 29),
    dt.date(2026, 11, 1),
    dt.date(2028, 2, 29),
    dt.date(2037, 12, 31),
]


def near_a_mark(chance: random.Random) -> Horizon:
    """Its ends are at most two days from days on which clocks change, or a few days apart."""
    first = chance.choice(MARKS) + dt.timedelta(days=chance.randint(-2, 2))
    return Horizon(first, first + dt.timedelta(days=chance.choice((1, 2, 3, 40))))


def moved(chance: random.Random, before: Horizon) -> Horizon:
    """Both ends move, forward or backward, by days or by years, or to somewhere else."""
    if chance.random() < 0.2:
        return near_a_mark(chance)
    steps = (-366, -3, -1, 0, 0, 1, 2, 31)
    start = before.start + dt.timedelta(days=chance.choice(steps))
    end = before.end + dt.timedelta(days=chance.choice([-step for step in steps]))
    return Horizon(start, max(end, start + dt.timedelta(days=1)))
