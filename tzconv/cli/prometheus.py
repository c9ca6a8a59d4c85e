"""``tzconv status --prometheus FILE``: the state as a text file for node_exporter's collector."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tzconv import files

if TYPE_CHECKING:
    from tzconv.health import Health

_LEVELS = ("ok", "warning", "error")
_HELP = {
    "status_timestamp_seconds": "When tzconv status ran.",
    "healthy": "1 if no check is an error.",
    "check": "Each check: 0 ok, 1 warning, 2 error.",
    "refreshed_timestamp_seconds": "When a refresh last looked.",
    "horizon_days": "Days until the tables end.",
    "rows": "Rows of each table.",
    "bytes": "Bytes of each table with its index.",
    "release_info": "Loaded and installed tz release.",
    "rollup_filled_timestamp_seconds": "Until when a rollup has all rows.",
    "rollup_finished_timestamp_seconds": "When a run of a rollup last finished.",
}


def write(path: Path, found: Health | None) -> None:
    """Replace the file as a whole; ``found`` is None if the state could not be read."""
    lines: list[str] = []
    last = ""
    for name, labels, value in _metrics(found):
        if name != last:
            lines += [f"# HELP tzconv_{name} {_HELP[name]}", f"# TYPE tzconv_{name} gauge"]
        last = name
        listed = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        lines.append(f"tzconv_{name}{f'{{{listed}}}' if listed else ''} {value:.15g}")
    with files.writing(str(path)) as file:
        file.writelines(f"{line}\n" for line in lines)


def _metrics(found: Health | None) -> Iterator[tuple[str, Mapping[str, str], float]]:
    yield "status_timestamp_seconds", {}, time.time()
    yield "healthy", {}, float(found is not None and found.healthy)
    if found is None:
        return
    worst: dict[str, int] = {}
    for one in found.findings:
        worst[one.check] = max(worst.get(one.check, 0), _LEVELS.index(one.level))
    for check, level in worst.items():
        yield "check", {"check": check}, level
    if found.release is None or found.days_left is None:
        return
    looked = found.release["last_checked_at"] or found.release["finished_at"]
    yield "refreshed_timestamp_seconds", {}, looked.replace(tzinfo=dt.UTC).timestamp()
    yield "horizon_days", {}, found.days_left
    for name, counts in (("rows", found.rows), ("bytes", found.sizes)):
        for table, count in counts.items():
            yield name, {"table": table}, count
    loaded = {"loaded": found.release["tz_release"], "installed": found.installed_tz_release}
    yield "release_info", loaded, 1
    for name, times in (
        ("rollup_filled", {one.table: one.filled_before for one in found.rollups}),
        ("rollup_finished", {one.table: one.finished_at for one in found.rollups}),
    ):
        for table, at in times.items():
            if at is not None:
                moment = at.replace(tzinfo=dt.UTC).timestamp()
                yield f"{name}_timestamp_seconds", {"table": table}, moment


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
