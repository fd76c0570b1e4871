"""What is withheld from people: cells of quasi-identifiers and sensitive columns, and sensitive items."""

from __future__ import annotations

from dataclasses import dataclass, replace

from withhold.arguments import checked
from withhold.data.cell_plan import CellPlan
from withhold.data.people import People
from withhold.data.plan import Plan


@dataclass(frozen=True)
class PeoplePlan:
    """The cells and the items to withhold."""

    cells: CellPlan
    """Of quasi-identifiers: withheld or generalised; of sensitive columns: withheld."""
    items: Plan

    def __len__(self) -> int:
        """How many cells and items do not stay as they are."""
        return len(self.cells) + len(self.items)

    @checked
    def apply_to(self, people: People) -> People:
        """The people without these cells and items; persons and their order stay."""
        attributes = self.cells.apply_to(people.attributes)
        return replace(people, attributes=attributes, items=self.items.apply_to(people.items))
