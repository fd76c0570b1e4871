"""Frequent itemsets, closed itemsets and association rules of a table, exact.

In: a table, a minimum support and a minimum confidence. Out: ``Itemsets`` and ``Rules``, arrays of item
codes with whole counts. The same for any number of jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.threads import ANSWERED, Progress, Stop, available_cores, quiet, run_all
from withhold.data import Records
from withhold.errors import PolicyError
from withhold.exact import exact_threshold
from withhold.mining.closed_sets import FINISHED, TOO_MANY, mine_itemsets
from withhold.mining.itemset_index import (
    find_rules,
    index_itemsets,
    match_itemsets,
    recode_itemsets,
)
from withhold.mining.rows import MiningRows, mining_rows

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Support = str | Fraction | int | float
Confidence = str | Fraction | int | float

MOST_ITEMSETS = 2_000_000
"""More are not listed: nobody reads them, and they may be 2^45."""
PARTS_PER_JOB = 4


@dataclass(frozen=True, eq=False)
class Itemsets:
    """Itemsets of one table: ``items[offsets[s]:offsets[s + 1]]`` are the codes of set ``s``."""

    offsets: Longs
    items: Ints
    """Ascending within a set."""
    supports: Longs
    vocabulary: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.supports)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Each set's names with its support."""
        return ((self.names(s), int(self.supports[s])) for s in range(len(self)))

    @property
    def sizes(self) -> Longs:
        """How many items each set has."""
        return np.diff(self.offsets)

    def names(self, number: int) -> tuple[str, ...]:
        """The items of one set."""
        codes = self.items[self.offsets[number] : self.offsets[number + 1]]
        return tuple(self.vocabulary[code] for code in codes)

    def places_in(self, others: Itemsets) -> Longs:
        """For each set its number among the others, or -1; both must have the same vocabulary."""
        places: Longs = match_itemsets(
            self.offsets, self.items, others.offsets, others.items, others.slots
        )
        return places

    @cached_property
    def slots(self) -> Longs:
        """The hash table by which sets are found; see ``kernels.itemset_index``."""
        slots: Longs = index_itemsets(self.offsets, self.items)
        return slots


class Rule(NamedTuple):
    """Who has the antecedent has the consequent too, in ``joint`` of ``support`` records."""

    antecedent: tuple[str, ...]
    consequent: str
    joint: int
    support: int


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules with one consequent, as places in a list of itemsets."""

    itemsets: Itemsets
    wholes: Longs
    """For each rule the number of the set of antecedent and consequent together."""
    antecedents: Longs
    """For each rule the number of its antecedent."""
    consequents: Ints
    """For each rule the consequent's code."""

    def __len__(self) -> int:
        return len(self.wholes)

    def __iter__(self) -> Iterator[Rule]:
        return (self.rule(number) for number in range(len(self)))

    def rule(self, number: int) -> Rule:
        """One rule by name."""
        return Rule(
            self.itemsets.names(self.antecedents[number]),
            self.itemsets.vocabulary[self.consequents[number]],
            int(self.joint[number]),
            int(self.support[number]),
        )

    @property
    def joint(self) -> Longs:
        """For each rule the records that hold antecedent and consequent."""
        return self.itemsets.supports[self.wholes]

    @property
    def support(self) -> Longs:
        """For each rule the records that hold the antecedent."""
        return self.itemsets.supports[self.antecedents]


