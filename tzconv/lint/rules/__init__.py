"""The rules, one a module: ``CODE``, ``TITLE``, ``FIXABLE`` and ``check(statement)``.

Codes are never given to another rule. Each has a page in docs/lint/ and a block in the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tzconv.lint.rules import (
    tz001,
    tz002,
    tz003,
    tz004,
    tz005,
    tz006,
    tz007,
    tz008,
    tz009,
)
from tzconv.lint.statement import Hit, Statement


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; ``fixable`` says that a rewrite may settle what it finds."""

    code: str
    title: str
    fixable: bool
    check: Callable[[Statement], Iterator[Hit]]


RULES: dict[str, Rule] = {
    module.CODE: Rule(module.CODE, module.TITLE, module.FIXABLE, module.check)
    for module in (tz001, tz002, tz003, tz004, tz005, tz006, tz007, tz008, tz009)
}
