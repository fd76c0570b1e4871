"""Rows with some of their items only, under numbers that are the same in all parts."""

from __future__ import annotations

import numpy as np

from withhold.data import Records
from withhold.data.array_types import Ints, Longs
from withhold.data.records import offsets_of


def rows_of_names(records: Records, names: tuple[str, ...]) -> tuple[Longs, Ints]:
    """The rows with these items only, numbered in the order of ``names``, which are sorted; rows ascend.

    >>> rows_of_names(Records.from_lists([["a", "b", "c"], ["a"]]), ("b", "c"))[1].tolist()
    [0, 1]
    """
    code_of = {name: code for code, name in enumerate(names)}
    codes = np.array([code_of.get(name, -1) for name in records.vocabulary], dtype=np.int32)
    found = codes[records.items] if len(codes) else records.items
    # Both lists of names are sorted, so ascending rows stay ascending.
    return offsets_of(found >= 0)[records.offsets], found[found >= 0]
