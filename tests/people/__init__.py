"""Statements of the kinds that people write, over the tables of products such as theirs.

The files ``*.sql`` have one statement or script after each line that begins with ``-- >>>``. They
were written for these tests by the features of public code; none is a copy. ``tests.people.data``
makes the tables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_TAG = r"\{\{.*?\}\}|\{%.*?%\}|\{\#.*?\#\}|<%.*?%>|[$#]\{\S*?\}|\[\[|\]\]"
_VARIABLE = re.compile(r"\$[a-z_]")
FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Statement:
    """One entry of a file.

    ``once`` is how many of its conversions are computed once although a name is in them, such as a
    variable; ``given`` are the values of its parameters, ``parts`` what its template becomes.
    """

    name: str
    text: str
    once: int
    given: dict[str, str]
    parts: dict[str, str]

    def rendered(self, text: str) -> str:
        """The statement, or what was made of it, with the values of its template."""
        for part, value in self.parts.items():
            text = text.replace(part, value)
        return text


def statements(dialect: str) -> dict[str, Statement]:
    """The entries of the file of a dialect, by name."""
    found: dict[str, Statement] = {}
    for part in (FOLDER / f"{dialect}.sql").read_text().split("-- >>> ")[1:]:
        head, _, text = part.partition("\n")
        name, *marks = head.split()
        assert name not in found, f"two statements are named {name}"
        once = sum(int(mark.removeprefix("once:")) for mark in marks)
        given = dict(re.findall(r"(?m)^-- ([$:%?]\S*) = (.*)$", text))
        parts = {part: value for part, value in given.items() if _VARIABLE.match(part)}
        parts |= dict(re.findall(rf"(?m)^-- ({_TAG}) =(?: (.*))?$", text))
        text = re.sub(rf"(?m)^-- (?:{_TAG}|\$[a-z_]\w*) =.*\n?", "", text)
        given = {name: value for name, value in given.items() if name not in parts}
        found[name] = Statement(name, text.rstrip("\n"), once, given, parts)
    return found
