"""The periods into which time is cut, so that a history has at most one change in each."""

from __future__ import annotations

PERIOD_BITS = 42
"""A period is ``2 ** PERIOD_BITS`` microseconds, 50.9 days, counted from 1970."""
MOST_ZONES = 1024
"""Numbers of zones are below."""
MOST_RULES = 512
"""A period of a history has the key ``period * MOST_RULES + rules_id``."""
UNKNOWN = -1
"""The key of the row without offsets, for values that have no other row."""
