"""What goes and why, and the only code that removes anything.

A plan names occurrences of one table by their place, and for each the breach that it answers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import checked
from withhold.data import Records, Table
from withhold.data.breach import Breach
from withhold.errors import PolicyError

DataT = TypeVar("DataT", bound=Records | Table)


@runtime_checkable
class AnyPlan(Protocol):
    """What every plan can do, whatever it withholds."""

    def __len__(self) -> int:
        """How much is changed; 0 only if everything is published as it came."""
        ...

    def apply_to(self, table: Any) -> Any:
        """The table without what the plan withholds; the only code that removes anything."""
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
    """The occurrences to remove from one table, each with the breach it answers."""

    removed: NDArray[np.int32]
    """Places in the table's ``items``, ascending."""
    answers: NDArray[np.int32]
    """For each removed occurrence the number of its reason."""
    reasons: Reasons
    fingerprint: str
    """Of the table the plan was made for."""

    def __len__(self) -> int:
        return len(self.removed)

    @checked
    def apply_to(self, table: Records) -> Records:
        """The table without what the plan removes; rows and their order stay."""
        if self.fingerprint != fingerprint(table):
            raise PolicyError("the plan was made for other rows; make a new one for this table")
        return without(self.removed, table)

    def why(self, number: int, table: Records) -> Breach | None:
        """The breach that the ``number``-th removal answered, with its counts at that moment.

        None: the budget ran out before the item was shown to be safe, or its record was set aside.
        """
        reason = int(self.answers[number])
        if self.reasons.supports[reason] == 0:
            return None
        consequent = self.reasons.consequents[reason]
        if consequent == EACH_REMOVED:
            consequent = table.items[self.removed[number]]
        span = slice(self.reasons.starts[reason], self.reasons.starts[reason + 1])
        return Breach(
            tuple(sorted(table.vocabulary[code] for code in self.reasons.items[span])),
            table.vocabulary[consequent],
            int(self.reasons.joints[reason]),
            int(self.reasons.supports[reason]),
        )

    def removals(self, table: Records) -> list[tuple[int, str]]:
        """The removed occurrences as (record from 0, item)."""
        records = np.searchsorted(table.offsets, self.removed, side="right") - 1
        names = (table.vocabulary[code] for code in table.items[self.removed])
        return list(zip(records.tolist(), names, strict=True))


@checked
def apply(plan: AnyPlan, data: DataT) -> DataT:
    """The data without what the plan withholds; rows and their order stay."""
    applied: DataT = plan.apply_to(data)
    return applied


def without(removed: NDArray[np.integer[Any]], table: Records) -> Records:
    """The table without the occurrences at these places, which ascend."""
    offsets = table.offsets - np.searchsorted(removed, table.offsets)
    return replace(table, offsets=offsets, items=np.delete(table.items, removed))


def fingerprint(table: Records) -> str:
    """A digest of the rows, whatever file they came from."""
    digest = hashlib.sha256()
    for array in (table.offsets, table.items):
        digest.update(np.ascontiguousarray(array).data)
    digest.update("\n".join(table.vocabulary).encode())
    return digest.hexdigest()
