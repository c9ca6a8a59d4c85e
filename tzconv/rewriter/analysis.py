"""A statement as the rewriter has read it: lint looks at the same trees and names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tzconv.sql.names import Names
from tzconv.sql.parse import Node, Source


@dataclass(frozen=True, slots=True)
class Analysis:
    """One statement of a text, or a query inside it that begins at ``shift`` in the text."""

    source: Source
    tree: Node
    selects: tuple[Names, ...]
    shift: int


Watch: TypeAlias = Callable[[Analysis], None]
