"""The measures of sets of items as facts, each with its meaning, and what makes a pair of files doubtful."""

from __future__ import annotations

from operator import attrgetter

from withhold.data import Records
from withhold.measure.queries import MEANING as QUERY_MEANING
from withhold.measure.utility import Utility, measure_utility
from withhold.telling.facts import Fact, Measured, MeasureRequest, Unit
from withhold.wording import counted

_PART = {
    "total": "occurrences of {} in the original",
    "removed": "of those, how many the release lacks",
    "share": "of those, the share that the release lacks (0 = none, 1 = all)",
}


def _part(path: str, what: str) -> dict[str, str]:
    return {f"{path}.{name}": sentence.format(what) for name, sentence in _PART.items()}


MEANING: dict[str, str] = {
    "records": "records of the original",
    "published_records": "records of the release",
    "same_rows": "whether both have as many records, so that records can be compared one by one",
    **_part("occurrences.all", "all items"),
    **_part("occurrences.sensitive", "sensitive items"),
    **_part("occurrences.others", "items that are not sensitive"),
    "occurrences.added": "occurrences in the release that the original lacks (0 for suppression)",
    "occurrences.records_touched": "records that lost something",
    "occurrences.records_emptied": "records that held something and now hold nothing",
    "occurrences.items_gone": "items that no record holds any more",
    "occurrences.by_item": "items whose support changed, the largest change first",
    "occurrences.by_item.item": "the item",
    "occurrences.by_item.sensitive": "whether it is sensitive",
    "occurrences.by_item.before": "records of the original that hold it",
    "occurrences.by_item.after": "records of the release that hold it",
    "occurrences.by_length": "records by the length that they had, and what they lost",
    "occurrences.by_length.shortest": "from so many items",
    "occurrences.by_length.longest": "to so many items",
    "occurrences.by_length.records": "records of that length",
    "occurrences.by_length.emptied": "of those, how many hold nothing any more",
    **_part("occurrences.by_length.all", "all items in records of that length"),
    **_part("occurrences.by_length.sensitive", "sensitive items in records of that length"),
    "occurrences.by_lost": "records by how many occurrences they lost",
    "occurrences.by_lost.lost": "occurrences lost",
    "occurrences.by_lost.records": "records that lost so many",
    "distribution.kl": "Kullback-Leibler divergence of item frequencies from the original's (0 = the same)",
    "distribution.symmetric_kl": "the same against the mixture of both, averaged over both directions",
    "supports.top_items": "most frequent items of the original that the next two numbers are about",
    "supports.top_mean": "by what share the support of those items changed, on average",
    "supports.top_worst": "by what share it changed at most",
    "supports.mean": "by what share the support of an item changed, on average over all items",
    "itemsets.min_support": "how frequent an itemset must be to count, as asked for",
    "itemsets.min_count": "records of the original that hold it at least",
    "itemsets.published_min_count": "records of the release that hold it at least",
    "itemsets.max_size": "only itemsets and rules of up to so many items were compared (none = all)",
    "itemsets.before": "frequent itemsets of the original",
    "itemsets.after": "frequent itemsets of the release",
    "itemsets.kept": "itemsets frequent in both",
    "itemsets.lost": "itemsets frequent in the original only",
    "itemsets.new": "itemsets frequent in the release only",
    "itemsets.share_kept": "share of the original's frequent itemsets that stayed frequent (1 = all)",
    "itemsets.by_size": "frequent itemsets by their number of items",
    "itemsets.by_size.size": "number of items",
    "itemsets.by_size.before": "frequent itemsets of that size in the original",
    "itemsets.by_size.after": "frequent itemsets of that size in the release",
    "itemsets.by_size.kept": "itemsets of that size frequent in both",
    "itemsets.by_size.lost": "itemsets of that size frequent in the original only",
    "itemsets.by_size.new": "itemsets of that size frequent in the release only",
    "itemsets.by_size.share_kept": "share of the original's that stayed frequent (1 = all)",
    "rules.min_confidence": "how reliable a rule must be to count",
    "rules.before": "association rules of the original (one item follows from one or more)",
    "rules.after": "association rules of the release",
    "rules.kept": "rules of both",
    "rules.lost": "rules of the original that cannot be mined from the release",
    "rules.spurious": "rules of the release that the original does not have",
    "rules.jaccard": "rules of both as a share of the rules of either (1 = the same rules)",
    "rules.distance": "1 minus that share (0 = the same rules)",
    "rules.most_changed": "the rules that changed most, the largest change of confidence first",
    "rules.most_changed.fate": "kept, lost, or spurious",
    "rules.most_changed.antecedent": "who has these items …",
    "rules.most_changed.consequent": "… has this one too",
    "rules.most_changed.joint_before": "records of the original that hold all of them",
    "rules.most_changed.support_before": "records of the original that hold the antecedent",
    "rules.most_changed.joint_after": "records of the release that hold all of them",
    "rules.most_changed.support_after": "records of the release that hold the antecedent",
    "rules.most_changed.confidence_before": "how reliable the rule is in the original",
    "rules.most_changed.confidence_after": "how reliable it is in the release",
    "queries": "count queries: how many records hold one to four random items of a random record",
    **{f"queries.{path}": meaning for path, meaning in QUERY_MEANING.items()},
    "objectives.distribution": "share lost times KL divergence (Jia et al. minimise it to keep frequencies)",
    "objectives.rules": "share lost divided by the rules' Jaccard similarity (minimised to keep rules)",
}
"""Every number of a ``Utility`` in a sentence, by its path: ``MEANING["rules.jaccard"]`` is about
``utility.rules.jaccard`` and ``as_dict()["rules"]["jaccard"]``; numbers in lists have no index there."""
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
    ("queries.mean", "error of count queries", "share"),
    ("queries.median", "half of them at most", "share"),
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


