"""Tours over public itemsets, root by root: the counting code of coherence.

The records that hold a root item are its *cohort*. A tour walks depth first from each of some roots: it
copies the root's cohort, with only the items that are still alive, and extends sets by items of a higher
rank, or by any item if all sets with the root are wanted. What a mole is, each walk decides for itself: the
proof has its own code for that, and so has the search.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.bits import make_bitmaps
from withhold.counting.jit import step
from withhold.counting.layout import Layout, lay_out, transpose_twice
from withhold.counting.threads import Stop
from withhold.counting.walk import Rows, make_root, next_set, put_row, walk_with_room
from withhold.counting.worst import Worst
from withhold.data import Records
from withhold.data.array_types import Bools, Ints, Longs
from withhold.methods.coherence.model import Coherent

DONE, LEFT, STOPPED, FOUND, MORE_ROOM = -1, -2, -3, -4, -5
"""How a walk ends, or pauses. LEFT: all extensions of a set are done; MORE_ROOM: repeat with longer
arrays."""

Found = tuple[tuple[int, ...], int, int, int]
"""The items of a mole, its support, the private item that follows (-1: it is too rare), joint."""


class Limits(NamedTuple):
    """What makes a mole, in whole numbers; sets of more than ``largest`` items are not considered."""

    k: int
    num: int
    den: int
    largest: int


class Problem(NamedTuple):
    """What the kernels are given: the rows, the private items of each, what makes a mole, when to stop."""

    rows: Any
    """Of public items only; postings are of private ones, too."""
    private_offsets: Any
    private_items: Any
    """By row: its private ranks, ascending."""
    limits: Any
    stop: Any


class Tour(NamedTuple):
    """A walk from each of some roots in its cohort; it can pause anywhere and continue with more memory."""

    roots: Any
    after: Any
    """Whether only items of a higher rank than the root's extend it."""
    alive: Any
    """By rank: whether the item may be in a set."""
    offsets: Any
    items: Any
    """The cohort of the current root: its rows, numbered from 0, with their other living items."""
    row_of: Any
    """By number: which of the records it is."""
    place: Any
    """How many roots have begun, and the size of the current set; 0: the root is done."""
    walk: Any


