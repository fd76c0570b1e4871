"""Two sets of records made comparable: one vocabulary for both, and which occurrences were removed or added.

In: an original and what was published of it, perhaps read from two files whose codes differ. Out: both
with the same codes. Items are the same iff their names are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.data import Records
from withhold.data.array_types import Longs


@dataclass(frozen=True)
class Pair:
    """An original and its release under one vocabulary."""

    original: Records
    published: Records

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return self.original.vocabulary

    @property
    def same_rows(self) -> bool:
        """Whether both have as many records, so that records can be compared one by one."""
        return len(self.original) == len(self.published)

    @cached_property
    def removed(self) -> NDArray[np.bool_]:
        """For each occurrence of the original, whether its record lost it; needs ``same_rows``."""
        return _absent(_keys(self.original), _keys(self.published))

    @cached_property
    def added(self) -> NDArray[np.bool_]:
        """For each published occurrence, whether its record never had it; needs ``same_rows``."""
        return _absent(_keys(self.published), _keys(self.original))


def align(original: Records, published: Records) -> Pair:
    """Both with the codes of their common vocabulary.

    >>> before = Records.from_lists([["beer", "wine"], ["beer"]])
    >>> after = Records.from_lists([["wine"], ["ale"]])
    >>> pair = align(before, after)
    >>> pair.vocabulary, pair.published.to_lists()
    (('ale', 'beer', 'wine'), [['wine'], ['ale']])
    >>> pair.removed.tolist(), pair.added.tolist()
    ([True, False, True], [False, True])
    """
    if original.vocabulary == published.vocabulary:
        return Pair(original, published)
    vocabulary = tuple(sorted({*original.vocabulary, *published.vocabulary}))
    return Pair(recoded(original, vocabulary), recoded(published, vocabulary))


def recoded(records: Records, vocabulary: tuple[str, ...]) -> Records:
    """The records with the codes of a larger vocabulary."""
    if records.vocabulary == vocabulary:
        return records
    code_of = {name: code for code, name in enumerate(vocabulary)}
    codes = np.array([code_of[name] for name in records.vocabulary], dtype=np.int32)
    # Both vocabularies are sorted, so the rows stay ascending.
    return replace(records, items=codes[records.items], vocabulary=vocabulary)


def _keys(records: Records) -> Longs:
    """Record and item of each occurrence as one number, ascending."""
    rows = np.repeat(np.arange(len(records)), records.lengths)
    return rows * max(records.n_items, 1) + records.items


def _absent(keys: Longs, others: Longs) -> NDArray[np.bool_]:
    """Which keys are not among the others, both ascending."""
    places = np.searchsorted(others, keys)
    found = places < len(others)
    found[found] = others[places[found]] == keys[found]
    return ~found
