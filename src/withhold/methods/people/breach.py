"""What somebody could infer about persons in one group."""

from __future__ import annotations

from dataclasses import dataclass

from withhold.data.breach import Breach, Cells, cells_text
from withhold.describing import described_all
from withhold.methods.coherence.mole import Mole
from withhold.methods.people.grouped_items import GroupedItems, PersonItems
from withhold.options import Plain
from withhold.wording import counted


@dataclass(frozen=True)
class GroupBreach(Breach):
    """A rule of items that holds among the persons of one group with more confidence than allowed.

    >>> print(GroupBreach(("asthma",), "HIV", 1, 1, cells=(("age", "30"), ("sex", None))))
    age=30, sex withheld: {asthma} → HIV: 1 of 1 (100%)
    """

    cells: Cells = ()
    """The group's quasi-identifiers."""

    def row(self) -> tuple[str, ...]:
        """The breach as a row of a table."""
        known, *others = super().row()
        return (f"{cells_text(self.cells)}: {known}", *others)

    def as_dict(self) -> dict[str, Plain]:
        """The breach with its counts, its exact confidence and its group."""
        return {"cells": dict(self.cells), **super().as_dict()}

    def __str__(self) -> str:
        return f"{cells_text(self.cells)}: {super().__str__()}"


@dataclass(frozen=True)
class RareItems:
    """Public items that some persons of a group have, and too few.

    >>> print(RareItems((("age", "30"),), ("asthma", "flu"), 2, 5))
    age=30: {asthma, flu}: 2 persons (of 5 needed)
    """

    cells: Cells
    """The group's quasi-identifiers."""
    items: tuple[str, ...]
    persons: int
    needed: int

    def row(self) -> tuple[str, ...]:
        """The finding as cells of a table."""
        return f"{cells_text(self.cells)}: {self._known}", counted(self.persons, "person")

    def as_dict(self) -> dict[str, Plain]:
        """The finding with its counts and its group."""
        return {
            "cells": dict(self.cells),
            "items": list(self.items),
            "persons": self.persons,
            "needed": self.needed,
        }

    @property
    def _known(self) -> str:
        return "{" + described_all(self.items) + "}"

    def __str__(self) -> str:
        persons = counted(self.persons, "person")
        return f"{cells_text(self.cells)}: {self._known}: {persons} (of {self.needed:,} needed)"


def rare_in_group(
    mole: Mole, own: GroupedItems, items: PersonItems, cells: Cells, needed: int
) -> RareItems:
    """The rare set among items renamed by group, under the items' own names."""
    known = sorted(items.records.vocabulary[own.item_of(name)] for name in mole.items)
    return RareItems(cells, tuple(known), mole.support, needed)


def in_group(breach: Breach, own: GroupedItems, items: PersonItems, cells: Cells) -> GroupBreach:
    """The breach among items renamed by group, under the items' own names."""
    names = items.records.vocabulary
    known = sorted(names[own.item_of(each)] for each in breach.antecedent)
    consequent = names[own.item_of(breach.consequent)]
    return GroupBreach(tuple(known), consequent, breach.joint, breach.support, cells)
