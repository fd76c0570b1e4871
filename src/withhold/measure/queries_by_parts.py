"""Random count queries about data in parts: drawn in one walk over all pieces, answered in the next."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from withhold.data import Records
from withhold.data.array_types import Floats, Ints
from withhold.measure.alignment import recoded
from withhold.measure.queries import (
    QueryErrors,
    StandsFor,
    count_covering,
    count_itemsets,
    covering_names,
    draw_items,
    draw_places,
    relative_errors,
)
from withhold.telling.facts import MeasureRequest


class QueriesByParts:
    """The queries of one comparison, as ``queries.set_query_errors`` has them of whole records.

    Of the original ``n_holding`` records hold anything, and ``names`` are all items; ``published`` are those
    of the release, and ``stands_for`` says what an item may be published as. Every piece of the original is
    passed to ``draw_from``, in order, before the first to ``answer``.
    """

    def __init__(
        self,
        n_holding: int,
        request: MeasureRequest,
        names: tuple[str, ...],
        published: tuple[str, ...],
        stands_for: StandsFor,
    ) -> None:
        self._generator, self._places = draw_places(n_holding, request.queries, request.seed)
        self._order = np.argsort(self._places, kind="stable")
        self._drawn: list[Ints] = [np.zeros(0, dtype=np.int32)] * len(self._places)
        self._begin = 0
        self._names, self._published = names, published
        self._covering = covering_names(names, published, stands_for)

    @cached_property
    def _asked(self) -> list[tuple[int, ...]]:
        return draw_items(self._drawn, self._generator)

    @cached_property
    def _counts(self) -> Floats:
        """The answers of the original and of the release so far."""
        return np.zeros((2, len(self._asked)))

    def draw_from(self, before: Records) -> None:
        """Keep the records of the next piece that were drawn."""
        before = recoded(before, self._names)
        holding = np.flatnonzero(before.lengths)
        end = self._begin + len(holding)
        first, last = np.searchsorted(self._places[self._order], [self._begin, end])
        for query in self._order[first:last]:
            row = holding[self._places[query] - self._begin]
            begin, after = before.offsets[row : row + 2]
            self._drawn[query] = before.items[begin:after].copy()
        self._begin = end

    def answer(self, before: Records, after: Records) -> None:
        """Add the answers of the next piece of both."""
        self._counts[0] += count_itemsets(recoded(before, self._names), self._asked)
        published = recoded(after, self._published)
        self._counts[1] += count_covering(published, self._asked, self._covering)

    def errors(self, n_rows: int) -> QueryErrors:
        """The errors of all queries, when every piece has answered; the original has ``n_rows`` rows."""
        return relative_errors(self._asked, *self._counts, n_rows=n_rows)
