"""The periods into which time is cut, so that each has at most one change of offset in a zone."""

from __future__ import annotations

PERIOD_BITS = 41
"""A period is ``2 ** PERIOD_BITS`` microseconds, 25.45 days, counted from 1970."""
MOST_ZONES = 1024
"""A period of a zone has the key ``period * MOST_ZONES + zone_id``."""
