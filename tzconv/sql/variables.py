"""Variables of psql and vsql, ``:'name'`` and ``:"name"``, as a parameter and as a name.

The shell puts a quoted text or name there. What stands for it has its length, so that all other
characters keep their places.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tzconv.sql.lexer import Lexer

_VARIABLE = Lexer(r"""(?<!:):(?:'(?P<value>[^\W\d]\w*)'|"(?P<name>[^\W\d]\w*)")""")


def masked(text: str) -> tuple[str, Callable[[str], str]] | None:
    """The text without such variables, and what puts them back into any text made of it."""
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

    return shown, back
