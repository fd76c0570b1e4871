"""The whole search for people: form groups, then withhold items within them; out comes a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Longs
from withhold.data.cell_plan import KEPT, CellPlan, make_plan, plan_of_nothing
from withhold.data.evidence import Evidence
from withhold.data.forest import make_forest
from withhold.data.grouping import group_rows, groups_of
from withhold.data.people import People
from withhold.data.plan import Plan, fingerprint
from withhold.data.roles import decided_columns, plain_list
from withhold.data.table import WITHHELD
from withhold.errors import ImpossibleError, InputError
from withhold.formats.column_trees import hierarchies_from
from withhold.method import SearchRun
from withhold.methods.people.grouped_items import IMPLIED, PersonItems, items_of
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.people.options import PeopleSearch
from withhold.methods.people.plan import PeoplePlan
from withhold.methods.people.search.public_items import withhold_public
from withhold.methods.people.search.splitting import split_groups
from withhold.methods.people.search.withholding import Withheld, joined, withhold_items
from withhold.wording import counted


def suppress_people(
    people: People,
    model: PeopleUncertainty,
    evidence: Evidence,
    options: PeopleSearch,
    run: SearchRun,
) -> tuple[PeoplePlan, dict[str, Any]]:
    """A plan after which the model holds, and the options it was made with."""
    table = people.attributes
    publish = decided_columns(table, model, options.publish)
    if len(people) < model.k:
        raise ImpossibleError(
            f"{counted(len(people), 'person')} cannot be {model.k:,} that look alike; choose a smaller k"
        )
    hierarchies = hierarchies_from(options.hierarchy, table)
    in_force = {
        "weight": options.weight,
        "hierarchies": sorted(hierarchies),
        "publish": plain_list(publish),
        "seed": run.seed,
    }
    items = items_of(people, model)
    _refuse_implied(items)
    if (nothing := _already(table, items, model, run)) is not None:
        cells = plan_of_nothing(table, model.quasi_identifiers)
        return _plan(people, model, cells, items, nothing), in_force
    forest = make_forest(table, model.quasi_identifiers, hierarchies)
    # Groups are compared by the items that go, not by their dates.
    plain = items.without(items.secret_dates) if items.secret_dates.any() else items
    shown = split_groups(plain, forest, model, options.weight, run)
    groups = group_rows(list(shown.T), len(people)).of_row
    withheld = _withheld(items, groups, model, run, restoring=True)
    return _plan(people, model, make_plan(table, forest, shown), items, withheld), in_force


def _withheld(
    items: PersonItems, groups: Longs, model: PeopleUncertainty, run: SearchRun, *, restoring: bool
) -> Withheld:
    """Which items to withhold: first public ones from whole groups, if the model protects them."""
    public = withhold_public(items, groups, model, run)
    if not len(public.places):
        return withhold_items(items, groups, model, run, restoring=restoring)
    gone = np.zeros(len(items.places), dtype=np.bool_)
    gone[public.places] = True
    left = items.without(gone)
    found = withhold_items(left, groups, model, run, restoring=restoring)
    both = joined([public, replace(found, places=left.places[found.places])])
    own = items.places[both.places] != IMPLIED
    return replace(both, places=both.places[own], answers=both.answers[own])


def _refuse_implied(items: PersonItems) -> None:
    """Refuse sensitive items that are in a record only by a date: they could not be withheld one by one."""
    codes = items.records.items[items.places == IMPLIED]
    if len(hidden := codes[items.sensitive[codes]]):
        name = items.records.vocabulary[hidden[0]]
        raise InputError(
            f"some records have {name!r} with a date after @, and not the item itself",
            remedy=f"add {name!r} to these records, or read dates with --dates, which does",
        )


def _already(
    table: Table, items: PersonItems, model: PeopleUncertainty, run: SearchRun
) -> Withheld | None:
    """The empty choice of items if the model holds with all cells and items as they are; else None."""
    groups = groups_of(table, model.quasi_identifiers)
    if groups.sizes.min() < model.k:
        return None
    found = _withheld(items, groups.of_row, model, run, restoring=False)
    return None if len(found.places) else found


def _plan(
    people: People,
    model: PeopleUncertainty,
    cells: CellPlan,
    items: PersonItems,
    withheld: Withheld,
) -> PeoplePlan:
    """The plan with these cells that withholds these items and values of sensitive columns."""
    origins = items.places[withheld.places]
    persons = items.person_of[withheld.places]
    secret = np.full((len(people), len(model.sensitive_column)), KEPT, dtype=np.int32)
    in_cells = origins < 0
    secret[persons[in_cells], -1 - origins[in_cells]] = WITHHELD
    nothing: tuple[tuple[()], ...] = ((),) * len(model.sensitive_column)
    both = replace(
        cells,
        columns=(*cells.columns, *model.sensitive_column),
        cells=np.hstack([cells.cells, secret]),
        names=(*cells.names, *nothing),
        hidden=(*cells.hidden, *nothing),
    )
    removed = origins[~in_cells].astype(np.int32)
    answers = withheld.answers[~in_cells]
    return PeoplePlan(both, Plan(removed, answers, withheld.reasons, fingerprint(people.items)))
