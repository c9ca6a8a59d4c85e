"""Column types that people declare: a file of one of four kinds, or single columns.

A file is known by what it holds: CREATE TABLE statements, dbt's ``catalog.json`` or
``manifest.json``, or ``information_schema.columns`` as CSV.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tzconv.errors import ParseError, RewriteError, nearest_names
from tzconv.sql.schema import OTHERS, from_ddl

_CSV_COLUMNS = ("table_schema", "table_name", "column_name", "data_type")
_CSV_HEADER = re.compile(r'\s*"?\w+"?(?:[ ]*[,;\t|][ ]*"?\w+"?)+[ \t]*(?:\r?\n|\Z)')
_PLAIN_TYPES = ("timestamp", "timestamptz", "date", "text", "interval", "varchar")
_PART = r'"(?:[^"]|"")+"|[^\s".=,]+'
_COLUMN = re.compile(rf"\s*((?:(?:{_PART})\.)+)({_PART})\s*=\s*(.+?)\s*", re.DOTALL)
_COMMA = re.compile(r",(?![^()]*\))")


class Model(NamedTuple):
    """What dbt's ``ref()`` or ``source()`` stands for: a relation's name and its columns."""

    name: str
    columns: Mapping[str, str]


@dataclass(slots=True)
class Declared:
    """Column types by table, as the rewriter takes them, and what only dbt knows.

    ``models`` are by the arguments of ``ref()`` or ``source()``, ``macros`` the texts by name.
    """

    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    models: dict[tuple[str, ...], Model] = field(default_factory=dict)
    macros: dict[str, str] = field(default_factory=dict)


def read(text: str, dialect: str) -> Declared:
    """What a file declares; ParseError where it is none of the four kinds."""
    start = text.lstrip()[:1]
    if start in ("{", "["):
        return _from_dbt(text)
    if _CSV_HEADER.match(text):
        return Declared(_from_csv(text))
    return Declared(from_ddl(text, dialect))


def add_columns(tables: dict[str, dict[str, str]], texts: Iterable[str], dialect: str) -> None:
    """Add ``TABLE.COLUMN=TYPE,...`` to tables; a table that is new has other columns too.

    RewriteError for a text of another form, or a type that looks like a slip.
    """
    from tzconv.sql.reading import reading_of

    keeps_case = reading_of(dialect).keeps_case
    for text in texts:
        for one in filter(str.strip, _COMMA.split(text)):
            found = _COLUMN.fullmatch(one)
            if found is None:
                raise RewriteError(
                    f"--types {one.strip()!r} is not of the form TABLE.COLUMN=TYPE, such as "
                    "events.ts=timestamptz."
                )
            near = nearest_names(found[3], _PLAIN_TYPES)
            if near and found[3].lower() not in _PLAIN_TYPES and found[3].isalpha():
                raise RewriteError(f"--types {one.strip()!r}: did you mean {near[0]}?")
            names = [_name(part, keeps_case) for part in re.findall(_PART, found[1])]
            _declare(tables, ".".join(names[-2:]), _name(found[2], keeps_case), found[3])


def _name(part: str, keeps_case: bool) -> str:
    if part.startswith('"'):
        return part[1:-1].replace('""', '"')
    return part.lower() if keeps_case else part


def _declare(tables: dict[str, dict[str, str]], table: str, column: str, kind: str) -> None:
    """Set the type of a column in all tables that the name may mean."""
    bare = table.rpartition(".")[2]
    same = [
        name
        for name in tables
        if name.casefold() == table.casefold()
        or (bare == table and name.rpartition(".")[2].casefold() == bare.casefold())
    ]
    for name in [*same, *(one for one in {table, bare} if one not in same)]:
        columns = tables.setdefault(name, {OTHERS: ""})
        for known in [one for one in columns if one.casefold() == column.casefold()]:
            del columns[known]
        columns[column] = kind


def _from_csv(text: str) -> dict[str, dict[str, str]]:
    delimiter = max(",;\t|", key=text.lstrip().split("\n")[0].count)
    rows = csv.DictReader(io.StringIO(text.lstrip()), delimiter=delimiter)
    names = {name.strip().lower(): name for name in rows.fieldnames or ()}
    missing = [name for name in _CSV_COLUMNS if name not in names]
    if missing:
        raise ParseError(
            f"the header lacks {', '.join(missing)}: export table_schema, table_name, column_name "
            "and data_type of information_schema.columns",
            1,
            1,
        )
    found: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        schema, table, column, text = (row[names[name]] or "" for name in _CSV_COLUMNS)
        found.setdefault((schema, table), {})[column] = text
    return _by_name((schema, table, columns) for (schema, table), columns in found.items())


def _by_name(found: Iterable[tuple[str, str, dict[str, str]]]) -> dict[str, dict[str, str]]:
    """Tables by ``schema.table``, and by ``table`` where all schemas agree about it."""
    tables: dict[str, dict[str, str]] = {}
    plain: dict[str, list[dict[str, str]]] = {}
    for schema, table, columns in found:
        tables[f"{schema}.{table}" if schema else table] = columns
        plain.setdefault(table, []).append(columns)
    for table, versions in plain.items():
        if all(one == versions[0] for one in versions):
            tables[table] = versions[0]
    return tables


def _from_dbt(text: str) -> Declared:
    try:
        document = json.loads(text)
    except ValueError as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        raise ParseError(f"begins like JSON, and is none ({error})", line, column) from error
    if not isinstance(document, dict) or not {"nodes", "sources"} & document.keys():
        raise ParseError(
            "is JSON without nodes and sources: give dbt's catalog.json or manifest.json", 1, 1
        )
    declared, relations = Declared(), list[tuple[str, str, dict[str, str]]]()
    for section in ("nodes", "sources"):
        for key, node in (document.get(section) or {}).items():
            found = _of_node(node)
            if found is None or not found[2]:
                continue
            relations.append(found)
            for names in _reference(key.split(".")):
                _add_model(declared.models, names, Model(found[1], found[2]))
    declared.tables = _by_name(relations)
    for macro in (document.get("macros") or {}).values():
        name, package = macro.get("name", ""), macro.get("package_name", "")
        declared.macros[name] = declared.macros[f"{package}.{name}"] = macro.get("macro_sql", "")
    return declared


def _of_node(node: dict[str, Any]) -> tuple[str, str, dict[str, str]] | None:
    """Schema, name and columns of a node: those of a catalog are all, a manifest may have some."""
    metadata = node.get("metadata")
    columns = node.get("columns") or {}
    if isinstance(metadata, dict):  # of a catalog
        found = {one.get("name", name): one.get("type") or "" for name, one in columns.items()}
        return metadata.get("schema") or "", metadata.get("name") or "", found
    if node.get("resource_type") not in ("model", "seed", "snapshot", "source"):
        return None
    found = {one.get("name", name): one.get("data_type") or "" for name, one in columns.items()}
    typed = {name: text for name, text in found.items() if text}
    name = node.get("identifier") or node.get("alias") or node.get("name") or ""
    return node.get("schema") or "", name, {OTHERS: "", **typed} if typed else {}


def _reference(key: list[str]) -> Iterator[tuple[str, ...]]:
    """How SQL refers to a node, by the parts of its key such as ``model.project.orders``."""
    if key[0] == "source" and len(key) == 4:
        yield ("source", *key[2:])
    elif key[0] in ("model", "seed", "snapshot") and len(key) == 3:
        yield ("ref", key[2])
        yield ("ref", key[1], key[2])


def _add_model(models: dict[tuple[str, ...], Model], names: tuple[str, ...], model: Model) -> None:
    """Add a model; of two packages with a model of one name, the name alone says neither."""
    known = models.get(names)
    models[names] = model if known in (None, model) else Model(model.name, {})
