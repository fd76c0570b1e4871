"""Frequent itemsets, closed itemsets and association rules of records, exact.

In: records, a minimum support and a minimum confidence. Out: ``Itemsets`` and ``Rules``, arrays of item
codes with whole counts. The same for any number of jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from withhold.counting.threads import ANSWERED, Progress, Stop, available_cores, quiet, run_all
from withhold.data import Records
from withhold.data.array_types import Ints, Longs
from withhold.data.spans import sorted_spans, starts_of
from withhold.errors import PolicyError
from withhold.exact import exact_threshold
from withhold.mining.itemset_index import find_rules, index_itemsets, match_itemsets
from withhold.mining.rows import Wanted, mining_rows
from withhold.mining.search import mine_part

Support = str | Fraction | int | float
Confidence = str | Fraction | int | float

MOST_ITEMSETS = 2_000_000
"""More are not listed: nobody reads them, and they may be 2^45."""
PARTS_PER_JOB = 4


@dataclass(frozen=True, eq=False)
class Itemsets:
    """Itemsets of some records: ``items[offsets[s]:offsets[s + 1]]`` are the codes of set ``s``."""

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
        listed = others.offsets, others.items, others.slots
        places: Longs = match_itemsets(self.offsets, self.items, *listed)
        return places

    @cached_property
    def slots(self) -> Longs:
        """The hash table by which sets are found; see ``itemset_index``."""
        slots: Longs = index_itemsets(self.offsets, self.items)
        return slots


class Rule(NamedTuple):
    """``joint`` of the ``support`` records with the antecedent have the consequent, too."""

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
    records: Records,
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
        records, min_support, max_size=max_size, most=MOST_ITEMSETS, jobs=jobs, progress=progress
    )
    return _or_refuse(found, "give max_size or a larger minimum support")


def closed_itemsets(
    records: Records, min_support: Support, *, jobs: int | None = None, progress: Progress = quiet
) -> Itemsets:
    """The frequent itemsets that lose a record whenever another item joins them.

    >>> found = closed_itemsets(Records.from_lists([["a", "b"], ["a", "b"], ["b"]]), 2)
    >>> sorted(found)
    [(('a', 'b'), 2), (('b',), 3)]
    """
    found = list_itemsets(
        records, min_support, closed=True, most=MOST_ITEMSETS, jobs=jobs, progress=progress
    )
    return _or_refuse(found, "give a larger minimum support")


def rules(
    records: Records,
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
        records, min_support, max_size=max_size, jobs=jobs, progress=progress
    )
    return rules_of(itemsets, min_confidence)


def rules_of(itemsets: Itemsets, min_confidence: Confidence) -> Rules:
    """The rules among frequent itemsets, all of which must be listed."""
    confidence = exact_confidence(min_confidence)
    listed = itemsets.offsets, itemsets.items, itemsets.supports, itemsets.slots
    n_rules, *found = find_rules(*listed, confidence.numerator, confidence.denominator)
    return Rules(itemsets, *(each[:n_rules].copy() for each in found))


def list_itemsets(
    records: Records,
    min_support: Support,
    *,
    closed: bool = False,
    max_size: int | None = None,
    most: int,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> Itemsets | None:
    """The itemsets, or None if there are more than ``most``."""
    wanted = Wanted(closed, min_count(min_support, len(records)), max_size or 0, most)
    rows = mining_rows(records, wanted.least)
    jobs = jobs or available_cores()
    bounds = rows.fair_bounds(1 if jobs == 1 else PARTS_PER_JOB * jobs)
    with Stop() as stop:
        tasks: list[Callable[[], Any]] = [
            partial(mine_part, rows, first, last, wanted, stop) for first, last in pairwise(bounds)
        ]
        parts = run_all(tasks, stop, jobs=jobs, progress=progress, what="mining")
    # One more without a set, so that there is always something to put together.
    nothing = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)
    sizes, items, supports = map(np.concatenate, zip(nothing, *parts, strict=True))
    if stop.cause == ANSWERED or len(supports) > most:
        return None
    codes = sorted_spans(sizes, rows.code_of_rank[items], records.n_items)
    return Itemsets(starts_of(sizes), codes, supports, records.vocabulary)


def min_count(min_support: Support, n_records: int) -> int:
    """The least number of records that a minimum support stands for, 1 or more.

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
    return max(-(-share.numerator * n_records // share.denominator), 1)


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
