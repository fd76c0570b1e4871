"""Something an attacker can infer and should not, and a group that is too small to hide in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from withhold.data.table import Table
from withhold.describing import described, described_all
from withhold.options import Plain
from withhold.wording import counted, percent

Cells = tuple[tuple[str, str | None], ...]
"""Cells by column; None where one is withheld."""


@dataclass(frozen=True)
class Breach:
    """A rule antecedent → consequent that holds with more confidence than the model allows.

    Examples
    --------
    >>> breach = Breach(("beer", "bread"), "condom", joint=1, support=1)
    >>> print(breach)
    {beer, bread} → condom: 1 of 1 (100%)
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
        """The breach as a row of a table."""
        return (
            "{" + described_all(self.antecedent) + "}" if self.antecedent else "nothing",
            "→ " + described(self.consequent),
            percent(self.confidence),
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
        share = percent(self.confidence)
        return (
            f"{known} → {described(self.consequent)}: {self.joint:,} of {self.support:,} ({share})"
        )


@dataclass(frozen=True)
class SmallGroup:
    """A group that breaks the model: too few rows, or something wrong with a sensitive column.

    >>> print(SmallGroup((("age", "30"), ("zip", None)), rows=2, needed=5))
    age=30, zip withheld: 2 rows (of 5 needed)
    """

    cells: Cells
    """The group's quasi-identifiers."""
    rows: int
    needed: int
    """How many rows the model requires."""
    lacks: str = ""
    """What is wrong with a sensitive column, if there are enough rows."""

    def row(self) -> tuple[str, ...]:
        """The group as cells of a table."""
        return cells_text(self.cells), self.lacks, counted(self.rows, "row"), f"of {self.needed:,}"

    def as_dict(self) -> dict[str, Plain]:
        """The group as plain values."""
        counts = {"rows": self.rows, "needed": self.needed}
        return {"cells": dict(self.cells), **counts, "lacks": self.lacks or None}

    def __str__(self) -> str:
        rows = counted(self.rows, "row")
        if self.lacks:
            return f"{cells_text(self.cells)}: {self.lacks} in {rows}"
        return f"{cells_text(self.cells)}: {rows} (of {self.needed:,} needed)"


def cells_text(cells: Cells) -> str:
    """Cells as a sentence names them.

    >>> cells_text((("age", "30"), ("zip", None)))
    'age=30, zip withheld'
    """
    return ", ".join(
        f"{name} withheld" if value is None else f"{name}={value}" for name, value in cells
    )


def cells_of(table: Table, names: Sequence[str], row: int) -> Cells:
    """The cells of one row in these columns; a blank is an empty text, only a withheld cell is None."""
    found = [table.column(name) for name in names]
    shown = ((column, int(column.codes[row])) for column in found)
    return tuple((c.name, None if code < 0 else c.values[code] or "") for c, code in shown)
