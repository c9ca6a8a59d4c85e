"""A template as SQL with masks, and the way back from it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from tzconv.sql.templates import Part

NAME = re.compile(r"tzt_\d+_")
"""The names of all masks."""


@dataclass(frozen=True, slots=True)
class Mask:
    """``sql`` stands for ``text``; it is one value wherever it is written if ``is_constant``.

    ``epoch`` is that of the variables it reads, None where they have one value in a run.
    """

    sql: str
    text: str
    is_constant: bool
    epoch: int | None


@dataclass
class Masked:
    """The text of one way to render a template, and how places in it are those of the template.

    ``unknown`` are the texts beside which no table may be joined; ``types`` those of relations.
    """

    source: str
    text: str = ""
    masks: dict[str, Mask] = field(default_factory=dict)
    types: dict[str, Mapping[str, str]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    _places: list[tuple[int, int, Part]] = field(default_factory=list)
    _epoch: int = 0

    def add(self, sql: str, part: Part) -> None:
        """Write what stands for a part."""
        self._epoch = self._epoch if part.kind == "text" else part.epoch
        start = len(self.text)
        self.text += sql
        self._places.append((start, self._epoch, part))

    def _at(self, place: int) -> tuple[int, int, Part]:
        return self._places[bisect_right(self._places, place, key=lambda one: one[0]) - 1]

    def place(self, at: int) -> int | None:
        """A place of the text in the template; None inside of a mask."""
        if at >= len(self.text):
            return len(self.source)
        start, _, part = self._at(at)
        return part.start + at - start if part.kind == "text" or at == start else None

    def nearest(self, at: int) -> int:
        """A place of the text in the template; inside of a mask, where the mask begins."""
        place = self.place(at)
        return self._at(at)[2].start if place is None else place

    def epoch_at(self, at: int) -> int:
        """The epoch of the variables at a place."""
        return self._at(at)[1]

    def shows(self, start: int, end: int) -> bool:
        """Whether both ends of a part of the template are in this text."""
        inside = (one[2] for one in self._places if one[2].kind != "text")
        return not any(one.start < at < one.end for one in inside for at in (start, end))

    def restored(self, sql: str) -> str | None:
        """A text of the rewriter with the template's parts; None where it has torn a mask."""
        texts = {mask.sql: mask.text for mask in self.masks.values()}
        if not texts:
            return sql
        pattern = "|".join(re.escape(one) for one in sorted(texts, key=len, reverse=True))
        found = re.sub(pattern, lambda match: texts[match[0]], sql)
        return None if NAME.search(found) else found

    def used(self, sql: str) -> list[Mask]:
        """The masks in a text of the rewriter, as often as they stand there."""
        return [self.masks[match[0]] for match in NAME.finditer(sql) if match[0] in self.masks]
