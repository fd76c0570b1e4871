"""δ-presence (Nergiz, Atzori and Clifton 2007): how probable it is that somebody is in the file at all.

The rows of the table are a part of a given population. A person of the population *fits* a row if they have
every value that the row shows; a withheld cell fits everybody. An attacker who takes each row to be any of
the people who fit it, with equal probability, expects a person to be in the file with the sum of
1 / (people who fit) over the rows that the person fits. This *presence* must lie within bounds for everybody
in the population. If no two groups of equal rows fit the same person, it is rows / people of the group, as in
the paper.

Its mean over the population is rows / people, whatever is withheld. So if that lies within the bounds, they
can be met by withholding everything; otherwise they cannot be met at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from withhold.data import Table
from withhold.data.binning import Quantiles
from withhold.data.evidence import Evidence
from withhold.data.preparing import parse_bins
from withhold.errors import InputError, PolicyError, option
from withhold.exact import decimal_text, exact_number
from withhold.options import Plain
from withhold.wording import counted


@dataclass(frozen=True)
class Presence:
    """The lowest and the highest presence of a person."""

    low: Fraction
    high: Fraction

    @classmethod
    def parse(cls, text: str) -> Presence:
        """The bounds from ``LOW,HIGH``.

        >>> Presence.parse("0.1,1/2")
        Presence(low=Fraction(1, 10), high=Fraction(1, 2))
        """
        parts = text.split(",")
        if len(parts) != 2:
            raise PolicyError(
                f"presence must be LOW,HIGH with decimal points, such as 0.1,0.5, not {text!r}"
            )
        low, high = (exact_number(part.strip(), name="presence") for part in parts)
        if not 0 <= low <= high <= 1:
            raise PolicyError(
                f"presence must be LOW,HIGH with 0 ≤ LOW ≤ HIGH ≤ 1, such as 0.1,0.5, not {text!r}"
            )
        if low == 0 and high == 1:
            raise PolicyError("a presence of 0,1 asks for nothing; leave it out")
        return cls(low, high)

    def __str__(self) -> str:
        return f"{decimal_text(self.low)},{decimal_text(self.high)}"

    def allows(self, share: Fraction) -> bool:
        """Whether a presence lies within the bounds."""
        return self.low <= share <= self.high

    def promise(self) -> str:
        """What holds of everybody in the population."""
        return (
            f"everybody in the population is in the file with a probability from {decimal_text(self.low)} "
            f"to {decimal_text(self.high)}"
        )


def wider(offered: str | None, asked: str | None) -> bool:
    """Whether the offered bounds allow more than the requested ones; None allows everything.

    >>> wider("0.1,0.6", "0.1,0.5"), wider("0.2,0.4", "0.1,0.5")
    (True, False)
    """
    if asked is None:
        return False
    if offered is None:
        return True
    mine, theirs = Presence.parse(offered), Presence.parse(asked)
    return mine.low < theirs.low or mine.high > theirs.high


@dataclass(frozen=True)
class TooPresent:
    """People whose presence breaks the bounds, or a row that fits nobody of the population.

    >>> print(TooPresent((("age", "30"), ("zip", "1010")), 3, Fraction(2, 3), "0,0.5"))
    age=30, zip=1010: 3 people of the population, each in the file with a probability of 0.667 (0,0.5 allowed)
    """

    cells: tuple[tuple[str, str | None], ...]
    people: int
    presence: Fraction
    allowed: str

    @property
    def _what(self) -> str:
        return ", ".join(
            f"{name} withheld" if value is None else f"{name}={value}" for name, value in self.cells
        )

    def row(self) -> tuple[str, ...]:
        """The people as cells of a table."""
        people = counted(self.people, "person", "people")
        return self._what, "", people, f"presence {float(self.presence):.3f}"

    def as_dict(self) -> dict[str, Plain]:
        """The people as plain values."""
        numbers = {"people": self.people, "presence": float(self.presence)}
        return {"cells": dict(self.cells), **numbers, "allowed": self.allowed}

    def __str__(self) -> str:
        if not self.people:
            return f"{self._what}: nobody in the population matches the row"
        people = counted(self.people, "person", "people")
        return (
            f"{self._what}: {people} of the population, each in the file with a probability of "
            f"{float(self.presence):.3f} ({self.allowed} allowed)"
        )


def population_for(table: Table, model: Any, given: Any) -> Evidence:
    """The population as evidence, prepared as the table was, if the model is about it."""
    if model.presence is None:
        return Evidence()
    if given is None:
        raise PolicyError(
            f"presence needs the population; name the file with everybody in it: {option('population')} "
            "FILE"
        )
    tidy = [str(each) for each in table.tidied]
    return Evidence(population=read_population(given, table.binned, tidy, model))


def evidence_of_files(files: Mapping[str, Any], data: Any, _: bool) -> Evidence:
    """The population that a proof of a file needs; for a release, it is an option of the search."""
    if data is not None or files.get("population") is None:
        return Evidence()
    return Evidence(
        population=read_population(files["population"], files.get("bin", ()), files.get("tidy"))
    )


def read_population(given: Any, bins: Any, tidy: Any, model: Any = None) -> Table:
    """The population in a file or a frame, its columns prepared as those of the table."""
    from withhold.formats import read_table

    if loose := [str(how) for how in parse_bins(bins).values() if isinstance(how, Quantiles)]:
        raise PolicyError(
            f"{loose[0]} gives the population other ranges than the table; use the edges listed in "
            "OUTPUT.internal.json under binned_columns"
        )
    found = read_table(given, bins=bins, tidy=tidy)
    for name in () if model is None else model.quasi_identifiers:
        if name not in found.names:
            raise InputError(
                f"has no column {name!r}, which is a quasi-identifier",
                path=None if found.source is None else found.source.path,
                remedy="give the population the columns that others may know of a person",
            )
    return found
