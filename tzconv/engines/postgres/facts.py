"""PostgreSQL: its names, and which strategies were measured to be faster."""

from __future__ import annotations

from tzconv.engines.facts import Facts

FACTS = Facts(
    title="PostgreSQL",
    scheme="postgresql",
    driver="psycopg",
    distribution="psycopg",
    extra="postgres",
    aliases=("postgresql", "postgres"),
    verdicts={
        "now": "0.36, without parallel workers 0.25: the scan compares two timestamps",
        "range": "0.16 with a constant zone; 0.12 with the zone of a row, with array",
        "inline": "0.43: what is left is a search among constants and adding an interval",
        "array": "0.53 to 0.78: zone of a row, any window, outer joins; local times to UTC 0.9",
    },
)
