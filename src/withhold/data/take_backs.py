"""Items that are taken back though nobody wished for them: a misspelt name, or one that starts with ``!``.

In: the pairs of a constraints file, some of them taken back. Out: what takes nothing back, as a warning.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from withhold.data.packing import Numbers
from withhold.data.unknown import SHOWN, Unknown, near_spellings
from withhold.data.wishes import TAKEN_BACK, write_wish

WHAT = "items taken back in the constraints"
MISSING = "was not wished for that record"


def vain_take_backs(
    rows: Numbers,
    codes: Numbers,
    back: NDArray[np.bool_],
    for_all: NDArray[np.bool_],
    wish: Numbers,
) -> NDArray[np.int64]:
    """The wishes that take nothing back from some record, ascending.

    ``rows`` and ``codes`` are pairs of a record and an item, ``back`` says which are taken back, ``for_all``
    which items everybody wishes for. ``wish`` numbers what was written: a category is several pairs.
    """
    width = max(len(for_all), 1)
    keys = rows.astype(np.int64) * width + codes
    found = for_all[codes[back]] | np.isin(keys[back], keys[~back])
    n_wishes = int(wish.max(initial=0)) + 1
    written, place = np.unique(
        rows[back].astype(np.int64) * n_wishes + wish[back], return_inverse=True
    )
    is_met = np.zeros(len(written), dtype=bool)
    is_met[place[found]] = True
    return np.unique(written[~is_met] % n_wishes)


def unknown_take_backs(
    vain: Collection[str], taken: int, wished: Collection[str], vocabulary: Collection[str]
) -> Unknown | None:
    """The warning about items that are taken back in vain, of ``taken`` such items in all."""
    if not vain:
        return None
    items = frozenset(vocabulary)
    names = tuple(sorted(TAKEN_BACK + name for name in vain))
    could_be_meant = [TAKEN_BACK + name for name in wished]
    near = [
        # Somebody may have meant the item of this very name.
        write_wish(name) if name in items else near_spellings([name], could_be_meant)[0]
        for name in names[:SHOWN]
    ]
    return Unknown(WHAT, names, taken, tuple(near), missing=MISSING)
