"""One thing that can be inferred about a person who wanted it protected."""

from __future__ import annotations

from dataclasses import dataclass

from withhold.data.breach import Breach
from withhold.options import Plain


@dataclass(frozen=True)
class PersonalBreach(Breach):
    """A breach that harms a person who wants the consequent protected.

    >>> print(PersonalBreach(("milk",), "medicine", joint=2, support=3, record=1))
    {milk} → medicine, protected for record 1: 2 of 3 (66.7%)
    """

    record: int = 0
    """The number, from 1, of a record whose person is harmed; there may be others."""

    def row(self) -> tuple[str, ...]:
        """The breach as a row of a table."""
        known, inferred, *numbers = super().row()
        return known, f"{inferred} (record {self.record:,})", *numbers

    def as_dict(self) -> dict[str, Plain]:
        """The breach with its counts, its exact confidence and the record."""
        return {**super().as_dict(), "record": self.record}

    def __str__(self) -> str:
        rule, _, counts = super().__str__().rpartition(": ")
        return f"{rule}, protected for record {self.record:,}: {counts}"
