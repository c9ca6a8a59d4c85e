"""Which flags a plan needs, at the bounds of each guard: more than half of something is most."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from tzconv import tables
from tzconv._version import __version__
from tzconv.refresher.guards import NotAllowedError, OlderHostError, check, found
from tzconv.refresher.loaded import State
from tzconv.refresher.plan import Plan, TablePlan
from tzconv.refresher.selection import Selection
from tzconv.refresher.wanted import Wanted
from tzconv.tz.changes import OffsetChange
from tzconv.tz.horizon import Horizon
from tzconv.tz.zones import Rules

DAY = dt.date(2026, 1, 1)


def day(number: int) -> dt.date:
    return DAY + dt.timedelta(days=number)


def changed(zone: str, first: int, last: int, hours: int = 0) -> OffsetChange:
    starts, ends = (dt.datetime.combine(day(one), dt.time()) for one in (first, last))
    return OffsetChange(zone, starts, ends + dt.timedelta(hours=hours), 0, 3_600)


def gone(table: str, rows: int, *, add: Iterable[str] = (), move: Iterable[str] = ()) -> TablePlan:
    return TablePlan(table, add=tuple(add), move=tuple(move), gone={"A": (rows, 0, 0)})


def plan(
    *made: TablePlan,
    old: str = "2026b",
    new: str = "2026b",
    version: str = __version__,
    after: tuple[int, int] = (0, 100),
    known: Iterable[str] = (),
    wanted: Iterable[str] = tables.CONVERSIONS,
    needed: bool = True,
    **rest: Any,
) -> Plan:
    """Of the zones A and B, 100 days and 100 rows of each table."""
    release: Mapping[str, Any] = {
        "tz_release": old,
        "tzconv_version": version,
        "horizon_starts_on": day(0),
        "horizon_ends_before": day(100),
    }
    sums = {"offset": dict.fromkeys("AB", (1, 0, 0))}
    loaded = State(dict(release), dict.fromkeys(tables.CONVERSIONS, 100), sums=sums)
    unread: Any = dict.fromkeys(known)  # a guard asks for the names alone
    rules, horizon = Rules(new, "here", unread), Horizon(*map(day, after))
    goal = Wanted(rules, ("A", "B"), horizon, tuple(wanted), Selection())
    return Plan(loaded, goal, needed, tables=made, **rest)


ALL_OF_A = changed("A", -50, 200)
CASES: dict[str, tuple[Plan, list[Any]]] = {
    "nothing": (plan(), []),
    "an older release": (plan(new="2026a"), ["older"]),
    "an older year": (plan(new="2025z"), ["older"]),
    "a newer year": (plan(old="2025z"), []),
    "after z comes za": (plan(old="2026z", new="2026za"), []),
    "before za comes z": (plan(old="2026za", new="2026z"), ["older"]),
    "rules without a release": (plan(new="1 own"), []),
    "no rules of a release before": (plan(old="9 own"), []),
    "nothing to do": (plan(new="2026a", needed=False), []),
    "a newer tzconv": (plan(version="999.0"), ["older"]),
    "an older tzconv": (plan(version="0.0.1"), []),
    "both older": (plan(new="2026a", version="999.0"), ["older"]),
    "a zone is left out": (plan(dropped=("A",)), ["drop"]),
    "a zone that is not there yet": (plan(dropped=("A",), new="2026a"), ["older"]),
    "a zone that was there": (plan(dropped=("A",), new="2026a", known="A"), ["older", "drop"]),
    "half of the horizon": (plan(after=(50, 150)), []),
    "less than half of it": (plan(after=(51, 151)), ["delete"]),
    "less than half of it, earlier": (plan(after=(-51, 49)), ["delete"]),
    "another horizon": (plan(after=(200, 300)), ["delete"]),
    "a longer horizon": (plan(after=(-500, 500)), []),
    "another horizon, and rows": (plan(gone("daily", 99), after=(51, 151)), ["delete"]),
    "half of the rows": (plan(gone("daily", 50)), []),
    "more than half of them": (plan(gone("daily", 51)), ["delete"]),
    "of two tables": (plan(gone("daily", 51), gone("hourly", 51)), ["delete", "delete"]),
    "the second of two tables": (plan(gone("zone", 99), gone("daily", 51)), ["delete"]),
    "of a zone that is left out": (plan(gone("daily", 99), dropped=("A",)), ["drop"]),
    "replaced": (plan(gone("daily", 99, add="A")), []),
    "moved": (plan(gone("daily", 99, move="A")), []),
    "the rules": (plan(gone("offset", 99), gone("zone", 99)), []),
    "repaired": (plan(gone("daily", 99), by_rows=True), []),
    "repaired, and left out": (plan(gone("daily", 99), by_rows=True, wanted=()), ["delete"]),
    "periods of another name": (plan(gone("period", 99)), []),
    "no periods": (plan(gone("period", 99), wanted=("daily",)), ["delete"]),
    "half of the times": (plan(changes=(ALL_OF_A,)), []),
    "more than half": (plan(changes=(ALL_OF_A, changed("B", 10, 10, 1))), ["delete"]),
    "and others before": (
        plan(changes=(ALL_OF_A, changed("B", 10, 10, 1), changed("B", -30, -20))),
        ["delete"],
    ),
    "and others after": (plan(changes=(changed("B", 101, 300), ALL_OF_A)), []),
    "all times, repaired": (plan(changes=(ALL_OF_A, changed("B", 0, 100)), by_rows=True), []),
}


@pytest.mark.parametrize("name", CASES)
def test_flags(name: str) -> None:
    made, flags = CASES[name]
    assert [flag for flag, _ in found(made)] == flags
    check(made, flags)
    for flag in flags:
        others = [one for one in flags if one != flag]
        with pytest.raises(NotAllowedError, match=r"\. Nothing was changed\.$") as stopped:
            check(made, others)
        # only that the host is older is no fault of the refresh
        assert isinstance(stopped.value, OlderHostError) == (flag == "older")
    if len(set(flags)) > 1:
        with pytest.raises(NotAllowedError, match=r"--allow-older\. Also: 1 of ") as stopped:
            check(made, [])
        assert not isinstance(stopped.value, OlderHostError)


def test_an_empty_database() -> None:
    empty = State(None, dict.fromkeys(tables.CONVERSIONS, 0))
    goal = plan().wanted
    assert [*found(Plan(empty, goal, True))] == []


@pytest.mark.parametrize(("count", "end"), [(1, "(Z0)"), (6, "Z5)"), (7, "Z5 and 1 more)")])
def test_some_of_the_names(count: int, end: str) -> None:
    [(_, text)] = found(plan(dropped=tuple(f"Z{number}" for number in range(count))))
    assert text.startswith(f"{count} of the loaded zones would be dropped (Z0")
    assert f"{end}: check --zones" in text
