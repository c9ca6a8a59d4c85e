"""Whether so few rows are converted that the engine's own function is faster."""

from __future__ import annotations

from tzconv.rewriter.block import QueryBlock
from tzconv.sql.reasons import Reason


def few_rows(block: QueryBlock, *, is_open: bool = False) -> Reason | None:
    """The reason to leave a conversion to the function; None where the rows are many or unknown.

    With ``is_open`` no window keeps the engine from reading a whole table of ours.
    """
    if block.is_forced:
        return None
    rows = block.options.expected_rows()
    fewest = block.engine.fewest_rows * (block.engine.open_times if is_open else 1)
    if rows is None or rows >= fewest:
        return None
    reach = "row reaches" if round(rows) == 1 else "rows reach"
    return Reason("few-rows", f"about {rows:,.0f} {reach} it: the function is faster")
