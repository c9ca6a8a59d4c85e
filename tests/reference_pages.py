"""The two pages of reference, made from docstrings and from the command line's own help."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import tzconv
from tzconv.cli import _COMMANDS, cli, codes
from tzconv.cli.codes import ExitCode
from tzconv.errors import TzconvError

_MODULES = {
    "tzconv": None,
    "tzconv.sqlalchemy": None,
    "tzconv.superset": None,
    "tzconv.lint": None,
    "tzconv.generate": ("daily", "hourly", "offset", "zone", "period"),
    "tzconv.zones": ("installed", "Rules"),
    "tzconv.compare": ("compare", "Comparison"),
    "tzconv.errors": (
        *("TzconvError", "RulesError", "UnknownZoneError", "HorizonError", "OutputError"),
        *("DatabaseError", "QueryError", "RewriteError", "ParseError", "CheckError"),
    ),
}
"""What of each module is for its users; None: all that it declares, or all that it defines."""
_API = """\
# API reference

Made from the docstrings; a test keeps it so. Modules and names that are not here may change at any
time. [The library](library.md) and [SQLAlchemy](sqlalchemy.md) show how they are used.
"""
_COMMANDS_PAGE = """\
# Command reference

What the option `--help` of each command prints; a test keeps it so. Defaults can come from a file
or the environment: [configuration](configuration.md).

## Exit codes

| code | command | meaning |
|---|---|---|
| 0 | every command | done; nothing was found |
| 1 | every command | an error, in one sentence; rows that differ; a check that failed |
{found}| 64 | every command | wrong options or arguments; nothing was begun |
| 130 | every command | Ctrl-C; unfinished changes were undone |

An unknown name in an option ends with 1 in some commands, such as `refresh --tables foo`.

## Errors

A place in a file is `file:line:column`, counted from 1, in every command; standard input is `-`.

With `--json`, an error is also the one object on standard output, and the exit code is the same:

```json
{{
  "error": {{
    "code": "parse",
    "exit_code": 1,
    "message": "q.sql:2:8: not understood as SQL near 'logs', read as duckdb",
    "file": "q.sql",
    "line": 2,
    "column": 8
  }}
}}
```

`file`, `line` and `column` are null where the error is in no text. `rewrite` and `lint` of several
files read the others, too: their list holds `{{"file": ..., "error": ...}}` for a file that failed.
`code` stays the same between releases:

