"""The exact check of people: persons of every group counted, then the items of every group alone.

In: people and the model. Out: a verdict with a witness. The groups' items are proved in one pass, under names
that no two groups share; an antecedent of items of several groups would fit nobody.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from withhold.data.array_types import Longs
from withhold.data.breach import Breach, SmallGroup, cells_of
from withhold.data.evidence import Evidence
from withhold.data.grouping import Groups, groups_of
from withhold.data.people import People
from withhold.data.roles import named_columns
from withhold.method import CheckRun, Finding
from withhold.methods.coherence.mole import Mole
from withhold.methods.km.check import verify_km
from withhold.methods.people.breach import GroupBreach, in_group, rare_in_group
from withhold.methods.people.grouped_items import PersonItems, group_items, items_of
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.rho.check.proof import verify_rho
from withhold.verdict import Status, Verdict

COUNTED = "the persons of every group counted"


def verify_people(
    people: People, model: PeopleUncertainty, evidence: Evidence, run: CheckRun
) -> Verdict:
    """The verdict on ``people``."""
    began = time.perf_counter()
    # Everybody can see blanks around a cell, though they are no part of a value.
    names = model.quasi_identifiers
    table = people.attributes
    table = table.with_columns(table.column(name).exact() for name in named_columns(model))
    groups = groups_of(table, names)
    if len(people) and groups.sizes.min() < model.k:
        smallest = int(groups.sizes.argmin())
        cells = cells_of(table, names, int(groups.first_rows[smallest]))
        small = SmallGroup(cells, int(groups.sizes[smallest]), model.k)
        return _broken(COUNTED, len(groups), began, small)
    items = items_of(replace(people, attributes=table), model)
    known_nothing = f"{COUNTED}, and those of each sensitive item in it"
    owners, codes, counts = too_frequent(items, groups, model)
    if len(owners):
        worst = int((counts / groups.sizes[owners]).argmax())
        group, name = int(owners[worst]), items.records.vocabulary[codes[worst]]
        cells = cells_of(table, names, int(groups.first_rows[group]))
        breach = GroupBreach((), name, int(counts[worst]), int(groups.sizes[group]), cells)
        return _broken(known_nothing, len(groups), began, breach)
    found = Verdict(Status.HOLDS, known_nothing, len(groups), 0.0, unit="groups")
    if (asked := model.of_public_items()) is not None:
        own = group_items(items.public, groups.of_row, with_group=False)
        found = verify_km(own.records, asked, Evidence(), _left(run, began))
        if found.status is not Status.HOLDS:
            witness = found.witness
            if isinstance(witness, Mole):
                row = int(groups.first_rows[own.group_of(witness.items[0])])
                cells = cells_of(table, names, row)
                witness = rare_in_group(witness, own, items, cells, model.k)
            return _in_every_group(found, began, witness)
    if model.max_known == 0 or not items.sensitive[items.records.items].any():
        return replace(found, seconds=time.perf_counter() - began)
    own = group_items(items, groups.of_row, with_group=False)
    asked_of_rules = model.within_groups(own.sensitive)
    found = verify_rho(own.records, asked_of_rules, Evidence(), _left(run, began))
    witness = found.witness
    if isinstance(witness, Breach):
        rows = groups.first_rows[own.group_of(witness.consequent)]
        witness = in_group(witness, own, items, cells_of(table, names, int(rows)))
    return _in_every_group(found, began, witness)


def _left(run: CheckRun, began: float) -> CheckRun:
    """How the next check is run, with the rest of the time limit."""
    left = None
    if run.limit_seconds is not None:
        left = max(run.limit_seconds - (time.perf_counter() - began), 0.0)
    return CheckRun(jobs=run.jobs, limit_seconds=left, progress=run.progress)


def _in_every_group(found: Verdict, began: float, witness: Finding | None) -> Verdict:
    seconds = time.perf_counter() - began
    method = f"in every group {found.method}"
    return replace(found, method=method, seconds=seconds, witness=witness)


def _broken(method: str, checked: int, began: float, witness: Finding) -> Verdict:
    seconds = time.perf_counter() - began
    return Verdict(Status.BROKEN, method, checked, seconds, witness, True, unit="groups")


def too_frequent(
    items: PersonItems, groups: Groups, model: PeopleUncertainty
) -> tuple[Longs, Longs, Longs]:
    """The groups, sensitive items and counts for which more than ρ of the group have the item."""
    n_items = max(items.records.n_items, 1)
    of_occurrence = np.repeat(groups.of_row, items.records.lengths)
    chosen = items.sensitive[items.records.items]
    keys = of_occurrence[chosen] * n_items + items.records.items[chosen]
    found, counts = np.unique(keys, return_counts=True)
    owners, codes = np.divmod(found, n_items)
    # In Python's integers, which cannot overflow.
    num, den = model.rho.numerator, model.rho.denominator
    most = np.array([num * size // den for size in groups.sizes.tolist()], dtype=np.int64)
    above = counts > most[owners]
    return owners[above], codes[above], counts[above].astype(np.int64)
