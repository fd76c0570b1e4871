"""The sections of a release by buckets: what was generalised and added, and how large the groups are."""

from __future__ import annotations

from withhold.methods.buckets.measure import (
    QUANTILES,
    GeneralisationUtility,
    Group,
    Spread,
    truth_in_words,
)
from withhold.methods.buckets.measure_by_parts import SummedUtility
from withhold.methods.buckets.model import FILLS
from withhold.telling.plots import Bars, Line, Lines
from withhold.telling.sections import Content, Drawing, Facts, Listing, Paragraph, Section, Subject
from withhold.wording import percent


def sections_of_buckets(subject: Subject) -> list[Section]:
    """What was generalised, and the groups."""
    found = subject.measured.details
    assert isinstance(found, GeneralisationUtility | SummedUtility)
    spread = found.spread
    lost: list[Content] = [Paragraph(truth_in_words(found.added), for_strangers=True)]
    if subject.release.options.get("fill") == "hash":
        # Whether or not any items were added this time.
        lost.append(Paragraph(f"Made with --fill hash, which {FILLS['hash']}.", for_strangers=True))
    lost += [Facts(subject.measured.facts), Drawing(loss_by_record(spread))]
    sizes = Drawing(records_by_group_size(spread)), Drawing(_loss_by_group_size(spread))
    groups = (*sizes, _largest(spread.largest))
    return [
        Section("generalised", "What was generalised", tuple(lost)),
        Section("groups", "Records that are published alike", groups),
    ]


def loss_by_record(spread: Spread) -> Lines:
    """The loss of the records, smallest first (the paper's Figure 4, sorted)."""
    return Lines(
        "recordloss",
        "How much the records lost, from the one that lost least to the one that lost most",
        "share of the records",
        "information loss",
        tuple(f"{q}%" for q in QUANTILES),
        (Line("information loss", "lost", spread.quantiles),),
        percent=True,
    )


def records_by_group_size(spread: Spread) -> Bars:
    """How many records are in groups of each size (the paper's Figure 3)."""
    bands = _bands(spread)
    records = tuple(float(number) for number, _ in bands.values())
    title = "Records by the size of the group that is published alike"
    lines = (Line("records", "kept", records),)
    return Bars("groupsizes", title, "records", tuple(bands), lines)


def _loss_by_group_size(spread: Spread) -> Bars:
    """The mean loss of the records in groups of each size."""
    bands = _bands(spread)
    means = tuple(lost / records for records, lost in bands.values())
    lines = (Line("information loss", "lost", means),)
    title = "Information loss by the size of the group"
    return Bars("grouploss", title, "information loss", tuple(bands), lines, percent=True)


def _bands(spread: Spread) -> dict[str, tuple[int, float]]:
    """Records and the sum of their losses by the size of their group, in bands that double; none empty."""
    smallest = min(spread.by_size, default=1)
    by_power: dict[int, tuple[int, float]] = {}
    for size, found in sorted(spread.by_size.items()):
        power = (size // smallest).bit_length() - 1
        records, lost = by_power.get(power, (0, 0.0))
        by_power[power] = records + found[0], lost + found[1]
    lows = {smallest << power: by_power[power] for power in sorted(by_power)}
    return {f"{low:,}" if low == 1 else f"{low:,}–{2 * low - 1:,}": lows[low] for low in lows}


def _largest(groups: tuple[Group, ...]) -> Listing:
    rows = tuple(
        (
            ", ".join(group.published) or "nothing",
            f"{group.records:,}",
            percent(group.information_loss),
            f"{group.added:,}",
        )
        for group in groups
    )
    head = ("published as", "records", "information loss", "items never had")
    return Listing("The largest groups", head, rows, right=frozenset({1, 2, 3}), folded=True)
