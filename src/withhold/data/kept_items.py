"""One choice of items for records that are read part by part: an item is published everywhere or nowhere."""

from __future__ import annotations

from dataclasses import dataclass

from withhold.data.plan import without_items
from withhold.data.records import Records


@dataclass(frozen=True)
class KeptItems:
    """What the parts publish: these items, and no other.

    >>> KeptItems(frozenset({"tea"})).apply_to(Records.from_lists([["beer", "tea"], ["beer"]])).to_lists()
    [['tea'], []]
    """

    names: frozenset[str]

    def apply_to(self, records: Records) -> Records:
        """The records without any occurrence of another item."""
        return without_items((n for n in records.vocabulary if n not in self.names), records)

    def as_dict(self) -> dict[str, list[str]]:
        """The choice as plain values."""
        return {"items": sorted(self.names)}
