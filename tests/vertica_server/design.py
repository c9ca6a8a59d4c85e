"""CREATE TABLE: the clauses about physical design are checked, remembered and taken away.

The order of the clauses and the names of the encodings are documented. Which encoding suits which
type is documented too; that a wrong pair is refused when the table is made is an assumption, and so
is that the columns of a key are NOT NULL even where the key is not enforced.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from tests.vertica_server import datatypes
from tests.vertica_server.errors import VerticaError, missing_column, unsupported
from tests.vertica_server.lexer import Reader, folded

ENCODINGS: dict[str, tuple[datatypes.Family, ...]] = {
    "AUTO": (),
    "BLOCK_DICT": (),
    "BLOCKDICT_COMP": (),
    "BZIP_COMP": (),
    "COMMONDELTA_COMP": ("integer", "float", "time"),
    "DELTARANGE_COMP": ("integer", "float", "time"),
    "DELTAVAL": ("integer", "time"),
    "GCDDELTA": ("integer", "time", "numeric"),
    "GZIP_COMP": (),
    "RLE": (),
    "ZSTD_COMP": (),
    "ZSTD_FAST_COMP": (),
    "ZSTD_HIGH_COMP": (),
}
"""Every encoding, and the families of types that it suits; none named means all."""

_CLAUSES = ("ORDER", "UNSEGMENTED", "SEGMENTED", "KSAFE", "PARTITION")
_CONSTRAINT_WORDS = ("NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "CHECK", "CONSTRAINT")
_REFUSED_WORDS = ("REFERENCES", "IDENTITY", "AUTO_INCREMENT", "SET", "GENERATED", "COLLATE")
_END_OF_DEFAULT = (*_CONSTRAINT_WORDS, *_REFUSED_WORDS, "ENCODING", "ACCESSRANK", ",", ")")


@dataclass
class Key:
    """A primary key or a unique constraint."""

    name: str
    columns: list[str]
    primary: bool
    enabled: bool


@dataclass
class Design:
    """What a CREATE TABLE declared beyond names and types."""

    order_by: list[str] = field(default_factory=list)
    encodings: dict[str, str] = field(default_factory=dict)
    segmentation: str = ""
    """``UNSEGMENTED ALL NODES``, the expression of ``SEGMENTED BY``, or nothing."""
    ksafe: int | None = None
    partition_by: str = ""
    keys: list[Key] = field(default_factory=list)

    def dumps(self) -> str:
        """The design as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> Design:
        """The design from JSON."""
        design = cls(**json.loads(text))
        design.keys = [Key(**key) for key in design.keys]  # type: ignore[arg-type] # JSON has dicts
        return design


@dataclass
class NewTable:
    """A CREATE TABLE that was understood."""

    name: str
    temporary: bool
    if_not_exists: bool
    body: str
    """What PostgreSQL is given after the name."""
    design: Design


@dataclass
class _Columns:
    """The columns read so far."""

    types: dict[str, datatypes.Type] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)
    checks: list[str] = field(default_factory=list)

    def known(self, name: str) -> str:
        """The name of a column that exists."""
        name = folded(name)
        if name not in self.types:
            raise missing_column(name)
        return name


def read(reader: Reader, name: str, temporary: bool, if_not_exists: bool) -> NewTable:
    """Read a CREATE TABLE from the parenthesis that opens its columns."""
    columns, design = _Columns(), Design()
    reader.expect("(")
    while True:
        if reader.peek() in ("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"):
            _table_constraint(reader, columns, design)
        else:
            _column(reader, columns, design)
        if not reader.accept(","):
            break
    reader.expect(")")
    commit = ""
    if temporary and reader.accept("ON", "COMMIT"):
        commit = reader.choose("DELETE", "PRESERVE")
        reader.expect("ROWS")
    _physical(reader, columns, design)
    reader.end()
    if sum(key.primary for key in design.keys) > 1:
        raise VerticaError("42P16", 4211, f'Multiple primary keys for table "{name}"')
    for key in design.keys:
        key.columns = [columns.known(column) for column in key.columns]
        for column in key.columns if key.primary else ():
            if " NOT NULL" not in columns.lines[column]:
                columns.lines[column] += " NOT NULL"
    body = "(" + ", ".join([*columns.lines.values(), *columns.checks]) + ")"
    if temporary:
        body += f" ON COMMIT {commit or 'DELETE'} ROWS"
    return NewTable(name, temporary, if_not_exists, body, design)