@dataclass(frozen=True)
class SplitRows(Layout):
    """A layout whose rows hold public items only, longest first; postings are of private items too.

    Private ranks are below all public ones that occur.
    """

    private_offsets: Longs
    """Where each row's part of ``private_items`` starts, and where the last one ends."""
    private_items: Ints
    """The private ranks of each row, ascending."""

    @property
    def _sensitive_rows(self) -> tuple[Longs, Ints]:
        return self.private_offsets, self.private_items

    @property
    def longest(self) -> int:
        """The most public items that a row holds."""
        return int(np.diff(self.offsets).max(initial=0))

    @cached_property
    def _tours(self) -> Tours:
        return Tours(self)

    def problem(self, limits: Limits, stop: Stop) -> Problem:
        """The arguments that all kernels of coherence share."""
        rows = Rows(self.offsets, self.items, self.post_offsets, self.post_rows)
        return Problem(rows, self.private_offsets, self.private_items, limits, stop.flag)

    def tour(self, roots: Ints, alive: Bools, largest: int, *, after: bool = True) -> Tour:
        """A tour of these roots; it reuses the arrays of the last one of the same thread and size."""
        return self._tours.new(roots, alive, largest, after=after)

    def public_ranks(self) -> Ints:
        """The public ranks that occur at all, ascending."""
        return np.flatnonzero(~self.sensitive & (self.supports > 0)).astype(np.int32)

    def bitmaps(self) -> NDArray[np.uint64]:
        """Fresh bitmaps of the last ranks: public items in more than 64 rows and 1/256 of all rows."""
        frequent = ~self.sensitive & (self.supports > max(64, self.n_rows // 256))
        first = self.n_items - int(frequent.sum())
        bitmaps: NDArray[np.uint64] = make_bitmaps(
            self.post_offsets, self.post_rows, first, self.n_rows
        )
        return bitmaps


class Tours:
    """Tours of one layout. Each thread reuses its arrays: making them takes longer than many tours."""

    def __init__(self, layout: Layout) -> None:
        # The most rows that an item has, and all items: no cohort has more, and unused pages are free.
        self._room = int(layout.supports.max(initial=0)), len(layout.items)
        self._spare: dict[tuple[int, int], Tour] = {}

    def new(self, roots: Ints, alive: Bools, largest: int, *, after: bool) -> Tour:
        """A tour that has not begun; the last one of this thread and size must not be used any more."""
        key = threading.get_ident(), largest
        if key not in self._spare:
            self._spare[key] = new_tour(roots, alive, largest, self._room, after=after)
        tour = self._spare[key]
        tour.place[:] = 0
        tour.walk.bucket[:] = 0
        return tour._replace(roots=roots, alive=alive, after=after)


def new_tour(
    roots: Ints, alive: Bools, largest: int, room: tuple[int, int], *, after: bool
) -> Tour:
    """A tour that has not begun, with little room for its walk; memory that is never used costs nothing."""
    n_rows, n_occurrences = room
    walk = walk_with_room(len(alive), largest, len(alive) + 1024, n_rows + 4096)
    offsets, items = np.zeros(n_rows + 1, np.int64), np.empty(n_occurrences, np.int32)
    row_of, place = np.empty(n_rows, np.int32), np.zeros(2, np.int64)
    return Tour(roots, after, alive, offsets, items, row_of, place, walk)


def with_twice_the_room(arrays: Any, names: tuple[str, ...]) -> Any:
    """The same arrays, those of these names twice as long."""
    longer = {name: np.concatenate([getattr(arrays, name)] * 2) for name in names}
    return arrays._replace(**longer)


def run_to_end(walk: Callable[..., int], problem: Problem, tour: Tour, *others: Any) -> int:
    """Run a kernel to its end, with more room for the walk whenever it asks for that."""
    while (status := walk(problem, tour, *others)) == MORE_ROOM:
        children, pool = ("child_item", "child_start", "child_end"), ("pool_row", "pool_position")
        tour = tour._replace(walk=with_twice_the_room(tour.walk, children + pool))
    return int(status)


def limits_of(rows: SplitRows, model: Coherent) -> Limits:
    """The model in numbers; no set is larger than the longest row."""
    largest = rows.longest if model.p is None else min(model.p, rows.longest)
    return Limits(model.k, model.h.numerator, model.h.denominator, largest)


def moles_in(worst: Worst, size: int) -> list[Found]:
    """The moles of that many items that a walk has kept, worst first."""
    found = []
    for place in range(worst.counts[size - 1]):
        last, *path = worst.sets[size - 1, place, :size].tolist()
        hits, support, private = worst.numbers[size - 1, place].tolist()
        found.append(((*path, last), support, private, 0 if private < 0 else hits))
    return found


def spread_over_tasks(roots: Ints, n_tasks: int) -> list[Ints]:
    """The roots spread over tasks, so that each task gets rare and frequent ones; no task is empty.

    >>> [some.tolist() for some in spread_over_tasks(np.arange(5, dtype=np.int32), 2)]
    [[0, 2, 4], [1, 3]]
    """
    n_tasks = min(len(roots), n_tasks)
    return [roots[start::n_tasks].copy() for start in range(n_tasks)]


def split_rows(records: Records, private: Ints) -> SplitRows:
    """The rows of ``records`` with these item codes private."""
    is_private = np.zeros(records.n_items, dtype=bool)
    is_private[private] = True
    there = is_private[records.items]
    before = np.zeros(records.n_occurrences + 1, dtype=np.int64)
    np.cumsum(~there, out=before[1:])
    public = replace(records, offsets=before[records.offsets], items=records.items[~there])
    layout = lay_out(public, np.zeros(0, dtype=np.int32))
    rank_of_code = np.empty(records.n_items, dtype=np.int32)
    rank_of_code[layout.code_of_rank] = np.arange(records.n_items, dtype=np.int32)
    supports = np.bincount(rank_of_code[records.items[there]], minlength=records.n_items)
    private_posts = np.concatenate([[0], np.cumsum(supports)])
    order = rank_of_code, layout.record_of_row
    row_offsets, row_items, rows = transpose_twice(
        records.offsets, records.items, there, *order, private_posts
    )
    return SplitRows(
        offsets=layout.offsets,
        items=layout.items,
        post_offsets=private_posts + layout.post_offsets,
        # What is private has no public occurrence, so its ranks, and its postings, come first.
        post_rows=np.concatenate([rows, layout.post_rows]),
        sensitive=is_private[layout.code_of_rank],
        private_offsets=row_offsets,
        private_items=row_items,
        code_of_rank=layout.code_of_rank,
        record_of_row=layout.record_of_row,
        records=public,
    )


@step
def go_on(problem, tour):
    """The next set of the tour, as a child of the walk; LEFT, DONE or STOPPED if there is none."""
    if problem.stop[0] != 0:
        return STOPPED
    if tour.place[1] == 0:
        if tour.place[0] == len(tour.roots):
            return DONE
        tour.place[0] += 1
        start_cohort(problem.rows, tour, tour.roots[tour.place[0] - 1])
    child = next_set(tour.walk, tour.place[1])
    if child < 0:
        tour.place[1] -= 1
        return LEFT
    return child


@step
def next_in_tour(problem, tour):
    """The size of the next set of the tour, and where its rows are in the pool; DONE or STOPPED, 0, 0.

    For walkers that have nothing to do when all extensions of a set are done.
    """
    child = np.int64(LEFT)
    while child == LEFT:
        child = go_on(problem, tour)
    if child < 0:
        return child, np.int64(0), np.int64(0)
    return tour.place[1], tour.walk.child_start[child], tour.walk.child_end[child]


@step
def start_cohort(rows, tour, root):
    """Copy the cohort of the root, and make the root the only set of size 1."""
    begin = rows.post_offsets[root]
    n = rows.post_offsets[root + 1] - begin
    top = np.int64(0)
    for j in range(n):
        row = rows.post_rows[begin + j]
        tour.row_of[j] = row
        put_row(tour.walk, j, j, top - 1)
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            x = rows.items[p]
            if x != root and tour.alive[x] and (x > root or not tour.after):
                tour.items[top] = x
                top += 1
        tour.offsets[j + 1] = top
    make_root(tour.walk, root, n)
    tour.place[1] = 1


@step
def lacks_room(walk, size, n_touched, support):
    """Whether there is no room for the extensions just counted; the set then comes again."""
    if walk.last_child[size] + n_touched <= len(walk.child_item):
        needed = walk.pool_top[size]
        if needed + n_touched * support <= len(walk.pool_row):
            return False
        for t in range(n_touched):
            needed += walk.bucket[walk.touched[t]]
        if needed <= len(walk.pool_row):
            return False
    for t in range(n_touched):
        walk.bucket[walk.touched[t]] = 0
    walk.next_child[size] -= 1
    return True


@step
def inferred_private(problem, row_of, walk, start, end):
    """The likeliest private item of these rows in the pool and how many hold it, if they are too many.

    Else (-1, 0). Of equally likely ones the lowest.
    """
    if problem.limits.num >= problem.limits.den:
        return -1, np.int64(0)
    n_touched = 0
    best = -1
    most = np.int64(0)
    for j in range(start, end):
        row = row_of[walk.pool_row[j]]
        for q in range(problem.private_offsets[row], problem.private_offsets[row + 1]):
            s = problem.private_items[q]
            if walk.bucket[s] == 0:
                walk.touched[n_touched] = s
                n_touched += 1
            walk.bucket[s] += 1
    for t in range(n_touched):
        s = walk.touched[t]
        if walk.bucket[s] > most or (walk.bucket[s] == most and s < best):
            best = s
            most = walk.bucket[s]
        walk.bucket[s] = 0
    if most * problem.limits.den > problem.limits.num * (end - start):
        return best, most
    return -1, np.int64(0)
