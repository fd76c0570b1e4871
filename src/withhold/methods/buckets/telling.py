"""The sections of a release by buckets: what was generalised and added, and how large the groups are."""

from __future__ import annotations

import numpy as np

from withhold.methods.buckets.measure import GeneralisationLoss, GeneralisationUtility, Group
from withhold.methods.buckets.model import FILLS
from withhold.telling.plots import Bars, Line, Lines
from withhold.telling.sections import Content, Drawing, Facts, Listing, Paragraph, Section, Subject
from withhold.wording import percent

GROUPS_LISTED = 12
QUANTILES = tuple(range(0, 101, 10))


def sections_of_buckets(subject: Subject) -> list[Section]:
    """What was generalised, and the groups."""
    found = subject.measured.details
    assert isinstance(found, GeneralisationUtility)
    loss = found.loss
    lost: list[Content] = [Paragraph(loss.in_words(), for_strangers=True)]
    if subject.release.options.get("fill") == "hash":
        # Whether or not this time something came of it.
        lost.append(Paragraph(f"Made with --fill hash, which {FILLS['hash']}.", for_strangers=True))
    lost += [Facts(subject.measured.facts), Drawing(loss_by_record(loss))]
    sizes = Drawing(records_by_group_size(loss)), Drawing(_loss_by_group_size(loss))
    groups = (*sizes, _largest(loss.groups))
    return [
        Section("generalised", "What was generalised", tuple(lost)),
        Section("groups", "Records that are published alike", groups),
    ]


def loss_by_record(loss: GeneralisationLoss) -> Lines:
    """The loss of the records, smallest first (the paper's Figure 4, sorted)."""
    shares = np.array(QUANTILES) / 100
    values: list[float] = np.quantile(loss.by_record, shares).tolist()
    return Lines(
        "recordloss",
        "How much the records lost, from the one that lost least to the one that lost most",
        "share of the records",
        "information loss",
        tuple(f"{q}%" for q in QUANTILES),
        (Line("information loss", "lost", tuple(values)),),
        percent=True,
    )


def records_by_group_size(loss: GeneralisationLoss) -> Bars:
    """How many records are in groups of which size (the paper's Figure 3)."""
    bands = _bands(loss.groups)
    records = tuple(float(sum(group.records for group in each)) for each in bands.values())
    title = "Records by the size of the group that is published alike"
    lines = (Line("records", "kept", records),)
    return Bars("groupsizes", title, "records", tuple(bands), lines)


def _loss_by_group_size(loss: GeneralisationLoss) -> Bars:
    """The mean loss of the records in groups of which size."""
    bands, means = _bands(loss.groups), []
    for groups in bands.values():
        records = sum(group.records for group in groups)
        means.append(sum(group.information_loss * group.records for group in groups) / records)
    lines = (Line("information loss", "lost", tuple(means)),)
    title = "Information loss by the size of the group"
    return Bars("grouploss", title, "information loss", tuple(bands), lines, percent=True)


def _bands(groups: tuple[Group, ...]) -> dict[str, list[Group]]:
    """The groups by size, in bands that double; none of them empty."""
    smallest = min((group.records for group in groups), default=1)
    by_power: dict[int, list[Group]] = {}
    for group in groups:
        by_power.setdefault((group.records // smallest).bit_length() - 1, []).append(group)
    lows = {smallest << power: by_power[power] for power in sorted(by_power)}
    return {f"{low:,}" if low == 1 else f"{low:,}–{2 * low - 1:,}": lows[low] for low in lows}


def _largest(groups: tuple[Group, ...]) -> Listing:
    ordered = sorted(groups, key=lambda group: -group.records)[:GROUPS_LISTED]
    rows = tuple(
        (
            ", ".join(group.published) or "nothing",
            f"{group.records:,}",
            percent(group.information_loss),
            f"{group.added:,}",
        )
        for group in ordered
    )
    head = ("published as", "records", "information loss", "items never had")
    return Listing("The largest groups", head, rows, right=frozenset({1, 2, 3}), folded=True)
