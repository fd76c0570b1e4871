"""The sections of a release by buckets: what was generalised and added, and how large the groups are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from withhold.methods.buckets.measure import GeneralisationLoss, Group
from withhold.methods.buckets.model import FILLS
from withhold.telling.plots import SERIES, Bars, Line, Lines
from withhold.telling.sections import Drawing, Facts, Listing, Paragraph, Section, Subject

GROUPS_LISTED = 12
QUANTILES = tuple(range(0, 101, 10))


def sections_of_buckets(subject: Subject) -> list[Section]:
    """What was generalised, and the groups."""
    loss = subject.measured.details
    assert isinstance(loss, GeneralisationLoss)
    return [
        Section(
            "generalised",
            "What was generalised",
            (
                Paragraph(loss.in_words(), for_strangers=True),
                *_filled(subject),
                Facts(subject.measured.facts),
                Drawing(loss_by_record(loss)),
            ),
        ),
        Section(
            "groups",
            "Records that are published alike",
            (
                Drawing(records_by_group_size(loss)),
                Drawing(loss_by_group_size(loss)),
                _largest(loss.groups),
            ),
        ),
    ]


def _filled(subject: Subject) -> tuple[Paragraph, ...]:
    """That records were filled up, whether or not this time something came of it."""
    if subject.release.options.get("fill") != "hash":
        return ()
    return (Paragraph(f"Made with --fill hash, which {FILLS['hash']}.", for_strangers=True),)


def loss_by_record(loss: GeneralisationLoss) -> Lines:
    """The loss of the records, smallest first (the paper's Figure 4, sorted)."""
    shares = np.array(QUANTILES) / 100
    values: list[float] = np.quantile(loss.by_record, shares).tolist()
    return Lines(
        "recordloss",
        "How much the records lost, from the one that lost least to the one that lost most",
        "share of the records",
        "information loss",
        tuple(f"{q} %" for q in QUANTILES),
        (Line("information loss", "lost", tuple(values)),),
        percent=True,
    )


def loss_lines(what: str, places: Sequence[int], losses: Mapping[str, Sequence[float]]) -> Lines:
    """The loss of several ways of publishing over the number of records, or over k (Figure 5).

    >>> plot = loss_lines("k", (2, 5), {"hash": (0.09, 0.1), "none": (0.05, 0.09)})
    >>> plot.x, [line.label for line in plot.lines]
    (('2', '5'), ['hash', 'none'])
    """
    return Lines(
        f"loss{what}",
        f"Information loss by {what}",
        what,
        "information loss",
        tuple(f"{place:,}" for place in places),
        tuple(
            Line(way, role, tuple(values))
            for role, (way, values) in zip(SERIES, losses.items(), strict=False)
        ),
        percent=True,
    )


def records_by_group_size(loss: GeneralisationLoss) -> Bars:
    """How many records are in groups of which size (the paper's Figure 3)."""
    bands = _bands(loss.groups)
    records = tuple(float(sum(group.records for group in groups)) for _, groups in bands)
    return Bars(
        "groupsizes",
        "Records by the size of the group that is published alike",
        "records",
        tuple(label for label, _ in bands),
        (Line("records", "kept", records),),
    )


def loss_by_group_size(loss: GeneralisationLoss) -> Bars:
    """The mean loss of the records in groups of which size."""
    bands = _bands(loss.groups)
    means = []
    for _, groups in bands:
        records = sum(group.records for group in groups)
        means.append(sum(group.information_loss * group.records for group in groups) / records)
    return Bars(
        "grouploss",
        "Information loss by the size of the group",
        "information loss",
        tuple(label for label, _ in bands),
        (Line("information loss", "lost", tuple(means)),),
        percent=True,
    )


def _bands(groups: tuple[Group, ...]) -> list[tuple[str, list[Group]]]:
    """The groups by size, in bands that double; none of them empty."""
    bands: list[tuple[str, list[Group]]] = []
    low = min((group.records for group in groups), default=1)
    while low <= max((group.records for group in groups), default=0):
        high = 2 * low - 1
        within = [group for group in groups if low <= group.records <= high]
        if within:
            bands.append((f"{low:,}" if low == high else f"{low:,}–{high:,}", within))
        low = high + 1
    return bands


def _largest(groups: tuple[Group, ...]) -> Listing:
    ordered = sorted(groups, key=lambda group: -group.records)[:GROUPS_LISTED]
    return Listing(
        "The largest groups",
        ("published as", "records", "information loss", "items never had"),
        tuple(
            (
                ", ".join(group.published) or "nothing",
                f"{group.records:,}",
                f"{group.information_loss:.1%}",
                f"{group.added:,}",
            )
            for group in ordered
        ),
        right=frozenset({1, 2, 3}),
        folded=True,
    )
