"""Divide and conquer (Jia et al., Algorithm 3): two safe tables make a safe union.

Records are split at random into parts that are made safe on their own. Parts lose more than the whole,
for supports are smaller in them; restoring afterwards, against the whole table, wins it back and mostly
a little more (docs/decisions/0004).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from withhold.counting.layout import Ints, Longs
from withhold.data import Records
from withhold.errors import PolicyError


def split_records(
    table: Records, *, parts: int | None, max_cost: float | None, seed: int
) -> list[Longs]:
    """The records of each part: ``parts`` equal ones, or halves of halves until each is cheap."""
    if parts is not None and max_cost is not None:
        raise PolicyError("give either parts or max_cost, not both")
    records = np.arange(len(table), dtype=np.int64)
    if parts is None and max_cost is None:
        return [records]
    shuffled = np.random.default_rng(seed).permutation(records)
    if parts is not None:
        if not 1 <= parts <= max(len(table), 1):
            raise PolicyError(f"{parts} parts of {len(table):,} records are not possible")
        return [np.sort(part) for part in np.array_split(shuffled, parts)]
    assert max_cost is not None
    if not max_cost > 0:
        raise PolicyError(f"max_cost must be above 0, not {max_cost}")
    return [np.sort(part) for part in _halve(table, shuffled, max_cost)]


def _halve(table: Records, records: Longs, max_cost: float) -> list[Longs]:
    if len(records) < 2 or cost(table, records) <= max_cost:
        return [records]
    middle = len(records) // 2
    return _halve(table, records[:middle], max_cost) + _halve(table, records[middle:], max_cost)


def cost(table: Records, records: Longs) -> float:
    """The paper's guess of the work (its equation 8): |T|·2^(N/|T|) / |D(T)|."""
    places = places_of(table, records)
    n_items = len(np.unique(table.items[places]))
    return float(len(records) * 2.0 ** (len(places) / len(records)) / max(n_items, 1))


def places_of(table: Records, records: Longs) -> Ints | Longs:
    """Where the items of these records stand in the table's ``items``."""
    # A whole table beyond the kernels' reach may be split into parts that are not.
    kind: Any = np.int32 if table.n_occurrences < 2**31 else np.int64
    starts = table.offsets[records]
    lengths = table.offsets[records + 1] - starts
    # From the place within the part to the place in the table.
    starts[1:] -= np.cumsum(lengths)[:-1]
    places: Ints | Longs = np.repeat(starts.astype(kind), lengths)
    places += np.arange(len(places), dtype=kind)
    return places


def part_of(table: Records, records: Longs, places: Ints | Longs) -> Records:
    """The table of these records only, which stand at these places, under the same codes."""
    offsets = np.zeros(len(records) + 1, dtype=np.int64)
    np.cumsum(table.offsets[records + 1] - table.offsets[records], out=offsets[1:])
    return Records(offsets, table.items[places], table.vocabulary)
