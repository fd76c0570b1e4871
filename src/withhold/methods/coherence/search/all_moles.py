"""How many moles each item is in, counted without listing them.

All supersets of a mole are moles, so there it is enough to count the sets that occur, in closed form where
few rows are left (``supersets``). Counts may need hundreds of bits; ``tally`` says how they are kept, and how
items are counted that all rows of a set hold.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.jit import kernel, step
from withhold.counting.walk import count_extensions, deliver, follow, open_level
from withhold.methods.coherence.breach_store import EMPTY, held_breach
from withhold.methods.coherence.cohorts import LEFT, MORE_ROOM, go_on, inferred_private, lacks_room
from withhold.methods.coherence.search.supersets import (
    FEW_ROWS,
    MOST_TO_REDUCE,
    count_supersets,
    keep_maximal,
)
from withhold.methods.coherence.search.tally import add_below, add_sets, close_set


@kernel
def count_moles(problem, tour, store, tally, scratch, part):
    """Add to the tally all moles of 2 to ``largest`` items with one of the roots, none a mole by itself.

    All minimal moles of fewer than ``largest`` items that are not rare must be in the store. ``part`` is two
    numbers n and m: of each root's extensions only every m-th is followed, from the n-th on; the sum over all
    n is the whole count.
    """
    walk = tour.walk
    while True:
        child = go_on(problem, tour)
        size = tour.place[1]
        if child == LEFT:
            if size > 0:
                leave_set(walk, tally, scratch, size)
            continue
        if child < 0:
            return child
        start = walk.child_start[child]
        end = walk.child_end[child]
        is_mole = child >= scratch.first_mole[size]
        r = problem.limits.largest - size
        if not is_mole and r == 0:
            if size == 1:
                continue
            private, _ = inferred_private(problem, tour.row_of, walk, start, end)
            if private < 0:
                continue
            is_mole = True
        if is_mole and r > 1 and FEW_ROWS < end - start <= MOST_TO_REDUCE:
            end = keep_maximal(tour, walk, start, end, scratch)
            walk.child_end[child] = end
        if is_mole and (r <= 1 or end - start <= FEW_ROWS):
            count_supersets(tour, walk, tally, scratch, start, end, r, size)
            continue
        n_touched = count_extensions(tour, walk, start, end)
        if lacks_room(walk, size, n_touched, end - start):
            return MORE_ROOM
        scratch.on_path[walk.path[size - 1]] = True
        k = problem.limits.k
        n_left = separate_free_items(k, store, walk, tally, scratch, size, n_touched, is_mole)
        if is_mole:
            add_below(tally, size, r, tally.free_top[size], 1)
        open_level(walk, size)
        if size == 1:
            n_left = keep_part(walk, n_left, part)
        choose_extensions(problem, walk, store, tally, scratch, size, n_left, is_mole)
        if walk.last_child[size + 1] > walk.next_child[size + 1]:
            deliver(tour, walk, size, start, end)
        tour.place[1] += 1


@step
def leave_set(walk, tally, scratch, size):
    """Leave the current set, all of whose extensions are done, and add up what was counted below it."""
    scratch.on_path[walk.path[size - 1]] = False
    for f in range(tally.free_top[size - 1], tally.free_top[size]):
        scratch.is_free[tally.free_items[f]] = False
    close_set(tally, walk.path, size, tally.counts.shape[1])


@step
def separate_free_items(k, store, walk, tally, scratch, size, n_touched, is_mole):
    """Move those touched items to the free ones that all rows hold; how many touched ones are left.

    If the set is not a mole, an item that may complete a stored mole is not free.
    """
    child = walk.next_child[size] - 1
    support = walk.child_end[child] - walk.child_start[child]
    n_free = tally.free_top[size - 1]
    n_left = 0
    for t in range(n_touched):
        y = walk.touched[t]
        if scratch.is_free[y]:
            walk.bucket[y] = 0
        elif walk.bucket[y] == support and (
            is_mole or not is_needed(store, y, walk.bucket, k, scratch.on_path)
        ):
            tally.free_items[n_free] = y
            n_free += 1
        else:
            walk.touched[n_left] = y
            n_left += 1
    for f in range(tally.free_top[size - 1], n_free):
        walk.bucket[tally.free_items[f]] = 0
        scratch.is_free[tally.free_items[f]] = True
    tally.free_top[size] = n_free
    return n_left


@step
def is_needed(store, y, counts, k, on_path):
    """Whether ``y`` may complete a stored mole together with the path and its frequent extensions."""
    at = store.item_heads[y]
    while at != EMPTY:
        inside = True
        following = EMPTY
        for m in range(store.arena[at + 1]):
            z = store.arena[at + 2 + 2 * m]
            if z == y:
                following = store.arena[at + 3 + 2 * m]
            elif not on_path[z] and counts[z] < k:
                inside = False
        if inside:
            return True
        at = following
    return False


@step
def keep_part(walk, n_touched, part):
    """Keep only the extensions of a root that belong to this part."""
    n_left = 0
    for t in range(n_touched):
        if t % part[1] == part[0]:
            walk.touched[n_left] = walk.touched[t]
            n_left += 1
        else:
            walk.bucket[walk.touched[t]] = 0
    return n_left


@step
def choose_extensions(problem, walk, store, tally, scratch, size, n_touched, is_mole):
    """Follow the extensions that may lead to moles, then the moles; those of the largest size are counted."""
    limits = problem.limits
    n_moles = 0
    for t in range(n_touched):
        x = walk.touched[t]
        if (
            is_mole
            or walk.bucket[x] < limits.k
            or held_breach(store, walk.path, size, x, scratch.on_path) > 0
        ):
            walk.touched[n_moles] = x
            n_moles += 1
        elif size + 1 < limits.largest or limits.num < limits.den:
            follow(walk, size, x)
        else:
            walk.bucket[x] = 0
    scratch.first_mole[size + 1] = walk.last_child[size + 1]
    for t in range(n_moles):
        x = walk.touched[t]
        if size + 1 < limits.largest:
            follow(walk, size, x)
        else:
            add_sets(tally, tally.counts, x, 0, 0, 1)
            add_sets(tally, tally.total, size, 0, 0, 1)
            walk.bucket[x] = 0