def frequent_itemsets(
    table: Records,
    min_support: Support,
    *,
    max_size: int | None = None,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Itemsets:
    """All itemsets of up to ``max_size`` items that are frequent, the empty one left out.

    >>> found = frequent_itemsets(Records.from_lists([["a", "b"], ["a", "b"], ["b"]]), 2)
    >>> sorted(found)
    [(('a',), 2), (('a', 'b'), 2), (('b',), 3)]
    """
    if max_size is not None and max_size < 1:
        raise PolicyError(f"max_size must be at least 1, not {max_size}")
    found = list_itemsets(
        table, min_support, max_size=max_size, most=MOST_ITEMSETS, jobs=jobs, progress=progress
    )
    return _or_refuse(found, "give max_size or a larger minimum support")


def closed_itemsets(
    table: Records,
    min_support: Support,
    *,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Itemsets:
    """The frequent itemsets that lose a record whenever another item joins them.

    >>> found = closed_itemsets(Records.from_lists([["a", "b"], ["a", "b"], ["b"]]), 2)
    >>> sorted(found)
    [(('a', 'b'), 2), (('b',), 3)]
    """
    found = list_itemsets(
        table, min_support, closed=True, most=MOST_ITEMSETS, jobs=jobs, progress=progress
    )
    return _or_refuse(found, "give a larger minimum support")


def rules(
    table: Records,
    min_support: Support,
    min_confidence: Confidence,
    *,
    max_size: int | None = None,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Rules:
    """All rules q→e, q not empty, whose whole qe is frequent and whose confidence is high enough.

    >>> found = rules(Records.from_lists([["a", "b"], ["a", "b"], ["b"]]), "50%", "0.7")
    >>> list(found)
    [Rule(antecedent=('a',), consequent='b', joint=2, support=2)]
    """
    itemsets = frequent_itemsets(
        table, min_support, max_size=max_size, jobs=jobs, progress=progress
    )
    return rules_of(itemsets, min_confidence)


def rules_of(itemsets: Itemsets, min_confidence: Confidence) -> Rules:
    """The rules among frequent itemsets that are all there."""
    confidence = exact_confidence(min_confidence)
    n_rules, wholes, antecedents, consequents = find_rules(
        itemsets.offsets,
        itemsets.items,
        itemsets.supports,
        itemsets.slots,
        confidence.numerator,
        confidence.denominator,
    )
    return Rules(
        itemsets,
        wholes[:n_rules].copy(),
        antecedents[:n_rules].copy(),
        consequents[:n_rules].copy(),
    )


def list_itemsets(
    table: Records,
    min_support: Support,
    *,
    closed: bool = False,
    max_size: int | None = None,
    most: int,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Itemsets | None:
    """The itemsets, or None if there are more than ``most``."""
    least = min_count(min_support, len(table))
    rows = mining_rows(table, least)
    jobs = jobs or available_cores()
    bounds = rows.fair_bounds(1 if jobs == 1 else PARTS_PER_JOB * jobs)
    with Stop() as stop:
        tasks: list[Callable[[], Any]] = [
            partial(_mine_part, rows, first, last, closed, least, max_size or 0, most, stop)
            for first, last in zip(bounds, bounds[1:], strict=False)
        ]
        parts = run_all(tasks, stop, jobs=jobs, progress=progress, what="mining")
    n_sets = sum(len(supports) for _, _, supports in parts)
    if stop.reason == ANSWERED or n_sets > most:
        return None
    offsets = np.zeros(n_sets + 1, dtype=np.int64)
    if parts:
        np.cumsum(np.concatenate([sizes for sizes, _, _ in parts]), out=offsets[1:])
    items = _joined([items for _, items, _ in parts], np.int32)
    recode_itemsets(offsets, items, rows.code_of_rank)
    supports = _joined([supports for _, _, supports in parts], np.int64)
    return Itemsets(offsets, items, supports, table.vocabulary)


def _mine_part(
    rows: MiningRows,
    first: int,
    last: int,
    closed: bool,
    least: int,
    most_items: int,
    most: int,
    stop: Stop,
) -> tuple[Longs, Ints, Longs]:
    """Sizes, ranks and supports of the itemsets whose rarest item is in [first, last)."""
    status, n_sets, offsets, items, supports = mine_itemsets(
        rows.offsets,
        rows.items,
        rows.weights,
        rows.post_offsets,
        rows.post_rows,
        rows.post_positions,
        rows.supports,
        first,
        last,
        closed,
        least,
        most_items,
        most,
        stop.flag,
    )
    if status == TOO_MANY:
        stop.because(ANSWERED)
    if status != FINISHED:
        n_sets = 0
    return np.diff(offsets[: n_sets + 1]), items[: offsets[n_sets]], supports[:n_sets]


def min_count(min_support: Support, records: int) -> int:
    """The least number of records that a minimum support asks for, 1 or more.

    A whole number is that many records; anything else is a share of them, rounded up.

    >>> min_count(30, 59_602), min_count("0.05%", 59_602), min_count(Fraction(1, 2), 5)
    (30, 30, 3)
    """
    if isinstance(min_support, int) or (isinstance(min_support, str) and min_support.isdigit()):
        count = int(min_support)
        if count < 1:
            raise PolicyError(f"the minimum support must be 1 record or more, not {min_support}")
        return count
    share = _exact_share(min_support, "the minimum support")
    return max(-(-share.numerator * records // share.denominator), 1)


def exact_confidence(min_confidence: Confidence) -> Fraction:
    """The confidence as the exact number that was written, above 0 and at most 1.

    >>> exact_confidence("30%"), exact_confidence(1)
    (Fraction(3, 10), Fraction(1, 1))
    """
    return _exact_share(min_confidence, "the minimum confidence")


def _exact_share(value: Support, name: str) -> Fraction:
    if value in (1, "1", "100%"):
        return Fraction(1)
    if isinstance(value, str) and value.endswith("%"):
        return exact_threshold(f"{value[:-1].strip()}e-2", name=name)
    return exact_threshold(value, name=name)


def _or_refuse(found: Itemsets | None, remedy: str) -> Itemsets:
    if found is None:
        raise PolicyError(f"there are more than {MOST_ITEMSETS:,} itemsets; {remedy}")
    return found


def _joined(arrays: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=dtype)
