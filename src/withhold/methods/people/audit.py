"""The audit of people: what somebody infers who knows all attributes of a person and some items.

Whoever knows less about attributes sees several groups at once, and a share of several groups is never above
the largest of theirs, so the counts are those of groups.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from withhold.auditing.options import AuditOptions
from withhold.auditing.records import (
    DEFAULT_SIZE,
    AuditRequest,
    Found,
    Marks,
    attack_curve,
    audit_records,
)
from withhold.auditing.result import AttackPoint, Audit, How, OtherBreaches, SizeCount, size_of
from withhold.auditing.risk.options import PopulationInfo
from withhold.auditing.risk.risks import Risks, risks_of_records, risks_of_table
from withhold.counting.layout import lay_out
from withhold.counting.surveys import Listed
from withhold.counting.threads import Stop
from withhold.data.array_types import Longs
from withhold.data.breach import cells_of
from withhold.data.evidence import Evidence
from withhold.data.grouping import Groups, groups_of
from withhold.data.people import People
from withhold.data.roles import check_named, named_columns
from withhold.method import AuditRun
from withhold.methods.coherence.audit import MinimalMoles
from withhold.methods.coherence.mole import Mole
from withhold.methods.km.model import KmAnonymity
from withhold.methods.people.breach import GroupBreach, in_group, rare_in_group
from withhold.methods.people.check.proof import too_frequent, verify_people
from withhold.methods.people.grouped_items import PersonItems, group_items, items_of
from withhold.methods.people.linked import linked_records
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.rho.audit import RuleBreaches
from withhold.methods.rho.check.closed_sets import Rule
from withhold.verdict import Status
from withhold.wording import counted


class GroupBreaches(RuleBreaches):
    """Rules of items that hold within one group with a confidence above ρ."""

    def __init__(
        self,
        people: People,
        items: PersonItems,
        groups: Groups,
        model: PeopleUncertainty,
        request: AuditRequest,
        stop: Stop,
    ) -> None:
        self.people, self.items, self.groups, self.asked = people, items, groups, model
        self.own = group_items(items, groups.of_row, with_group=False)
        super().__init__(self.own.records, model, Evidence(), request, stop)

    def lay_out(self, evidence: Evidence) -> int:
        codes = self.own.records.codes(self.own.sensitive)
        self.layout = lay_out(self.own.records, codes)
        self.smallest, self.most_known = 0, self.asked.max_known
        return len(self.people)

    def count(self, size: int) -> Found:
        found = super().count(size)
        rows = np.flatnonzero(found.exposed)
        return replace(
            found, exposed=self._marks(self.own.persons[self.layout.record_of_row[rows]])
        )

    def of_nothing(self) -> Found:
        """What more than ρ of a group have: inferred without knowing any item."""
        owners, codes, counts = too_frequent(self.items, self.groups, self.asked)
        found = [
            GroupBreach(
                (),
                self.items.records.vocabulary[code],
                joint,
                int(self.groups.sizes[owner]),
                self.cells(owner),
            )
            for owner, code, joint in zip(
                owners.tolist(), codes.tolist(), counts.tolist(), strict=True
            )
        ]
        found.sort(key=lambda breach: (-breach.confidence, -breach.joint))
        n_items = self.items.records.n_items
        of_occurrence = np.repeat(self.groups.of_row, self.items.records.lengths)
        hit = np.isin(of_occurrence * n_items + self.items.records.items, owners * n_items + codes)
        exposed = self._marks(self.items.person_of[hit])
        return Found(len(found), found[: self.request.show], exposed)

    def _marks(self, persons: Longs) -> Marks:
        exposed = np.zeros(self.n_rows, dtype=np.uint8)
        exposed[persons] = 1
        return exposed

    def attack_curve(self) -> tuple[AttackPoint, ...]:
        """What is learnt from 1, 2, 3, … random items; dates of sensitive items are left out of it."""
        layout = self.layout
        if self.items.secret_dates.any():
            plain = self.items.without(self.items.secret_dates)
            own = group_items(plain, self.groups.of_row, with_group=False)
            layout = lay_out(own.records, own.records.codes(own.sensitive))
        return attack_curve(layout, self.request, self.stop, allowed=self.model.rho)

    def named(self, breach: Rule | Listed) -> GroupBreach:
        found = super().named(breach)
        return in_group(
            found, self.own, self.items, self.cells(self.own.group_of(found.consequent))
        )

    def advice(self) -> tuple[str, ...]:
        small = self.groups.sizes < self.asked.k
        if not small.any():
            return ()
        persons = counted(int(self.groups.sizes[small].sum()), "person")
        return (
            f"{persons} of {len(self.people):,} share their quasi-identifiers with fewer than "
            f"{counted(self.asked.k - 1, 'other')}; coarser columns or a hierarchy would keep more of them "
            "(withhold help people).",
        )

    def cells(self, group: int) -> Any:
        """The quasi-identifiers of a group."""
        row = int(self.groups.first_rows[group])
        return cells_of(self.people.attributes, self.asked.quasi_identifiers, row)


def audit_people(
    people: People,
    model: PeopleUncertainty,
    evidence: Evidence,
    options: AuditOptions,
    run: AuditRun,
) -> Audit:
    """The verdict, the breaches by how many items are known beside all attributes, and the attack curve."""
    check_named(people.attributes, model)
    items = items_of(people, model)
    names = items.records.vocabulary
    protected = frozenset(names[code] for code in np.flatnonzero(items.sensitive)) | model.sensitive
    request = AuditRequest.of(protected, options, run)
    verdict = run.verdict or verify_people(people, model, evidence, run)
    groups = groups_of(people.attributes, model.quasi_identifiers)
    # Items under names by group occur in no population.
    of_items = replace(request, population=PopulationInfo())
    with request.clock() as stop:
        found = GroupBreaches(people, items, groups, model, of_items, stop)
        audit = audit_records(found.own.records, verdict, found)
        asked = model.of_public_items()
        others: tuple[OtherBreaches, ...] = ()
        if asked is not None and verdict.status is not Status.HOLDS:
            others = (_rare_sets(found, asked),)
    risks = _risks(people, model, request)
    return replace(audit, risks=risks, others=others, **size_of(items.records, protected))


def _rare_sets(found: GroupBreaches, asked: KmAnonymity) -> OtherBreaches:
    """The smallest sets of public items that fewer than k persons of a group have."""
    own = group_items(found.items.public, found.groups.of_row, with_group=False)
    moles = MinimalMoles(own.records, asked, Evidence(), found.request, found.stop)
    largest = DEFAULT_SIZE if found.request.max_size is None else found.request.max_size
    counts = dict.fromkeys(range(1, min(largest, asked.m) + 1), SizeCount(How.COUNTED, 0))
    by_size = moles.count_sizes(counts)
    exposed = np.zeros(moles.n_rows, dtype=np.uint8)
    for each in by_size:
        exposed |= each.exposed
    worst = [mole for each in by_size for mole in each.worst if isinstance(mole, Mole)]
    return OtherBreaches(
        f"Smallest sets of public items that fewer than {counted(asked.k, 'person')} of a group have",
        counts,
        tuple(
            rare_in_group(mole, own, found.items, found.cells(own.group_of(mole.items[0])), asked.k)
            for mole in worst[: found.request.show]
        ),
        int(exposed.sum()),
    )


def _risks(people: People, model: PeopleUncertainty, request: AuditRequest) -> Risks:
    """The risks of attributes and items; with a file of the population, which has no items, of attributes."""
    how = {"unique_size": request.unique_size, "show": request.show}
    if request.population.file is not None:
        table, names = people.attributes, model.quasi_identifiers
        return risks_of_table(table, names, request.population, **how)
    return risks_of_records(linked_records(people, named_columns(model)), request.population, **how)
