"""One public itemset by which somebody could be identified, or a private item inferred."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from withhold.describing import described, described_all
from withhold.options import Plain
from withhold.wording import counted, percent


@dataclass(frozen=True)
class Mole:
    """Public items that too few records hold, or from which a private item follows too often.

    Examples
    --------
    >>> print(Mole(("beer", "bread"), support=2))
    {beer, bread}: too rare, in 2 records
    >>> print(Mole(("beer",), support=3, private="insulin", joint=2))
    {beer} → insulin: 2 of 3 (66.7%)
    """

    items: tuple[str, ...]
    """What the attacker knows; empty: nothing at all."""
    support: int
    """How many records hold them."""
    private: str | None = None
    """What follows from them; None: nothing, they are too rare."""
    joint: int = 0
    """How many records hold the items and the private one."""

    @property
    def probability(self) -> Fraction:
        """The probability that the attacker is right, about the record or about the private item."""
        return Fraction(1 if self.private is None else self.joint, max(self.support, 1))

    @property
    def _known(self) -> str:
        return "{" + described_all(self.items) + "}" if self.items else "nothing"

    def row(self) -> tuple[str, ...]:
        """The mole as a row of a table."""
        chance = percent(self.probability)
        if self.private is None:
            return self._known, "too rare", chance, counted(self.support, "record")
        return (
            self._known,
            f"→ {described(self.private)}",
            chance,
            f"{self.joint:,} of {self.support:,}",
        )

    def as_dict(self) -> dict[str, Plain]:
        """The mole with its counts and the attacker's exact probability."""
        return {
            "items": list(self.items),
            "support": self.support,
            "why": "too rare" if self.private is None else "private item follows",
            "private": self.private,
            "joint": self.joint,
            "probability": float(self.probability),
            "probability_exact": str(self.probability),
        }

    def __str__(self) -> str:
        known = self._known
        if self.private is None:
            return f"{known}: too rare, in {counted(self.support, 'record')}"
        share = percent(self.probability)
        return f"{known} → {described(self.private)}: {self.joint:,} of {self.support:,} ({share})"
