"""What a query costs when there are more rows, more zones, or more years in the tables.

The cost should grow with the rows of the user's own tables and with nothing else.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from tzconv.bench.measure import measure
from tzconv.bench.queries import Query
from tzconv.bench.results import CHOSEN, ORIGINAL, Scaled, Variant
from tzconv.bench.scratch import scratch

if TYPE_CHECKING:
    from tzconv.bench import Options

Say = Callable[[str], None]

FEW_ZONES = 20
FEW_YEARS, MANY_YEARS = 2, 25


def scaling(options: Options, asked: Sequence[Query], today: dt.date, say: Say) -> Iterator[Scaled]:
    """Each query of made-up events at the usual size, and with one thing changed at a time."""
    from tzconv.bench import prepare

    queries = [query for query in asked if query.tables]
    half = max(1, options.rows // 2)
    sizes = [
        (options, FEW_YEARS),
        (dataclasses.replace(options, rows=half), FEW_YEARS),
        (dataclasses.replace(options, zones=FEW_ZONES), FEW_YEARS),
        (options, MANY_YEARS),
    ]
    for size, years in sizes if queries else []:
        say(f"With {size.rows:,} events, {size.zones or 'all'} zones, {years} years of tables:")
        with scratch(size.url) as place, place.open() as backend:
            start = today - dt.timedelta(days=round(years * 365.25) + 7)
            names = prepare(place, backend, size, queries, (), today, say, start)
            types, process = place.types(backend), place.process(backend)
            for query in queries:
                found = measure(backend, process, query, types, (), size.rounds)
                original, chosen = found.variant(ORIGINAL), found.variant(CHOSEN)
                if original is not None and chosen is not None:
                    yield Scaled(
                        query.name, size.rows, len(names), years, _cost(original), _cost(chosen)
                    )


def _cost(variant: Variant) -> float:
    return variant.cpu or variant.wall or 0.0
