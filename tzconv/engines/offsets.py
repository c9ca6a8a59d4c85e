"""Zone rules from rows of the offset table, for the refresher and the SQLAlchemy hook."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tzconv.tz.posix import LocalType, PosixRule
from tzconv.tz.zones import Rules, Zone


def rules_of(
    release: str, source: str, rows: Iterable[Sequence[Any]], links: Mapping[str, str] | None = None
) -> Rules:
    """Zones whose spans are the rows; the offset of a zone's last span never ends.

    Rows are sorted by zone and start. They have the zone's name, the start in UTC (a datetime, or
    seconds since 1970), the offset in seconds, whether it is daylight saving time, and the
    abbreviation.
    """
    zones = []
    for name, spans in itertools.groupby(rows, operator.itemgetter(0)):
        _, starts, *columns = zip(*spans, strict=True)
        kinds = list(zip(*columns, strict=True))
        numbers = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
        types = tuple(LocalType(*kind) for kind in numbers)
        places = np.array([numbers[kind] for kind in kinds], np.intp)
        seconds = np.array(starts, "M8[s]").astype(np.int64)
        zones.append(Zone(str(name), seconds, places, types, PosixRule(types[places[-1]])))
    return Rules.of(release, source, zones, links or {})
