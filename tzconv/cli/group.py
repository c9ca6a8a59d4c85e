"""The group of commands: each is imported when it is used, and a mistyped name gets a hint."""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from importlib import metadata
from typing import Any

import click

from tzconv._version import __version__
from tzconv.errors import nearest_names

_DRIVERS = ("duckdb", "psycopg", "vertica-python", "sqlalchemy", "sqlglot")


class LazyGroup(click.Group):
    """Imports a command's module when the command is used, so that each one starts quickly."""

    registry: Mapping[str, str]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the registry."""
        return list(self.registry)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name with the options that all have; None where there is none."""
        if cmd_name not in self.registry:
            return None
        command = importlib.import_module(f"tzconv.cli.{cmd_name}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"tzconv.cli.{cmd_name}.command is not a command")
        known = {param.name for param in command.params}
        command.params += [option for option in _loudness() if option.name not in known]
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was typed; UsageError with the nearest name where there is none."""
        if args and args[0] not in self.registry and not args[0].startswith("-"):
            near = nearest_names(args[0], self.registry)
            hint = f"did you mean {near[0]}?" if near else "tzconv --help lists them."
            raise click.UsageError(f"There is no command {args[0]!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands for --help without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.registry.items()))


def _loudness() -> list[click.Option]:
    return [
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_quiet,
            help="Say nothing but errors.",
        ),
        click.Option(
            ["-v", "--verbose"],
            is_flag=True,
            expose_value=False,
            callback=_verbose,
            help="Say where defaults come from, and how long it took.",
        ),
    ]


def _quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    from tzconv.cli import printing

    if value:
        printing.be_quiet()
        ctx.call_on_close(printing.speak)


def _verbose(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    from tzconv.cli import printing

    if not value:
        return
    started = time.perf_counter()
    for source in (ctx.find_root().obj or {}).get("sources", []):
        printing.say(f"Defaults from {source}.")

    def end() -> None:
        printing.say(f"Took {printing.seconds(time.perf_counter() - started)}.")

    ctx.call_on_close(end)


def print_version(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """The version, the tz release, and the versions of what tzconv uses, then the end."""
    if not value or ctx.resilient_parsing:
        return
    from tzconv import zones

    click.echo(f"tzconv {__version__}")
    click.echo(f"tz release {zones.installed().release}")
    for name in _DRIVERS:
        try:
            click.echo(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            click.echo(f"{name} not installed")
    ctx.exit()
