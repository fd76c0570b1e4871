"""Which deletions can be undone item by item, but perhaps not those of all items together.

Let x be put back into record r and y into record s. Counts that both change are those of sets with x and y,
in r and in s. So they clash only if y is in r, and x in s. Otherwise what was found safe for each item stays
so: other items that come back only raise the supports of antecedents.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Ints
from withhold.methods.rho.search.workspace import Workspace


def find_clashes(work: Workspace, positions: Ints, rows: Ints) -> NDArray[np.bool_]:
    """Which of the deletions at ``positions``, item by item, have to be tried again after the others."""
    layout, ranks = work.layout, work.layout.items[positions]
    there = work.items >= 0
    there[positions] = True
    returning = np.zeros(layout.n_items, dtype=bool)
    returning[ranks] = True
    # For each deletion the other items of its record that come back somewhere, or are sensitive.
    lengths = np.diff(layout.offsets)[rows]
    owners = np.repeat(np.arange(len(rows)), lengths)
    places = np.arange(len(owners)) + (layout.offsets[rows] - np.cumsum(lengths) + lengths)[owners]
    others = layout.items[places]
    chosen = there[places] & (returning | layout.sensitive)[others] & (others != ranks[owners])
    owners, others = owners[chosen], others[chosen].astype(np.int64)
    own = ranks[owners].astype(np.int64)
    turns = np.zeros(layout.n_items, dtype=np.int64)
    turns[ranks[::-1]] = np.arange(len(ranks))[::-1]
    met = np.isin(others * layout.n_items + own, own * layout.n_items + others)
    clash = np.zeros(len(ranks), dtype=bool)
    clash[owners[met & (turns[others] < turns[own])]] = True
    # Where another sensitive item is in the record, those of the same item before it count for it, too.
    first = np.full(layout.n_items, len(ranks))
    np.minimum.at(first, ranks[clash], np.flatnonzero(clash))
    relies = np.zeros(len(ranks), dtype=bool)
    relies[owners[layout.sensitive[others]]] = True
    return clash | (relies & (np.arange(len(ranks)) > first[ranks]))
