"""How many rows fit each row if a withheld cell fits anything; counted in dictionaries, for the check.

Two rows fit each other if they agree wherever both show a value. So rows are processed by *scheme*, the
columns that they show: rows of two schemes must agree in the columns that both schemes show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from operator import itemgetter

from withhold.data.table import WITHHELD

Cells = tuple[int, ...]


def rows_fitting(rows: Mapping[Cells, int]) -> Iterator[dict[Cells, int]]:
    """For each row that occurs, how many rows fit it, one scheme at a time.

    >>> list(rows_fitting({(1, 7): 2, (1, WITHHELD): 1, (2, 7): 4}))
    [{(1, 7): 3, (2, 7): 4}, {(1, -1): 3}]
    """
    schemes: dict[tuple[int, ...], dict[Cells, int]] = {}
    for cells, n_rows in rows.items():
        shown = tuple(place for place, code in enumerate(cells) if code != WITHHELD)
        schemes.setdefault(shown, {})[cells] = n_rows
    for mine, own in schemes.items():
        found = dict.fromkeys(own, 0)
        shared: dict[tuple[int, ...], Counter[object]] = {}
        for theirs, others in schemes.items():
            common = tuple(place for place in mine if place in theirs)
            counts = shared.setdefault(common, Counter())
            part = itemgetter(*common) if common else lambda _: ()
            for cells, n_rows in others.items():
                counts[part(cells)] += n_rows
        for common, counts in shared.items():
            part = itemgetter(*common) if common else lambda _: ()
            for cells in found:
                found[cells] += counts[part(cells)]
        yield found
