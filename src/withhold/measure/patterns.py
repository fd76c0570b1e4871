"""Frequent itemsets and rules of an original and its release, mined once and compared.

In: an original and its release, aligned. Out: ``ItemsetChanges`` and ``RuleChanges``. Where there are
too many itemsets to list, small ones are compared: all of up to as many items as can be listed.
"""

from __future__ import annotations

from withhold.counting.threads import Progress, quiet
from withhold.errors import InternalError
from withhold.measure.alignment import Pair
from withhold.measure.itemsets import ItemsetChanges, compare_by_size
from withhold.measure.rules import RuleChanges, compare_rules
from withhold.mining.miner import (
    MOST_ITEMSETS,
    Confidence,
    Itemsets,
    Support,
    exact_confidence,
    list_itemsets,
    min_count,
)


def measure_patterns(
    pair: Pair,
    min_support: Support,
    min_confidence: Confidence,
    *,
    most: int = MOST_ITEMSETS,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> tuple[ItemsetChanges, RuleChanges]:
    """What became of the frequent itemsets and of the rules; at most ``most`` sets are listed."""
    confidence = exact_confidence(min_confidence)
    before, after, max_size = mine_both(pair, min_support, most=most, jobs=jobs, progress=progress)
    itemsets = ItemsetChanges(
        min_support=str(min_support),
        min_count=min_count(min_support, len(pair.original)),
        published_min_count=min_count(min_support, len(pair.published)),
        max_size=max_size,
        by_size=compare_by_size(before, after),
    )
    return itemsets, compare_rules(pair, before, after, confidence)


def mine_both(
    pair: Pair, min_support: Support, *, most: int, jobs: int | None, progress: Progress
) -> tuple[Itemsets, Itemsets, int | None]:
    """The itemsets of both tables, and up to which size they are listed (None: all of them are)."""

    def attempt(max_size: int | None, most: int) -> list[Itemsets] | None:
        lists = []
        for table in (pair.original, pair.published):
            found = list_itemsets(
                table, min_support, max_size=max_size, most=most, jobs=jobs, progress=progress
            )
            if found is None:
                return None
            lists.append(found)
        return lists

    size = None
    best = attempt(None, most)
    if best is None:
        size, best = 1, attempt(1, len(pair.vocabulary))
        while (larger := attempt(size + 1, most)) is not None:
            size, best = size + 1, larger
    if best is None:
        raise InternalError("there are more frequent items than items")
    return best[0], best[1], size
