"""What released people lost against the original: cells, and sensitive items.

In: the two, person by person comparable, the model, and the plan where there is one. Out: a ``PeopleLoss``.
Nothing here decides about privacy, so floating point is good enough.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from withhold.data.grouping import groups_of
from withhold.data.people import People
from withhold.errors import InputError
from withhold.methods.people.grouped_items import items_of
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.people.plan import PeoplePlan
from withhold.telling.shares import ShareOf, share_of
from withhold.wording import counted, percent


@dataclass(frozen=True)
class PeopleLoss:
    """What a release of people lost."""

    persons: int
    cells: int
    """Cells of quasi-identifiers."""
    cells_withheld: int
    cells_generalised: int
    removed_sensitive: int
    """Sensitive items, with their dates, and cells of sensitive columns."""
    total_sensitive: int
    removed: int
    total: int
    """Items, and cells of sensitive columns."""
    groups: int
    smallest_group: int
    by_column: dict[str, tuple[int, int]]
    """By quasi-identifier: cells withheld and generalised."""
    removed_dates: int = 0
    total_dates: int = 0
    """Of sensitive items."""

    @property
    def cell_share(self) -> float:
        """The share of the quasi-identifiers' cells that no longer show their value."""
        return share_of(self.cells_withheld + self.cells_generalised, self.cells)

    withheld_cell_share = ShareOf(
        "cells_withheld", "cells", "The share of the quasi-identifiers' cells that were withheld."
    )
    sensitive_share = ShareOf(
        "removed_sensitive", "total_sensitive", "The share of what is sensitive that was withheld."
    )

    @property
    def share(self) -> float:
        """The share of all cells and items that do not stay as they were."""
        changed = self.cells_withheld + self.cells_generalised + self.removed
        return share_of(changed, self.cells + self.total)

    def as_dict(self) -> dict[str, Any]:
        """Shares and counts as plain values."""
        shares = ("share", "cell_share", "withheld_cell_share", "sensitive_share")
        by_column = {name: list(numbers) for name, numbers in self.by_column.items()}
        return (
            {name: getattr(self, name) for name in shares} | asdict(self) | {"by_column": by_column}
        )

    def in_words(self) -> str:
        """What strangers may know of how the file differs from the original."""
        return (
            "What remains is as it was: cells and items were withheld or cells generalised, none was "
            "invented. Counts in this file can therefore be too low, and are never too high."
        )

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know first, as pairs of texts."""
        withheld = percent(self.withheld_cell_share, 2)
        cells = f"{self.cells_withheld:,} of {counted(self.cells, 'cell')} ({withheld})"
        facts = [("cells withheld", cells)]
        if self.cells_generalised:
            share = share_of(self.cells_generalised, self.cells)
            facts.append(
                ("generalised", f"{counted(self.cells_generalised, 'cell')} ({percent(share, 2)})")
            )
        most = sorted(self.by_column.items(), key=lambda each: -sum(each[1]))[:3]
        shown = ", ".join(
            f"{name} {percent(share_of(sum(lost), self.persons))}" for name, lost in most
        )
        sensitive = f"{self.removed_sensitive:,} of {self.total_sensitive:,}"
        removed = self.removed - self.removed_sensitive
        total = self.total - self.total_sensitive
        others = f"{removed:,} of {total:,} ({percent(share_of(removed, total))})"
        lost_dates = share_of(self.removed_dates, self.total_dates)
        dates = f"{self.removed_dates:,} of {self.total_dates:,} ({percent(lost_dates)})"
        return [
            *facts,
            ("most in", shown),
            ("sensitive withheld", f"{sensitive} ({percent(self.sensitive_share)})"),
            *([("of these dates", dates)] if self.total_dates else []),
            *([("others withheld", others)] if self.removed > self.removed_sensitive else []),
            (
                "groups",
                f"{self.groups:,}, the smallest of {counted(self.smallest_group, 'person')}",
            ),
        ]


def loss_of_people(
    original: People,
    published: People,
    model: PeopleUncertainty,
    protected: frozenset[str],
    plan: PeoplePlan | None,
) -> PeopleLoss:
    """The loss of ``published`` against ``original``."""
    if len(original) != len(published):
        raise InputError(
            f"the release has {counted(len(published), 'person')} and the original {len(original):,}",
            remedy="compare a release with the very people it was made from",
        )
    by_column = {}
    for name in model.quasi_identifiers:
        before, after = original.attributes.column(name), published.attributes.column(name)
        gone = after.withheld & ~before.withheld
        other = (before.cells() != after.cells()) & ~gone
        by_column[name] = int(gone.sum()), int(other.sum())
    groups = groups_of(published.attributes, model.quasi_identifiers)
    both = [items_of(each, model) for each in (original, published)]
    total, left = (each.records.n_occurrences for each in both)
    secrets, kept = (int(each.sensitive[each.records.items].sum()) for each in both)
    dates, kept_dates = (int(each.secret_dates.sum()) for each in both)
    return PeopleLoss(
        persons=len(original),
        cells=len(original) * len(model.quasi_identifiers),
        cells_withheld=sum(gone for gone, _ in by_column.values()),
        cells_generalised=sum(other for _, other in by_column.values()),
        removed_sensitive=secrets - kept,
        total_sensitive=secrets,
        removed=total - left,
        total=total,
        groups=len(groups),
        smallest_group=int(groups.sizes.min()) if len(groups) else 0,
        by_column=by_column,
        removed_dates=dates - kept_dates,
        total_dates=dates,
    )
