"""A lower bound for ρ-uncertainty: what each record must lose, whatever is published of the others.

In: the records as they came, and the model. Out: a ``LowerBound``. Nothing here knows what was searched,
and no search or check asks it. docs/decisions/0020 has the proof.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from withhold.counting.layout import Layout, Longs, lay_out
from withhold.counting.threads import Stop, run_all
from withhold.data import Records
from withhold.measure.lower_bound import LowerBound
from withhold.method import SearchRun
from withhold.methods.rho.bound.near_rows import Near, new_near
from withhold.methods.rho.bound.record_losses import MOST_FREE, Needs, bound_rows
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.options import MOST_OCCURRENCES, RhoSearch

ROWS_PER_TASK = 1000


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
    of_any = int(least_losses(layout, model, run, only_sensitive=False).sum())
    narrower = None
    if options.keep == "rules":
        narrower = int(least_losses(layout, model, run, only_sensitive=True).sum())
        # Whoever deletes sensitive items only deletes; rarely the coarser count of long records says less.
        narrower = max(narrower, of_any)
    return LowerBound(of_any, records.n_occurrences, narrower)


def least_losses(
    layout: Layout, model: RhoUncertainty, run: SearchRun, *, only_sensitive: bool
) -> Longs:
    """For each row of the layout, how many items it loses in every safe release."""
    longest = int(np.diff(layout.offsets).max(initial=0))
    model = model.for_records_up_to(longest)
    known = longest if model.max_known is None else model.max_known + 1
    helpers = -(-model.rho.denominator // model.rho.numerator) - 1
    needs = Needs(helpers, not model.ignore_prior, only_sensitive, max(known, 1), MOST_FREE)
    rows = layout.rows(with_bitmaps=True)
    losses = np.zeros(layout.n_rows, dtype=np.int64)
    scratch: list[Near] = []

    def bound(first: int) -> None:
        try:
            # What another task has finished with; taking it from a list is safe between threads.
            near = scratch.pop()
        except IndexError:
            near = new_near(layout, needs.most_free)
        last = min(first + ROWS_PER_TASK, layout.n_rows)
        bound_rows(rows, layout.sensitive, (first, last), needs, near, losses, stop.flag)
        scratch.append(near)

    with Stop() as stop:
        tasks = [partial(bound, first) for first in range(0, layout.n_rows, ROWS_PER_TASK)]
        run_all(tasks, stop, jobs=run.jobs, progress=run.progress, what="bounding the loss")
    return losses