{codes}
"""
_CODES = {
    "usage": "wrong options or arguments",
    "stopped": "Ctrl-C",
    "error": "another error",
    "bug": "an error of tzconv itself: please report it",
}


def api() -> str:
    """The text of docs/api.md."""
    parts = [_API]
    for name, chosen in _MODULES.items():
        module = _module(name)
        parts.append(f"## `{name}`\n\n{_prose(_doc(module))}\n")
        for one in chosen or _names(module):
            value = getattr(module, one)
            home = getattr(value, "__module__", name)
            if inspect.ismodule(value) or not (inspect.isclass(value) or callable(value)):
                continue  # a module has a section of its own
            parts.append(_entry(one, value) if home.startswith("tzconv") else "")
    return "\n".join(part for part in parts if part)


def _module(name: str) -> Any:
    """A public module by the name that its users write; some are imported from elsewhere."""
    package, _, last = name.rpartition(".")
    found = getattr(importlib.import_module(package), last, None) if package else None
    return found if inspect.ismodule(found) else importlib.import_module(name)


def commands() -> str:
    """The text of docs/commands.md."""
    found = "".join(
        f"| {int(code)} | `{name}` | {meaning} |\n"
        for code, meanings in ((ExitCode.FOUND, codes.FOUND), (ExitCode.WARNED, codes.WARNED))
        for name, meaning in meanings.items()
    )
    page = _COMMANDS_PAGE.format(found=found, codes=_error_codes())
    parts = [page, f"## `tzconv`\n\n{_help(cli, 'tzconv')}\n"]
    with click.Context(cli, info_name="tzconv") as context:
        for name in _COMMANDS:
            command = cli.get_command(context, name)
            if command is None:
                raise LookupError(name)
            parts.append(f"## `tzconv {name}`\n\n{_help(command, f'tzconv {name}')}\n")
    return "\n".join(parts)


def _error_codes() -> str:
    """The words of ``"code"``: those of the classes of errors, and of the command line."""
    kinds = [TzconvError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    meanings = {kind.code: _first_line(kind) for kind in kinds if "code" in vars(kind)} | _CODES
    return "\n".join(f"- `{code}`: {meaning}" for code, meaning in meanings.items())


def _first_line(kind: type) -> str:
    text = _prose(_doc(kind)).partition("\n\n")[0].partition(": `")[0]
    return f"{text[0].lower()}{text[1:]}".rstrip(".").replace("sQL", "SQL").replace("\n", " ")


def _help(command: click.Command, name: str) -> str:
    # a width of its own, whatever the terminal has
    context = click.Context(
        command,
        info_name=name,
        terminal_width=90,
        max_content_width=90,
        help_option_names=["-h", "--help"],
    )
    text = re.sub(r"(?m)[ \t]+$", "", command.get_help(context))
    return f"```text\n{text}\n```"


def _names(module: ModuleType) -> list[str]:
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not name.startswith("_")]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


def _entry(name: str, value: Any) -> str:
    signature = _signature(name, value)
    parts = [f"### `{name}`\n", f"```python\n{signature}\n```\n", f"{_prose(_doc(value))}\n"]
    if inspect.isclass(value):
        for member, made in vars(value).items():
            is_ours = isinstance(made, (property, classmethod)) or inspect.isfunction(made)
            if member.startswith("_") or not is_ours:
                continue
            function = getattr(made, "fget", None) or getattr(made, "__func__", made)
            about = _doc(function)
            text = member if isinstance(made, property) else _signature(member, function)
            parts.append(f"- `{' '.join(text.split())}`: {' '.join(_prose(about).split())}\n")
    return "\n".join(parts)


def _signature(name: str, value: Any) -> str:
    if inspect.isclass(value) and issubclass(value, Exception):
        bases = [base.__name__ for base in value.__bases__]
        return f"class {name}({', '.join(bases)})"
    if inspect.isclass(value) and not is_dataclass(value) and "__init__" not in vars(value):
        return f"class {name}"
    signature = inspect.signature(value)
    shown = [one for one in signature.parameters.values() if one.name != "self"]
    signature = signature.replace(parameters=shown)
    if inspect.isclass(value):
        signature = signature.replace(return_annotation=inspect.Signature.empty)
    text = re.sub(r"'([^']*)'(?=[,)=:]|$| =| ->)", r"\1", str(signature))
    flat = f"{name}{text}"
    if len(flat) <= 90:
        return flat
    inner = [str(one) for one in signature.parameters.values()]
    keywords = next((n for n, one in enumerate(shown) if one.kind == one.KEYWORD_ONLY), None)
    if keywords is not None:
        inner.insert(keywords, "*")
    lines = [re.sub(r"""^(\w+): (['"])(.*?)\2(?= =|$)""", r"\1: \3", line) for line in inner]
    end = re.search(r"\)( -> [^)]*)?$", text)
    return "\n".join([f"{name}(", *(f"    {line}," for line in lines), end[0] if end else ")"])


def _doc(value: Any) -> str:
    text = inspect.getdoc(value)
    if not text:
        raise LookupError(f"{value} has no docstring")
    return text


def _prose(text: str) -> str:
    """A docstring as Markdown."""
    text = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", text).replace("``", "`")
    lines: list[str] = []
    is_code = False
    for line in text.splitlines():
        if is_code and line and not line.startswith(" "):
            while lines[-1] == "":
                lines.pop()
            lines += ["```", ""]
            is_code = False
        if not is_code and line.endswith("::"):
            if line != "::":
                lines += [line.removesuffix(":"), ""]
            lines.append("```text")
            is_code = True
            continue
        if is_code and lines[-1] == "```text" and not line:
            continue
        lines.append(line.removeprefix("    ") if is_code else line)
    return "\n".join([*lines, "```"] if is_code else lines).strip()


def architecture(page: str) -> str:
    """The page with the list of all modules at its end."""
    package = Path(tzconv.__file__).parent
    lines = []
    for path in sorted(package.rglob("*.py")):
        docstring = ast.get_docstring(ast.parse(path.read_text())) or ""
        first = docstring.partition("\n\n")[0].replace("\n", " ").replace("``", "`")
        first = re.sub(r":mod:`([\w.]+)`", r"`\1`", first)
        lines.append(f"- `{path.relative_to(package).as_posix()}`: {first}\n")
    return page.partition(_EVERY)[0] + _EVERY + "".join(lines)


_EVERY = "## Every module\n\nIn the words of its docstring; a test keeps it so.\n\n"
