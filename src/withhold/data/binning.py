"""Numbers into ranges, on request: ``age=5`` makes ranges five wide, ``age=18,65`` cuts at these edges.

In: a column of numbers as texts, and the bins. Out: the column with ranges as texts. Numbers are exact
decimals; a blank stays a blank; what is no number is refused.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from withhold.data.column_lists import unquoted
from withhold.data.decimals import COMMA, WITH_COMMA, decimals_of, exact_decimal
from withhold.data.table import Column, Value
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
    """Where a range begins; the one before it ends below."""

    def __str__(self) -> str:
        return str(self.width) if self.width is not None else ",".join(map(str, self.edges))

    def name(self, number: Decimal, *, whole: bool) -> str:
        """The range that a number falls into; of whole numbers both ends belong to it."""
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


Number = int | float | str | Decimal
Widths = Number | Sequence[Number] | Bins
"""How wide the ranges of a column are, or where they begin."""


def parse_bins(bins: Mapping[str, Widths] | Iterable[str]) -> dict[str, Bins]:
    """The bins of each column, from values or from texts such as ``age=5``."""
    if isinstance(bins, str):
        bins = [bins]
    if odd := [name for name in bins if not isinstance(name, str)]:
        raise PolicyError(f"bins name columns by texts, such as 'age', not {odd[0]!r}")
    if not isinstance(bins, Mapping):
        pairs = [text.rpartition("=") for text in bins]
        pairs = [(unquoted(name), mark, rest) for name, mark, rest in pairs]
        if bad := [rest for name, mark, rest in pairs if not (name and mark)]:
            written = "bins are written as COLUMN=WIDTH or COLUMN=EDGE,EDGE"
            raise PolicyError(f"{written}, not {bad[0]!r}")
        names = [name for name, _, _ in pairs]
        if len(set(names)) < len(names):
            raise PolicyError("a column is binned twice; say once how")
        bins = {name: rest for name, _, rest in pairs}
    return {name: _parse(name, given) for name, given in bins.items()}


def bin_column(column: Column, bins: Bins, *, path: Path | None = None) -> Column:
    """The column with every number replaced by its range."""
    found = decimals_of(value for value in column.values if value)
    numbers: dict[Value, Decimal] = {
        value: _number_in(column, value, number, path) for value, number in found.items()
    }
    cuts = (bins.width,) if bins.width is not None else bins.edges
    whole = all(n == n.to_integral_value() for n in (*numbers.values(), *cuts))
    names = {value: bins.name(number, whole=whole) for value, number in numbers.items()}
    return column.mapped(lambda value: names.get(value, value))


def lower_end(text: Value) -> Decimal | None:
    """Where a range begins that ``Bins`` named, or the number itself; None: it is neither.

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


def _number_in(column: Column, value: str, number: Decimal | None, path: Path | None) -> Decimal:
    if number is not None:
        return number
    row = int((column.codes == column.values.index(value)).argmax()) + 1
    problem = f"row {row:,} holds no number, so the column cannot be binned"
    remedy = "leave the column as it is, or correct the cell"
    if WITH_COMMA.fullmatch(value):
        remedy += f", or say {option('decimal', COMMA)} if these are decimal commas"
    raise InputError(problem, path=path, column=column.name, value=value, remedy=remedy)


def _parse(name: str, given: Widths) -> Bins:
    if isinstance(given, Bins):
        return given
    cut = given.split(",") if isinstance(given, str) else given
    numbers = [
        exact_decimal(str(part)) for part in (cut if isinstance(cut, list | tuple) else [cut])
    ]
    exact = [number for number in numbers if number is not None]
    if not exact or len(exact) < len(numbers):
        raise PolicyError(f"the bins of {name!r} must be a width or edges, not {given!r}")
    if len(exact) == 1 and not isinstance(given, list | tuple):
        if exact[0] <= 0:
            raise PolicyError(f"the bins of {name!r} must be wider than 0")
        return Bins(width=exact[0])
    if any(a >= b for a, b in zip(exact, exact[1:], strict=False)):
        raise PolicyError(f"the edges of {name!r} must ascend")
    return Bins(edges=tuple(exact))
