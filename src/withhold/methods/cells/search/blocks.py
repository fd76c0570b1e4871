"""Large tables in blocks: rows that agree in the columns with few values are searched together.

Rows are sorted by their quasi-identifiers, fewest values first, and cut into blocks; equal rows stay
together. Each block is searched on its own. Groups of different blocks may come to look alike, which only
makes them larger, and what is asked of groups holds for their union, too. A block that could not be released
on its own (fewer than k rows, or too few sensitive values) is joined to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Floats, Ints, Longs
from withhold.data.forest import Forest
from withhold.method import SearchRun
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.options import CellsSearch
from withhold.methods.cells.requirements import DistinctDiversity
from withhold.methods.cells.search.pattern_search import Required, cells_by_patterns
from withhold.methods.cells.sensitive import Sensitive

BLOCK_ROWS = 50_000
"""Rows of a block by default; docs/decisions/0042 has the figures."""
BLOCKS_FROM = 400_000
"""Tables with fewer rows are searched as a whole by default."""
KEY_LIMIT = 2**62
"""Keys stay below this, so that they fit into int64."""


def block_rows(n_rows: int, model: KAnonymity, options: CellsSearch) -> int | None:
    """About how many rows a block has; None: the table is searched as a whole."""
    if not options.by_patterns or options.polishes:
        return None
    asked = options.block_rows
    # Requirements that compare a group with the whole table are hard to meet among similar rows.
    is_plain = all(isinstance(each, DistinctDiversity) for each in model.requirements)
    if asked is None and options.hierarchy is None and is_plain and n_rows >= BLOCKS_FROM:
        asked = BLOCK_ROWS
    return None if asked is None or asked >= n_rows else asked


def sort_keys(codes: NDArray[np.int32], n_codes: Sequence[int]) -> Longs:
    """By row: a key that sorts by columns, fewest values first; as many columns as fit into 62 bits.

    ``n_codes`` has by column how many codes there are; codes begin at 0.

    >>> sort_keys(np.array([[7, 1], [3, 1], [9, 0]], dtype=np.int32), [10, 2]).tolist()
    [17, 13, 9]
    """
    keys = np.zeros(len(codes), dtype=np.int64)
    span = 1
    for j in sorted(range(len(n_codes)), key=lambda j: n_codes[j]):
        span *= max(n_codes[j], 1)
        if span >= KEY_LIMIT:
            break
        keys = keys * n_codes[j] + codes[:, j]
    return keys


def cut_keys(keys: Longs, n_blocks: int, weights: Longs | None = None) -> Longs:
    """The keys at which the blocks after the first begin; without weights, each key counts once.

    >>> cut_keys(np.array([1, 1, 1, 1, 2, 3]), 3).tolist()
    [2]
    """
    order = np.argsort(keys, kind="stable")
    sorted_keys = keys[order]
    before = np.arange(len(keys)) if weights is None else np.cumsum(weights[order]) - weights[order]
    total = len(keys) if weights is None else int(weights.sum())
    wanted = np.searchsorted(before, [total * at // n_blocks for at in range(1, n_blocks)])
    bounds = np.unique(sorted_keys[np.minimum(wanted, len(keys) - 1)])
    found: Longs = bounds[bounds > sorted_keys[0]]
    return found


def join_blocks(
    sizes: Sequence[int], is_valid: Callable[[int, int], bool]
) -> list[tuple[int, int]]:
    """Join neighbouring blocks into spans, each of which can be released on its own; empty ones, too.

    ``is_valid(first, end)`` decides for the blocks from ``first`` to before ``end``. Those left at the end
    join the span before them.

    >>> join_blocks([4, 1, 0, 5, 2], lambda first, end: sum([4, 1, 0, 5, 2][first:end]) >= 3)
    [(0, 1), (1, 5)]
    """
    spans: list[tuple[int, int]] = []
    first = 0
    for end in range(1, len(sizes) + 1):
        if is_valid(first, end):
            spans.append((first, end))
            first = end
    while first < len(sizes) and spans:
        # The union of two valid blocks is valid; that of a valid and an invalid one need not be.
        start, _ = spans.pop()
        if is_valid(start, len(sizes)):
            return [*spans, (start, len(sizes))]
    return spans or [(0, len(sizes))]


def counts_are_valid(
    n_rows: int, counts: Sequence[Longs], model: KAnonymity, sensitive: Sequence[Sensitive]
) -> bool:
    """Whether ``n_rows`` rows, with these counts of sensitive values, can be a release of their own."""
    return n_rows >= model.k and not any(
        requirement.lacks({int(v): int(found[v]) for v in np.flatnonzero(found)}, column.whole)
        for column, found in zip(sensitive, counts, strict=True)
        for requirement in model.requirements
    )


def cells_by_blocks(
    forest: Forest,
    prices: Floats,
    model: KAnonymity,
    required: Required,
    options: CellsSearch,
    sensitive: Sequence[Sensitive],
    run: SearchRun,
) -> tuple[Ints, int]:
    """By row and column: the node that is published; and the number of blocks that were searched."""
    n = len(forest.nodes)
    rows_a_block = block_rows(n, model, options) or n
    widths = np.diff(forest.bounds).tolist()
    keys = sort_keys(forest.nodes - forest.bounds[:-1].astype(np.int32), widths)
    bounds = cut_keys(keys, max(round(n / rows_a_block), 1))
    of_row = np.searchsorted(bounds, keys, side="right")
    sizes = np.bincount(of_row, minlength=len(bounds) + 1)
    counts = [
        np.bincount(
            of_row * len(each.whole.totals) + each.values,
            minlength=len(sizes) * len(each.whole.totals),
        ).reshape(len(sizes), -1)
        for each in sensitive
    ]

    def is_valid(first: int, end: int) -> bool:
        found = [each[first:end].sum(axis=0) for each in counts]
        return counts_are_valid(int(sizes[first:end].sum()), found, model, sensitive)

    spans = join_blocks(sizes.tolist(), is_valid)
    order = np.argsort(of_row, kind="stable")
    ends = np.append(0, np.cumsum(sizes))
    final = np.empty_like(forest.nodes)
    for number, (first, end) in enumerate(spans):
        rows = order[ends[first] : ends[end]]
        block = replace(forest, nodes=np.ascontiguousarray(forest.nodes[rows]))
        own = Required(required.limits, required.values[rows])
        final[rows], _ = cells_by_patterns(block, prices, model.k, own, options, run)
        run.progress("searching blocks", number + 1, len(spans))
    return final, len(spans)
