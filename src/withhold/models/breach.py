"""One thing an attacker can infer and should not."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Breach:
    """A rule antecedent → consequent that holds with more confidence than the model allows.

    >>> breach = Breach(("beer", "bread"), "condom", joint=1, support=1)
    >>> print(breach)
    {beer, bread} → condom: 1 of 1 (100 %)
    """

    antecedent: tuple[str, ...]
    """What the attacker knows; empty: nothing at all."""
    consequent: str
    joint: int
    """How many records hold the antecedent and the consequent."""
    support: int
    """How many records hold the antecedent."""

    @property
    def confidence(self) -> Fraction:
        return Fraction(self.joint, self.support)

    def row(self) -> tuple[str, ...]:
        """The breach as cells of a table."""
        return (
            "{" + ", ".join(self.antecedent) + "}" if self.antecedent else "nothing",
            "→ " + self.consequent,
            f"{float(self.confidence):.1%}",
            f"{self.joint:,} of {self.support:,}",
        )

    def as_dict(self) -> dict[str, Any]:
        """The breach with its counts and its exact confidence."""
        return {
            "antecedent": list(self.antecedent),
            "consequent": self.consequent,
            "joint": self.joint,
            "support": self.support,
            "confidence": float(self.confidence),
            "confidence_exact": str(self.confidence),
        }

    def __str__(self) -> str:
        known = "{" + ", ".join(self.antecedent) + "}" if self.antecedent else "nothing"
        share = f"{float(self.confidence):.1%}".replace(".0%", "%").replace("%", " %")
        return f"{known} → {self.consequent}: {self.joint:,} of {self.support:,} ({share})"


@dataclass(frozen=True)
class PersonalBreach(Breach):
    """A breach that harms a person who fears the consequent.

    >>> print(PersonalBreach(("milk",), "medicine", joint=2, support=3, record=1))
    {milk} → medicine, feared by record 1: 2 of 3 (66.7 %)
    """

    record: int = 0
    """The number, from 1, of a record whose person is harmed; there may be others."""

    def row(self) -> tuple[str, ...]:
        """The breach as cells of a table."""
        known, inferred, *numbers = super().row()
        return known, f"{inferred} (record {self.record:,})", *numbers

    def as_dict(self) -> dict[str, Any]:
        """The breach with its counts, its exact confidence and the record."""
        return {**super().as_dict(), "record": self.record}

    def __str__(self) -> str:
        rule, _, counts = super().__str__().rpartition(": ")
        return f"{rule}, feared by record {self.record:,}: {counts}"
