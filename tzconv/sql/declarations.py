"""Column types that people declare: a file of one of four kinds, or single columns.

A file is known by what it holds: CREATE TABLE statements, dbt's ``catalog.json`` or
``manifest.json``, or ``information_schema.columns`` as CSV.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tzconv.errors import ParseError, RewriteError, nearest_names
from tzconv.sql.built import Built
from tzconv.sql.schema import OTHERS, agreed, by_ends, is_type, kind_of_text
from tzconv.sql.script import from_ddl

_CSV_COLUMNS = ("table_schema", "table_name", "column_name", "data_type")
_CSV_HEADER = re.compile(r'\s*"?\w+"?(?:[ ]*[,;\t|][ ]*"?\w+"?)+[ \t]*(?:\r?\n|\Z)')
_PLAIN_TYPES = ("timestamp", "timestamptz", "date", "text", "interval", "varchar")
_MOST_PARTS = 3
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

    ``models`` are by the arguments of ``ref()`` or ``source()``, ``macros`` the texts by name;
    ``converting`` are the names of macros that convert a time zone.
    ``built`` are the indexes and the like of expressions.
    """

    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    models: dict[tuple[str, ...], Model] = field(default_factory=dict)
    macros: dict[str, str] = field(default_factory=dict)
    converting: frozenset[str] = frozenset()
    built: tuple[Built, ...] = ()


def read(text: str, dialect: str) -> Declared:
    """What a file declares; ParseError where it is none of the four kinds."""
    start = text.lstrip()[:1]
    if start in ("{", "["):
        return _from_dbt(text)
    if _CSV_HEADER.match(text):
        return Declared(_from_csv(text))
    found = from_ddl(text, dialect)
    if not found:
        raise ParseError(
            "declares no columns: give CREATE TABLE statements, dbt's catalog.json or "
            "manifest.json, or information_schema.columns as CSV"
        )
    return Declared(found)


def add_columns(tables: dict[str, dict[str, str]], texts: Iterable[str], dialect: str) -> None:
    """Add ``TABLE.COLUMN=TYPE,...`` to tables; a table that is new has other columns too.

    RewriteError for a text of another form, or a type that looks like a slip.
    """
    from tzconv.sql.reading import reading_of

    keeps_case = reading_of(dialect).keeps_case
    fold: Callable[[str], str] = str if keeps_case else str.casefold
    said: dict[tuple[str, str], str] = {}
    for text in texts:
        for one in filter(str.strip, _COMMA.split(text)):
            found = _COLUMN.fullmatch(one)
            if found is None:
                raise RewriteError(
                    f"--types {one.strip()!r} is not of the form TABLE.COLUMN=TYPE, such as "
                    "events.ts=timestamptz."
                )
            if not is_type(found[3], dialect):
                if near := nearest_names(found[3], _PLAIN_TYPES):
                    raise RewriteError(f"--types {one.strip()!r}: did you mean {near[0]}?")
                raise RewriteError(
                    f"--types {one.strip()!r}: {found[3]} is not a type that tzconv knows: write "
                    f"{', '.join(_PLAIN_TYPES[:-1])}, or leave the column out."
                )
            parts = re.findall(_PART, found[1])
            if len(parts) > _MOST_PARTS or "*" in (*parts, found[2]):
                raise RewriteError(
                    f"--types {one.strip()!r}: name one column, as TABLE.COLUMN, "
                    "SCHEMA.TABLE.COLUMN or DATABASE.SCHEMA.TABLE.COLUMN."
                )
            names = [_name(part, keeps_case) for part in parts]
            table, column = ".".join(names), _name(found[2], keeps_case)
            before = said.setdefault((fold(table), fold(column)), found[3])
            if before.casefold() != found[3].casefold():
                raise RewriteError(
                    f"--types gives {table}.{column} two types, {before} and {found[3]}: keep one."
                )
            _declare(tables, names, column, said, fold, dialect)


def _name(part: str, keeps_case: bool) -> str:
    if part.startswith('"'):
        return part[1:-1].replace('""', '"')
    return part.lower() if keeps_case else part


def _declare(
    tables: dict[str, dict[str, str]],
    parts: list[str],
    column: str,
    said: Mapping[tuple[str, str], str],
    fold: Callable[[str], str],
    dialect: str,
) -> None:
    """Set the type of a column in all tables that the name may mean, if what is known agrees."""
    spelled = {fold(one): one for one in tables}
    ends = [spelled.get(fold(one), one) for one in by_ends(parts, {})]
    bare = fold(parts[-1])
    alike = [one for one in tables if len(parts) == 1 and fold(one.rpartition(".")[2]) == bare]
    for name in dict.fromkeys([*alike, *ends]):
        columns = tables.setdefault(name, {OTHERS: ""})
        for known in [one for one in columns if fold(one) == fold(column)]:
            del columns[known]
        of = {table: text for (table, one), text in said.items() if one == fold(column)}
        end, own = f".{fold(name)}", of.get(fold(name))
        several = [it for table, it in of.items() if f".{table}".endswith(end) or table == bare]
        longer = [its for one, its in tables.items() if fold(one).endswith(end)]
        others = [kind for its in longer for it, kind in its.items() if fold(it) == fold(column)]
        if own or len({kind_of_text(it, dialect) for it in (*several, *others)}) == 1:
            columns[column] = own or several[0]
        else:
            columns[OTHERS] = ""


