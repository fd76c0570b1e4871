"""What the reports of releases with groups share: the largest groups, and the other sections over groups."""

from __future__ import annotations

from dataclasses import replace

from withhold.data import Records
from withhold.data.groups import Groups
from withhold.measure.generalised import GeneralisedDetails
from withhold.telling.sections import Listing, Subject

GROUPS_LISTED = 40
ITEMS_LISTED = 12


def over_groups(subject: Subject, groups: Groups) -> Subject:
    """The subject of all other sections: as if the original had been published under the groups."""
    details = subject.measured.details
    assert isinstance(details, GeneralisedDetails)
    original = subject.release.original
    # Sums over parts are by group already.
    if isinstance(original, Records):
        original = groups.generalise(original)
    return replace(
        subject,
        release=replace(subject.release, original=original),
        measured=replace(subject.measured, details=details.utility),
    )


def listed_groups(groups: Groups) -> Listing:
    """The largest groups with their items."""
    large = sorted(groups.members, key=lambda each: (-len(each[1]), each[0]))[:GROUPS_LISTED]
    rows = tuple(
        (
            name,
            f"{len(items):,}",
            ", ".join(items[:ITEMS_LISTED]) + (" …" if len(items) > ITEMS_LISTED else ""),
        )
        for name, items in large
        if len(items) > 1
    )
    head = ("group", "items", "which")
    return Listing("The largest groups", head, rows, right=frozenset({1}), folded=True)
