"""A lower bound for ρ-uncertainty: what each record must lose, whatever is published of the others.

In: the original records, and the model. Out: a ``LowerBound``. Nothing here depends on a search, and no
search or check uses it. docs/decisions/0020 has the proofs.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from withhold.counting.layout import Layout, lay_out
from withhold.counting.threads import Stop, run_all
from withhold.data import Records
from withhold.measure.lower_bound import LowerBound
from withhold.method import SearchRun
from withhold.methods.rho.bound.near_rows import Near, new_near
from withhold.methods.rho.bound.possible_sets import MOST_TRIED, bound_classes
from withhold.methods.rho.bound.record_losses import MOST_FREE, Needs, bound_rows
from withhold.methods.rho.bound.row_classes import ClassNeeds, new_class_scratch, new_classes
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.options import MOST_OCCURRENCES, RhoSearch

ROWS_PER_TASK = 1000
CLASSES_PER_TASK = 4000
FIRST_TABLES = 1 << 18
"""The number of sets for which there is room at first."""


def bound_rho(
    records: Records, model: RhoUncertainty, options: RhoSearch, run: SearchRun
) -> LowerBound | None:
    """How little a release could withhold; None if not asked for, for large data, and for groups of items."""
    asked = options.bound
    if asked is None:
        asked = records.n_occurrences <= MOST_OCCURRENCES
    if not asked or model.groups is not None:
        return None
    layout = lay_out(records, records.codes(model.sensitive))
    of_any = narrower = None
    # The bound for all releases takes longest, and says less about those that delete sensitive items only.
    if options.bound or options.keep != "rules":
        of_any = least_loss(layout, model, run)
    if options.keep == "rules":
        # The bound for all releases holds for those that delete sensitive items only, too.
        narrower = max(least_loss_of_sensitive(layout, model, run), of_any or 0)
    return LowerBound(of_any, records.n_occurrences, narrower)


def least_loss_of_sensitive(layout: Layout, model: RhoUncertainty, run: SearchRun) -> int:
    """How many occurrences every safe release withholds that deletes sensitive items only."""
    classes, class_scratch = new_classes(layout), new_class_scratch(layout, MOST_TRIED)
    rho, prior = model.rho, not model.ignore_prior
    together = _tested_together(layout, model)
    needs = ClassNeeds(rho.numerator, rho.denominator, prior, together, MOST_TRIED)
    rows = layout.rows(with_bitmaps=True)
    n_classes = len(classes.sizes)
    tables = np.zeros(FIRST_TABLES, dtype=np.bool_), np.zeros(1, dtype=np.int64)
    at = 0
    with Stop() as stop:
        while at < n_classes:
            run.progress("bounding the loss of sensitive items", at, n_classes)
            ends = at, min(at + CLASSES_PER_TASK, n_classes)
            given = rows, layout.sensitive, classes, needs, class_scratch, tables, ends, stop.flag
            # In a thread, so that Ctrl-C is handled at once.
            (at,) = run_all([partial(bound_classes, *given)], stop, jobs=1, progress=run.progress)
            if at < ends[1]:
                tables = np.concatenate([tables[0], np.zeros_like(tables[0])]), tables[1]
    return int(classes.losses.sum())


def least_loss(layout: Layout, model: RhoUncertainty, run: SearchRun) -> int:
    """How many occurrences every safe release withholds."""
    together = _tested_together(layout, model)
    helpers = -(-model.rho.denominator // model.rho.numerator) - 1
    needs = Needs(helpers, not model.ignore_prior, together, MOST_FREE)
    rows = layout.rows(with_bitmaps=True)
    classes = new_classes(layout)
    chosen = classes.rows[classes.starts[:-1]]
    losses = np.zeros(len(chosen), dtype=np.int64)
    scratch: list[Near] = []

    def bound(first: int) -> None:
        try:
            # Scratch that another task has finished with; taking it from a list is safe between threads.
            near = scratch.pop()
        except IndexError:
            near = new_near(layout, needs.most_free)
        some = slice(first, first + ROWS_PER_TASK)
        bound_rows(rows, layout.sensitive, chosen[some], needs, near, losses[some], stop.flag)
        scratch.append(near)

    with Stop() as stop:
        tasks = [partial(bound, first) for first in range(0, len(chosen), ROWS_PER_TASK)]
        run_all(tasks, stop, jobs=run.jobs, progress=run.progress, what="bounding the loss")
    return int(losses @ classes.sizes)


def _tested_together(layout: Layout, model: RhoUncertainty) -> int:
    """How many items of a record are tested together: one more than the attacker knows."""
    longest = int(np.diff(layout.offsets).max(initial=0))
    known = model.for_records_up_to(longest).max_known
    return max(longest if known is None else known + 1, 1)
