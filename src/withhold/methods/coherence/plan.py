"""The plan of a suppressor that takes items from all records: which items, in which order, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from withhold.arguments import checked
from withhold.data import Records
from withhold.data.plan import check_fingerprint, without_items
from withhold.methods.coherence.mole import Mole
from withhold.wording import counted


@dataclass(frozen=True)
class SuppressedItem:
    """One item that is withheld from all records, and why it was chosen at that moment.

    >>> print(SuppressedItem("beer", 40, moles=12, nuggets=3))
    beer: in 12 moles and 3 nuggets
    """

    item: str
    occurrences: int
    """How many records held it."""
    mole: Mole | None = None
    """The item is a mole by itself, so it had to go."""
    moles: int = 0
    """How many moles it was in (minimal moles where items are kept rather than itemsets)."""
    nuggets: int = 0
    """How many nuggets it was in."""

    @property
    def why(self) -> str:
        """Why it was chosen, in words."""
        if self.mole is not None:
            return f"a mole by itself, {self.mole}"
        if self.moles == 0:
            return "in no nugget"
        return f"in {shown(self.moles)} moles and {shown(self.nuggets)} nuggets"

    def __str__(self) -> str:
        return f"{self.item}: {self.why}"


def shown(number: int) -> str:
    """A number that may have hundreds of digits.

    >>> shown(12345), shown(2**150)
    ('12,345', 'about 2^150')
    """
    return f"{number:,}" if number < 10**15 else f"about 2^{number.bit_length() - 1}"


@dataclass(frozen=True)
class ItemPlan:
    """The items to suppress everywhere, in the order in which they were chosen."""

    suppressed: tuple[SuppressedItem, ...]
    restored: tuple[str, ...]
    """Items that were chosen too, and came back because no mole came with them."""
    nugget_support: int
    nuggets_before: int
    nuggets_kept: int
    fingerprint: str
    """The fingerprint of the records for which the plan was made."""

    def __len__(self) -> int:
        return len(self.suppressed)

    def __iter__(self) -> Iterator[SuppressedItem]:
        return iter(self.suppressed)

    @checked
    def apply_to(self, records: Records) -> Records:
        """The records without any occurrence of the items; every other support stays as it is."""
        check_fingerprint(self, records)
        return without_items((each.item for each in self.suppressed), records)

    @property
    def removed(self) -> int:
        """How many occurrences are withheld."""
        return sum(each.occurrences for each in self.suppressed)

    def shares(self) -> list[tuple[str, Fraction]]:
        """The items with their share of all withheld occurrences, largest first."""
        ordered = sorted(self.suppressed, key=lambda each: (-each.occurrences, each.item))
        return [(each.item, Fraction(each.occurrences, self.removed)) for each in ordered]

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know of the plan, as pairs of texts."""
        return [
            ("items suppressed", f"{len(self):,}, everywhere; every remaining count is true"),
            (
                "nuggets kept",
                f"{shown(self.nuggets_kept)} of {shown(self.nuggets_before)} itemsets in at least "
                f"{counted(self.nugget_support, 'record')}",
            ),
        ]
