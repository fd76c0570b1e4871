"""The measures of generalised releases as facts, for compare, sweep and the report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from withhold.data import Records
from withhold.measure.sets import measure_sets
from withhold.method import Model
from withhold.methods.buckets.generalisation import (
    MEANING,
    GeneralisationLoss,
    measure_generalisation,
)
from withhold.telling.facts import Asked, Fact, Measured, Unit

if TYPE_CHECKING:
    from withhold.methods.buckets.search.generalisation import Generalisation

SHOWN: tuple[tuple[str, str, Unit], ...] = (
    ("information_loss", "information loss", "share"),
    ("items_added", "items never had", "count"),
    ("items_added_share", "never had, of what is published", "share"),
    ("records_with_added_items", "records with items never had", "count"),
    ("items_exact", "items as they were", "count"),
    ("items_generalised", "items generalised", "count"),
    ("items_withheld", "items withheld", "count"),
    ("groups", "different sets", "count"),
    ("smallest_group", "records of the rarest set", "count"),
    ("largest_group", "records of the most frequent", "count"),
)
PLOTTED = ("information_loss", "items_added_share", "groups")


def measure_generalised(original: Records, published: Records, asked: Asked) -> Measured:
    """What generalising lost; without the hierarchy, or of other rows, only what names tell."""
    tree = asked.hierarchy
    if (
        tree is None
        or len(original) != len(published)
        or not set(published.vocabulary) <= {*tree.names}
    ):
        by_name = measure_sets(original, published, asked)
        why = "it was generalised, and without its hierarchy (--hierarchy) every new name counts as added"
        if tree is not None:
            why = "it does not fit the hierarchy or the records of the original"
        return replace(by_name, warnings=(why, *by_name.warnings))
    loss = measure_generalisation(original, published, tree)
    values = loss.as_dict()
    facts = tuple(
        Fact(path, label, values[path], unit, MEANING[path]) for path, label, unit in SHOWN
    )
    warnings: tuple[str, ...] = ()
    if loss.added:
        share = f"{loss.added_share:.1%} of what it holds"
        warnings = (f"{loss.added:,} of its items, {share}, are such as people never had",)
    return Measured(facts, warnings, loss, PLOTTED)


def loss_of_buckets(
    original: Records, published: Records, model: Model, plan: Generalisation
) -> GeneralisationLoss:
    """What generalising lost, by the tree of the plan."""
    return measure_generalisation(original, published, plan.hierarchy)
