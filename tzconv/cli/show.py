"""``tzconv show``: the clock changes of a zone in sentences, and a year as a calendar."""

from __future__ import annotations

import dataclasses
import datetime as dt
from calendar import month_abbr
from typing import TYPE_CHECKING

import click
from rich.text import Text

from tzconv.cli import arguments, printing

if TYPE_CHECKING:
    from tzconv.tz.show import Day, Transition, ZoneCalendar

_KINDS = {"gap": "skipped", "fold": "repeated"}


@click.command("show")
@click.argument("zone")
@click.argument("when", required=False, metavar="[DAY|YEAR]")
@arguments.rules
@arguments.as_json
def command(zone: str, when: str | None, rules: str, as_json: bool) -> None:
    """Show the clock changes of a zone in a year or on a day.

    The default is the current year.

    \b
    tzconv show Europe/Berlin
    tzconv show America/St_Johns 2011
    tzconv show Pacific/Apia 2011-12-30
    """
    from tzconv.tz import zones
    from tzconv.tz.show import show

    first, last = _range(when)
    calendar = show(zones.load(rules), zone, first, last)
    if as_json:
        _print_json(calendar)
        return
    console = printing.results()
    console.print(
        f"{calendar.zone}, {when or first.year}, tz release {calendar.tz_release}: "
        f"{printing.offset(calendar.utc_offset_seconds)} {calendar.abbreviation} at the beginning"
    )
    for transition in calendar.transitions:
        console.print(_sentence(transition))
    if not calendar.transitions:
        console.print("The clock is not changed.")
    for day in calendar.unusual:
        console.print(f"{day.day}  {_length(day)}")
    if first == last:
        for begin, end in calendar.days[0].spans:
            console.print(f"{first} is {printing.minutes(begin)} to {printing.minutes(end)} UTC")
    else:
        console.print(_year(calendar))


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


def _sentence(change: Transition) -> str:
    offsets = (change.utc_offset_seconds_before, change.utc_offset_seconds_after)
    before, after = map(printing.offset, offsets)
    length = abs(offsets[1] - offsets[0])
    what = f"{change.kind}: {_duration(length)} {_KINDS[change.kind]}" if length else "new name"
    return (
        f"{printing.minutes(change.at_utc)} UTC: {printing.minutes(change.local_before)} "
        f"{change.abbreviation_before} ({before}) becomes {printing.minutes(change.local_after)} "
        f"{change.abbreviation_after} ({after}), {what}"
    )


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


def _year(calendar: ZoneCalendar) -> Text:
    """A line a month, a character a day."""
    text = Text()
    for day in calendar.days:
        if day.day.day == 1:
            text.append(f"\n{month_abbr[day.day.month]} ")
        mark = _mark(day)
        text.append(mark, {"-": "cyan", "+": "yellow", "x": "red", "|": "magenta"}.get(mark))
    text.append("\n. 24 hours   - shorter   + longer   | in two pieces   x skipped")
    return text


def _mark(day: Day) -> str:
    if not day.spans:
        return "x"
    if len(day.spans) > 1:
        return "|"
    return "." if day.seconds == 86_400 else "-" if day.seconds < 86_400 else "+"


def _print_json(calendar: ZoneCalendar) -> None:
    document = dataclasses.asdict(calendar)
    del document["days"]
    document["unusual_days"] = [
        {"day": day.day, "seconds": day.seconds, "spans_utc": day.spans} for day in calendar.unusual
    ]
    printing.print_json(document, default=lambda value: value.isoformat())
