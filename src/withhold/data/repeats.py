"""Why the rows of a table may not be the persons that a promise is about: copies, or several rows of each.

In: what reading found, and the quasi-identifiers. Out: an error, unless the user said that rows repeat
rightly. k counts rows, so that k copies of one row would hide nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from withhold.errors import PolicyError, option

if TYPE_CHECKING:
    from withhold.data.table import Table

REPEATS = "repeats"
"""What to publish although rows are hardly persons, beside names of columns."""


@dataclass(frozen=True)
class Repeat:
    """One reason to doubt that each row is a person of its own."""

    problem: str
    remedy: str
    columns: frozenset[str] | None = None
    """It stops a release whose quasi-identifiers are all among these; None: every release."""
    is_noted: bool = True
    """Whether it is worth a warning where it stops nothing."""

    def stops(self, quasi_identifiers: Iterable[str]) -> bool:
        """Whether it stops a release with these quasi-identifiers."""
        return self.columns is None or self.columns.issuperset(quasi_identifiers)


def refuse_repeats(
    repeats: Iterable[Repeat] | None, quasi_identifiers: Iterable[str], publish: str | Iterable[str]
) -> None:
    """Stop if rows are hardly persons, unless the user chose to publish them so."""
    known = tuple(quasi_identifiers)
    # The only texts are "all" and "repeats".
    is_decided = isinstance(publish, str) or REPEATS in tuple(publish)
    for each in () if is_decided else repeats or ():
        if each.stops(known):
            raise PolicyError(
                f"{each.problem}. To fix it: {each.remedy}; or say {option('publish', REPEATS)} if rows may "
                "repeat and the promise may be about rows"
            )


def repeat_warnings(table: Table, quasi_identifiers: Iterable[str]) -> tuple[str, ...]:
    """What a release warns of; first what was noted when the table was read."""
    known = tuple(quasi_identifiers)
    later = [each for each in table.repeats or () if not each.is_noted and each.stops(known)]
    return (*table.warnings, *(each.problem for each in later))
