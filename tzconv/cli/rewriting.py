"""What the commands that read queries share: their column types, their rewriter and its results."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tzconv import engines, files
from tzconv.cli import arguments, printing
from tzconv.errors import OutputError, ParseError, at

if TYPE_CHECKING:
    from tzconv.files import SqlFile
    from tzconv.rewriter import Left, Rewrite
    from tzconv.rewriter.created import Created
    from tzconv.rewriter.kept import Held
    from tzconv.sql.declarations import Declared

Rewrites: TypeAlias = "Callable[..., Rewrite]"
"""Rewrites one statement; takes ``strategy`` and ``script``."""
_MOST_COLUMNS = 6
_ADVICE = re.compile(r"add --types (?P<quote>[\"'])(?P<columns>.*?)(?P=quote)")
_CANNOT_DECLARE = re.compile(r": (?:cast it|a statement before it) ?")


@dataclass(frozen=True)
class ColumnTypes:
    """What is known of columns; ``created`` by the files of the run, unless a database knows."""

    declared: Declared
    created: Created | None
    single: tuple[str, ...]
    dialect: str

    def of_file(self, name: str) -> Declared:
        """What a file finds: not the tables that it creates itself.

        In a template ref('orders') may be any table that is known by that name.
        """
        from tzconv.sql.declarations import add_columns

        found = {} if self.created is None else self.created.tables(but=name)
        merged = {one: dict(columns) for one, columns in (found | self.declared.tables).items()}
        add_columns(merged, self.single, self.dialect)
        return replace(self.declared, tables=merged)

    @property
    def has_none(self) -> bool:
        """Whether nothing at all is known."""
        typed = any(map(any, self.declared.tables.values()))
        return not (typed or self.single or (self.created and self.created.tables()))


def column_types(
    schema: str | None,
    single: Iterable[str],
    dialect: str,
    database: Mapping[str, Mapping[str, str]] | None = None,
    names: Iterable[str] = (),
) -> ColumnTypes:
    """The types of ``--url``, ``--schema-file`` and ``--types``; the later ones win.

    Without a database the CREATE TABLE statements in the files ``names`` count too.
    """
    from tzconv.rewriter import templated
    from tzconv.rewriter.created import Created
    from tzconv.sql.declarations import add_columns
    from tzconv.sql.embedded import is_other

    declared = _declared_in(schema, dialect)
    # a pipe can be read once
    names = [name for name in names if name != files.STANDARD_INPUT and files.is_file(name)]
    given = {name: dict(columns) for name, columns in (database or {}).items()}
    declared.tables = given | declared.tables
    declared.converting = templated.converting(_macros_of(names) | declared.macros)
    add_columns({}, single, dialect)  # what is wrong with them is said once
    if database is not None:
        return ColumnTypes(declared, None, tuple(single), dialect)
    created = Created(dialect)
    for name in names:
        with contextlib.suppress(OutputError):  # said when the file is rewritten
            if not is_other(name):
                created.read(name, files.read(name).text)
    return ColumnTypes(declared, created, tuple(single), dialect)


def _macros_of(names: Iterable[str]) -> dict[str, str]:
    """The macros in files, and those of the dbt projects that the files belong to."""
    from tzconv.sql.templates import macros

    paths = dict.fromkeys(map(Path, names))
    folders = {above for path in paths for above in path.absolute().parents}
    for folder in sorted(one for one in folders if (one / "dbt_project.yml").is_file()):
        paths |= dict.fromkeys(sorted((folder / "macros").rglob("*.sql")))
    found: dict[str, str] = {}
    for path in paths:
        with contextlib.suppress(OutputError):  # said when the file is rewritten
            text = files.read(str(path)).text
            found |= {name: text[start:end] for name, start, end in macros(text)}
    return found


def _declared_in(path: str | None, dialect: str) -> Declared:
    """What the file of ``--schema-file`` declares; nothing without a file."""
    from tzconv.rewriter.created import built_in
    from tzconv.sql import declarations

    if path is None:
        return declarations.Declared()
    if not Path(path).exists() and path.isidentifier():
        raise OutputError(
            f"{path}: there is no such file: --schema-file takes a file that declares columns; "
            "--db-schema names the schema of the conversion tables."
        )
    text = files.read(path).text
    try:
        found = declarations.read(text, dialect)
    except ParseError as error:
        raise arguments.naming(path, error) from error
    found.built = built_in(text, dialect)
    beside = Path(path).with_name("manifest.json")
    if found.models and not found.macros and beside.is_file():
        with contextlib.suppress(ParseError, OutputError):  # the catalog has the types
            found.macros = declarations.read(beside.read_text("utf-8"), dialect).macros
    return found


def say_untyped(left: Iterable[Left], more: str = "") -> bool:
    """Print how many conversions have unknown types, then ``more``; False without any."""
    unknown = [one.reason for one in left if one.code == "unknown-type"]
    if not unknown:
        return False
    columns = Counter(
        column
        for found in map(_ADVICE.search, unknown)
        if found
        for column in found["columns"].split(",")
    )
    few = ",".join(column for column, _ in columns.most_common(_MOST_COLUMNS))
    quote = "'" if '"' in few else '"'
    how = f"add --types {quote}{few}{quote}" if few else "declare them"
    others = len(columns) - _MOST_COLUMNS
    how += f" and {others} more" if others > 0 else ""
    how += ", or give --schema-file or --url"
    what = "column types"
    if not few and all(_CANNOT_DECLARE.search(one) for one in unknown):
        what, how = "types", "their reasons say what to do"
    were = "was" if len(unknown) == 1 else "were"
    printing.say(
        f"{printing.count(len(unknown), 'conversion')} {were} left because {what} are "
        f"unknown: {how}.{more}"
    )
    return True


@dataclass(frozen=True)
class Rewritten:
    """One file and its new text.

    ``alternatives`` are the other strategies for each change, with ``--explain`` only. ``outdated``
    are comments about literals of another tz release than ``release``.
    """

    file: SqlFile
    result: Rewrite
    alternatives: tuple[tuple[str, ...], ...] | None
    outdated: list[Held]
    release: str

    @property
    def is_changed(self) -> bool:
        """Whether the new text differs from that of the file."""
        return self.result.sql != self.file.text

    def warnings(self) -> Iterator[str]:
        """A sentence for each outdated literal."""
        for one in self.outdated:
            yield (
                f"{at(self.file.name, one.line, one.column)}: has literals of {one.release} for "
                f"{', '.join(one.zones)}, but the rules are those of {self.release}: rewrite it "
                "again from its original"
            )

    def as_dict(self) -> dict[str, Any]:
        """The form that ``--json`` prints."""
        document = self.result.as_dict()
        document["outdated"] = [dataclasses.asdict(one) for one in self.outdated]
        if self.alternatives is not None:
            for change, names in zip(document["changes"], self.alternatives, strict=True):
                change["alternatives"] = names
        return document


@dataclass(frozen=True)
class Rewriter:
    """Rewrites files by the options of a run; ``names`` are the files that it was asked for."""

    names: list[str]
    dialect: str
    types: ColumnTypes
    release: str
    rewrite: Rewrites

    def rewritten(self, file: SqlFile, *, explain: bool = False) -> Rewritten:
        """Rewrite a file; ParseError, CheckError or OutputError where that is impossible."""
        from tzconv.rewriter import embedded, statements
        from tzconv.rewriter.strategies import STRATEGIES

        declared = self.types.of_file(file.name)
        each = functools.partial(
            embedded.rewrite_each, file.name, declared=declared, dialect=self.dialect
        )
        result = each(file.text, self.rewrite)
        others = None
        if explain:
            others = statements.alternatives(file.text, result, STRATEGIES, self.rewrite, each)
        outdated = embedded.outdated(file.name, file.text, self.release)
        return Rewritten(file, result, others, outdated, self.release)


@contextlib.contextmanager
def opened(
    find: Callable[[], list[str]],
    *,
    dialect: str | None,
    schema: str | None,
    types: tuple[str, ...],
    url: str | None,
    db_schema: str | None,
    strategy: str | None,
    session_time_zone: str | None = None,
    now: str | None = None,
    future_literals: bool = False,
) -> Iterator[Rewriter]:
    """The rewriter of the options of a command; the database stays open meanwhile.

    ``find`` finds the files whose CREATE TABLE statements count, too.
    """
    from tzconv import rewriter, target
    from tzconv.rewriter import kept
    from tzconv.tz import spellings, zones

    installed = zones.installed()
    # the session of --url may have a zone outside IANA's; one that is typed here is checked
    session = session_time_zone
    if session is not None and session.lower() not in map(str.lower, installed.names):
        raise spellings.unknown_zone(session, installed.names, installed.links, installed.release)
    with arguments.connected(url, db_schema) as backend:
        dialect = arguments.dialect_of(dialect, backend.dialect if backend else None)
        # a wrong dialect, strategy or time is reported once, before any file is read
        rewriter.rewrite("SELECT 1", dialect=dialect, strategy=strategy, now=now)
        names = find()
        if backend is not None:
            found = target.read(backend, session)
            options = found.options(kept=not future_literals, strategy=strategy)
            if unknown := engines.facts_of(dialect).not_measured(backend.product()):
                printing.say(unknown)
        else:
            until = kept.history_until(installed.release)
            options = {
                "dialect": dialect,
                "schema": {},
                "rules": installed,
                "session_time_zone": session,
                "table_schema": db_schema,
                "literals_until": None if future_literals else until,
            }
        in_database = None if backend is None else options["schema"]
        known = column_types(schema, types, dialect, in_database, names)
        built = (*options.get("built", ()), *known.declared.built)
        options |= {"strategy": strategy, "now": now, "built": built}
        rewrite: Rewrites = functools.partial(rewriter.rewrite, **options)
        rules = options["rules"]
        if future_literals:
            options["literals_until"] = kept.history_until(rules.release)
            history = functools.partial(rewriter.rewrite, **options)
            rewrite = kept.with_comment(rewrite, history, rules)
        yield Rewriter(names, dialect, known, rules.release, rewrite)
