"""The audit of k-anonymous sets over parts: the numbers of all records together, by exact counts of sets."""

from __future__ import annotations

from collections.abc import Generator
from heapq import nsmallest
from typing import Any

from withhold.auditing.by_parts import CountedBreaches
from withhold.auditing.result import How, SizeCount
from withhold.counting.equal_sets import EqualSets, Overview, OverviewRound, exact_rounds
from withhold.methods.buckets.check import rarest_first
from withhold.methods.buckets.model import Buckets, RareSet


def survey_by_counts(
    model: Buckets, largest: int, show: int
) -> Generator[Any, Any, CountedBreaches]:
    """The rare sets of up to ``largest`` items, the rarest sets of all, and how many records are exposed."""
    found: Overview = yield OverviewRound()
    by_size = dict.fromkeys(range(largest + 1), 0)
    exposed = 0
    rarest: list[RareSet] = []
    for asked in exact_rounds(found):
        sums: EqualSets = yield asked
        listed = [(key, n) for key, n in sums.rare(model.k)]
        for key, n in listed:
            # A key has four bytes for each item.
            if (size := len(key) // 4) <= largest:
                by_size[size] += 1
                exposed += n
        few = nsmallest(show, listed, key=lambda each: (each[1], len(each[0])))
        last = (few[-1][1], len(few[-1][0])) if few else (0, 0)
        ties = [each for each in listed if (each[1], len(each[0])) <= last]
        rare = (RareSet(asked.items_of(key), n, model.k) for key, n in ties)
        rarest = nsmallest(show, [*rarest, *rare], key=rarest_first)
    counts = {size: SizeCount(How.COUNTED, n) for size, n in by_size.items()}
    return CountedBreaches(counts, tuple(rarest), exposed, found.items)
