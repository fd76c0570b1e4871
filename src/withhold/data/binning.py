"""Numbers into ranges, on request: of a given width, cut at edges, or with about equally many cells in each.

In: a column of numbers as texts, and the bins. Out: the column with ranges as texts, and the bins that
would cut another column in the same places: quantiles become edges. Numbers are exact decimals. Values that
mean "missing" stay; anything else that is not a number is refused.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, InvalidOperation
from typing import TypeVar

from withhold.data.dates import ORDERS, read_date
from withhold.data.decimals import COMMA, WITH_COMMA, decimals_of, exact_decimal
from withhold.data.names import is_unknown
from withhold.data.table import Column, Table, Value
from withhold.errors import InputError, PolicyError, option

NUMBER = r"-?\d+(?:\.\d+)?"
RANGE = re.compile(
    rf"(?P<below>below {NUMBER})|\[?(?P<low>{NUMBER})(?:,{NUMBER}\)|\.\.{NUMBER}|-{NUMBER}| or more)"
)
"""The ranges that ``Bins.name`` writes."""


@dataclass(frozen=True)
class Bins:
    """How one column is cut into ranges."""

    width: Decimal | None = None
    edges: tuple[Decimal, ...] = ()
    """Where ranges begin; values below an edge belong to the range before."""

    def __str__(self) -> str:
        if self.width is not None:
            return f"{self.width:f}"
        # A single number would be a width.
        return ("edges:" if len(self.edges) == 1 else "") + ",".join(f"{e:f}" for e in self.edges)

    @property
    def whole(self) -> bool:
        """Whether its ranges begin at whole numbers."""
        cuts = self.edges if self.width is None else (self.width,)
        return all(cut == cut.to_integral_value() for cut in cuts)

    def name(self, number: Decimal, *, whole: bool) -> str:
        """The range that a number falls into; a range of whole numbers includes both ends."""
        if self.width is not None:
            low = (number // self.width) * self.width
            # Decimal's // cuts towards zero; ranges go down from there.
            low -= self.width if low > number else 0
            high = low + self.width
        else:
            place = bisect_right(self.edges, number)
            if place == 0:
                return f"below {self.edges[0]}"
            if place == len(self.edges):
                return f"{self.edges[-1]} or more"
            low, high = self.edges[place - 1], self.edges[place]
        if not whole:
            return f"[{low},{high})"
        last = high - 1
        between = "-" if low >= 0 else ".."
        return f"{low:f}" if low == last else f"{low:f}{between}{last:f}"

    def cut(self, column: Column, table: Table) -> tuple[Column, Bins]:
        """The column with every number replaced by its range."""
        numbers = read_numbers(column, table)
        whole = self.whole and all(n == n.to_integral_value() for n in numbers.values())
        names = {value: self.name(number, whole=whole) for value, number in numbers.items()}
        return column.mapped(lambda value: names.get(value, value)), self


@dataclass(frozen=True)
class Quantiles:
    """A number of ranges with about equally many cells each."""

    parts: int

    def __str__(self) -> str:
        return f"quantiles:{self.parts}"

    def cut(self, column: Column, table: Table) -> tuple[Column, Bins]:
        """The column in ranges, and their edges, so that other tables can be cut in the same places."""
        numbers = read_numbers(column, table)
        counts = dict(zip(column.values, column.counts.tolist(), strict=True))
        cells: dict[Decimal, int] = {}
        for value, number in numbers.items():
            cells[number] = cells.get(number, 0) + counts[value]
        edges = quantile_cuts(cells, self.parts)
        if not edges:
            raise InputError(
                f"has too few distinct numbers for {self}: all cells would be in one range",
                path=None if table.source is None else table.source.path,
                column=column.name,
                remedy="ask for more quantiles, or give edges",
            )
        return Bins(edges=edges).cut(column, table)


def quantile_cuts(cells: dict[Decimal, int], parts: int) -> tuple[Decimal, ...]:
    """Where ranges with about equally many cells begin, except the first; equal numbers stay together.

    Of the numbers that cut in the same place the roundest is used, which reveals least about any cell.

    >>> [str(edge) for edge in quantile_cuts({Decimal(n): 1 for n in (12, 19, 23, 48)}, 2)]
    ['20']
    """
    total, before = sum(cells.values()), 0
    edges: list[Decimal] = []
    last: tuple[Decimal, int] | None = None
    for number in sorted(cells):
        part = before * parts // total
        if last is not None and part != last[1]:
            edges.append(_roundest(last[0], number))
        before += cells[number]
        last = number, part
    return tuple(edges)


def _roundest(above: Decimal, most: Decimal) -> Decimal:
    """The number with the fewest digits that is greater than ``above`` and at most ``most``."""
    if above < 0 <= most:
        return Decimal(0)
    largest = max(abs(above), abs(most)).adjusted()
    for place in range(largest + 1, int(most.as_tuple().exponent), -1):
        try:
            floor = most.quantize(Decimal(1).scaleb(place), rounding=ROUND_FLOOR)
        except InvalidOperation:  # more digits than are kept
            break
        if floor > above:
            return Decimal(f"{floor:f}")
    return most


Number = int | float | str | Decimal
T = TypeVar("T")


def read_numbers(column: Column, table: Table) -> dict[Value, Decimal]:
    """The number that each value represents, with decimal commas if they are unambiguous."""
    used = (value for value, n in zip(column.values, column.counts, strict=True) if value and n)
    return read_cells(column, table, decimals_of(used).get, "number")


def read_cells(
    column: Column, table: Table, read: Callable[[str], T | None], what: str
) -> dict[Value, T]:
    """What each value represents, without those that mean "missing"; refuses what cannot be read."""
    found: dict[Value, T] = {}
    for code, count in enumerate(column.counts.tolist()):
        value = column.values[code]
        meaning = None if value is None or is_unknown(value) else read(value)
        if meaning is not None:
            found[value] = meaning
        elif value is not None and count and not is_unknown(value):
            remedy = "leave the column as it is, or correct the cell"
            if what == "number" and any(read_date(value, order) for order in ORDERS):
                remedy = (
                    f"say {column.name}=5y for dates in periods of 5 years, or month, year, decade"
                )
            if WITH_COMMA.fullmatch(value):
                remedy += f", or say {option('decimal', COMMA)} if these are decimal commas"
            raise InputError(
                f"row {int((column.codes == code).argmax()) + 1:,} holds no {what}, so the column "
                "cannot be binned",
                path=None if table.source is None else table.source.path,
                column=column.name,
                value=value,
                remedy=remedy,
            )
    return found


def lower_end(text: Value) -> Decimal | None:
    """The lower end of a range that ``Bins`` named, or the number itself; None if it is neither.

    >>> lower_end("30-39"), lower_end("[-2.5,0)"), lower_end("below 18"), lower_end("tall")
    (Decimal('30'), Decimal('-2.5'), Decimal('-Infinity'), None)
    """
    if (number := exact_decimal(text or "")) is not None:
        return number
    if (found := RANGE.fullmatch(text or "")) is None:
        return None
    if found["below"] is not None:
        return Decimal("-Infinity")
    return exact_decimal(found["low"])


def parse_numbers(name: str, given: Number | Sequence[Number]) -> Bins | None:
    """A width, or edges, from values or a text with commas; None if they are not numbers."""
    cut = given.split(",") if isinstance(given, str) else given
    numbers = [
        exact_decimal(str(part)) for part in (cut if isinstance(cut, list | tuple) else [cut])
    ]
    exact = [number for number in numbers if number is not None]
    if not exact or len(exact) < len(numbers):
        return None
    if len(exact) == 1 and not isinstance(given, list | tuple):
        if exact[0] <= 0:
            raise PolicyError(f"the bins of {name!r} must be wider than 0")
        return Bins(width=exact[0])
    if any(a >= b for a, b in zip(exact, exact[1:], strict=False)):
        raise PolicyError(f"the edges of {name!r} must be ascending")
    return Bins(edges=tuple(exact))
