"""One thing an attacker can infer and should not."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from withhold.describing import described, described_all
from withhold.options import Plain


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
            "{" + described_all(self.antecedent) + "}" if self.antecedent else "nothing",
            "→ " + described(self.consequent),
            f"{float(self.confidence):.1%}",
            f"{self.joint:,} of {self.support:,}",
        )

    def as_dict(self) -> dict[str, Plain]:
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
        known = "{" + described_all(self.antecedent) + "}" if self.antecedent else "nothing"
        share = f"{float(self.confidence):.1%}".replace(".0%", "%").replace("%", " %")
        return (
            f"{known} → {described(self.consequent)}: {self.joint:,} of {self.support:,} ({share})"
        )
