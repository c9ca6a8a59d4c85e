"""Checksums of the conversion tables that NumPy and any database compute alike.

Each row becomes one number by integer arithmetic that every SQL engine has, and that number two
remainders, by two primes. Per zone the rows are counted, the first remainders summed, and their
products with the second ones: the order of rows does not matter, and a changed, swapped, lost or
doubled value does. One change alone cannot hide, because no difference of two such numbers is a
multiple of both primes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from tzconv.tables import Column, Table
from tzconv.tz.posix import Int64
from tzconv.tz.spans import NO_OFFSET, Columns

Sums = tuple[int, int, int]
"""Rows, sum of the first remainders, sum of the products of both (by the first prime again)."""

PRIME = 2_147_483_647
SECOND_PRIME = 2_147_483_629
_WEIGHTS = (648_389, 743_747, 522_289, 914_261, 830_503, 461_017, 705_163)
"""Below 2^20: a value has at most 40 bits, so the sum of the products fits into 63 bits."""
BEFORE_1970 = 62_135_683_200
"""Seconds from a day before 0001-01-01 to 1970: added, so that every time is positive."""
_DAYS_BEFORE_1970 = BEFORE_1970 // 86_400
FRACTION_WEIGHT = 524_287
"""Valid times are whole seconds; the weight of each microsecond of an invalid one."""
_LARGE = (1 << 39) - 7
"""A prime, and the value of NULL: later than any time (year 9999 has 3 * 10^11 seconds)."""
_LENGTH_WEIGHT = 131_071
_MOST_LETTERS = 40
"""Letters of a text that count; the longest name of the tz database has 32."""
_MODULUS = (1 << 127) - 1
"""A prime: a digest has 32 hexadecimal digits."""


def sql_sums(table: Table, name: str, seconds: str, days: str, where: str = "") -> str:
    """The SELECT of zone and Sums from the table called ``name``.

    The patterns turn a ``{column}`` into a number: a time into seconds since 1970 and
    ``BEFORE_1970``, a date into days since 1970.
    """
    number = " + ".join(
        f"{weight} * {_sql_value(column, seconds, days)}" for weight, column in _weighted(table)
    )
    numbers = f"SELECT time_zone_name, {number} AS n FROM {name} {where}"  # noqa: S608 # our names
    return (
        f"SELECT time_zone_name, count(*), sum(a), sum(a * b % {PRIME}) "  # noqa: S608 # our names
        f"FROM (SELECT time_zone_name, n % {PRIME} AS a, n % {SECOND_PRIME} AS b "
        f"FROM ({numbers}) AS numbers) AS remainders GROUP BY time_zone_name"
    )


def of_runs(table: Table, columns: Columns, lengths: Sequence[int]) -> list[Sums]:
    """The sums of the rows of several zones, which follow each other in runs of those lengths."""
    number: Int64 = np.zeros(sum(lengths), np.int64)
    for weight, column in _weighted(table):
        number += weight * _value(column, columns)
    first = number % PRIME
    # no sum of some rows is ambiguous: two partial sums differ by it
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    parts = [
        np.diff(np.concatenate([[0], np.cumsum(one)])[starts]).tolist()
        for one in (first, first * (number % SECOND_PRIME) % PRIME)
    ]
    return list(zip(lengths, *parts, strict=True))


def total(parts: Iterable[Sums]) -> Sums:
    """The sums of all parts together."""
    rows, one, two = map(sum, zip((0, 0, 0), *parts, strict=True))
    return rows, one, two


def digest(sums: Mapping[str, Sums]) -> str:
    """One checksum of a table from the sums of its zones: 32 hexadecimal digits.

    It is linear in the sums, so that :func:`moved` follows a change of a few rows.
    """
    return f"{_weigh(sums):032x}"


def is_digest(text: str) -> bool:
    """Whether ``digest`` made the text; those of older versions are longer."""
    return len(text) == 32


def moved(before: str, deleted: Mapping[str, Sums], inserted: Mapping[str, Sums]) -> str:
    """The digest ``before`` of a table after rows with those sums were deleted and inserted."""
    return f"{(int(before, 16) - _weigh(deleted) + _weigh(inserted)) % _MODULUS:032x}"


def _weigh(sums: Mapping[str, Sums]) -> int:
    return sum(_weight(zone, parts) for zone, parts in sums.items()) % _MODULUS


def _weight(zone: str, sums: Sums) -> int:
    """The sums of a zone, each with a weight that its name decides."""
    weights = hashlib.sha384(zone.encode()).digest()
    return sum(
        part * int.from_bytes(weights[start : start + 16], "big")
        for part, start in zip(sums, (0, 16, 32), strict=True)
    )


def _weighted(table: Table) -> Iterator[tuple[int, Column]]:
    """The columns with their weights; ValueError where a table has more of them than weights."""
    columns = [column for column in table.columns if column.name != "time_zone_name"]
    return zip(_WEIGHTS[: len(columns)], columns, strict=True)


def _value(column: Column, columns: Columns) -> Int64:
    values = columns[column.name]
    if column.type == "timestamp":
        microseconds: Int64 = values.astype("M8[us]", copy=False).view(np.int64)
        seconds = microseconds // 1_000_000
        if not np.array_equal(seconds * 1_000_000, microseconds):  # or one is NaT
            seconds += microseconds % 1_000_000 * FRACTION_WEIGHT
        seconds += BEFORE_1970
        return np.where(np.isnat(values), _LARGE, seconds) if column.nullable else seconds
    if column.type == "date":
        return values.astype("M8[D]").astype(np.int64) + _DAYS_BEFORE_1970
    if column.type == "text":
        found = {text: _text_value(text, column) for text in set(values.tolist())}
        return np.array([found[text] for text in values.tolist()], np.int64)
    if column.type == "boolean":
        return values.astype(np.int64)
    numbers: Int64 = values.astype(np.int64) + _above(column)
    return np.where(values == NO_OFFSET, _LARGE, numbers) if column.nullable else numbers


def _text_value(text: str, column: Column) -> int:
    letters = text[: _letters(column)]
    mixed = sum(ord(letter) * _place(index) for index, letter in enumerate(letters))
    return (len(text) * _LENGTH_WEIGHT + mixed) % _LARGE


def _above(column: Column) -> int:
    """Added to a number, so that it is positive: an offset in seconds or in microseconds."""
    return 1_000_000 if column.type == "integer" else 1 << 37


def _letters(column: Column) -> int:
    return min(column.length, _MOST_LETTERS)


def _place(index: int) -> int:
    return 1_000_003 * (index + 1) ** 2


def sql_text(column: Column) -> str:
    """A number for the text of a column."""
    letters = " + ".join(
        # past the end SUBSTR is empty, and ASCII of that is NULL on some engines
        f"CAST(COALESCE(ASCII(SUBSTR({column.name}, {index + 1}, 1)), 0) AS BIGINT) * "
        f"{_place(index)}"
        for index in range(_letters(column))
    )
    return f"((CAST(LENGTH({column.name}) AS BIGINT) * {_LENGTH_WEIGHT} + {letters}) % {_LARGE})"


def _sql_value(column: Column, seconds: str, days: str) -> str:
    name = column.name
    if column.type == "timestamp":
        value = seconds.format(column=name)
        return f"COALESCE({value}, {_LARGE})" if column.nullable else value
    if column.type == "date":
        return f"({days.format(column=name)} + {_DAYS_BEFORE_1970})"
    if column.type == "text":
        return sql_text(column)
    if column.type == "boolean":
        return f"CASE WHEN {name} THEN 1 ELSE 0 END"
    value = f"(CAST({name} AS BIGINT) + {_above(column)})"
    if column.type == "bigint":  # any other number could overflow
        bounds = f"-{_above(column)} AND {_above(column)}"
        value = f"CASE WHEN {name} NOT BETWEEN {bounds} THEN 0 ELSE {value} END"
    return f"COALESCE({value}, {_LARGE})" if column.nullable else value
