"""Trees over the values of a column, built from the values: ranges of numbers, dates, prefixes, rare values.

In: the cells of a column, or how often each value occurs. Out: edges, of which ``tree_building`` makes a
tree. A blank cell is not a leaf of any tree; it can only be withheld. A value that means "missing"
(``?``, ``NA``) is a leaf right under the root. Any other value that does not fit is refused, with its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import groupby, pairwise
from typing import TypeVar

from withhold.data.binning import Bins
from withhold.data.decimals import decimals_of, exact_decimal
from withhold.data.names import is_unknown
from withhold.data.tree_building import ROOT, Edge, Node, prefix_edges, some
from withhold.errors import InputError, PolicyError
from withhold.exact import exact_threshold
from withhold.options import Threshold
from withhold.wording import counted

Cells = Iterable[str | None] | Mapping[str, int]
"""The cells of a column one by one, or how often each value occurs."""
T = TypeVar("T")
OTHER = "other"
"""The node above rare values."""
LEVELS = 60
"""The most levels of ranges, each twice as wide as those below; no number has more digits than that."""


def width_edges(cells: Cells, width: object) -> list[Edge]:
    """Ranges of this width, then twice as wide, and so on, until one holds everything."""
    numbers, missing = _numbers(cells)
    first = exact_decimal(str(width))
    if first is None or first <= 0:
        raise PolicyError(f"the width of ranges must be a number above 0, not {width!r}")
    whole = _are_whole((*numbers.values(), first))
    above: dict[str, list[Node]] = {value: [] for value in numbers}
    widest = max((abs(number) for number in numbers.values()), default=first)
    for level in range(LEVELS):
        if level and first * 2 ** (level - 1) > widest:
            # Ranges meet at 0, so those below and above it never become one.
            break
        bins = Bins(width=first * 2**level)
        names = {value: bins.name(number, whole=whole) for value, number in numbers.items()}
        if level and len(set(names.values())) < 2:
            break
        for value, name in names.items():
            above[value].append((name, level + 1))
    return _edges(above, missing)


def quantile_edges(cells: Cells, parts: int) -> list[Edge]:
    """Ranges with about equally many cells each, then merged in pairs of neighbours, and so on."""
    if isinstance(parts, bool) or not hasattr(parts, "__index__") or parts < 2:
        raise PolicyError(
            f"the number of quantiles must be a whole number of at least 2, not {parts!r}"
        )
    counts = _counts(cells)
    numbers, missing = _numbers(counts)
    ordered = sorted(numbers, key=lambda value: numbers[value])
    total, before = sum(counts[value] for value in ordered), 0
    part_of = {}
    for value in ordered:
        part_of[value] = before * parts // total
        before += counts[value]
    above: dict[str, list[Node]] = {value: [] for value in ordered}
    level = 0
    while len(set(part_of.values())) > 1:
        level += 1
        for _, together in groupby(ordered, key=lambda value: part_of[value]):
            values = list(together)
            # A range of a single value would add nothing.
            if len(values) > 1:
                name = _between(numbers[values[0]], numbers[values[-1]])
                for value in values:
                    if not above[value] or above[value][-1][0] != name:
                        above[value].append((name, level))
        part_of = {value: part // 2 for value, part in part_of.items()}
    return _edges(above, missing)


def cut_edges(cells: Cells, cuts: Sequence[object]) -> list[Edge]:
    """Ranges that begin at these numbers."""
    numbers, missing = _numbers(cells)
    exact = [exact_decimal(str(cut)) for cut in cuts]
    edges = tuple(each for each in exact if each is not None)
    if not edges or len(edges) < len(exact) or any(a >= b for a, b in pairwise(edges)):
        raise PolicyError(f"the edges of ranges must be ascending numbers, not {list(cuts)!r}")
    whole = _are_whole((*numbers.values(), *edges))
    bins = Bins(edges=edges)
    return _edges({v: [(bins.name(n, whole=whole), 1)] for v, n in numbers.items()}, missing)


def date_edges(cells: Cells) -> list[Edge]:
    """Days under months, years and decades; a time of day under its day."""
    dates, missing = _read_all(cells, _date, "a date", "write dates as 2026-11-17")
    above = {}
    for value, date in dates.items():
        decade = date.year // 10 * 10
        day = date.date().isoformat()
        names = (day, f"{date:%Y-%m}", f"{date.year}", f"{decade}-{decade + 9}")
        above[value] = [(name, n) for n, name in enumerate(names, 1)][value == day :]
    return _edges(above, missing)


def column_prefix_edges(cells: Cells, lengths: Sequence[int] | None = None) -> list[Edge]:
    """Codes under their prefixes of these lengths; by default of all, or as for items if there are dots."""
    values, missing = _read_all(cells, lambda text: text, "a code", "")
    if lengths is None and not any("." in value for value in values):
        lengths = range(1, max(map(len, values), default=1)) or None
    return [*prefix_edges(values, lengths), *_edges({}, missing)]


def frequency_edges(cells: Cells, share: Threshold) -> list[Edge]:
    """Values in fewer than this share of the cells under one node, the others right under the root."""
    least = exact_threshold(share, name="the share of frequent values")
    counts = _counts(cells)
    total = sum(counts.values())
    rare = {value for value, count in counts.items() if Fraction(count, total) < least}
    merged = rare if len(rare) > 1 else set()
    return _edges({value: [(OTHER, 1)] if value in merged else [] for value in counts}, ())


def _edges(above: Mapping[str, Sequence[Node]], missing: Iterable[str]) -> list[Edge]:
    """The edges of paths from each value to the root.

    Leaves and nodes may have the same label; the number of the level keeps them apart.
    """
    edges: dict[tuple[Node, Node], Edge] = {}
    for value, nodes in (*above.items(), *((value, ()) for value in missing)):
        path: list[Node] = [(value, -1), *nodes, (ROOT, 0)]
        for pair in pairwise(path):
            edges.setdefault(pair, Edge(*pair))
    return list(edges.values())


def _counts(cells: Cells) -> Counter[str]:
    """How often each value occurs; blanks are not counted."""
    counts = Counter(cells)
    return Counter({value: count for value, count in counts.items() if value and count > 0})


def _numbers(cells: Cells) -> tuple[dict[str, Decimal], list[str]]:
    remedy = "correct the cells, or build the hierarchy in another way (prefix, frequency:0.01)"
    counts = _counts(cells)
    return _read_all(counts, decimals_of(counts).get, "a number", remedy)


def _read_all(
    cells: Cells, read: Callable[[str], T | None], what: str, remedy: str
) -> tuple[dict[str, T], list[str]]:
    """The different values as read, and those that mean "missing"."""
    found: dict[str, T] = {}
    missing, odd = [], []
    for value in sorted(_counts(cells)):
        meaning = read(value)
        if is_unknown(value):
            missing.append(value)
        elif meaning is None:
            odd.append(value)
        else:
            found[value] = meaning
    if odd:
        verb = "is" if len(odd) == 1 else "are"
        problem = f"{counted(len(odd), 'value')} {verb} not {what}: {some(odd)}"
        raise InputError(problem, remedy=remedy)
    if not found:
        raise InputError(f"no cell holds {what}, so no hierarchy can be built")
    return found, missing


def _date(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _are_whole(numbers: Iterable[Decimal]) -> bool:
    return all(number == number.to_integral_value() for number in numbers)


def _between(low: Decimal, high: Decimal) -> str:
    """A range that includes both ends."""
    return f"{low:f}{'-' if low >= 0 else '..'}{high:f}"
