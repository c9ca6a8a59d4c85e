"""The queries of the golden files, and the types of their tables."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "golden"
INPUTS = sorted(p for p in FOLDER.glob("*.sql") if not p.name.endswith(".rewritten.sql"))
TYPES = {
    "actions": {
        "action_event_time": "timestamp",
        "action_publisher_id": "integer",
        "action_name": "varchar",
        "seen": "timestamptz",
    },
    "publishers": {"id": "integer", "time_zone_name": "varchar"},
    "logs": {"log_time": "timestamp"},
}
