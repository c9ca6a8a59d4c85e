"""Checksums of the conversion tables that NumPy and any database compute alike.

Each row becomes one number by integer arithmetic that every SQL engine has; per zone the rows are
counted, and the numbers and their squares are summed modulo a prime, so that the order of rows does
not matter and a changed, swapped, lost or doubled value does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

import numpy as np

from tzconv.posix import Int64
from tzconv.spans import Columns
from tzconv.tables import Column, Table

Sums = tuple[int, int, int]
"""Rows, sum of the numbers, sum of their squares; both modulo PRIME before they are summed."""

PRIME = 2_147_483_629
_WEIGHTS = (648_389, 743_747, 522_289, 914_261, 830_503, 461_017, 705_163)
"""Below 2^20: a value has at most 39 bits, so that a sum of seven products fits into 63."""
_YEAR_1 = 62_135_683_200  # seconds from a day before 0001-01-01 to 1970: every time is positive
_LETTERS = 5

SqlOfColumn = Callable[[str, int], str]


def sql_terms(table: Table, seconds: str, days: str) -> str:
    """The number of a row as SQL; ``seconds`` and ``days`` are patterns with a ``{column}``."""
    terms = [
        f"{weight} * {_sql_value(column, seconds, days)}"
        for weight, column in zip(_WEIGHTS, _hashed(table), strict=False)
    ]
    return f"({' + '.join(terms)}) % {PRIME}"


def of_columns(table: Table, columns: Columns) -> Sums:
    """The sums of one zone's rows, or of a part of them."""
    number: Int64 = np.zeros(len(next(iter(columns.values()))), np.int64)
    for weight, column in zip(_WEIGHTS, _hashed(table), strict=False):
        number += weight * _value(column, columns)
    number %= PRIME
    return len(number), int(number.sum()), int((number * number % PRIME).sum())


def add(one: Sums, other: Sums) -> Sums:
    """The sums of two parts together."""
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def digest(sums: Mapping[str, Sums]) -> str:
    """One checksum of a table from the sums of its zones: 64 hexadecimal digits."""
    lines = (f"{zone} {rows} {one} {two}\n" for zone, (rows, one, two) in sorted(sums.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _hashed(table: Table) -> list[Column]:
    return [column for column in table.columns if column.name != "time_zone_name"]


def _value(column: Column, columns: Columns) -> Int64:
    values = columns[column.name]
    if column.type == "timestamp":
        missing = np.isnat(values)
        seconds = values.astype("M8[s]").astype(np.int64) + _YEAR_1
        return np.where(missing, 0, seconds)
    if column.type == "date":
        return values.astype("M8[D]").astype(np.int64) + _YEAR_1 // 86_400
    if column.type == "text":
        return np.array([_text_value(str(text)) for text in values], np.int64)
    return values.astype(np.int64) + (1_000_000 if column.type == "integer" else 0)


def _text_value(text: str) -> int:
    letters = [ord(letter) for letter in text[:_LETTERS]]
    mixed = sum(letter * _powers(place) for place, letter in enumerate(letters))
    return len(text) + mixed % (1 << 38)


def _powers(place: int) -> int:
    return 1 << 7 * (place + 1)


def _sql_value(column: Column, seconds: str, days: str) -> str:
    name = column.name
    if column.type == "timestamp":
        value = f"({seconds.format(column=name)} + {_YEAR_1})"
        return f"COALESCE({value}, 0)" if column.nullable else value
    if column.type == "date":
        return f"({days.format(column=name)} + {_YEAR_1 // 86_400})"
    if column.type == "text":
        letters = " + ".join(
            f"CAST(ASCII(SUBSTR({name}, {place + 1}, 1)) AS BIGINT) * {_powers(place)}"
            for place in range(_LETTERS)
        )
        return f"(LENGTH({name}) + ({letters}) % {1 << 38})"
    if column.type == "boolean":
        return f"CASE WHEN {name} THEN 1 ELSE 0 END"
    return f"(CAST({name} AS BIGINT) + 1000000)"
