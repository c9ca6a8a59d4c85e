"""A time zone is converted for each row."""

from __future__ import annotations

from collections.abc import Iterator

from tzconv.lint.conversions import conversions, is_worth_a_word, lacks_type
from tzconv.lint.rules import tz003
from tzconv.lint.statement import Hit, Statement

CODE = "TZ001"
TITLE = "time zone converted for each row"
FIXABLE = True


def check(statement: Statement) -> Iterator[Hit]:
    """Conversions of a column, but for those that a comparison makes a matter of TZ003."""
    for select in statement.selects:
        compared = {id(found.node) for found, _ in tz003.predicates(select)}
        for found in conversions(select):
            if id(found.node) in compared or not is_worth_a_word(found, select, statement):
                continue
            message = "a time zone is converted for each row"
            if lacks_type(found, select) and not statement.is_changed(found.node):
                message += ": with the types of its columns, tzconv may rewrite it"
            yield Hit(found.node, message)
