"""Sums by buckets of UTC that are exact in the local days of every zone they serve.

``grid`` chooses buckets, ``entry`` reads the configuration, ``statements`` writes the SQL, ``plan``
compares it with the database, and ``job`` keeps a rollup: read that first. ``printed`` writes what
others keep, ``report`` a report over a rollup.
"""

from tzconv.rollup.entry import Entry, read
from tzconv.rollup.job import Outcome, run
from tzconv.rollup.plan import Plan, make

__all__ = ["Entry", "Outcome", "Plan", "make", "read", "run"]
