"""``tzconv show``."""

from __future__ import annotations

import calendar
import datetime as dt
from typing import TYPE_CHECKING

import click
from rich.text import Text

from tzconv.cli import arguments, printing

if TYPE_CHECKING:
    from tzconv.tz.show import Day, Shown, Transition

_WHAT = {"gap": "skipped", "fold": "repeated", "name": "new name"}
_STYLES = {"-": "cyan", "+": "yellow", "x": "red", "|": "magenta"}


def _complete_zone(context: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from tzconv.tz import zones

    start = incomplete.casefold()
    return [name for name in zones.installed().names if name.casefold().startswith(start)]


@click.command("show")
@click.argument("zone", shell_complete=_complete_zone)
@click.argument("when", required=False, metavar="[DAY|YEAR]")
@arguments.rules
@arguments.as_json
def command(zone: str, when: str | None, rules: str, as_json: bool) -> None:
    """Show what the clocks of a zone do in a year, this one by default, or on a day.

    \b
    tzconv show Europe/Berlin
    tzconv show America/St_Johns 2011
    tzconv show Pacific/Apia 2011-12-30
    """
    from tzconv.tz import zones
    from tzconv.tz.show import show

    first, last = _range(when)
    shown = show(zones.load(rules), zone, first, last)
    if as_json:
        printing.print_json(_document(shown))
        return
    console = printing.results()
    console.print(
        f"{shown.zone}, {when or first.year}, tz release {shown.tz_release}: "
        f"{printing.offset(shown.offset)} {shown.abbreviation} at the beginning"
    )
    for one in shown.transitions:
        console.print(_line(one))
    if not shown.transitions:
        console.print("The clock is not changed.")
    for day in shown.unusual:
        console.print(f"{day.day}  {_length(day)}")
    if first == last:
        for begin, end in shown.days[0].spans:
            console.print(f"{first} is {_minutes(begin)} to {_minutes(end)} UTC")
    else:
        console.print(_strip(shown))


def _range(when: str | None) -> tuple[dt.date, dt.date]:
    text = when or str(dt.datetime.now(dt.UTC).year)
    try:
        if text.isdigit() and len(text) == 4:
            year = int(text)
            return dt.date(year, 1, 1), dt.date(year, 12, 31)
        day = dt.date.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is neither a year such as 2026 nor a day such as 2026-03-29.",
            param_hint="'[DAY|YEAR]'",
        ) from None
    return day, day


def _line(one: Transition) -> str:
    before = f"{_minutes(one.before)} {one.abbreviation_before}"
    after = f"{_minutes(one.after)} {one.abbreviation_after}"
    return (
        f"{_minutes(one.at_utc)} UTC: {before} ({printing.offset(one.offset_before)}) becomes "
        f"{after} ({printing.offset(one.offset_after)}), {_said(one)}"
    )


def _minutes(moment: dt.datetime) -> str:
    return moment.isoformat(" ", "seconds" if moment.second else "minutes")


def _said(one: Transition) -> str:
    moved = abs(one.offset_after - one.offset_before)
    return f"{one.kind}: {_duration(moved)} {_WHAT[one.kind]}" if moved else _WHAT[one.kind]


def _length(day: Day) -> str:
    if not day.spans:
        return "skipped: no clock showed this day"
    pieces = f", in {len(day.spans)} pieces" if len(day.spans) > 1 else ""
    return f"{_duration(day.seconds)} long{pieces}"


def _duration(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    parts = [(hours, "h"), (minutes, "min"), (left, "s")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"


def _strip(shown: Shown) -> Text:
    """A year, a line a month and a character a day."""
    text = Text()
    for day in shown.days:
        if day.day.day == 1:
            text.append(f"\n{calendar.month_abbr[day.day.month]} ")
        mark = _mark(day)
        text.append(mark, _STYLES.get(mark))
    text.append("\n. 24 hours   - shorter   + longer   | in two pieces   x skipped")
    return text


def _mark(day: Day) -> str:
    if not day.spans:
        return "x"
    if len(day.spans) > 1:
        return "|"
    return "." if day.seconds == 86_400 else "-" if day.seconds < 86_400 else "+"


def _document(shown: Shown) -> dict[str, object]:
    return {
        "zone": shown.zone,
        "tz_release": shown.tz_release,
        "first": shown.first,
        "last": shown.last,
        "utc_offset_seconds": shown.offset,
        "abbreviation": shown.abbreviation,
        "transitions": [
            {
                "at_utc": one.at_utc.isoformat(),
                "kind": one.kind,
                "local_before": one.before.isoformat(),
                "local_after": one.after.isoformat(),
                "utc_offset_seconds_before": one.offset_before,
                "utc_offset_seconds_after": one.offset_after,
                "abbreviation_before": one.abbreviation_before,
                "abbreviation_after": one.abbreviation_after,
            }
            for one in shown.transitions
        ],
        "unusual_days": [
            {
                "day": day.day,
                "seconds": day.seconds,
                "spans_utc": [[start.isoformat(), end.isoformat()] for start, end in day.spans],
            }
            for day in shown.unusual
        ],
    }
