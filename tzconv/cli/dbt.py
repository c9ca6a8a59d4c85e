"""``tzconv dbt``: checks or rewrites what dbt has compiled, model by model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tzconv.cli import arguments, failures, printing, rewriting
from tzconv.cli.codes import ExitCode
from tzconv.errors import OutputError, PlacedError, at, some
from tzconv.files import SqlFile, refusing
from tzconv.sql.reasons import QUIET

if TYPE_CHECKING:
    from tzconv.cli.rewriting import Rewriter, Rewritten
    from tzconv.dbt import Model
    from tzconv.rewriter import Change, Left


@dataclass(frozen=True)
class _Judged:
    """A model, and what became of its compiled text, or why nothing did."""

    model: Model
    done: Rewritten | None = None
    why_not: str = "not compiled"
    error: dict[str, Any] | None = None

    @property
    def row(self) -> tuple[str, ...]:
        if self.done is None:
            return self.model.name, "-", "-", self.why_not
        result = self.done.result
        left = [one for one in result.left if one.code not in QUIET]
        codes = ", ".join(dict.fromkeys(one.code for one in left))
        return self.model.name, str(len(result.changes)), str(len(left)), codes

    def as_dict(self) -> dict[str, Any]:
        """The form that ``--json`` prints."""
        about = {"model": self.model.name, "file": self.model.path, "source": self.model.source}
        if self.done is None:
            return {**about, "left_out": self.why_not, "error": self.error}
        return {**about, **self.done.as_dict()}


@click.command("dbt")
@click.argument("project", default=".", metavar="[PROJECT]")
@click.option("--select", metavar="NAME,...", help="Models to read.  [default: all]")
@click.option(
    "--target-path",
    default="target",
    show_default=True,
    metavar="FOLDER",
    help="Folder of dbt's artifacts, in that of the project.",
)
@arguments.of_queries("column types, zone rules and tables", "that of the project's adapter")
@arguments.strategy
@click.option("--diff", is_flag=True, help="Also print what would change.")
@click.option(
    "--output-dir",
    metavar="FOLDER",
    help="Write the compiled SQL of the models that would change, rewritten, into a new folder.",
)
@arguments.as_json
def command(
    project: str,
    select: str | None,
    target_path: str,
    diff: bool,
    output_dir: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Check the compiled models of a dbt project.

    PROJECT is its folder. Run dbt compile first, or dbt docs generate, whose catalog.json has the
    types of all columns. Prints for each model how many places could be rewritten and how many are
    left, with the reasons; exits 2 if there is one to rewrite. The project's files stay as they
    are: --output-dir writes the compiled SQL elsewhere, and tzconv rewrite models/ rewrites the
    models themselves.

    \b
    tzconv dbt
    tzconv dbt shop --select daily_orders --diff
    tzconv dbt shop --url postgresql+psycopg://me@host/shop --output-dir rewritten
    """
    from tzconv import dbt

    if diff and as_json:
        raise click.UsageError("--diff and --json both print to standard output: choose one.")
    found = dbt.read(project, target_path, given["dialect"])
    models = found.selected(tuple(arguments.names(select or "")))
    out = None if output_dir is None else Path(output_dir)
    # no model of the user's is overwritten
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise OutputError(f"{output_dir}: exists and is not an empty folder: name a new one.")
    given["dialect"] = found.dialect
    if given["url"] is None:  # a database knows its columns better than dbt's artifacts
        given["schema"] = given["schema"] or found.columns
    with rewriting.opened(list, **given) as rewriter:
        judged = [_judge(one, rewriter) for one in models]
        has_types = not rewriter.types.has_none
    if out is not None:
        _write(judged, out, Path(project))
    if as_json:
        printing.print_json([one.as_dict() for one in judged])
    else:
        _print(judged, diff)
    raise SystemExit(_summary(judged, output_dir, has_types))


def _judge(model: Model, rewriter: Rewriter) -> _Judged:
    if model.text is None:
        return _Judged(model) if model.is_sql else _Judged(model, why_not="not SQL")
    try:
        return _Judged(model, rewriter.rewritten(SqlFile(model.path, model.text, "")))
    except (OutputError, PlacedError) as error:
        return _Judged(model, None, "not understood", failures.of_file(model.path, error))


def _print(judged: list[_Judged], diff: bool) -> None:
    head = ("model", "would change", "left", "why")
    rows = [head, *(one.row for one in judged)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    for name, changes, left, why in rows:
        line = f"{name:<{widths[0]}}  {changes:>{widths[1]}}  {left:>{widths[2]}}  {why}"
        printing.line(line.rstrip())
    for one in judged:
        if one.done is None:
            continue
        if diff:
            printing.print_diff(one.done.file.diff(one.done.result.sql))
        for line in _places(one.done, diff):
            printing.line(line)


def _places(done: Rewritten, diff: bool) -> Iterator[str]:
    """What would change, unless a diff shows that, and what is left: one line for each reason."""
    alike: dict[str, list[Change | Left]] = {}
    for change in () if diff else done.result.changes:
        text = f"could be rewritten by {change.strategy}: {change.reason}"
        alike.setdefault(text, []).append(change)
    for left in done.result.left:
        if left.code not in QUIET:
            alike.setdefault(f"left ({left.code}): {left.reason}", []).append(left)
    for text, (first, *others) in alike.items():
        more = f" (and {printing.count(len(others), 'place')} more)" if others else ""
        yield f"{at(done.file.name, first.line, first.column)}: {text}{more}"


def _write(judged: list[_Judged], folder: Path, project: Path) -> None:
    """The new text of each model that would change, in the folders of the models."""
    for one in judged:
        if one.done is None or not one.done.is_changed:
            continue
        path = folder / os.path.relpath(one.model.source, project)
        with refusing(str(path)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(one.done.result.sql, "utf-8")


def _summary(judged: list[_Judged], output_dir: str | None, has_types: bool) -> ExitCode:
    changed = sum(one.done is not None and one.done.is_changed for one in judged)
    failed = sum(one.done is None and one.model.is_sql for one in judged)
    skipped = sum(not one.model.is_sql for one in judged)
    parts = [
        f"{changed} {'would change' if output_dir is None else f'written to {output_dir}'}",
        f"{len(judged) - changed - failed - skipped} unchanged",
        *([f"{failed} failed"] if failed else []),
        *([f"{skipped} not SQL"] if skipped else []),
    ]
    printing.say(f"{printing.count(len(judged), 'model')}: {', '.join(parts)}.")
    left = [place for one in judged if one.done for place in one.done.result.left]
    how = "" if has_types else " dbt docs generate writes a catalog.json with the types."
    rewriting.say_untyped(left, how)
    uncompiled = [one.model.name for one in judged if one.model.is_sql and one.model.text is None]
    if uncompiled:
        printing.say(f"Not compiled: {some(uncompiled)}: run dbt compile.")
    if changed and output_dir is None:
        printing.say("tzconv rewrite rewrites the models themselves, with their templates.")
    unread = any(one.code == "not-parsed" for one in left)
    if failed or unread:
        return ExitCode.ERROR
    return ExitCode.FOUND if changed and output_dir is None else ExitCode.DONE
