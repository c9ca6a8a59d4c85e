"""``tzconv completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the shell completion script for commands, options, zones, URLs and files.

    \b
    tzconv completion bash > ~/.local/share/bash-completion/completions/tzconv
    tzconv completion zsh > ~/.zfunc/_tzconv
    tzconv completion fish > ~/.config/fish/completions/tzconv.fish
    """
    from tzconv.cli import cli

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    script = kind(cli, {}, "tzconv", "_TZCONV_COMPLETE")
    click.echo(script.source_template % script.source_vars())
