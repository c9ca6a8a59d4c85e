"""Findings in templates: in each way to render them, with places of the template, without fixes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tzconv.errors import ParseError
from tzconv.lint import Finding
from tzconv.sql.declarations import Declared
from tzconv.sql.masks import NAME, mask
from tzconv.sql.places import line_and_column
from tzconv.sql.templates import MOST_WAYS, is_template, read, variants


def lint_each(
    text: str, lint: Callable[..., tuple[Finding, ...]], declared: Declared
) -> tuple[Finding, ...]:
    """All findings in a text; none in a template that cannot be read before it is rendered.

    ``lint`` is that of the package; ``declared`` are the columns that it knows and dbt's models.
    """
    if not is_template(text):
        return lint(text, schema=declared.tables)
    found: dict[tuple[str, int], Finding] = {}
    try:
        for way in variants(text, read(text), MOST_WAYS):
            masked = mask(text, way, declared)
            known: Mapping[str, Mapping[str, str]] = {**declared.tables, **masked.types}
            for one in lint(masked.text, schema=known) if masked.text.strip() else ():
                start, end = masked.nearest(one.start), masked.nearest(one.end)
                message = NAME.sub("", masked.restored(one.message) or one.message)
                placed = replace(one, message=message, start=start, end=end, fixes=())
                (line, column), (last, after) = (line_and_column(text, at) for at in (start, end))
                placed = replace(placed, line=line, column=column, end_line=last, end_column=after)
                found.setdefault((one.code, start), placed)
    except ParseError:
        return ()
    return tuple(sorted(found.values(), key=lambda one: (one.start, one.code)))
