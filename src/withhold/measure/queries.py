"""Query-workload error: how far random count queries are off when they are asked of a release.

A query is one to four conditions: items that a record holds, or columns with their values. Each is drawn
from a random record of the original, so that no query is about something that nobody has. The answer of the
original is a count; that of the release is an expected count: a record that shows something more general
satisfies a condition with probability 1/n if what it shows represents n values, each taken to be as likely
as the others and independent of the other conditions. The relative error is
|answer - count| / max(count, sanity bound).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from withhold.data import Hierarchy, Records
from withhold.data.array_types import Floats, Longs
from withhold.data.groups import Groups
from withhold.data.spans import starts_of
from withhold.telling.facts import Measures, Shown

QUERIES = 1000
"""How many queries are asked by default."""
MOST_CONDITIONS = 4
BOUND_SHARE = 1000
"""The sanity bound is one record in this many, and at least one, so that small counts do not dominate."""

Condition = TypeVar("Condition")
Matching = Callable[[Condition], tuple[Longs, Floats]]
"""(condition) → the rows that may satisfy it, and how likely each of them does."""

StandsFor = Callable[[str], list[tuple[str, float]]]
"""(item) → the names that it may be published as, each with the chance that the name means this item."""
Covering = list[list[tuple[int, float]]]
"""By item of the original: the codes of what it may be published as, each with that chance."""


@dataclass(frozen=True)
class ConditionErrors:
    """The errors of the queries with one number of conditions."""

    conditions: int
    queries: int
    mean: float

    @classmethod
    def each(cls, sizes: Longs, errors: Floats) -> tuple[ConditionErrors, ...]:
        """One for each number of conditions; ``sizes`` has it by query."""
        parts = [(int(size), errors[sizes == size]) for size in np.unique(sizes)]
        return tuple(cls(size, len(part), float(part.mean())) for size, part in parts)


@dataclass(frozen=True)
class QueryErrors:
    """The relative errors of count queries; None if nothing could be asked."""

    queries: int
    sanity_bound: int
    mean: float | None
    median: float | None
    by_conditions: tuple[ConditionErrors, ...]


QUERY_MEASURES: Measures = {
    "queries.queries": "random count queries run on both, one to four conditions each",
    "queries.sanity_bound": "records; errors of smaller counts are taken relative to so many",
    "queries.mean": Shown(
        "error of count queries",
        "share",
        "mean relative error of random count queries (0 = all answered exactly)",
    ),
    "queries.median": Shown(
        "median error of queries",
        "share",
        "half of the queries have a relative error of at most so much",
    ),
    "queries.by_conditions": "the queries by their number of conditions",
    "queries.by_conditions.conditions": "number of conditions",
    "queries.by_conditions.queries": "queries with so many conditions",
    "queries.by_conditions.mean": "their mean relative error",
}


def set_query_errors(
    original: Records,
    published: Records,
    stands_for: StandsFor | None = None,
    *,
    queries: int = QUERIES,
    seed: int = 0,
) -> QueryErrors:
    """The errors of itemset counts; ``stands_for`` says what an item may be published as (itself).

    An item that was withheld leaves no trace in its record, so the record does not count.

    >>> before = Records.from_lists([["beer"], ["beer"], ["beer"], ["beer"]])
    >>> after = Records.from_lists([["beer"], [], ["beer"], ["beer"]])
    >>> set_query_errors(before, after).mean
    0.25
    """
    asked = draw_itemsets(original, queries, seed)
    covering = covering_names(original.vocabulary, published.vocabulary, stands_for or by_name)
    return relative_errors(
        asked,
        count_itemsets(original, asked),
        count_covering(published, asked, covering),
        n_rows=len(original),
    )


def draw_itemsets(records: Records, queries: int, seed: int) -> list[tuple[int, ...]]:
    """One to four random items of a random record, for each query; none if all records are empty."""
    holding = np.flatnonzero(records.lengths)
    generator, drawn = draw_places(len(holding), queries, seed)
    spans = ((records.offsets[row], records.offsets[row + 1]) for row in holding[drawn])
    return draw_items([records.items[begin:end] for begin, end in spans], generator)


def draw_places(
    n_holding: int, queries: int, seed: int
) -> tuple[np.random.Generator, NDArray[np.int64]]:
    """The generator for all that is drawn, and for each query a record among those that hold anything."""
    generator = np.random.default_rng(seed)
    return generator, generator.integers(0, n_holding, queries if n_holding else 0)


def draw_items(
    drawn: Sequence[NDArray[np.int32]], generator: np.random.Generator
) -> list[tuple[int, ...]]:
    """One to four random items of each of the records."""
    asked = []
    for items in drawn:
        size = generator.integers(1, min(MOST_CONDITIONS, len(items)) + 1)
        asked.append(tuple(generator.choice(items, size, replace=False).tolist()))
    return asked


def count_itemsets(records: Records, asked: Sequence[tuple[int, ...]]) -> Floats:
    """In how many records each of the sets of items occurs."""
    return count_covering(records, asked, [[(code, 1.0)] for code in range(records.n_items)])


def count_covering(
    records: Records, asked: Sequence[tuple[int, ...]], covering: Covering
) -> Floats:
    """In how many records each of the sets of items is expected to occur, given what items may appear as."""
    return expected_counts(asked, _holding(records, covering), np.ones(len(records)))


def relative_errors(
    asked: Sequence[Sequence[object]], before: Floats, after: Floats, *, n_rows: int
) -> QueryErrors:
    """The errors of the answers ``after`` against the counts ``before``, query by query."""
    bound = max(1, -(-n_rows // BOUND_SHARE))
    errors = np.abs(after - before) / np.maximum(before, bound)
    if not len(errors):
        return QueryErrors(0, bound, None, None, ())
    by_size = ConditionErrors.each(np.array([len(query) for query in asked]), errors)
    mean, median = float(errors.mean()), float(np.median(errors))
    return QueryErrors(len(errors), bound, mean, median, by_size)


def expected_counts(
    asked: Sequence[Sequence[Condition]], matching: Matching[Condition], sizes: Floats
) -> Floats:
    """How many records each query is expected to count, if row ``n`` represents ``sizes[n]`` records."""
    weights = np.zeros(len(sizes))
    counts = np.zeros(len(asked))
    for number, query in enumerate(asked):
        # The condition that the fewest rows may satisfy first, so that the others are looked up for few.
        (rows, likely), *others = sorted(
            (matching(each) for each in query), key=lambda m: len(m[0])
        )
        for other_rows, other_likely in others:
            weights[other_rows] = other_likely
            both = weights[rows]
            weights[other_rows] = 0.0
            rows, likely = rows[both > 0], (likely * both)[both > 0]
        counts[number] = (likely * sizes[rows]).sum()
    return counts


def by_name(item: str) -> list[tuple[str, float]]:
    """An item is published as itself, or not at all."""
    return [(item, 1.0)]


def under_tree(tree: Hierarchy) -> StandsFor:
    """An item is published as itself, or as a node of the tree above it."""

    def stands_for(item: str) -> list[tuple[str, float]]:
        nodes = [(item, 1.0)]
        while nodes[-1][0] in tree and (above := tree.parent(nodes[-1][0])) is not None:
            nodes.append((above, 1 / int(tree.leaf_counts[tree.code(above)])))
        return nodes

    return stands_for


def under_groups(groups: Groups) -> StandsFor:
    """An item is published as its group."""
    sizes = {name: len(items) for name, items in groups.members}
    group_of = groups.group_of()

    def stands_for(item: str) -> list[tuple[str, float]]:
        group = group_of.get(item, item)
        return [(group, 1 / sizes.get(group, 1))]

    return stands_for


def covering_names(
    original: Sequence[str], published: Sequence[str], stands_for: StandsFor
) -> Covering:
    """For each item of the original, the published items that it may appear as, the likeliest first."""
    code_of = {name: code for code, name in enumerate(published)}
    return [
        [(code_of[name], likely) for name, likely in stands_for(item) if name in code_of]
        for item in original
    ]


def _holding(records: Records, covering: Covering) -> Matching[int]:
    """The records that hold an item, or something that it may appear as."""
    order = np.argsort(records.items, kind="stable")
    rows = np.repeat(np.arange(len(records)), records.lengths)[order]
    starts = starts_of(records.supports)
    none = np.zeros(0, dtype=np.int64), np.zeros(0)

    def matching(item: int) -> tuple[Longs, Floats]:
        held = [(rows[starts[code] : starts[code + 1]], each) for code, each in covering[item]]
        if len(held) < 2:
            return (held[0][0], np.full(len(held[0][0]), held[0][1])) if held else none
        everywhere = np.concatenate([each for each, _ in held])
        likely = np.repeat([each for _, each in held], [len(each) for each, _ in held])
        # A record may show the item and a node above it; the likeliest comes first.
        different, first = np.unique(everywhere, return_index=True)
        return different, likely[first]

    return matching
