"""The measures of sets of items as facts, each with its meaning, and what makes a pair of files doubtful."""

from __future__ import annotations

from operator import attrgetter

from withhold.data import Records
from withhold.measure.queries import QUERY_MEASURES
from withhold.measure.utility import TOP_ITEMS, Utility, measure_utility
from withhold.telling.facts import Measured, MeasureRequest, Measures, Shown, meanings_of
from withhold.wording import counted

_PART = {
    "total": "occurrences of {} in the original",
    "share": "of those, the share missing from the release (0 = none, 1 = all)",
    "removed": "of those, how many are missing from the release",
}


def _part(path: str, what: str) -> dict[str, str]:
    return {f"{path}.{name}": sentence.format(what) for name, sentence in _PART.items()}


MEASURES: Measures = {
    "records": Shown("records before", "count", "records of the original"),
    "published_records": Shown("records after", "count", "records of the release"),
    "same_rows": "whether both have as many records, so that records can be compared one by one",
    **_part("occurrences.all", "all items"),
    "occurrences.all.share": Shown(
        "withheld", "share", "share of all items in all records that was withheld", plotted=1
    ),
    "occurrences.all.removed": Shown(
        "occurrences withheld",
        "count",
        "items withheld, each counted once for every record that lost it",
    ),
    **_part("occurrences.sensitive", "sensitive items"),
    "occurrences.sensitive.share": Shown(
        "of the sensitive", "share", "share of the sensitive items in all records that was withheld"
    ),
    **_part("occurrences.others", "items that are not sensitive"),
    "occurrences.others.share": Shown(
        "of the others", "share", "share of the other items in all records that was withheld"
    ),
    "occurrences.added": "occurrences in the release that are not in the original (0 for suppression)",
    "occurrences.records_touched": Shown("records touched", "count", "records that lost something"),
    "occurrences.records_emptied": Shown(
        "records emptied", "count", "records that held something and now hold nothing"
    ),
    "occurrences.items_gone": Shown("items gone", "count", "items that no record holds any more"),
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
    "distribution.kl": Shown(
        "KL divergence",
        "number",
        "Kullback-Leibler divergence of item frequencies from the original's (0 = the same)",
    ),
    "distribution.symmetric_kl": Shown(
        "symmetric KL",
        "number",
        "how far the item frequencies moved (0 = not at all, 0.69 = entirely)",
        plotted=3,
    ),
    "supports.top_items": "most frequent items of the original that the next two numbers are about",
    "supports.top_mean": Shown(
        f"error of top {TOP_ITEMS} supports",
        "share",
        f"by what share the support of the {TOP_ITEMS} most frequent items changed, on average (of all, "
        "if there are fewer)",
    ),
    "supports.top_worst": "by what share it changed at most",
    "supports.mean": Shown(
        "error of all supports",
        "share",
        "by what share the support of an item changed, on average over all items",
    ),
    "itemsets.min_support": "how frequent an itemset must be to count, as asked for",
    "itemsets.min_count": "records of the original that hold it at least",
    "itemsets.published_min_count": "records of the release that hold it at least",
    "itemsets.max_size": "only itemsets and rules of up to so many items were compared (none = all)",
    "itemsets.before": "frequent itemsets of the original",
    "itemsets.after": "frequent itemsets of the release",
    "itemsets.kept": "itemsets frequent in both",
    "itemsets.lost": "itemsets frequent in the original only",
    "itemsets.new": "itemsets frequent in the release only",
    "itemsets.share_kept": Shown(
        "frequent itemsets kept",
        "share",
        "share of the original's frequent itemsets that stayed frequent (1 = all)",
    ),
    "itemsets.by_size": "frequent itemsets by their number of items",
    "itemsets.by_size.size": "number of items",
    "itemsets.by_size.before": "frequent itemsets of that size in the original",
    "itemsets.by_size.after": "frequent itemsets of that size in the release",
    "itemsets.by_size.kept": "itemsets of that size frequent in both",
    "itemsets.by_size.lost": "itemsets of that size frequent in the original only",
    "itemsets.by_size.new": "itemsets of that size frequent in the release only",
    "itemsets.by_size.share_kept": "share of the original's that stayed frequent (1 = all)",
    "rules.min_confidence": "how reliable a rule must be to count",
    "rules.before": Shown(
        "rules of the original",
        "count",
        "association rules of the original (one item follows from one or more)",
    ),
    "rules.after": "association rules of the release",
    "rules.kept": Shown("rules kept", "count", "rules of the original that the release has too"),
    "rules.lost": Shown(
        "rules lost", "count", "rules of the original that cannot be mined from the release"
    ),
    "rules.spurious": Shown(
        "rules new", "count", "rules of the release that the original does not have"
    ),
    "rules.jaccard": Shown(
        "rules alike (Jaccard)",
        "share",
        "rules of both as a share of the rules of either (1 = the same rules)",
        plotted=2,
    ),
    "rules.distance": "1 minus that share (0 = the same rules)",
    "rules.most_changed": "the rules that changed most, the largest change of confidence first",
    "rules.most_changed.fate": "kept, lost, or spurious",
    "rules.most_changed.antecedent": "records with these items …",
    "rules.most_changed.consequent": "… has this one too",
    "rules.most_changed.joint_before": "records of the original that hold all of them",
    "rules.most_changed.support_before": "records of the original that hold the antecedent",
    "rules.most_changed.joint_after": "records of the release that hold all of them",
    "rules.most_changed.support_after": "records of the release that hold the antecedent",
    "rules.most_changed.confidence_before": "how reliable the rule is in the original",
    "rules.most_changed.confidence_after": "how reliable it is in the release",
    "queries": "count queries: how many records hold one to four random items of a random record",
    **QUERY_MEASURES,
    "objectives.distribution": Shown(
        "share lost × KL",
        "number",
        "share lost times KL divergence (Jia et al. minimise it to keep frequencies)",
    ),
    "objectives.rules": Shown(
        "share lost / Jaccard",
        "number",
        "share lost divided by the rules' Jaccard similarity (minimised to keep rules)",
    ),
}
"""Every number of a ``Utility`` by its path: ``MEASURES["rules.jaccard"]`` is about ``utility.rules.jaccard``
and ``as_dict()["rules"]["jaccard"]``; numbers in lists have no index there."""
MEANING = meanings_of(MEASURES)
FEWEST = 5
"""The fewest records: what fewer share may be chance."""


