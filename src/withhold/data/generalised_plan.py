"""What becomes of records whose items are published as groups: generalised first, then withheld."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from withhold.arguments import checked
from withhold.data import Hierarchy, Records
from withhold.data.groups import Groups
from withhold.data.plan import AnyPlan, check_fingerprint


@dataclass(frozen=True)
class GeneralisedPlan:
    """The groups that items are published as, and what is withheld of the records under their names."""

    groups: Groups
    withheld: AnyPlan
    """What is withheld of the generalised records."""
    hierarchy: Hierarchy
    """The tree whose nodes the groups are."""
    fingerprint: str
    """The fingerprint of the records that the plan was made for, before they are generalised."""
    renamed: int
    """Occurrences that are published under the name of a group."""

    def __len__(self) -> int:
        """How many occurrences are not published as they came."""
        return self.renamed + len(self.withheld)

    @checked
    def apply_to(self, records: Records) -> Records:
        """The records under the names of the groups, without what is withheld."""
        check_fingerprint(self, records)
        published: Records = self.withheld.apply_to(self.groups.generalise(records))
        return published


def renamed_by(groups: Groups, records: Records) -> int:
    """How many occurrences get another name."""
    group_of = groups.group_of()
    other = [group_of.get(item, item) != item for item in records.vocabulary]
    return int(records.supports[np.array(other, dtype=bool)].sum())
