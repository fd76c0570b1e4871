"""Groups of items: what each item is published as, in all records.

In: names and the items that each represents. Out: records under the names of the groups, and how much
detail that gives up. A group of one item is that item. Items in no group, such as sensitive ones, are
unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from withhold.arguments import fits
from withhold.data.array_types import Longs
from withhold.data.names import clean_set
from withhold.data.records import Records
from withhold.data.tidying import renamed
from withhold.data.tree_building import some
from withhold.errors import PolicyError, option
from withhold.options import Option, Plain, said_only_by_offered


@dataclass(frozen=True)
class Detail:
    """How much detail groups give up: 0 if every item is published as itself, 1 if all are one."""

    ncp: float
    """Normalised certainty penalty: (items of the group - 1) / (all items - 1), the mean over occurrences."""
    bits: float
    """log2(occurrences of the group / of the item), summed over occurrences, as a share of one group's."""


@dataclass(frozen=True)
class Groups:
    """The groups that represent items, each by its name.

    >>> groups = Groups.of({"drinks": ["beer", "tea"], "soap": ["soap"]})
    >>> shop = Records.from_lists([["beer", "tea", "condom"], ["soap"], ["tea"]])
    >>> groups.generalise(shop).to_lists()
    [['condom', 'drinks'], ['soap'], ['drinks']]
    >>> detail = groups.detail(shop)
    >>> detail.ncp, round(detail.bits, 6)
    (0.375, 0.459148)
    """

    members: tuple[tuple[str, tuple[str, ...]], ...]
    """The name of each group with its items, both sorted."""

    @classmethod
    def of(cls, members: Groups | Mapping[str, Iterable[str]]) -> Groups:
        """The groups of a mapping from names to items; refuses empty groups and ambiguous names."""
        if isinstance(members, Groups):
            return members
        if wrong := [name for name, items in members.items() if not fits(items, Iterable[str])]:
            raise PolicyError(f"the group {wrong[0]!r} must be a list of items")
        pairs = [(name, tuple(sorted(clean_set(members[name], "groups")))) for name in members]
        names = clean_set([name for name, _ in pairs], "groups")
        if len(names) != len(pairs) or any(not items for _, items in pairs):
            raise PolicyError("every group needs a unique name and at least one item")
        group_of: dict[str, str] = {}
        for name, items in pairs:
            for item in items:
                if item in group_of:
                    raise PolicyError(f"{item!r} is in two groups, {group_of[item]!r} and {name!r}")
                group_of[item] = name
        if mixed := [n for n, items in pairs if n in group_of and (n,) != items]:
            raise PolicyError(f"groups of several items are named like an item: {some(mixed)}")
        return cls(tuple(sorted(pairs)))

    def __len__(self) -> int:
        return len(self.members)

    @property
    def names(self) -> frozenset[str]:
        """What is published."""
        return frozenset(name for name, _ in self.members)

    @property
    def items(self) -> frozenset[str]:
        """All items that the groups represent."""
        return frozenset(item for _, items in self.members for item in items)

    def as_dict(self) -> dict[str, Sequence[str]]:
        """The groups as plain values."""
        return {name: list(items) for name, items in self.members}

    def group_of(self) -> dict[str, str]:
        """For each item the name of its group."""
        return {item: name for name, items in self.members for item in items}

    def generalise(self, records: Records) -> Records:
        """The records under the names of the groups; items that become one are merged."""
        group_of = self.group_of()
        names = [group_of.get(item, item) for item in records.vocabulary]
        return replace(renamed(records, names), repeated=0)

    def detail(self, records: Records) -> Detail:
        """How much detail of these records, which are not generalised yet, the groups give up."""
        return self.detail_of(records.vocabulary, records.supports)

    def detail_of(self, vocabulary: Sequence[str], supports: Longs) -> Detail:
        """The same for records in which the items have these supports."""
        numbers = {item: number for number, (_, items) in enumerate(self.members) for item in items}
        group = np.array([numbers.get(item, -1) for item in vocabulary], dtype=np.int64)
        known = (group >= 0) & (supports > 0)
        sizes = np.array([len(items) for _, items in self.members])
        return detail_lost(group[known], supports[known], sizes)


GroupsOption = Annotated[
    Groups | Mapping[str, Iterable[str]] | None,
    Option(
        "What public items are published as: the name of each group with its items.",
        kind="found",
        weaker=said_only_by_offered,
        varies=False,
    ),
]
"""As a model declares it. Nobody types the groups: the search finds them."""


@dataclass(frozen=True)
class Stray:
    """An item that should not be in a file whose items are published as groups.

    >>> print(Stray("beer"))
    beer is published, and is not a group
    """

    item: str
    what: str = "not a group"

    def row(self) -> tuple[str, ...]:
        """The item as cells of a table."""
        return self.item, self.what

    def as_dict(self) -> dict[str, Plain]:
        """The item by name."""
        return {"stray": self.item}

    def __str__(self) -> str:
        return f"{self.item} is published, and is {self.what}"


def detail_lost(group: Longs, supports: Longs, sizes: Longs) -> Detail:
    """The detail that is given up if item ``i`` is in ``group[i]``; ``sizes`` are the items of each group."""
    total, items = int(supports.sum()), int(sizes.sum())
    if total == 0:
        return Detail(0.0, 0.0)
    penalties = (supports * (sizes[group] - 1)).sum() / total
    under = np.bincount(group, weights=supports, minlength=len(sizes))
    lost = (supports * np.log2(under[group] / supports)).sum()
    most = (supports * np.log2(total / supports)).sum()
    return Detail(
        float(penalties / (items - 1)) if items > 1 else 0.0, float(lost / most) if most else 0.0
    )


def refuse_given(groups: Groups | None) -> None:
    """Refuse a model with groups if a release is to be made: they follow from the hierarchy."""
    if groups is not None:
        raise PolicyError(
            "the model has groups, as a release has them; to make one, give the model without groups and "
            f"the {option('hierarchy')}"
        )