def measure_sets(original: Records, published: Records, request: MeasureRequest) -> Measured:
    """The utility of ``published`` compared with ``original``, as facts."""
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
    return as_measured(utility, strange_ids=_have_strange_ids(original, published))


def as_measured(utility: Utility, *, strange_ids: bool = False) -> Measured:
    """The numbers as facts; ``strange_ids``: the release has ids that the original lacks."""
    warnings = _warnings(utility, strange_ids=strange_ids)
    return Measured.by(MEASURES, lambda path: attrgetter(path)(utility), warnings, utility)


def usual_support(records: int) -> str:
    """The minimum support of the papers, 0.05% of the records; in small files five records.

    >>> usual_support(60_000), usual_support(2_000)
    ('0.05%', '5')
    """
    return "0.05%" if records * 5 >= FEWEST * 10_000 else str(FEWEST)


def _renumbered(original: Records, published: Records) -> bool:
    """Whether the release numbers its records from 1 and the original has other ids."""
    numbers = tuple(str(number) for number in range(1, len(published) + 1))
    return published.record_ids == numbers and set(original.record_ids or ()) != set(numbers)


def _have_strange_ids(original: Records, published: Records) -> bool:
    ids = original.record_ids, published.record_ids
    return None not in ids and ids[0] != ids[1] and not _renumbered(original, published)


def _warnings(utility: Utility, *, strange_ids: bool) -> tuple[str, ...]:
    found = []
    added = utility.occurrences.added
    if not utility.same_rows:
        found.append(
            f"it has {counted(utility.published_records, 'record')}, the original {utility.records:,}; "
            "records cannot be compared one by one, and losses are the least that must have happened"
        )
    elif strange_ids:
        found.append("its record ids are not those of the original, or in another order")
    if added:
        found.append(
            f"it adds {counted(added, 'occurrence')} that the original lacks; a release of withhold only "
            "removes, so this may be another file"
        )
    return tuple(found)
