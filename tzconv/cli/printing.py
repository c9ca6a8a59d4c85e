"""What all commands print: results on standard output, words for people on standard error.

Standard error has sentences; a job with ``--json`` that nobody reads along writes one JSON object
a line. All text goes through :func:`visible`, because names come from databases, files and servers,
and a terminal obeys control characters.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import difflib
import json
import logging
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli.codes import ExitCode
from tzconv.errors import some, visible, without_secrets

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from tzconv.compare import Comparison
    from tzconv.refresher import Disagreement

COLOURS = {"+": "green", "-": "red", "@": "cyan"}
"""By the first character of a line of a diff."""
_SHORTEST = 0.0001
"""Seconds; the ratio of shorter times would be noise."""
_SECONDS_BETWEEN_LINES = 10
_quiet = False
_is_json = False
_of_python = warnings.showwarning, logging.lastResort


def start(is_job: bool) -> None:
    """Write JSON lines from now on for a job that asks for them, unless somebody reads along."""
    global _is_json, _quiet
    _is_json, _quiet = is_job and not is_terminal(), False
    # what drivers warn of are lines of the log, too
    others = (_warned, _Logged(logging.WARNING)) if _is_json else _of_python
    warnings.showwarning, logging.lastResort = others


def be_quiet() -> None:
    """Print errors only from now on."""
    global _quiet  # noqa: PLW0603 - a process has one standard error
    _quiet = True


def is_terminal() -> bool:
    """Whether somebody reads along."""
    return sys.stderr.isatty()


def is_json() -> bool:
    """Whether standard error gets JSON lines."""
    return _is_json


def say(text: str) -> None:
    """A sentence in one line to standard error, unless ``--quiet``."""
    if not _quiet:
        message(text)


def message(text: str) -> None:
    """A sentence in one line to standard error."""
    if _is_json:
        _write("message", text=text)
    else:
        click.echo(visible(text), err=True)


def event(name: str, **fields: Any) -> None:
    """A line of a job's log, unless ``--quiet``."""
    if not _quiet:
        _write(name, **fields)


def error(text: object, exit_code: int = ExitCode.ERROR, **fields: Any) -> None:
    """An error in one line to standard error."""
    said = without_secrets(str(text))
    if _is_json:
        _write("error", text=said, exit_code=exit_code, **fields)
    else:
        click.echo(f"tzconv: {visible(said)}", err=True)


def _write(name: str, **fields: Any) -> None:
    """Write a line of the log; a full disk stops no job."""
    with contextlib.suppress(OSError):
        click.echo(json.dumps({"event": name, **fields}, default=str), err=True)


class _Logged(logging.StreamHandler[Any]):
    def emit(self, record: logging.LogRecord) -> None:
        message(record.getMessage())


def _warned(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    del place, more
    _write("message", text=f"{category.__name__}: {message}")


def line(text: str) -> None:
    """A line of results to standard output."""
    click.echo(visible(text))


def results() -> Console:
    """The console for results on standard output; colours on a terminal only."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def seconds(value: float) -> str:
    """A duration, in milliseconds where it is short; a dash where it was not measured."""
    if math.isnan(value):
        return "-"
    from tzconv.compare import shown

    return shown(value)


def ratio(after: float, before: float) -> str:
    """``after`` over ``before``; a dash where that is too short to divide by."""
    known = before >= _SHORTEST and not math.isnan(after)
    return f"{after / before:.2f}" if known else "-"


def costs(found: Comparison) -> tuple[str, ...]:
    """Before, after and ratio of the elapsed time, then of the CPU time."""
    times = (
        (found.original_seconds, found.rewritten_seconds),
        (found.original_cpu_seconds, found.rewritten_cpu_seconds),
    )
    return tuple(
        text
        for before, after in times
        for text in (seconds(before), seconds(after), ratio(after, before))
    )


def count(number: int, noun: str) -> str:
    """A number and what is counted: ``1 row``, ``2,000 rows``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def offset(seconds: int) -> str:
    """A UTC offset such as ``-03:30``."""
    return dt.time(tzinfo=dt.timezone(dt.timedelta(seconds=seconds))).isoformat()[len("00:00:00") :]


def minutes(moment: dt.datetime) -> str:
    """A time without its seconds, unless it has some."""
    return moment.isoformat(" ", "seconds" if moment.second else "minutes")


def beyond_function(day: dt.date) -> str:
    """A warning where the horizon passes the rules of the database's function."""
    return (
        f"The database's own function has no daylight saving from {day} on: rewritten queries "
        "follow the tables there."
    )


def say_disagreements(found: Iterable[Disagreement], release: str) -> None:
    """Print for which zones the database's own function disagrees with the tables."""
    by_kind: dict[str, list[Disagreement]] = {}
    for one in found:
        by_kind.setdefault(one.kind, []).append(one)
    # the newest differences first: those of old times matter to few
    rules = sorted(
        by_kind.get("rules", []), key=lambda one: one.last or dt.datetime.min, reverse=True
    )
    if rules:
        dated = [f"{one.zone} ({str(one.first)[:10]} to {str(one.last)[:10]})" for one in rules]
        say(
            f"The database's own function disagrees with {release} for {some(dated)}: rewritten "
            f"queries follow {release} there."
        )
    named = {kind: some([one.zone for one in ones]) for kind, ones in by_kind.items()}
    if "abbreviation" in named:
        say(
            f"The database reads {named['abbreviation']} as abbreviations of fixed offsets, "
            "without daylight saving: the tables have the zones of those names."
        )
    if "unknown" in named:
        say(f"The database's own function does not know {named['unknown']}.")


def print_json(value: Any, default: Callable[[Any], str] = str) -> None:
    """One JSON document to standard output; dates in ISO form."""
    json.dump(value, sys.stdout, indent=2, default=default)  # ASCII: without control characters
    sys.stdout.write("\n")


@contextlib.contextmanager
def progress(title: str) -> Iterator[Callable[[str, int, int], None]]:
    """A function that shows progress: (table, zones done, total zones)."""
    if not is_terminal() or _quiet:
        yield _json_lines(title)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("zones"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, Any] = {}
    with bar:

        def show(table: str, done: int, total: int) -> None:
            if table not in tasks:
                tasks[table] = bar.add_task(f"{title} {table}", total=total)
            bar.update(tasks[table], completed=done)

        yield show


def _json_lines(title: str) -> Callable[[str, int, int], None]:
    """Progress for a log of JSON: a line at the end of a table and every few seconds."""
    last = time.monotonic()

    def show(table: str, done: int, total: int) -> None:
        nonlocal last
        if _is_json and (done == total or time.monotonic() - last > _SECONDS_BETWEEN_LINES):
            last = time.monotonic()
            event(title, table=table, zones_done=done, zones=total)

    return show


def diff(before: str, after: str, indent: str = "") -> Text:
    """A unified diff of two texts, in colours where the terminal has them."""
    from rich.text import Text

    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm=""))
    return Text.assemble(*((f"{indent}{line}\n", COLOURS.get(line[:1], "")) for line in lines[2:]))


def print_diff(text: str) -> None:
    """A diff of a file to standard output as it is, so that it can be piped into ``patch``."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        click.echo(text.encode(), nl=False)
        return
    for line in text.splitlines(keepends=True):
        is_name = line.startswith(("--- ", "+++ "))
        style = {"bold": True} if is_name else {"fg": COLOURS.get(line[:1])}
        click.secho(line, nl=False, **style)


def size(count: int) -> str:
    """A number of bytes for people."""
    value = float(count)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
