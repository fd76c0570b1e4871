"""The plain twins of the kernels that merge rows: obvious, slow, and recomputing everything each time.

A row is a tuple of nodes and its class; ``above`` maps a node to the one above it, a root to None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

Row = tuple[tuple[int, ...], int]


def common_node(above: Mapping[int, int | None], a: int, b: int) -> int:
    """The lowest node above both, or one of them."""
    line: list[int] = []
    node: int | None = a
    while node is not None:
        line.append(node)
        node = above[node]
    while b not in line:
        b = above[b]  # type: ignore[assignment]  # every line ends at the column's root
    return b


def merged(
    above: Mapping[int, int | None], one: Sequence[int], other: Sequence[int]
) -> tuple[int, ...]:
    """The cells that two rows have when they are made equal."""
    return tuple(common_node(above, a, b) for a, b in zip(one, other, strict=True))


def divergence(
    original: Sequence[Row],
    now: Sequence[Row],
    values: Sequence[frozenset[int]],
    pseudo_count: float,
) -> float:
    """Σ over classes p(c) Σ over columns KL(p, q), p from the original, q from what is still shown."""
    total = 0.0
    for own in {row[1] for row in original}:
        before = [cells for cells, each in original if each == own]
        after = [cells for cells, each in now if each == own]
        for column, there in enumerate(values):
            p, q = (
                _smoothed([cells[column] for cells in rows], there, pseudo_count)
                for rows in (before, after)
            )
            weight = len(before) / len(original)
            total += weight * sum(p[value] * log(p[value] / q[value]) for value in there)
    return total


def cost_of_merge(
    original: Sequence[Row],
    now: Sequence[Row],
    pair: tuple[Row, Row],
    above: Mapping[int, int | None],
    values: Sequence[frozenset[int]],
    linear: Sequence[float],
    divergent: float,
    pseudo_count: float,
) -> float:
    """What it costs to give all rows like the two of a pair the same cells: all rows looked at anew."""
    together = merged(above, pair[0][0], pair[1][0])
    after = [(together, own) if (cells, own) in pair else (cells, own) for cells, own in now]
    cost = 0.0
    for (old, _), (new, _) in zip(now, after, strict=True):
        cost += sum(linear[b] - linear[a] for a, b in zip(old, new, strict=True))
    if divergent:
        cost += divergent * (
            divergence(original, after, values, pseudo_count)
            - divergence(original, now, values, pseudo_count)
        )
    return cost


def fewest_fitting(rows: Sequence[tuple[int, ...]], withheld: int) -> int:
    """The least number of rows that fit a row, a withheld cell fitting anything."""
    return min(
        sum(
            all(a == b or withheld in (a, b) for a, b in zip(one, other, strict=True))
            for other in rows
        )
        for one in rows
    )


def _smoothed(cells: list[int], there: frozenset[int], pseudo_count: float) -> dict[int, float]:
    counts = Counter(cell for cell in cells if cell in there)
    total = sum(counts.values()) + pseudo_count * len(there)
    return {value: (counts[value] + pseudo_count) / total for value in there}
