"""The ladder: what protection from attackers who know more and more items costs, before anything is written.

Attributes and items published together keep little if an attacker may know many items. Whoever publishes
should see that first, and perhaps choose a smaller number, coarser columns, or two separate files.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from withhold.data.cell_plan import KEPT
from withhold.data.evidence import Evidence
from withhold.data.people import People
from withhold.method import SearchRun
from withhold.methods.people.grouped_items import items_of
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.people.options import PeopleSearch
from withhold.methods.people.search.suppressor import suppress_people
from withhold.options import Plain
from withhold.shown import Listed
from withhold.wording import counted, percent

STEPS = (0, 1, 2, None)
MOST_PERSONS = 50_000
"""Of more people, a sample of this size is searched; it loses a larger share than all of them would."""


@dataclass(frozen=True)
class Rung:
    """What one number of known items costs."""

    max_known: int | None
    """None: any number."""
    cells: float
    """The share of the quasi-identifiers' cells that would not show their value."""
    sensitive: float
    """The share of the sensitive items, and cells of sensitive columns, that would be withheld."""
    public: float | None = None
    """The share of the other items; None if none of them is ever withheld."""


@dataclass(frozen=True)
class Ladder(Listed):
    """What each number of known items costs, and which of them was requested."""

    rungs: tuple[Rung, ...]
    asked: int | None
    persons: int
    """How many people were searched."""
    all_persons: int

    def head(self) -> tuple[str, ...]:
        """The header of the rows."""
        others = ("others withheld",) if self._shows_others else ()
        return ("attacker knows", "cells withheld", "sensitive withheld", *others, "")

    @property
    def _shows_others(self) -> bool:
        return any(rung.public is not None for rung in self.rungs)

    def rows(self) -> list[tuple[str, ...]]:
        """A row of texts for each number of known items."""
        return [
            (
                "any items" if rung.max_known is None else counted(rung.max_known, "item"),
                percent(rung.cells),
                percent(rung.sensitive),
                *([percent(rung.public or 0)] if self._shows_others else []),
                "asked for" if rung.max_known == self.asked else "",
            )
            for rung in self.rungs
        ]

    def note(self) -> str:
        """What to know of how the numbers came about, if anything."""
        if self.persons == self.all_persons:
            return ""
        return (
            f"From a sample of {self.persons:,} of {self.all_persons:,} persons; of all of them, smaller "
            "shares are withheld."
        )

    def as_dict(self) -> dict[str, Plain]:
        """All of it as plain values; ``max_known`` is None for any number."""
        rungs = [asdict(rung) for rung in self.rungs]
        sizes = {"persons": self.persons, "all_persons": self.all_persons}
        return {"asked": self.asked, "rungs": rungs, **sizes}


def ladder_of_people(
    people: People, model: PeopleUncertainty, options: PeopleSearch, run: SearchRun
) -> Ladder:
    """What protecting from 0, 1, 2, any number and the asked number of known items costs."""
    some = people
    if len(people) > MOST_PERSONS:
        chosen = np.random.default_rng(run.seed).permutation(len(people))[:MOST_PERSONS]
        some = people.only_records(np.isin(np.arange(len(people)), chosen))
    steps = {*STEPS, model.max_known}
    known = sorted(steps, key=lambda most: (most is None, most or 0))
    rungs = tuple(_rung(some, model.knowing(most), options, run) for most in known)
    return Ladder(rungs, model.max_known, len(some), len(people))


def _rung(people: People, model: PeopleUncertainty, options: PeopleSearch, run: SearchRun) -> Rung:
    plan, _ = suppress_people(people, model, Evidence(), options, run)
    items = items_of(people, model)
    total = int(items.sensitive[items.records.items].sum())
    n_columns = len(model.quasi_identifiers)
    changed = plan.cells.cells != KEPT
    code = people.items.items[plan.items.removed]
    # Codes of the people's own items are the same among those of persons.
    secret = int(items.sensitive[code].sum())
    withheld = secret + int(changed[:, n_columns:].sum())
    cells = float(changed[:, :n_columns].mean()) if len(people) else 0.0
    others = people.items.n_occurrences - int(items.sensitive[people.items.items].sum())
    public = (len(plan.items) - secret) / others if others and model.km is not None else None
    return Rung(model.max_known, cells, withheld / total if total else 0.0, public)
