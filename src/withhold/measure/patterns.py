"""Frequent itemsets and association rules of an original and its release, mined once and compared.

In: an original and its release, aligned. Out: ``ItemsetChanges`` and ``RuleChanges``. If there are
too many itemsets to list, small ones are compared: all up to the largest size that can be listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from withhold.counting.threads import Progress, quiet
from withhold.errors import InternalError
from withhold.exact import decimal_text
from withhold.measure.alignment import Pair
from withhold.mining.miner import (
    MOST_ITEMSETS,
    Confidence,
    Itemsets,
    Support,
    exact_confidence,
    list_itemsets,
    min_count,
    rules_of,
)
from withhold.mining.rule_counts import CountedRecords, Counts, RulesElsewhere
from withhold.telling.shares import ShareOf

RULES_SHOWN = 20
Fate = Literal["kept", "lost", "spurious"]


class Compared:
    """What follows from how many patterns there are before, after, and in both."""

    before: int
    after: int
    kept: int

    @property
    def lost(self) -> int:
        return self.before - self.kept


class Kept(Compared):
    """What also follows for itemsets."""

    @property
    def new(self) -> int:
        return self.after - self.kept

    share_kept = ShareOf(
        "kept",
        "before",
        "The share of those before that are still there; 1 if there were none.",
        of_nothing=1.0,
    )


@dataclass(frozen=True)
class SizeChange(Kept):
    """Frequent itemsets of one size."""

    size: int
    before: int
    after: int
    kept: int


@dataclass(frozen=True)
class ItemsetChanges(Kept):
    """Frequent itemsets before and after."""

    min_support: str
    """As it was requested."""
    min_count: int
    """The records that an itemset needs in the original."""
    published_min_count: int
    """The records that it needs in the release."""
    max_size: int | None
    """Only itemsets of up to this many items were listed, since there are too many; None: all were."""
    by_size: tuple[SizeChange, ...]
    before: int
    after: int
    kept: int


@dataclass(frozen=True)
class RuleChange:
    """A rule of the original or of the release, with its counts in both."""

    fate: Fate
    antecedent: tuple[str, ...]
    consequent: str
    joint_before: int
    support_before: int
    joint_after: int
    support_after: int

    confidence_before = ShareOf("joint_before", "support_before", "The confidence in the original.")
    confidence_after = ShareOf("joint_after", "support_after", "The confidence in the release.")


@dataclass(frozen=True)
class RuleChanges(Compared):
    """Association rules before and after."""

    min_confidence: str
    before: int
    after: int
    kept: int
    most_changed: tuple[RuleChange, ...]
    """The largest change of confidence first, then the largest change of joint support."""

    @property
    def spurious(self) -> int:
        return self.after - self.kept

    @property
    def jaccard(self) -> float:
        """J: rules in both, as a share of the rules in either; 1 if there are none at all."""
        either = self.before + self.after - self.kept
        return self.kept / either if either else 1.0

    @property
    def distance(self) -> float:
        return 1.0 - self.jaccard


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
    records = pair.original, pair.published

    def attempt(max_size: int | None, most: int) -> list[Itemsets] | None:
        """The itemsets of both, or None if there are too many."""
        how: dict[str, Any] = {"max_size": max_size, "most": most, "jobs": jobs}
        lists = []
        for each in records:
            found = list_itemsets(each, min_support, progress=progress, **how)
            if found is None:
                return None
            lists.append(found)
        return lists

    size, both = None, attempt(None, most)
    if both is None:
        size, both = 1, attempt(1, len(pair.vocabulary))
        while (larger := attempt(size + 1, most)) is not None:
            size, both = size + 1, larger
    if both is None:
        raise InternalError("there are more frequent items than items")
    before, after = both
    old = RulesElsewhere(rules_of(before, min_confidence), after, CountedRecords(pair.published))
    new = RulesElsewhere(rules_of(after, min_confidence), before, CountedRecords(pair.original))
    return compare_patterns(old, new, min_support, min_confidence, size)


def compare_patterns(
    old: RulesElsewhere,
    new: RulesElsewhere,
    min_support: Support,
    min_confidence: Confidence,
    max_size: int | None,
) -> tuple[ItemsetChanges, RuleChanges]:
    """What became of the ``old`` itemsets and rules, and which ``new`` ones there are."""
    by_size = _compare_by_size(new.itemsets, old.itemsets)
    least, published_least = (min_count(min_support, len(each.records)) for each in (new, old))
    names = ("before", "after", "kept")
    totals = {name: sum(getattr(change, name) for change in by_size) for name in names}
    itemsets = ItemsetChanges(str(min_support), least, published_least, max_size, by_size, **totals)
    return itemsets, _compare_rules(old, new, exact_confidence(min_confidence))


def _compare_by_size(before: Itemsets, after: Itemsets) -> tuple[SizeChange, ...]:
    """How many itemsets of each size there are before, after, and in both."""
    kept = before.sizes[before.places_in(after) >= 0]
    largest = max(int(sizes.max(initial=0)) for sizes in (before.sizes, after.sizes))
    counts = [
        np.bincount(each, minlength=largest + 1) for each in (before.sizes, after.sizes, kept)
    ]
    table = np.column_stack(counts)[1:].tolist()
    return tuple(SizeChange(size, *row) for size, row in enumerate(table, start=1))


def _compare_rules(old: RulesElsewhere, new: RulesElsewhere, confidence: Fraction) -> RuleChanges:
    """What became of the rules among the frequent itemsets of both."""
    kept = old.are_rules(confidence)
    changes = [
        *(_change("kept", counts) for counts in old.most_changed(kept, RULES_SHOWN)),
        *(_change("lost", counts) for counts in old.most_changed(~kept, RULES_SHOWN)),
        *(
            _change("spurious", counts)
            for counts in new.most_changed(~new.are_rules(confidence), RULES_SHOWN)
        ),
    ]
    changes.sort(key=_by_change)
    shown = tuple(changes[:RULES_SHOWN])
    sizes = len(old.rules), len(new.rules), int(kept.sum())
    return RuleChanges(decimal_text(confidence), *sizes, shown)


def _change(fate: Fate, counts: Counts) -> RuleChange:
    """A rule with its counts where it was mined and elsewhere; spurious rules are mined from the release."""
    rule, *elsewhere = counts
    here = [rule.joint, rule.support]
    numbers = elsewhere + here if fate == "spurious" else here + elsewhere
    return RuleChange(fate, rule.antecedent, rule.consequent, *numbers)


def _by_change(change: RuleChange) -> tuple[float, int, tuple[str, ...], str]:
    confidence = abs(change.confidence_after - change.confidence_before)
    joint = abs(change.joint_after - change.joint_before)
    return -confidence, -joint, change.antecedent, change.consequent