def measure_sets(original: Records, published: Records, request: MeasureRequest) -> Measured:
    """What ``published`` still tells of ``original``, as facts."""
    utility = measure_utility(
        original,
        published,
        sensitive=request.sensitive,
        min_support=request.min_support or usual_support(len(original)),
        min_confidence=request.min_confidence,
        queries=request.queries,
        seed=request.seed,
        jobs=request.jobs,
        progress=request.progress,
    )
    facts = tuple(
        Fact(path, label, attrgetter(path)(utility), unit, ON_THEIR_OWN.get(path, MEANING[path]))
        for path, label, unit in SHOWN
    )
    return Measured(facts, _warnings(utility, original, published), utility, PLOTTED)


def usual_support(records: int) -> str:
    """The minimum support of the papers, 0.05 % of the records; in small files five records.

    >>> usual_support(60_000), usual_support(2_000)
    ('0.05%', '5')
    """
    return "0.05%" if records * 5 >= FEWEST * 10_000 else str(FEWEST)


def _renumbered(original: Records, published: Records) -> bool:
    """Whether the release has numbers from 1 on where the original has other ids."""
    numbers = tuple(str(number) for number in range(1, len(published) + 1))
    return published.record_ids == numbers and set(original.record_ids or ()) != set(numbers)


def _warnings(utility: Utility, original: Records, published: Records) -> tuple[str, ...]:
    found = []
    added, ids = utility.occurrences.added, (original.record_ids, published.record_ids)
    if not utility.same_rows:
        found.append(
            f"it has {counted(utility.published_records, 'record')}, the original {utility.records:,}; "
            "records cannot be compared one by one, and losses are the least that must have happened"
        )
    elif None not in ids and ids[0] != ids[1] and not _renumbered(original, published):
        found.append("its record ids are not those of the original, or in another order")
    if added:
        found.append(
            f"it adds {counted(added, 'occurrence')} that the original lacks; a release of withhold only "
            "removes, so this may be another file"
        )
    return tuple(found)
