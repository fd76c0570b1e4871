"""How many records hold any two items together, exactly: a dense block of counts at a time.

A block holds the pairs whose lower code is in a range, so that memory is bounded whatever the number of
items. What a count means for privacy is not decided here.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import kernel
from withhold.counting.threads import Progress, Stop, available_cores, quiet, run_all
from withhold.data import Records
from withhold.data.array_types import Ints, Longs

MOST_CELLS = 1 << 22
"""Counts in a block."""
BLOCKS_PER_JOB = 4
WORTH_SHARING = 1 << 18
"""Above this many occurrences, blocks are made so small that all cores have some."""


class PairBlock(NamedTuple):
    """The pairs in some records whose lower code is in a range, with how many records hold each."""

    lower: Longs
    higher: Longs
    counts: Longs


def count_all_pairs(
    records: Records, stop: Stop, *, jobs: int | None = None, progress: Progress = quiet
) -> Iterator[PairBlock]:
    """The pairs of items that some record holds, block by block, lower codes ascending.

    >>> shop = Records.from_lists([["a", "b"], ["a", "b", "c"]])
    >>> [[*zip(*(each.tolist() for each in block))] for block in count_all_pairs(shop, Stop(), jobs=1)]
    [[(0, 1, 2), (0, 2, 1), (1, 2, 1)]]
    """
    jobs, rows = jobs or available_cores(), (records.offsets, records.items)
    bounds = _bounds(records, jobs)
    for start in range(0, len(bounds) - 1, jobs):
        some = bounds[start : start + jobs + 1]
        tasks = [
            partial(count_block, rows, records.n_items, first, last, stop)
            for first, last in zip(some[:-1], some[1:], strict=True)
        ]
        yield from run_all(tasks, stop, jobs=jobs)
        progress("counting pairs", min(start + jobs, len(bounds) - 1), len(bounds) - 1)


def _bounds(records: Records, jobs: int) -> list[int]:
    """Ranges of codes: each block fits, and if there is much to do, there are several for each core."""
    n_items = records.n_items
    rows = max(MOST_CELLS // max(n_items, 1), 1)
    if jobs > 1 and records.n_occurrences > WORTH_SHARING:
        rows = min(rows, -(-n_items // (BLOCKS_PER_JOB * jobs)))
    return [*range(0, n_items, max(rows, 1)), n_items]


def count_block(
    rows: tuple[Longs, Ints], n_items: int, first: int, last: int, stop: Stop
) -> PairBlock:
    """The pairs in rows of ascending codes whose lower code is in a range."""
    counts: NDArray[np.int32] = np.zeros((last - first, n_items), dtype=np.int32)
    count_pairs(*rows, first, counts, stop.flag)
    lower, higher = np.nonzero(counts)
    return PairBlock(lower + first, higher, counts[lower, higher].astype(np.int64))


@kernel
def count_pairs(offsets, items, first, counts, stop):
    """Add each pair of a row whose lower item is ``first`` + n, n a row of ``counts``, to that row."""
    last = first + len(counts)
    for row in range(len(offsets) - 1):
        if stop[0] != 0:
            return
        end = offsets[row + 1]
        for i in range(offsets[row], end):
            low = items[i]
            if low >= last:
                break
            if low >= first:
                for j in range(i + 1, end):
                    counts[low - first, items[j]] += 1


@kernel
def count_beside(rows, private_offsets, private_items, root, joint, counts, most):
    """How many rows hold each higher item beside the root, and of these the most that hold one private item.

    These are written into ``counts`` and ``most``, by item. ``joint``, by item and private item, is scratch.
    All three must be all zeros at first; ``joint`` is so again in the end.
    """
    begin, end = rows.post_offsets[root], rows.post_offsets[root + 1]
    for is_second in range(2):
        for posting in range(begin, end):
            row = rows.post_rows[posting]
            for p in range(rows.offsets[row + 1] - 1, rows.offsets[row] - 1, -1):
                x = rows.items[p]
                if x <= root:
                    break
                if is_second == 0:
                    counts[x] += 1
                for q in range(private_offsets[row], private_offsets[row + 1]):
                    s = private_items[q]
                    if is_second == 1:
                        joint[x, s] = 0
                    else:
                        joint[x, s] += 1
                        most[x] = max(most[x], joint[x, s])
