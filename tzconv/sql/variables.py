"""Variables of psql and vsql, ``:'name'`` and ``:"name"``, as a parameter and as a name.

The shell puts a quoted text or name there. What stands for it has its length, so that all other
characters keep their places.
"""

from __future__ import annotations

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
    parts: list[str] = []
    originals: dict[str, str] = {}
    position = 0
    for piece in _VARIABLE.pieces(text):
        if piece.kind != "found":
            continue
        value, name = piece.match["value"], piece.match["name"]
        mask = f":{value}__" if value else f"{name}___"
        if mask in text:
            return None
        originals[mask] = piece.match[0]
        parts += [text[position : piece.start], mask]
        position = piece.end

    def back(made: str) -> str:
        for mask, original in originals.items():
            made = made.replace(mask, original)
        return made

    return Masked("".join([*parts, text[position:]]), back) if originals else None
