"""Divide and conquer (Jia et al., Algorithm 3): the union of two safe sets of records is safe.

Records that share their most common public items go into the same part, and each part is made safe.
Parts lose more than the whole, for supports are smaller in them, but less so than parts drawn at random;
restoring afterwards, against all records, wins back the rest (docs/decisions/0051).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from withhold.counting.layout import Ints, Longs
from withhold.data import Records
from withhold.errors import PolicyError
from withhold.methods.rho.search.dealing import order_by_public_items


def split_records(
    records: Records, sensitive: Ints, *, parts: int | None, max_cost: float | None
) -> list[Longs]:
    """The record numbers of each part: ``parts`` equal ones, or halves of halves until each is cheap."""
    if parts is not None and max_cost is not None:
        raise PolicyError("give either parts or max_cost, not both")
    if parts is not None and not 1 <= parts <= max(len(records), 1):
        raise PolicyError(f"{parts} parts of {len(records):,} records are not possible")
    if max_cost is not None and not max_cost > 0:
        raise PolicyError(f"max_cost must be above 0, not {max_cost}")
    if max_cost is None and parts in (None, 1):
        return [np.arange(len(records), dtype=np.int64)]
    dealt = order_by_public_items(records, sensitive)
    split = np.array_split(dealt, parts) if parts else _halve(records, dealt, max_cost or 0.0)
    return [np.sort(part) for part in split]


def _halve(records: Records, numbers: Longs, max_cost: float) -> list[Longs]:
    if len(numbers) < 2 or cost(records, numbers) <= max_cost:
        return [numbers]
    middle = len(numbers) // 2
    return _halve(records, numbers[:middle], max_cost) + _halve(records, numbers[middle:], max_cost)


def cost(records: Records, numbers: Longs) -> float:
    """The paper's guess of the work (its equation 8): |T|·2^(N/|T|) / |D(T)|."""
    places = places_of(records, numbers)
    n_items = len(np.unique(records.items[places]))
    return float(len(numbers) * 2.0 ** (len(places) / len(numbers)) / max(n_items, 1))


def places_of(records: Records, numbers: Longs) -> Ints | Longs:
    """The places of these records' occurrences in ``items``."""
    # Records with too many occurrences for the kernels may be split into parts that fit.
    kind: Any = np.int32 if records.n_occurrences < 2**31 else np.int64
    starts = records.offsets[numbers]
    lengths = records.offsets[numbers + 1] - starts
    # From the place within the part to the place in the records.
    starts[1:] -= np.cumsum(lengths)[:-1]
    places: Ints | Longs = np.repeat(starts.astype(kind), lengths)
    places += np.arange(len(places), dtype=kind)
    return places


def part_of(records: Records, numbers: Longs, places: Ints | Longs) -> Records:
    """Only the records of these numbers, whose occurrences are at these places, under the same codes."""
    offsets = np.zeros(len(numbers) + 1, dtype=np.int64)
    np.cumsum(records.offsets[numbers + 1] - records.offsets[numbers], out=offsets[1:])
    return Records(offsets, records.items[places], records.vocabulary)
