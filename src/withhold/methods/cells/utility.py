"""What a released table is still good for: its loss, its correlations, and what can be learnt from it.

In: an original and a release, row by row comparable. Out: a ``TableUtility``, and facts of it for compare,
sweep and the report.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Ints
from withhold.data.roles import named_columns
from withhold.errors import PolicyError
from withhold.measure.queries import QUERIES, QUERY_MEASURES, QueryErrors
from withhold.methods.cells.classifiers import (
    Errors,
    Predict,
    correlations,
    cross_validate,
    decision_tree,
    has_trees,
    leak,
    naive_bayes,
)
from withhold.methods.cells.loss import (
    TableLoss,
    as_seen,
    class_codes,
    table_loss,
    untrue_cells,
)
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.queries import table_query_errors
from withhold.telling.facts import Measured, MeasureRequest, Measures, Shown, value_at
from withhold.wording import counted


@dataclass(frozen=True)
class Learnt:
    """The errors of one classifier, learnt from the original and learnt from the release."""

    original: Errors
    release: Errors

    @classmethod
    def by(cls, way: Predict, before: Ints, after: Ints, classes: Ints, seed: int) -> Learnt:
        """The errors after learning from the original and from the released cells, tested on the original."""
        both = (cross_validate(way, rows, before, classes, seed=seed) for rows in (before, after))
        return cls(*both)


@dataclass(frozen=True)
class Correlations:
    """How well the release keeps the associations between columns (Cramér's V)."""

    pairs: int
    mean_change: float | None
    """The mean change of V over all pairs that have one in both."""
    worst_change: float | None
    worst: tuple[str, str] | None


@dataclass(frozen=True)
class Leak:
    """How often the label is guessed wrongly from which cells are withheld, and from nothing at all."""

    by_pattern: Errors
    by_majority: float


@dataclass(frozen=True)
class TableUtility:
    """What a released table is still good for."""

    loss: TableLoss
    correlations: Correlations | None
    """None, as the queries, where the release was measured by parts."""
    naive_bayes: Learnt | None
    """None without a label."""
    tree: Learnt | None
    """None without a label, or without scikit-learn (the extra ``learn``)."""
    leak: Leak | None
    queries: QueryErrors | None

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {**asdict(self), "loss": self.loss.as_dict()}


MEASURES: Measures = {
    "loss.withheld": "cells withheld",
    "loss.total": "cells of the quasi-identifiers",
    "loss.share": Shown(
        "cells changed",
        "share",
        "share of the quasi-identifiers' cells that no longer show their value",
        plotted=1,
    ),
    "loss.withheld_share": Shown(
        "cells withheld", "share", "share of the quasi-identifiers' cells that were withheld"
    ),
    "loss.generalised": Shown(
        "cells generalised",
        "count",
        "cells that show a node of their hierarchy, a range or a set instead of their value",
    ),
    "loss.rows_touched": Shown(
        "rows touched", "count", "rows in which some cell was withheld or generalised"
    ),
    "loss.kl": Shown(
        "divergence of values",
        "number",
        "Kullback-Leibler divergence of the values still shown from the original ones, "
        "column by column (in each class, if a label is named), summed; counts smoothed by a "
        "pseudo-count of 0.1 (0 = the same)",
        plotted=2,
    ),
    "loss.ncp": Shown(
        "detail lost",
        "share",
        "normalised certainty penalty (NCP): how much of its detail a cell lost on average; 0 as it was, 1 "
        "withheld, (values - 1) / (values of the column - 1) of a set or a node of a hierarchy, and the "
        "share of the column's span of a range",
    ),
    "loss.groups": Shown(
        "groups", "count", "different combinations of quasi-identifiers in the release"
    ),
    "loss.smallest_group": Shown(
        "smallest group", "count", "rows of the smallest of them: the k that was reached"
    ),
    "correlations.mean_change": Shown(
        "change of correlations",
        "number",
        "mean change of Cramér's V over all pairs of columns (0 = all kept)",
    ),
    "correlations.worst_change": Shown(
        "worst of them", "number", "the largest change of Cramér's V of a pair of columns"
    ),
    **QUERY_MEASURES,
    "naive_bayes.original.mean": Shown(
        "naive Bayes wrong, original",
        "share",
        "share of rows whose label naive Bayes gets wrong when it learns from the "
        "original (10-fold cross-validation)",
    ),
    "naive_bayes.release.mean": Shown(
        "naive Bayes wrong, release",
        "share",
        "the same when it learns from the release; tested on original rows",
        plotted=3,
    ),
    "tree.original.mean": Shown(
        "tree wrong, original",
        "share",
        "share of rows whose label a decision tree gets wrong, learnt from the original",
    ),
    "tree.release.mean": Shown(
        "tree wrong, release",
        "share",
        "the same when it learns from the release; tested on original rows",
        plotted=4,
    ),
    "leak.by_pattern.mean": Shown(
        "label by pattern wrong",
        "share",
        "share of rows whose label a tree gets wrong that sees only which cells are "
        "withheld; far below the next number, the pattern reveals the label",
    ),
    "leak.by_majority": Shown(
        "label by majority wrong", "share", "share of rows whose label is not the most frequent one"
    ),
}


def measure_table(
    original: Table,
    published: Table,
    model: KAnonymity,
    *,
    queries: int = QUERIES,
    seed: int = 0,
) -> TableUtility:
    """The loss, the correlations, and where there is a label what can be learnt."""
    names = model.quasi_identifiers
    before = original.cells(names)
    after = np.column_stack(
        [as_seen(original.column(name), published.column(name)) for name in names]
    ).astype(np.int32)
    classes = class_codes(original, model.label)
    loss = table_loss(original, published, model)
    asked = table_query_errors(
        original, published, named_columns(model), queries=queries, seed=seed
    )
    if model.label is None or len(np.unique(classes)) < 2 or len(original) < 2:
        return TableUtility(loss, _correlations(before, after, names), None, None, None, asked)
    classes = np.unique(classes, return_inverse=True)[1].astype(np.int32)
    learning = (before, after, classes, seed)
    tree = leaked = None
    if has_trees():
        most = float(np.bincount(classes).max()) / len(classes)
        tree = Learnt.by(decision_tree, *learning)
        leaked = Leak(leak(after < 0, classes, seed=seed), 1 - most)
    was, now = np.column_stack([before, classes]), np.column_stack([after, classes])
    kept = _correlations(was, now, (*names, model.label))
    bayes = Learnt.by(naive_bayes, *learning)
    return TableUtility(loss, kept, bayes, tree, leaked, asked)


def measure_tables(original: Table, published: Table, request: MeasureRequest) -> Measured:
    """The measures of a released table as facts."""
    if not isinstance(request.model, KAnonymity):
        raise PolicyError(
            "nothing says which columns are the quasi-identifiers; keep the manifest beside the release"
        )
    how = {"queries": request.queries, "seed": request.seed}
    found = measure_table(original, published, request.model, **how)
    warnings = list(_mismatches(original, published, request.model))
    if request.model.label is not None and not has_trees():
        warnings.append("no decision tree: it needs scikit-learn (pip install 'withhold[learn]')")
    return as_measured(found, warnings)


def as_measured(found: TableUtility, warnings: Iterable[str] = ()) -> Measured:
    """Those of the measures that were taken, as facts."""
    value = partial(value_at, found.as_dict())
    known = {
        path: row
        for path, row in MEASURES.items()
        if isinstance(row, Shown) and value(path) is not None
    }
    return Measured.by(known, value, warnings, found)


def _mismatches(original: Table, published: Table, model: KAnonymity) -> list[str]:
    """Why the release may not belong to the original: other columns differ, too."""
    found = []
    for name in published.names:
        if name not in original.names:
            found.append(f"the original has no column {name!r}")
        elif name not in model.quasi_identifiers:
            before, after = original.column(name), published.column(name)
            changed = int((as_seen(before, after) != before.codes).sum())
            if changed:
                found.append(f"column {name!r} is not the original's in {counted(changed, 'row')}")
        elif untrue := untrue_cells(original.column(name), published.column(name)):
            found.append(
                f"column {name!r} has ranges or sets without the original's value in "
                f"{counted(untrue, 'row')}"
            )
    return found


def _correlations(before: Any, after: Any, names: tuple[str, ...]) -> Correlations:
    was, now = correlations([*before.T]), correlations([*after.T])
    changes = {
        pair: abs(now_v - v)
        for pair, v in was.items()
        if v is not None and (now_v := now[pair]) is not None
    }
    if not changes:
        return Correlations(len(was), None, None, None)
    worst = max(changes, key=lambda pair: changes[pair])
    mean = float(np.mean(list(changes.values())))
    return Correlations(len(was), mean, changes[worst], (names[worst[0]], names[worst[1]]))
