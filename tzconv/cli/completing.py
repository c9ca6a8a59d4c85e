"""What Tab completes for the values of all commands, by the names of their parameters.

Nothing heavy is imported: whoever presses Tab waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from pathlib import Path

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from tzconv import engines
from tzconv.engines import urls

STRATEGIES = (
    *("now", "range", "columns", "inline", "array", "offset", "period", "hourly", "daily"),
)
"""The names of the rewriter's strategies, without importing it; a test compares them."""
_FILES = {"FILE", "PATH", "[PATH]...", "DIR", "FOLDER"}
_FILE_NAMES = {"file", "path", "paths"}


class _Completed(StringParamType):
    """A text, and the values that Tab offers for it; with ``many`` separated by commas."""

    def __init__(self, values: Callable[[], Iterable[str]], *, many: bool = False) -> None:
        self.values, self.many = values, many

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The values that begin with what was typed, or with what follows its last comma."""
        done, comma, start = incomplete.rpartition(",") if self.many else ("", "", incomplete)
        start = start.casefold()
        return [
            CompletionItem(f"{done}{comma}{value}")
            for value in self.values()
            if value.casefold().startswith(start)
        ]


def zone_names() -> list[str]:
    """The names of the tzdata package, from its list: reading the rules would take longer."""
    return (resources.files("tzdata") / "zones").read_text("utf-8").split()


def database_urls() -> Iterator[str]:
    """The embedded databases of the working directory, and the beginnings of other URLs."""
    for dialect in engines.DIALECTS:
        facts = engines.facts_of(dialect)
        if dialect == engines.DEFAULT:
            yield from (urls.of_file(path) for path in sorted(Path().glob(f"*.{dialect}")))
            yield urls.of_file("")
        elif facts.driver:
            yield f"{facts.scheme}://"


_ZONES, _STRATEGIES = _Completed(zone_names), _Completed(lambda: STRATEGIES)
_BY_NAME: dict[str, StringParamType] = {
    "dialect": _Completed(lambda: engines.DIALECTS),
    "strategy": _STRATEGIES,
    "strategies": _Completed(lambda: ("all", *STRATEGIES), many=True),
    "zone": _ZONES,
    "session_time_zone": _ZONES,
    "zones": _Completed(lambda: ("all", *zone_names()), many=True),
    "url": _Completed(database_urls),
}


def complete(param: click.Parameter) -> None:
    """Let Tab complete a parameter that takes any text; others complete themselves."""
    if param.type is not click.STRING or param.name is None:
        return
    if param.name in _BY_NAME:
        param.type = _BY_NAME[param.name]
    elif param.metavar in _FILES or param.name in _FILE_NAMES:
        param.type = click.Path()
