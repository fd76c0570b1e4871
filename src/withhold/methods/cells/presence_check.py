"""The exact check of δ-presence: for everybody of the population, the sum over the groups that they fit.

In: a table, the population and the model. Out: whose presence breaks the bounds. Fractions in dictionaries,
counted apart from the search.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from withhold.data import Table
from withhold.data.table import WITHHELD
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.presence import Presence, TooPresent

Key = tuple[str | None, ...]
METHOD = "and the presence of everybody in the population summed up"


def presence_breach(
    table: Table, model: KAnonymity, population: Table, until: float | None
) -> TooPresent | None:
    """The worst person outside the bounds; None if there is none. ``TimeoutError`` if the time ran out."""
    names, bounds = model.quasi_identifiers, model.presence_bounds
    assert bounds is not None
    groups, people = _rows(table, names), _rows(population, names)
    presence: dict[Key, Fraction] = dict.fromkeys(people, Fraction(0))
    by_pattern: dict[tuple[int, ...], dict[Key, int]] = {}
    for cells, rows in groups.items():
        shown = tuple(place for place, value in enumerate(cells) if value is not None)
        by_pattern.setdefault(shown, {})[tuple(cells[place] for place in shown)] = rows
    for shown, of_pattern in by_pattern.items():
        if until is not None and time.perf_counter() > until:
            raise TimeoutError
        fitting: Counter[Key] = Counter()
        seen = [(person, tuple(person[place] for place in shown)) for person in people]
        for person, key in seen:
            if key in of_pattern:
                fitting[key] += people[person]
        for strange in of_pattern.keys() - fitting.keys():
            at = dict(zip(shown, strange, strict=True))
            return _breach(names, tuple(at.get(p) for p in range(len(names))), 0, None, bounds)
        for person, key in seen:
            if key in fitting:
                presence[person] += Fraction(of_pattern[key], fitting[key])
    wrong = [person for person, share in presence.items() if not bounds.allows(share)]
    if not wrong:
        return None
    worst = max(wrong, key=lambda person: (_beyond(presence[person], bounds), _texts(person)))
    return _breach(names, worst, people[worst], presence[worst], bounds)


def _rows(table: Table, names: Sequence[str]) -> Counter[Key]:
    """The number of rows by their cells; a withheld cell is None, and all blanks are the same."""
    columns = []
    for name in names:
        column = table.column(name)
        texts = [value or "" for value in column.values]
        cells = column.codes.tolist()
        columns.append([None if code == WITHHELD else texts[code] for code in cells])
    return Counter(zip(*columns, strict=True))


def _beyond(share: Fraction, bounds: Presence) -> Fraction:
    return max(share - bounds.high, bounds.low - share)


def _texts(person: Key) -> list[str]:
    return [value or "" for value in person]


def _breach(
    names: Sequence[str], cells: Key, people: int, share: Fraction | None, bounds: Presence
) -> TooPresent:
    found = tuple(zip(names, cells, strict=True))
    return TooPresent(found, people, share or Fraction(0), str(bounds))