def _from_csv(text: str) -> dict[str, dict[str, str]]:
    delimiter = max(",;\t|", key=text.lstrip().split("\n")[0].count)
    rows = csv.DictReader(io.StringIO(text.lstrip()), delimiter=delimiter, skipinitialspace=True)
    names = {name.strip().lower(): name for name in rows.fieldnames or ()}
    missing = [name for name in _CSV_COLUMNS if name not in names]
    if missing:
        raise ParseError(
            f"the header lacks {', '.join(missing)}: export table_schema, table_name, column_name "
            "and data_type of information_schema.columns"
        )
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    try:
        for row in rows:
            cells = {name: (row[key] or "").strip() for name, key in names.items()}
            catalog = cells.get("table_catalog", "")
            schema, table, column, text = (cells[name] for name in _CSV_COLUMNS)
            columns = found.setdefault((catalog, schema, table), {})
            # two tables in one file, without the names of their databases: the type is either
            columns[column] = text if columns.get(column, text) == text else ""
    except csv.Error as error:
        raise ParseError(f"cannot be read as CSV ({error})", rows.reader.line_num, 1) from error
    tables = []
    for parts, columns in found.items():
        typed = {name: text for name, text in columns.items() if text}
        others = {OTHERS: ""} if len(typed) < len(columns) else {}
        tables.append(by_ends(parts, others | typed))
    return agreed(tables)


def _from_dbt(text: str) -> Declared:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        raise ParseError(f"begins like JSON, and is none ({error})", line, column) from error
    if not isinstance(document, dict) or not {"nodes", "sources"} & document.keys():
        raise ParseError(
            "is JSON without nodes and sources: give dbt's catalog.json or manifest.json"
        )
    try:
        return _of_document(document)
    except (AttributeError, TypeError) as error:
        raise ParseError(
            "is JSON with nodes and sources of another form: give dbt's catalog.json or "
            "manifest.json as dbt writes it"
        ) from error


def _of_document(document: dict[str, Any]) -> Declared:
    """What a catalog or a manifest declares; AttributeError or TypeError if it is neither."""
    declared, relations = Declared(), list[dict[str, dict[str, str]]]()
    for section in ("nodes", "sources"):
        for key, node in (document.get(section) or {}).items():
            if (found := _of_node(node)) is None:
                continue
            relations.append(by_ends(*found))
            for names in _reference(key.split(".")):
                model = Model(found[0][-1], found[1])
                # of two packages with a model of one name, the name alone says neither
                is_one = declared.models.get(names) in (None, model)
                declared.models[names] = model if is_one else Model(model.name, {})
    # of a model without types, those of --types count
    declared.models = {
        names: one for names, one in declared.models.items() if one.columns != {OTHERS: ""}
    }
    declared.tables = agreed(relations)
    for macro in (document.get("macros") or {}).values():
        name, package = macro.get("name", ""), macro.get("package_name", "")
        text = _text(macro.get("macro_sql"))
        declared.macros[f"{package}.{name}"] = text
        # of two packages with a macro of one name, the name alone calls either
        declared.macros[name] = f"{declared.macros.get(name, '')}\n{text}"
    return declared


def _of_node(node: dict[str, Any]) -> tuple[list[str], dict[str, str]] | None:
    """Database, schema and name of a node, and its columns: of a catalog all, if they have types.

    A manifest may have some.
    """
    metadata = node.get("metadata")
    columns = node.get("columns") or {}
    of = metadata if isinstance(metadata, dict) else node
    is_all = of is metadata  # a catalog
    if not is_all and node.get("resource_type") not in ("model", "seed", "snapshot", "source"):
        return None
    key = "type" if is_all else "data_type"
    found = {one.get("name", name): _text(one.get(key)) for name, one in columns.items()}
    typed = {name: text for name, text in found.items() if text}
    others = {} if is_all and 0 < len(typed) == len(found) else {OTHERS: ""}
    name = _text(of.get("identifier") or of.get("alias") or of.get("name"))
    parts = [_text(of.get("database")), _text(of.get("schema")), name]
    return parts, {**others, **typed}


def _text(value: object) -> str:
    """A text of a JSON file, empty for null; TypeError for anything else."""
    if value is None or isinstance(value, str):
        return value or ""
    raise TypeError(f"{value!r} is no text")


def _reference(key: list[str]) -> Iterator[tuple[str, ...]]:
    """How SQL refers to a node, by the parts of its key such as ``model.project.orders``."""
    if key[0] == "source" and len(key) == 4:
        yield ("source", *key[2:])
    elif key[0] in ("model", "seed", "snapshot") and len(key) == 3:
        yield ("ref", key[2])
        yield ("ref", key[1], key[2])
