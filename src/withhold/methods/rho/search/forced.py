"""Records whose sensitive items must all go, whatever else happens.

If only sensitive items are deleted, the non-sensitive items N(r) of record r stay, and so does their
support. A sensitive item left in r would follow from N(r) with confidence at least 1/sup(N(r)).
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import kernel, step
from withhold.counting.layout import Layout, fair_bounds, lay_out
from withhold.counting.supports import count_support
from withhold.counting.threads import Stop, run_all
from withhold.counting.walk import (
    Walk,
    count_extensions,
    deliver,
    follow,
    new_walk,
    next_set,
    open_level,
    start_at,
)
from withhold.data import Records
from withhold.data.plan import EACH_REMOVED
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.search.log import Log
from withhold.methods.rho.search.partial import Choices

TASKS = 16
LISTED_BY = 4
"""Tasks that list what must go."""
FEW_ROWS = 1024
"""Bitmaps are fastest for an item in at most this many rows, or in more rows than a bitmap has words."""


def delete_forced(
    records: Records,
    model: RhoUncertainty,
    choices: Choices,
    log: Log,
    stop: Stop,
    layout: Layout | None = None,
) -> NDArray[np.bool_]:
    """What is kept without the sensitive items of records whose other items are too rare to hide any.

    With ``max_known`` nothing is removed here: the attacker would have to know all of the other items.
    ``layout`` is that of all records, if there is one already.
    """
    kept = np.ones(records.n_occurrences, dtype=bool)
    if model.max_known is not None:
        return kept
    limits = model.limits
    codes = records.codes(model.sensitive)
    layout = layout or lay_out(records, codes)
    # Shared by the threads; each writes only rows whose rarest item is in its own range.
    supports = np.zeros(layout.n_rows, dtype=np.int64)
    bounds = fair_bounds(layout, TASKS)
    rows, sensitive = layout.rows(with_bitmaps=True), layout.sensitive
    walks: list[Walk] = []

    def find(*roots: int) -> None:
        child_of = np.full(layout.n_items, -1, dtype=np.int64)
        try:
            # A walk that another task has finished with; taking it from a list is safe between threads.
            walk = walks.pop()
        except IndexError:
            walk = new_walk(rows, 2)
        find_forced(rows, walk, sensitive, child_of, roots, limits, supports, stop.flag)
        walks.append(walk)

    tasks = [partial(find, *ends) for ends in zip(bounds, bounds[1:], strict=False)]
    what = "finding forced deletions"
    run_all(tasks, stop, jobs=choices.jobs, progress=choices.progress, what=what)
    if limits.with_prior and layout.n_rows * limits.num < limits.den:
        # Records without any other item: N(r) = ∅ is in every record, and all records are too few.
        lengths = np.diff(layout.offsets)
        supports[(lengths > 0) & (lengths == np.diff(layout.sensitive_offsets))] = layout.n_rows
    forced = np.flatnonzero(supports)
    is_sensitive = np.zeros(records.n_items, dtype=np.bool_)
    is_sensitive[codes] = True
    some = [part for part in np.array_split(forced, LISTED_BY) if len(part)]
    listed = run_all(
        [
            partial(
                list_forced,
                records.offsets,
                records.items,
                is_sensitive,
                layout.record_of_row[part],
            )
            for part in some
        ],
        stop,
        jobs=choices.jobs,
    )
    for part, (starts, others, gone, answers) in zip(some, listed, strict=True):
        log.add(
            gone,
            answers,
            starts=starts,
            items=others,
            consequents=np.full(len(part), EACH_REMOVED, dtype=np.int32),
            joints=np.ones(len(part), dtype=np.int64),
            supports=supports[part],
        )
        kept[gone] = False
    return kept


@kernel
def list_forced(offsets, items, sensitive, chosen):
    """What goes from the ``chosen`` records and why: all ``sensitive`` codes, because of the others.

    Returns where the others of each record start, the others, the places of the sensitive ones, and for each
    of these the number of its record among the chosen.
    """
    starts = np.zeros(len(chosen) + 1, np.int64)
    n_places = np.int64(0)
    for k in range(len(chosen)):
        n_others = np.int64(0)
        for place in range(offsets[chosen[k]], offsets[chosen[k] + 1]):
            n_others += 0 if sensitive[items[place]] else 1
        starts[k + 1] = starts[k] + n_others
        n_places += offsets[chosen[k] + 1] - offsets[chosen[k]]
    others = np.empty(starts[-1], np.int32)
    gone = np.empty(n_places - starts[-1], np.int32)
    answers = np.empty(n_places - starts[-1], np.int32)
    n_others = np.int64(0)
    n_gone = np.int64(0)
    for k in range(len(chosen)):
        for place in range(offsets[chosen[k]], offsets[chosen[k] + 1]):
            if sensitive[items[place]]:
                gone[n_gone] = place
                answers[n_gone] = k
                n_gone += 1
            else:
                others[n_others] = items[place]
                n_others += 1
    return starts, others, gone, answers


@kernel
def find_forced(rows, walk, sensitive, child_of, roots, limits, supports_of_rest, stop):
    """For the rows r with a sensitive item and sup(N(r)) < den/num: sup(N(r)), at least 1.

    Only rows whose rarest non-sensitive item is in [roots); other places of ``supports_of_rest`` stay as they
    are. If that item has a bitmap, so have the others, and N(r) is mostly looked for with these. Else its
    rows are delivered to the next items, so that N(r) is looked for only among the rows that hold its two
    rarest items. ``child_of`` is scratch, by rank: -1 before and after.
    """
    enough = (limits.den + limits.num - 1) // limits.num
    first_bitmap = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    others = np.empty(rows.bitmaps.shape[0], np.int32)
    for root in range(roots[0], roots[1]):
        if stop[0] != 0:
            return
        if sensitive[root]:
            continue
        support = rows.supports[root]
        if root >= first_bitmap and (support <= FEW_ROWS or support > rows.bitmaps.shape[1]):
            count_frequent(rows, sensitive, root, others, enough, supports_of_rest)
            continue
        # Before anything is delivered: otherwise a long row costs the square of its length.
        if not is_rarest_somewhere(rows, walk, sensitive, root):
            continue
        n_root = walk.pool_top[1]
        mark_second(rows, walk, sensitive, n_root, child_of)
        next_set(walk, np.int64(1))
        open_level(walk, np.int64(1))
        for t in range(count_extensions(rows, walk, np.int64(0), n_root)):
            x = walk.touched[t]
            if child_of[x] < 0:
                walk.bucket[x] = 0
            else:
                child_of[x] = walk.last_child[2]
                follow(walk, np.int64(1), x)
        deliver(rows, walk, np.int64(1), np.int64(0), n_root)
        for k in range(n_root):
            row = walk.pool_row[k]
            end = rows.offsets[row + 1]
            first = walk.pool_position[k]
            if not is_rarest(rows, sensitive, row, first):
                continue
            second = next_other(rows, sensitive, first + 1, end)
            support = n_root
            if second < end:
                child = child_of[rows.items[second]]
                support = count_rest(rows, walk, sensitive, child, second, end, enough)
            if support < enough:
                supports_of_rest[row] = support
        for child in range(walk.next_child[2], walk.last_child[2]):
            child_of[walk.child_item[child]] = -1


@step
def count_frequent(rows, sensitive, root, others, enough, supports_of_rest):
    """As ``find_forced``, for a root that has a bitmap; then so have all items that follow it in its rows."""
    for posting in range(rows.post_offsets[root], rows.post_offsets[root + 1]):
        row = rows.post_rows[posting]
        first = next_other(rows, sensitive, rows.offsets[row], rows.offsets[row + 1])
        if rows.items[first] != root or not has_sensitive(rows, sensitive, row):
            continue
        size = np.int64(0)
        for p in range(first, rows.offsets[row + 1]):
            if not sensitive[rows.items[p]]:
                others[size] = rows.items[p]
                size += 1
        support = count_support(rows, others, size, enough)
        if support < enough:
            supports_of_rest[row] = support


@step
def next_other(rows, sensitive, position, end):
    """The first place from ``position`` on with an item that is not sensitive, or ``end``."""
    while position < end and sensitive[rows.items[position]]:
        position += 1
    return position


@step
def has_sensitive(rows, sensitive, row):
    """Whether the row holds a sensitive item."""
    p = rows.offsets[row]
    while p < rows.offsets[row + 1] and not sensitive[rows.items[p]]:
        p += 1
    return p < rows.offsets[row + 1]


@step
def is_rarest(rows, sensitive, row, position):
    """Whether the row holds sensitive items, and of the others first the one at the position."""
    first = next_other(rows, sensitive, rows.offsets[row], rows.offsets[row + 1])
    return first == position and has_sensitive(rows, sensitive, row)


@step
def is_rarest_somewhere(rows, walk, sensitive, root):
    """Start at the root; whether it is the rarest of the items that are not sensitive in some row."""
    for k in range(start_at(rows, walk, root)):
        if is_rarest(rows, sensitive, walk.pool_row[k], walk.pool_position[k]):
            return True
    return False


@step
def mark_second(rows, walk, sensitive, n_root, child_of):
    """Set ``child_of`` to 0 for the items that follow the root where it is the rarest."""
    for k in range(n_root):
        row = walk.pool_row[k]
        if is_rarest(rows, sensitive, row, walk.pool_position[k]):
            end = rows.offsets[row + 1]
            second = next_other(rows, sensitive, walk.pool_position[k] + 1, end)
            if second < end:
                child_of[rows.items[second]] = 0


@step
def count_rest(rows, walk, sensitive, child, second, end, enough):
    """How many rows of the child hold the public items behind ``second``, counted up to ``enough``."""
    support = np.int64(0)
    for k in range(walk.child_start[child], walk.child_end[child]):
        other_end = rows.offsets[walk.pool_row[k] + 1]
        q = walk.pool_position[k] + 1
        p = next_other(rows, sensitive, second + 1, end)
        while p < end:
            while q < other_end and rows.items[q] < rows.items[p]:
                q += 1
            if q == other_end or rows.items[q] != rows.items[p]:
                break
            p = next_other(rows, sensitive, p + 1, end)
        if p == end:
            support += 1
            if support >= enough:
                break
    return support
