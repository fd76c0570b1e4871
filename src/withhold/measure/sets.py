"""The measures of sets of items as facts, and what makes two files doubtful as original and release."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from withhold.data import Records
from withhold.measure.meaning import MEANING
from withhold.measure.utility import Utility, measure_utility
from withhold.telling.facts import Asked, Fact, Measured, Unit
from withhold.wording import counted

SHOWN: tuple[tuple[str, str, Unit], ...] = (
    ("records", "records", "count"),
    ("occurrences.all.share", "withheld", "share"),
    ("occurrences.all.removed", "occurrences withheld", "count"),
    ("occurrences.sensitive.share", "of the sensitive", "share"),
    ("occurrences.others.share", "of the others", "share"),
    ("occurrences.records_touched", "records touched", "count"),
    ("occurrences.records_emptied", "records emptied", "count"),
    ("occurrences.items_gone", "items gone", "count"),
    ("distribution.kl", "KL divergence", "number"),
    ("distribution.symmetric_kl", "symmetric KL", "number"),
    ("supports.top_mean", "error of top supports", "share"),
    ("supports.mean", "error of all supports", "share"),
    ("itemsets.share_kept", "frequent itemsets kept", "share"),
    ("rules.before", "rules of the original", "count"),
    ("rules.kept", "rules kept", "count"),
    ("rules.lost", "rules lost", "count"),
    ("rules.spurious", "rules new", "count"),
    ("rules.jaccard", "rules alike (Jaccard)", "share"),
    ("objectives.distribution", "share lost × KL", "number"),
    ("objectives.rules", "share lost / Jaccard", "number"),
)
ON_THEIR_OWN = {
    "occurrences.all.share": "share of all items in all records that was withheld",
    "occurrences.all.removed": "items withheld, each counted once for every record that lost it",
    "occurrences.sensitive.share": "share of the sensitive items in all records that was withheld",
    "occurrences.others.share": "share of the other items in all records that was withheld",
    "distribution.symmetric_kl": "how far the item frequencies moved (0 = not at all, 0.69 = entirely)",
    "supports.top_mean": "by what share the support of the most frequent items changed, on average",
    "rules.kept": "rules of the original that the release has too",
}
"""Sentences for facts that do not stand beside those that ``MEANING`` refers to."""
FEWEST = 5
"""Records; what fewer of them share is chance."""
PLOTTED = ("occurrences.all.share", "rules.jaccard", "distribution.symmetric_kl")


def measure_sets(original: Records, published: Records, asked: Asked) -> Measured:
    """What ``published`` still tells of ``original``, as facts."""
    utility = measure_utility(
        original,
        published,
        sensitive=asked.sensitive,
        min_support=asked.min_support or usual_support(len(original)),
        min_confidence=asked.min_confidence,
        jobs=asked.jobs,
        progress=asked.progress,
    )
    facts = tuple(
        Fact(path, label, _at(utility, path), unit, ON_THEIR_OWN.get(path, MEANING[path]))
        for path, label, unit in SHOWN
    )
    return Measured(facts, _warnings(utility, original, published), utility, PLOTTED)


def usual_support(records: int) -> str:
    """The minimum support of the papers, 0.05 % of the records; in small files five records.

    >>> usual_support(60_000), usual_support(2_000)
    ('0.05%', '5')
    """
    return "0.05%" if records * 5 >= FEWEST * 10_000 else str(FEWEST)


def _at(utility: Utility, path: str) -> Any:
    return attrgetter(path)(utility)


def _renumbered(original: Records, published: Records) -> bool:
    """Whether the release has numbers from 1 on where the original has other ids."""
    numbers = tuple(str(number) for number in range(1, len(published) + 1))
    return published.record_ids == numbers and set(original.record_ids or ()) != set(numbers)


def _warnings(utility: Utility, original: Records, published: Records) -> tuple[str, ...]:
    found = []
    if not utility.same_rows:
        found.append(
            f"it has {counted(utility.published_records, 'record')}, the original {utility.records:,}; "
            "records cannot be compared one by one, and losses are the least that must have happened"
        )
    elif None not in (original.record_ids, published.record_ids) and (
        original.record_ids != published.record_ids and not _renumbered(original, published)
    ):
        found.append("its record ids are not those of the original, or in another order")
    if utility.occurrences.added:
        found.append(
            f"it adds {counted(utility.occurrences.added, 'occurrence')} that the original lacks; "
            "a release of withhold only removes, so this may be another file"
        )
    return tuple(found)
