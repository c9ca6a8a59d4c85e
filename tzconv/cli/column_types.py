"""The column types of a run: from a database, a file, single columns, and the files themselves."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tzconv import files
from tzconv.cli import arguments, printing
from tzconv.errors import OutputError, ParseError

if TYPE_CHECKING:
    from tzconv.rewriter import Left
    from tzconv.rewriter.created import Created
    from tzconv.sql.declarations import Declared

_MOST = 6
_ADVICE = re.compile(r"add --types (?P<quote>[\"'])(?P<columns>.*?)(?P=quote)")


@dataclass(frozen=True)
class ColumnTypes:
    """What is known of columns; ``created`` by the files of the run, unless a database knows."""

    declared: Declared
    created: Created | None
    single: tuple[str, ...]
    dialect: str

    def tables(self, file: str) -> dict[str, dict[str, str]]:
        """The columns that a file finds, but for those of tables that it creates itself."""
        from tzconv.sql.declarations import add_columns

        found = {} if self.created is None else self.created.tables(but=file)
        merged = {name: dict(columns) for name, columns in (found | self.declared.tables).items()}
        add_columns(merged, self.single, self.dialect)
        return merged

    def declared_for(self, file: str) -> Declared:
        """What a template finds: ref('orders') may be any table that is known by that name."""
        return replace(self.declared, tables=self.tables(file))

    @property
    def has_none(self) -> bool:
        """Whether nothing at all is known."""
        return not (self.declared.tables or self.single or (self.created and self.created.tables()))


def read(
    schema: str | None,
    single: Iterable[str],
    dialect: str,
    database: Mapping[str, Mapping[str, str]] | None = None,
    names: Iterable[str] = (),
) -> ColumnTypes:
    """The types of ``--url``, ``--schema-file`` and ``--types``; the later ones win.

    Without a database the CREATE TABLE statements in the files ``names`` count too.
    """
    from tzconv.rewriter.created import Created
    from tzconv.sql.declarations import add_columns

    declared = declared_in(schema, dialect)
    given = {name: dict(columns) for name, columns in (database or {}).items()}
    declared.tables = given | declared.tables
    add_columns({}, single, dialect)  # what is wrong with them is said once
    if database is not None:
        return ColumnTypes(declared, None, tuple(single), dialect)
    created = Created(dialect)
    for name in names:
        with contextlib.suppress(OutputError):  # said when the file is rewritten
            if name != files.STANDARD_INPUT:
                created.read(name, files.read(name).text)
    return ColumnTypes(declared, created, tuple(single), dialect)


def declared_in(path: str | None, dialect: str) -> Declared:
    """What the file of ``--schema-file`` declares; nothing without a file."""
    from tzconv.rewriter.created import built_in, from_script
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
    except ParseError as error:  # a dump of a schema has statements that are not read
        try:
            tables = from_script(text, dialect)
        except ParseError as other:
            raise arguments.naming(path, other) from other
        if not tables:
            raise arguments.naming(path, error) from error
        found = declarations.Declared(tables)
    found.built = built_in(text, dialect)
    beside = Path(path).with_name("manifest.json")
    if found.models and not found.macros and beside.is_file():
        with contextlib.suppress(ParseError, OutputError):  # the catalog has the types
            found.macros = declarations.read(beside.read_text("utf-8"), dialect).macros
    return found


def summary(left: Iterable[Left]) -> str:
    """A sentence about the conversions whose types are unknown; empty without any."""
    unknown = [one.reason for one in left if one.code == "unknown-type"]
    if not unknown:
        return ""
    columns = Counter(
        column for found in map(_ADVICE.search, unknown) if found for column in _split(found)
    )
    few = ",".join(column for column, _ in columns.most_common(_MOST))
    quote = "'" if '"' in few else '"'
    how = f"add --types {quote}{few}{quote}" if few else "declare them"
    more = f" and {len(columns) - _MOST} more" if len(columns) > _MOST else ""
    count = printing.count(len(unknown), "conversion")
    were = "was" if len(unknown) == 1 else "were"
    said = f"{count} {were} left because column types are unknown"
    return f"{said}: {how}{more}, or give --schema-file or --url."


def _split(found: re.Match[str]) -> list[str]:
    return found["columns"].split(",")
