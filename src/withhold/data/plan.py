"""What is removed and why, and the only code that removes anything.

A plan names occurrences by their place, and for each the breach that its removal prevents.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import checked
from withhold.data import People, Records, Table
from withhold.data.breach import Breach
from withhold.errors import PolicyError

DataT = TypeVar("DataT", bound=Records | Table | People)


@runtime_checkable
class AnyPlan(Protocol):
    """What every plan can do, whatever it withholds."""

    def __len__(self) -> int:
        """How much is changed; 0 only if everything is published as it came."""
        ...

    def apply_to(self, data: Any, /) -> Any:
        """The data without what the plan withholds; the only code that removes anything."""
        ...


EACH_REMOVED = -1
"""As a consequent: whichever sensitive item was removed for this reason."""


@dataclass(frozen=True)
class Reasons:
    """Breaches, as item codes: rule ``k`` is items[starts[k]:starts[k+1]] → consequents[k]."""

    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    consequents: NDArray[np.int32]
    joints: NDArray[np.int32]
    supports: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.consequents)


@dataclass(frozen=True)
class Plan:
    """The occurrences to remove from the records, each with the breach it answers."""

    removed: NDArray[np.int32]
    """Places in the records' ``items``, ascending."""
    answers: NDArray[np.int32]
    """For each removed occurrence the number of its reason."""
    reasons: Reasons
    fingerprint: str
    """The fingerprint of the records that the plan was made for."""

    def __len__(self) -> int:
        return len(self.removed)

    @checked
    def apply_to(self, records: Records) -> Records:
        """The records without what the plan removes; their number and order stay."""
        check_fingerprint(self, records)
        return without(self.removed, records)

    def why(self, number: int, records: Records) -> Breach | None:
        """The breach that the ``number``-th removal answered, with its counts at that moment.

        None: the budget ran out before the item was shown to be safe, or its record was set aside.
        """
        reason = int(self.answers[number])
        if self.reasons.supports[reason] == 0:
            return None
        consequent = self.reasons.consequents[reason]
        if consequent == EACH_REMOVED:
            consequent = records.items[self.removed[number]]
        span = slice(self.reasons.starts[reason], self.reasons.starts[reason + 1])
        return Breach(
            tuple(sorted(records.vocabulary[code] for code in self.reasons.items[span])),
            records.vocabulary[consequent],
            int(self.reasons.joints[reason]),
            int(self.reasons.supports[reason]),
        )

    def removals(self, records: Records) -> list[tuple[int, str]]:
        """The removed occurrences as (record from 0, item)."""
        rows = np.searchsorted(records.offsets, self.removed, side="right") - 1
        names = (records.vocabulary[code] for code in records.items[self.removed])
        return list(zip(rows.tolist(), names, strict=True))


@checked
def apply(plan: AnyPlan, data: DataT) -> DataT:
    """The data without what the plan withholds; rows and their order do not change.

    Parameters
    ----------
    plan
        What to withhold, as ``Release.plan`` holds it.
    data
        The data that the plan was made for.

    Returns
    -------
    Records, Table or People
        Of the same kind as ``data``.

    Raises
    ------
    PolicyError
        If the plan was made for other data.

    Examples
    --------
    >>> import withhold as wh
    >>> shop = wh.read([["bread", "beer", "condom"], ["beer", "condom"], ["bread"], ["coffee"]])
    >>> release = wh.anonymize(shop, wh.RhoUncertainty("0.5", {"condom"}), seed=1)
    >>> wh.apply(release.plan, shop).to_lists()
    [['beer', 'bread'], ['beer', 'condom'], ['bread'], ['coffee']]
    """
    applied: DataT = plan.apply_to(data)
    return applied


def without(removed: NDArray[np.integer[Any]], records: Records) -> Records:
    """The records without the occurrences at these places, which ascend."""
    left = np.ones(records.n_occurrences, dtype=bool)
    left[removed] = False
    before = np.zeros(len(left) + 1, dtype=np.int64)
    np.cumsum(left, out=before[1:])
    return replace(records, offsets=before[records.offsets], items=records.items[left])


def without_items(names: Iterable[str], records: Records) -> Records:
    """The records without any occurrence of these items."""
    gone = np.zeros(records.n_items, dtype=bool)
    gone[records.codes(names)] = True
    return without(np.flatnonzero(gone[records.items]), records)


def check_fingerprint(plan: Any, records: Records) -> None:
    """Refuse records that the plan was not made for."""
    if plan.fingerprint != fingerprint(records):
        raise PolicyError("the plan was made for other rows; make a new one for this data")


def fingerprint(records: Records) -> str:
    """A digest of the rows, whatever file they came from."""
    digest = hashlib.sha256()
    for array in (records.offsets, records.items):
        digest.update(np.ascontiguousarray(array).data)
    digest.update("\n".join(records.vocabulary).encode())
    return digest.hexdigest()