def _column(reader: Reader, columns: _Columns, design: Design) -> None:
    written = reader.name()
    name = folded(written)
    if name in columns.types:
        raise VerticaError("42701", 2659, f'Column "{name}" appears twice')
    columns.types[name] = datatypes.read(reader)
    columns.lines[name] = f"{written} {columns.types[name].postgres}"
    while reader.peek() in _CONSTRAINT_WORDS:
        constraint = reader.name() if reader.accept("CONSTRAINT") else ""
        if reader.accept("NOT", "NULL"):
            columns.lines[name] += " NOT NULL"
        elif reader.accept("DEFAULT"):
            first, end = reader.balanced(*_END_OF_DEFAULT)
            columns.lines[name] += f" DEFAULT {reader.between(first, end)}"
        elif reader.accept("CHECK"):
            columns.lines[name] += f" CHECK {_parenthesis(reader)}"
        elif reader.peek() in ("PRIMARY", "UNIQUE"):
            primary = reader.accept("PRIMARY", "KEY") or not reader.accept("UNIQUE")
            design.keys.append(_key(reader, constraint, [name], primary))
        else:
            reader.expect("NULL")
    if reader.accept("ENCODING"):
        design.encodings[name] = _encoding(reader, name, columns.types[name])
    if reader.accept("ACCESSRANK"):
        reader.number()


def _encoding(reader: Reader, name: str, type: datatypes.Type) -> str:
    encoding = reader.next().word
    if encoding not in ENCODINGS:
        raise reader.error(reader.at - 1)
    families = ENCODINGS[encoding]
    if families and type.family not in families:
        message = f'Encoding {encoding} is not valid for column "{name}" of type {type.postgres}'
        raise VerticaError("0A000", 3001, message)
    return encoding


def _key(reader: Reader, name: str, columns: list[str], primary: bool) -> Key:
    if reader.accept("ENABLED"):
        raise unsupported("A key that is enforced")
    _ = reader.accept("DISABLED")
    default = "C_PRIMARY" if primary else "C_UNIQUE"
    return Key(folded(name) if name else default, columns, primary, enabled=False)


def _table_constraint(reader: Reader, columns: _Columns, design: Design) -> None:
    name = reader.name() if reader.accept("CONSTRAINT") else ""
    if reader.accept("CHECK"):
        columns.checks.append(f"CHECK {_parenthesis(reader)}")
        return
    if reader.accept("PRIMARY"):
        reader.expect("KEY")
        primary = True
    else:
        reader.expect("UNIQUE")
        primary = False
    design.keys.append(_key(reader, name, reader.names(), primary))


def _parenthesis(reader: Reader) -> str:
    start = reader.at
    reader.expect("(")
    _, end = reader.balanced(")")
    reader.expect(")")
    return reader.between(start, end + 1)


def _physical(reader: Reader, columns: _Columns, design: Design) -> None:
    """The clauses after the columns, in the one order that Vertica's grammar has."""
    if reader.accept("ORDER", "BY"):
        while True:
            name = columns.known(reader.name())
            if name in design.order_by:
                raise VerticaError("42701", 2659, f'Column "{name}" appears twice in ORDER BY')
            design.order_by.append(name)
            if not reader.accept(","):
                break
    if reader.accept("UNSEGMENTED"):
        reader.expect("ALL", "NODES")
        design.segmentation = "UNSEGMENTED ALL NODES"
    elif reader.accept("SEGMENTED"):
        reader.expect("BY")
        first, end = reader.balanced("ALL")
        _known_columns(reader, columns, first, end)
        design.segmentation = reader.between(first, end)
        reader.expect("ALL", "NODES")
        if reader.accept("OFFSET"):
            reader.number()
    if reader.accept("KSAFE"):
        number = not reader.done and reader.statement.tokens[reader.at].kind == "number"
        design.ksafe = reader.number() if number else 1
    if reader.accept("PARTITION"):
        reader.expect("BY")
        first, end = reader.balanced("GROUP", *_CLAUSES)
        _known_columns(reader, columns, first, end)
        design.partition_by = reader.between(first, end)
        if reader.accept("GROUP"):
            reader.expect("BY")
            _known_columns(reader, columns, *reader.balanced(*_CLAUSES))


def _known_columns(reader: Reader, columns: _Columns, first: int, end: int) -> None:
    """Each name in an expression is a column or a function; at least one is a column."""
    found = 0
    for at in range(first, end):
        token = reader.statement.tokens[at]
        after = reader.statement.tokens[at + 1].word if at + 1 < end else ""
        if token.kind in ("word", "quoted") and after != "(":
            columns.known(token.text)
            found += 1
    if not found:
        raise reader.error(first)
