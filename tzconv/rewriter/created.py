"""The tables that the files of one run create: what a folder says of its own columns.

Other files may run before or after, so a table counts only where all of them agree about it, and
none changes it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping

from tzconv.errors import ParseError
from tzconv.rewriter import statements
from tzconv.sql.built import Built, from_ddl
from tzconv.sql.lexer import SPACE
from tzconv.sql.parse import Node, escapes_by_backslash, parse
from tzconv.sql.schema import agreed, declared_columns

_NAME = r'(?:"(?:[^"]|"")+"|[\w$]+)'
_TABLE = re.compile(
    rf"(?P<verb>CREATE|ALTER|DROP)\b(?P<words>(?:{SPACE}+(?:OR|REPLACE|GLOBAL|LOCAL|TEMP|TEMPORARY"
    rf"|UNLOGGED|FOREIGN|EXTERNAL|MATERIALIZED|RECURSIVE))*){SPACE}+(?P<kind>TABLE|VIEW)\b"
    rf"(?:{SPACE}+(?:IF|NOT|EXISTS|ONLY))*{SPACE}+(?P<name>{_NAME}(?:\s*\.\s*{_NAME})*)",
    re.IGNORECASE | re.DOTALL,
)
_SAME_COLUMNS = re.compile(
    r"\s*\*?\s*(?:OWNER\s+TO|ADD\s+(?:CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK)|ENABLE|DISABLE|FORCE"
    r"|CLUSTER|REPLICA|VALIDATE|SET\s*\(|ALTER\s+(?:COLUMN\s+)?\S+\s+(?:SET|DROP|ADD)\s+"
    rf"(?:DEFAULT|NOT|STATISTICS|STORAGE|GENERATED))\b(?!.*,{SPACE}*(?:ADD|ALTER|DROP|RENAME)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""What ALTER TABLE may do without another type of a column, as in a dump of the schema."""
_BUILDS = re.compile(
    rf"CREATE\b{SPACE}+(?:\w+{SPACE}+)?(?:TABLE|INDEX|STATISTICS)\b", re.IGNORECASE
)
_ZONE = re.compile(r"time\s*zone", re.IGNORECASE)


class Created:
    """What the files of a run create, collected file by file."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._found: dict[str, list[Mapping[str, str]]] = {}
        self._unsure: set[str] = set()
        self._of_file: dict[str, set[str]] = {}

    def read(self, file: str, text: str) -> None:
        """Note the CREATE, ALTER and DROP of tables in a file; what is no SQL has none."""
        texts = _statements(text, self._dialect)
        found = [(one, match) for one in texts if (match := _TABLE.match(one))]
        # in DO, in a function, after EXPLAIN ANALYZE
        inside = (match for one in texts for match in _TABLE.finditer(one, 1))
        self._unsure.update(_last_name(match["name"]) for match in inside)
        is_made = [match["verb"].upper() == "CREATE" for _, match in found]
        for place, (statement, match) in enumerate(found):
            table = _last_name(match["name"])
            if is_made[place]:
                self._of_file.setdefault(file, set()).add(table)
                self._create(table, statement, match)
                continue
            later = zip(found[place:], is_made[place:], strict=True)
            if match["verb"].upper() == "DROP" and table not in map(_last, self._found):
                # DROP TABLE IF EXISTS and CREATE after it is how a script begins
                names = set(map(_last_name, re.findall(_NAME, statement[match.start("name") :])))
                self._unsure |= names - {
                    _last_name(one["name"]) for (_, one), is_new in later if is_new
                }
            elif not _SAME_COLUMNS.match(statement, match.end()):
                self._unsure |= set(map(_last_name, re.findall(_NAME, statement)))

    def _create(self, table: str, statement: str, match: re.Match[str]) -> None:
        if match["kind"].upper() == "VIEW" or "TEMP" in match["words"].upper():
            self._unsure.add(table)
            return
        declared = agreed(
            declared_columns(tree, self._dialect)
            for tree in _trees(statement, self._dialect)
            if not tree.expression
        )
        if not declared:
            self._unsure.add(table)  # CREATE TABLE ... AS, or a form that is not understood
        for name, columns in declared.items():
            self._found.setdefault(name, []).append(columns)

    def tables(self, but: str | None = None) -> dict[str, dict[str, str]]:
        """The tables that are certain, without those that the file ``but`` creates itself."""
        own = self._of_file.get(but or "", set())
        return {
            name: dict(versions[0])
            for name, versions in self._found.items()
            if _last(name) not in self._unsure | own and all(one == versions[0] for one in versions)
        }


def built_in(text: str, dialect: str) -> tuple[Built, ...]:
    """The indexes, partition keys and statistics of expressions that the text of a schema makes.

    Statements that are not understood are passed over: a dump has some.
    """
    building = (
        one for one in _statements(text, dialect) if _BUILDS.match(one) and _ZONE.search(one)
    )
    trees = (tree for one in building for tree in _trees(one, dialect))
    return tuple(built for tree in trees for built in from_ddl(tree, dialect))


def _statements(text: str, dialect: str) -> list[str]:
    """The statements of a text; none of what is no SQL."""
    with contextlib.suppress(ParseError):
        escapes = escapes_by_backslash(dialect)
        found = statements.split(text, backslash_escapes=escapes)
        return [text[one.start : one.end] for one in found]
    return []


def _trees(statement: str, dialect: str) -> list[Node]:
    with contextlib.suppress(ParseError):
        return parse(statement, dialect).statements
    return []


def _last_name(name: str) -> str:
    parts: list[str] = re.findall(_NAME, name)
    return parts[-1].strip('"').replace('""', '"').casefold()


def _last(name: str) -> str:
    return name.rpartition(".")[2].casefold()
