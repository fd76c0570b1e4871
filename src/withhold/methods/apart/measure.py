"""What setting sensitive items apart lost: what was withheld, and which links were blurred."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from withhold.data import People, Records
from withhold.data.array_types import Floats, Longs
from withhold.measure.sets import measure_sets
from withhold.methods.apart.check import PublishedGroups, counts_apart
from withhold.methods.apart.model import ApartModel
from withhold.methods.apart.plan import ApartPlan
from withhold.methods.apart.secrets import records_of
from withhold.telling.facts import Measured, MeasureRequest, Measures, Shown, value_at
from withhold.telling.shares import ShareOf
from withhold.wording import counted, percent


@dataclass(frozen=True)
class ApartLoss:
    """What a release lost, and the sizes of its groups."""

    removed: int
    """Occurrences that are neither in their records nor in a list."""
    total: int
    removed_sensitive: int
    total_sensitive: int
    groups: int
    grouped_records: int
    """Records that are in a group; the others hold nothing sensitive."""
    largest_group: int
    misplaced: float
    """Of the pairs of a public and a sensitive item in a record: the share that the lists put elsewhere."""

    share = ShareOf(
        "removed", "total", "What was withheld, as the one number that releases are compared by."
    )
    sensitive_share = ShareOf(
        "removed_sensitive",
        "total_sensitive",
        "The share of the sensitive occurrences that no list has.",
    )

    def as_dict(self) -> dict[str, Any]:
        """Shares and counts as plain values."""
        return {"share": self.share, "sensitive_share": self.sensitive_share, **asdict(self)}

    def in_words(self) -> str:
        """What strangers may know of how the file differs from the original."""
        return (
            "Public items are as they were. Sensitive items are not in their records but in the list of each "
            "group of records, ITEM=1/3 for one of its three records. Counts by these lists can be too low, "
            "and are never too high."
        )

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know first, as pairs of texts."""
        sensitive = f"{self.removed_sensitive:,} of {self.total_sensitive:,}"
        all_of_it = f"{self.removed:,} of {counted(self.total, 'occurrence')}"
        listed = self.total_sensitive - self.removed_sensitive
        return [
            ("withheld", f"{all_of_it} ({percent(self.share, 2)})"),
            ("of the sensitive", f"{sensitive} ({percent(self.sensitive_share)})"),
            ("in lists of groups", f"{counted(listed, 'sensitive occurrence')}"),
            (
                "groups",
                f"{self.groups:,} that share a list, the largest of "
                f"{counted(self.largest_group, 'record')}",
            ),
            ("in such groups", counted(self.grouped_records, "record")),
            (
                "misplaced",
                f"{percent(self.misplaced)} of the pairs of a public and a sensitive item",
            ),
        ]


MEASURES: Measures = {
    "share": Shown(
        "withheld", "share", "share of all occurrences that the release has nowhere", plotted=2
    ),
    "sensitive_share": Shown(
        "sensitive withheld",
        "share",
        "share of the sensitive occurrences that no list has",
        plotted=3,
    ),
    "removed": Shown("occurrences withheld", "count", "occurrences that the release has nowhere"),
    "misplaced": Shown(
        "pairs misplaced",
        "share",
        "of the pairs of a public and a sensitive item in a record, the share that is put elsewhere if all "
        "records of a group are equally likely to hold what its list says",
        plotted=1,
    ),
    "groups": Shown("groups", "count", "groups of records that share a list"),
    "grouped_records": Shown("records in groups", "count", "records that share a list with others"),
    "largest_group": Shown("largest group", "count", "records of the largest group"),
}


def loss_of_apart(
    before: Records | People,
    after: Records | People,
    model: ApartModel,
    protected: frozenset[str],
    plan: ApartPlan | None,
) -> ApartLoss:
    """What the release lost, computed from the two files alone."""
    original, published = (records_of(each, model.sensitive_column) for each in (before, after))
    stated = PublishedGroups(published, model.secrets)
    counts = counts_apart(after, model)
    kept = sum(count for name, count in counts.items() if name in model.secrets)
    secret = model.secrets.codes(original)
    total = int(original.supports[secret].sum())
    return ApartLoss(
        removed=original.n_occurrences - sum(counts.values()),
        total=original.n_occurrences,
        removed_sensitive=total - kept,
        total_sensitive=total,
        groups=int((stated.sizes > 0).sum()),
        grouped_records=int(stated.sizes.sum()),
        largest_group=int(stated.sizes.max(initial=0)),
        misplaced=_misplaced(original, secret, stated),
    )


def measure_apart(
    before: Records | People, after: Records | People, request: MeasureRequest
) -> Measured:
    """The same as facts; if the rows are not the same, only what can be computed from names."""
    model = request.model
    if not isinstance(model, ApartModel) or len(before) != len(after):
        by_name = measure_sets(records_of(before, ()), records_of(after, ()), request)
        why = "it does not have the records of the original, so that only names are compared"
        return replace(by_name, warnings=(why, *by_name.warnings))
    found = loss_of_apart(before, after, model, model.sensitive, None)
    return Measured.by(MEASURES, partial(value_at, found.as_dict()), (), found)


def _misplaced(original: Records, secret: Longs, stated: PublishedGroups) -> float:
    """Half the sum of differences between the true pairs and those in the lists, as a share of all pairs."""
    published = stated.records
    numbers = {original.vocabulary[code]: number for number, code in enumerate(secret.tolist())}
    item_of = np.full(published.n_items, -1, dtype=np.int64)
    weight_of = np.zeros(published.n_items)
    for code, entry in enumerate(stated.entries):
        if entry is not None and entry.item in numbers:
            item_of[code] = numbers[entry.item]
            weight_of[code] = entry.held / entry.size
    own = np.full(original.n_items, -1, dtype=np.int64)
    own[secret] = np.arange(len(secret))
    names = {name: number for number, name in enumerate(original.vocabulary)}
    public = np.array([names.get(name, -1) for name in published.vocabulary], dtype=np.int64)
    public[stated.is_tag | stated.is_entry] = -1
    is_public = np.where(own < 0, np.arange(len(own)), -1)
    keys, weights = _pairs(original, is_public, own, np.ones(len(own)), len(secret))
    total = len(keys)
    stated_keys, stated_weights = _pairs(published, public, item_of, weight_of, len(secret))
    _, inverse = np.unique(np.concatenate([keys, stated_keys]), return_inverse=True)
    difference = np.bincount(inverse, weights=np.concatenate([weights, -stated_weights]))
    return float(np.abs(difference).sum() / 2 / total) if total else 0.0


def _pairs(
    records: Records, public: Longs, secret: Longs, weight: Floats, n_secret: int
) -> tuple[Longs, Floats]:
    """All pairs of a public and a sensitive number in the same record, as keys, each with its weight."""
    row_of = np.repeat(np.arange(len(records)), records.lengths)
    left = np.flatnonzero(public[records.items] >= 0)
    right = np.flatnonzero(secret[records.items] >= 0)
    n_right = np.bincount(row_of[right], minlength=len(records))
    starts = np.cumsum(n_right) - n_right
    times = n_right[row_of[left]]
    ends = np.cumsum(times)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - times, times)
    codes = records.items[right[np.repeat(starts[row_of[left]], times) + within]]
    ones = np.repeat(public[records.items[left]], times)
    return ones * max(n_secret, 1) + secret[codes], weight[codes]
