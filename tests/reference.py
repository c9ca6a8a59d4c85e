"""What the tests expect: local time by ``zoneinfo`` and ``datetime``, slow and plain.

Nothing here imports tzconv or decodes a TZif file. ``zoneinfo`` is held to the ``tzdata`` package,
because the machine's own ``/usr/share/zoneinfo`` may be years older. Times are UTC seconds since
1970 unless a name says ``local``; a local time is counted the same way, as if it were UTC.
"""

from __future__ import annotations

import datetime as dt
import functools
import itertools
import zoneinfo
from importlib import resources
from typing import NamedTuple

MINUTE, HOUR, DAY = 60, 3_600, 86_400
EPOCH = dt.datetime(1970, 1, 1)


def only_the_package() -> None:
    """Make ``zoneinfo`` read the ``tzdata`` package and nothing else."""
    zoneinfo.reset_tzpath(to=())
    zoneinfo.ZoneInfo.clear_cache()


only_the_package()
NAMES = tuple(sorted(zoneinfo.available_timezones()))


class State(NamedTuple):
    """What a zone's clock shows: offset in seconds, abbreviation, daylight saving or not."""

    offset: int
    abbreviation: str
    is_dst: bool


def utc(text: str) -> int:
    """Seconds since 1970 of ``2017-07-28 00:00:00`` or ``2017-07-28``."""
    return seconds(dt.datetime.fromisoformat(text))


def seconds(moment: dt.datetime) -> int:
    """Seconds since 1970 of a naive datetime that holds whole seconds."""
    passed = moment - EPOCH
    return passed.days * DAY + passed.seconds


def naive(instant: int) -> dt.datetime:
    """The naive datetime of seconds since 1970."""
    return EPOCH + dt.timedelta(seconds=instant)


@functools.cache
def bytes_of(name: str) -> bytes:
    """The file of a zone as the ``tzdata`` package has it."""
    return resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()


@functools.cache
def _first_names() -> dict[bytes, str]:
    return {bytes_of(name): name for name in reversed(NAMES)}


def first_name(name: str) -> str:
    """The first of the names whose files are equal byte for byte: one answer serves them all."""
    return _first_names()[bytes_of(name)]


def state_at(zone: dt.tzinfo, instant: int) -> State:
    """What the clock of ``zone`` shows at ``instant``."""
    local = dt.datetime.fromtimestamp(instant, zone)
    offset = local.utcoffset()
    assert offset is not None
    return State(offset.days * DAY + offset.seconds, local.tzname() or "", bool(local.dst()))


def offset_at(zone: dt.tzinfo, instant: int) -> int:
    """The UTC offset of ``zone`` at ``instant`` in seconds."""
    return state_at(zone, instant).offset


def local_at(zone: dt.tzinfo, instant: int) -> dt.datetime:
    """The naive local time of ``zone`` at ``instant``."""
    return dt.datetime.fromtimestamp(instant, zone).replace(tzinfo=None, fold=0)


def local_offset(zone: dt.tzinfo, local: int) -> int:
    """The offset that turns ``local`` into UTC: in a gap the one before, in a fold the one after.

    PEP 495 gives both offsets of such a time, the one before the change with ``fold=0``. A gap
    moves the clock forward and a fold back, so the rule takes the smaller of the two each time.
    """
    moment = naive(local).replace(tzinfo=zone)
    both = [moment.replace(fold=fold).utcoffset() for fold in (0, 1)]
    return min(offset.days * DAY + offset.seconds for offset in both if offset is not None)


def changes(zone: dt.tzinfo, start: int, end: int, step: int) -> list[tuple[int, State]]:
    """The state at ``start`` and every change before ``end``, each found by bisection.

    Looks at the clock every ``step`` seconds: a change that is undone within one step is not seen.
    """
    found = [(start, state_at(zone, start))]
    before, shown = start, None
    for looked in itertools.chain(range(start + step, end - 1, step), [end - 1]):
        local = dt.datetime.fromtimestamp(looked, zone)
        now = (local.utcoffset(), local.tzname(), local.dst())
        if now != shown:  # cheaper than a State for each step
            while found[-1][1] != state_at(zone, looked):
                since, last = found[-1]
                change = _first_second_that_differs(zone, last, max(since, before), looked)
                found.append((change, state_at(zone, change)))
        before, shown = looked, now
    return found


def _first_second_that_differs(zone: dt.tzinfo, shown: State, same: int, other: int) -> int:
    while other - same > 1:
        middle = (same + other) // 2
        if state_at(zone, middle) == shown:
            same = middle
        else:
            other = middle
    return other
