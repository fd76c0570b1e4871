"""The running record of a suppressor: which occurrences went, and for which rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from withhold.data.plan import Reasons

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]


class Log:
    """Removals and their reasons, in the table's own places and codes; grows, never forgets."""

    def __init__(self) -> None:
        self._places: list[Ints] = []
        self._answers: list[Ints] = []
        self._lengths: list[Ints] = []
        self._items: list[Ints] = []
        self._consequents: list[Ints] = []
        self._joints: list[Ints] = []
        self._supports: list[Ints] = []
        self.n_reasons = 0
        self.n_removed = 0

    def add(
        self,
        places: Ints | Longs,
        answers: Ints | Longs,
        *,
        starts: Longs,
        items: Ints,
        consequents: Ints,
        joints: Ints | Longs,
        supports: Ints | Longs,
    ) -> None:
        """Removals at ``places``, each answering one of the new reasons, numbered from 0."""
        self._places.append(np.asarray(places, dtype=np.int32))
        self._answers.append(np.asarray(answers, dtype=np.int32) + np.int32(self.n_reasons))
        self._lengths.append(np.diff(starts).astype(np.int32))
        self._items.append(np.asarray(items, dtype=np.int32))
        self._consequents.append(np.asarray(consequents, dtype=np.int32))
        self._joints.append(np.asarray(joints, dtype=np.int32))
        self._supports.append(np.asarray(supports, dtype=np.int32))
        self.n_reasons += len(consequents)
        self.n_removed += len(places)

    def absorb(self, other: Log, place_of: Ints | Longs) -> None:
        """Take over the log of a part of the table, whose places were renumbered."""
        places, answers = other.removals()
        reasons = other.reasons()
        self.add(
            place_of[places],
            answers,
            starts=reasons.starts,
            items=reasons.items,
            consequents=reasons.consequents,
            joints=reasons.joints,
            supports=reasons.supports,
        )

    def removals(self) -> tuple[Ints, Ints]:
        """All places and the number of the reason of each."""
        return _joined(self._places, np.int32), _joined(self._answers, np.int32)

    def last_answers(self, n_places: int) -> Ints:
        """For each of the places the number of the reason of its last removal, or 0."""
        places, answers = self.removals()
        last = np.zeros(n_places, dtype=np.int32)
        last[places] = answers
        return last

    def reasons(self, first: int = 0) -> Reasons:
        """All reasons from the number ``first`` on."""
        starts = np.zeros(self.n_reasons + 1, dtype=np.int64)
        np.cumsum(_joined(self._lengths, np.int32), out=starts[1:])
        return Reasons(
            starts[first:] - starts[first] if first else starts,
            _joined(self._items, np.int32)[starts[first] :],
            _joined(self._consequents, np.int32)[first:],
            _joined(self._joints, np.int32)[first:],
            _joined(self._supports, np.int32)[first:],
        )


def _joined(parts: list, dtype: type) -> np.ndarray:  # type: ignore[type-arg]
    """The arrays as one, which replaces them, so that a long log is not kept twice."""
    if len(parts) != 1:
        parts[:] = [np.concatenate([np.zeros(0, dtype=dtype), *parts])]
    return parts[0]  # type: ignore[no-any-return]
