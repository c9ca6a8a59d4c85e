"""How the commands print: words to standard error, progress bars on a terminal only."""

from __future__ import annotations

import contextlib
import difflib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

if TYPE_CHECKING:
    from tzconv.backends import Disagreement

_MOST_ZONES = 8


def words() -> Console:
    """The console for people: standard error, without colours where they are not wanted."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def results() -> Console:
    """The console for results: standard output; rich leaves out colours off a terminal."""
    return Console(highlight=False, soft_wrap=True)


def seconds(value: float) -> str:
    """A duration, in milliseconds where it is short."""
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def disagreements(found: Iterable[Disagreement], release: str) -> str | None:
    """What is to be said of zones for which the database has other rules; None without any."""
    parts = [
        f"{d.zone} ({d.first:%Y-%m-%d} to {d.last:%Y-%m-%d})"
        if d.first and d.last
        else f"{d.zone} (unknown to it)"
        for d in found
    ]
    if not parts:
        return None
    more = f" and {len(parts) - _MOST_ZONES} more" if len(parts) > _MOST_ZONES else ""
    return (
        f"The database's own function has other rules than tz release {release} for "
        f"{', '.join(parts[:_MOST_ZONES])}{more}: there a rewritten query gives the answer of the "
        "tables."
    )


def say(text: str) -> None:
    """A line of words to standard error."""
    click.echo(text, err=True)


def print_json(value: Any) -> None:
    """One JSON document to standard output; dates in ISO form."""
    json.dump(value, sys.stdout, indent=2, default=str, ensure_ascii=False)
    sys.stdout.write("\n")


@contextlib.contextmanager
def progress(title: str) -> Iterator[Callable[[str, int, int], None]]:
    """A function that shows how far a table is: (table, zones done, zones in all)."""
    if not sys.stderr.isatty():
        yield lambda table, done, total: None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("zones"),
        TimeElapsedColumn(),
        console=words(),
        transient=True,
    )
    tasks: dict[str, Any] = {}
    with bar:

        def show(table: str, done: int, total: int) -> None:
            if table not in tasks:
                tasks[table] = bar.add_task(f"{title} {table}", total=total)
            bar.update(tasks[table], completed=done)

        yield show


def diff(before: str, after: str, indent: str = "") -> Text:
    """A unified diff of two texts, in colours where the terminal has them."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm=""))
    styles = {"+": "green", "-": "red", "@": "cyan"}
    text = Text()
    for line in lines[2:]:
        text.append(f"{indent}{line}\n", styles.get(line[:1]))
    return text


def size(count: int) -> str:
    """A number of bytes as people say it."""
    value = float(count)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"
