"""The plan under k^m-anonymity: items are published as groups, or withheld everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from withhold.arguments import checked
from withhold.data import Records
from withhold.data.generalised_plan import GeneralisedPlan
from withhold.data.plan import AnyPlan, check_fingerprint, without_items
from withhold.methods.km.model import KmAnonymity


@dataclass(frozen=True)
class WithheldItems:
    """The items that no record holds in the release, each with how many held it."""

    items: tuple[tuple[str, int], ...]
    """Those that were held most often first."""
    fingerprint: str
    """Of the generalised records, in which each is a group of its own."""

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter(self.items)

    @checked
    def apply_to(self, records: Records) -> Records:
        """The records without any occurrence of the items."""
        check_fingerprint(self, records)
        return without_items((item for item, _ in self.items), records)


def promised_km(model: KmAnonymity, plan: AnyPlan) -> KmAnonymity:
    """The model that the release keeps: under the groups of the plan, if it has any."""
    return model.under(plan.groups) if isinstance(plan, GeneralisedPlan) else model
