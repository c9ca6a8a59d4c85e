"""Variables of psql and vsql, ``:'name'`` and ``:"name"``, as a parameter and as a name.

The shell puts a quoted text or name there. What stands for it has its length, so that all other
characters keep their places.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tzconv.sql.lexer import Lexer

_VARIABLE = Lexer(r"""(?<!:):(?:'(?P<value>[^\W\d]\w*)'|"(?P<name>[^\W\d]\w*)")""")


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without variables; ``back`` puts them into any text made of it."""

    text: str
    back: Callable[[str], str]


def masked(text: str) -> Masked | None:
    """The text without such variables; None where it has none."""
    originals: dict[str, str] = {}

    def mask(match: re.Match[str]) -> str:
        made = f":{match['value']}__" if match["value"] else f"{match['name']}___"
        originals[made] = match[0]
        return made

    shown = _VARIABLE.sub(mask, text)
    if not originals or any(one in text for one in originals):
        return None

    def back(made: str) -> str:
        for mask, original in originals.items():
            made = made.replace(mask, original)
        return made

    return Masked(shown, back)
