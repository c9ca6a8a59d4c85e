"""The texts of tests/tz/data/zone_names.tsv, which people wrote into zone columns."""

from __future__ import annotations

from dataclasses import dataclass

from tests import ROOT


@dataclass(frozen=True)
class Known:
    """What a text is, by the documents that the file names."""

    text: str
    kind: str
    zone: str | None
    others: tuple[str, ...]


def read() -> list[Known]:
    """All lines, in the order of the file."""
    lines = (ROOT / "tests" / "tz" / "data" / "zone_names.tsv").read_text("ascii").splitlines()
    found = []
    for line in lines:
        if line.startswith("#"):
            continue
        text, kind, zone, others = (part.strip(" ") for part in line.split("|"))
        plain = text.encode().decode("unicode_escape")
        found.append(Known(plain, kind, zone or None, tuple(filter(None, others.split(", ")))))
    return found
