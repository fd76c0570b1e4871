"""When the budget is spent: whatever was not shown to be safe is removed everywhere.

Removing an item from all records changes no support of an itemset without it, so what was safe stays
safe, and the release is safe whatever the search had reached. Where records are split into parts, that is
done within the parts that were not finished: the others are safe, and so is the union.
"""

from __future__ import annotations

import numpy as np

from withhold.counting.layout import Ints, lay_out
from withhold.counting.threads import Stop
from withhold.data import Records
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.search.log import Log
from withhold.methods.rho.search.unsafe_items import sizes_to_check, unsafe_items


def remove_unproven(
    records: Records,
    model: RhoUncertainty,
    kept: np.ndarray,
    log: Log,
    stop: Stop,
    *,
    jobs: int | None,
) -> np.ndarray:
    """``kept`` without the sensitive items that are unsafe or that ``stop`` left unchecked."""
    # Each size once, small ones first: what goes for a larger one makes no smaller one unsafe.
    for size in sizes_to_check(model):
        layout = lay_out(records, records.codes(model.sensitive), kept)
        unproven = unsafe_items(layout, model, size, stop, jobs=jobs)
        kept = remove_everywhere(records, layout.code_of_rank[unproven], kept, log)
    return kept


def remove_everywhere(records: Records, codes: Ints, kept: np.ndarray, log: Log) -> np.ndarray:
    """``kept`` without these items, logged as removed for want of time."""
    codes = np.sort(codes)
    places = np.flatnonzero(kept & np.isin(records.items, codes))
    log.add(
        places,
        np.searchsorted(codes, records.items[places]),
        starts=np.zeros(len(codes) + 1, dtype=np.int64),
        items=np.zeros(0, dtype=np.int32),
        consequents=codes,
        joints=np.zeros(len(codes), dtype=np.int64),
        supports=np.zeros(len(codes), dtype=np.int64),
    )
    left = kept.copy()
    left[places] = False
    return left
