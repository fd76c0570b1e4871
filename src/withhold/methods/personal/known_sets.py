"""The walk over what can be known: itemsets of original rows, depth first, each once.

Each set comes with its owners, the rows whose originals hold it, and its holders: those of them that still
publish all of it. Sets of which no owner wants anything protected are left out. The caller decides what is
unsafe about a set.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import step
from withhold.counting.published import publishes
from withhold.counting.walk import (
    count_extensions,
    count_item,
    follow,
    new_walk,
    open_level,
    put_row,
    start_at,
    step_on,
)
from withhold.methods.personal.people import PersonalLayout, Problem

MOST_SMALL_SETS = 200_000_000
"""Sets of a size that may be walked one by one; above, closed sets are the better way."""
ROOT, SIZE, START, END, SUPPORT, SMALLER = range(6)
"""Places in ``KnownWalk.at``: the root; the size of the current set, its owners in the pool, how many holders
it has, and whether sets are left out that have the holders of a smaller one."""


class KnownWalk(NamedTuple):
    """Where the walk is, and what is counted of one set after the other."""

    walk: Any
    """The walk over the originals; its pool has the owners."""
    at: Any
    holds: Any
    """By place of the pool: whether its row publishes the whole set."""
    holders: Any
    """The rows that publish the current set."""
    support_of: Any
    """By size: how many holders the current set of that size has."""
    changed_in: Any
    """By row: the root at which something was last withheld from it. Empty if rows do not change."""
    joint: Any
    """By rank: how many holders publish a protected item; all zero between two sets."""
    touched: Any
    """The items that are counted in ``joint``."""


def new_known_walk(problem: Problem, largest: int, *, changing: bool = False) -> KnownWalk:
    """Room for a walk over the sets of at most ``largest`` items, for one thread."""
    walk = new_walk(problem.originals, largest)
    n_rows, n_items = len(problem.rows.offsets) - 1, len(problem.rows.supports)
    return KnownWalk(
        walk,
        at=np.zeros(6, dtype=np.int64),
        holds=np.empty(len(walk.pool_row), dtype=np.bool_),
        holders=np.empty(n_rows, dtype=np.int32),
        support_of=np.full(largest + 2, n_rows, dtype=np.int64),
        changed_in=np.full(n_rows if changing else 0, -1, dtype=np.int32),
        joint=np.zeros(n_items, dtype=np.int64),
        touched=np.empty(n_items, dtype=np.int32),
    )


@step
def start_known(root, skip_equal, problem, known):
    """Start before the sets whose lowest item is the root.

    ``skip_equal`` leaves out each set that has the holders of the one without its last item, and all below:
    whatever is unsafe there is unsafe without that item.
    """
    n_root = start_at(problem.originals, known.walk, root)
    for k in range(n_root):
        known.holds[k] = problem.rows.items[known.walk.pool_position[k]] >= 0
    known.at[ROOT] = root
    known.at[SIZE] = 0
    known.at[SMALLER] = skip_equal


@step
def next_known_set(largest, problem, known):
    """Step to the next set of at most ``largest`` items that a row publishes; its size, or 0 at the end."""
    at = known.at
    walk = known.walk
    size = at[SIZE]
    if size == 0:
        size = 1
    # A single row holds every extension by its own items: no set below has other rows.
    elif size < largest and not (at[SMALLER] != 0 and at[SUPPORT] == 1):
        open_children(size, at[START], at[END], problem, known)
        size += 1
    while size > 0:
        size, child = step_on(walk, size)
        if size == 0:
            break
        at[START] = walk.child_start[child]
        at[END] = walk.child_end[child]
        if not owner_wants_anything(problem.people, known):
            continue
        support = find_holders(size, problem.rows, known)
        if support > 0 and not (at[SMALLER] != 0 and support == known.support_of[size - 1]):
            known.support_of[size] = support
            break
    at[SIZE] = size
    return size


@step
def owner_wants_anything(people, known):
    """Whether an owner of the current set wants anything protected; if not, nobody below does either."""
    k = known.at[START]
    while k < known.at[END] and not people.wishing[people.of_row[known.walk.pool_row[k]]]:
        k += 1
    return k < known.at[END]


@step
def find_holders(size, rows, known):
    """Write the rows that publish the current set into ``holders``; how many they are."""
    walk = known.walk
    n = 0
    for k in range(known.at[START], known.at[END]):
        if known.holds[k]:
            row = walk.pool_row[k]
            if len(known.changed_in) > 0 and known.changed_in[row] == known.at[ROOT]:
                known.holds[k] = publishes(row, walk.path, size, rows)
            if known.holds[k]:
                known.holders[n] = row
                n += 1
    known.at[SUPPORT] = n
    return n


@step
def open_children(size, start, end, problem, known):
    """Make the children of the current set, and pass its rows on to them."""
    walk = known.walk
    originals = problem.originals
    n_touched = count_extensions(originals, walk, start, end)
    open_level(walk, size)
    for t in range(n_touched):
        follow(walk, size, walk.touched[t])
    for k in range(start, end):
        row = walk.pool_row[k]
        for p in range(walk.pool_position[k] + 1, originals.offsets[row + 1]):
            child = -walk.bucket[originals.items[p]] - 1
            place = walk.child_end[child]
            walk.child_end[child] += 1
            put_row(walk, place, row, p)
            known.holds[place] = known.holds[k] and problem.rows.items[p] >= 0
    for t in range(n_touched):
        walk.bucket[walk.touched[t]] = 0


@step
def add_row(row, problem, joint, touched, n_touched):
    """Count into ``joint`` the protected items that the row publishes; how many are in ``touched`` by now."""
    for f in range(problem.protected_offsets[row], problem.protected_offsets[row + 1]):
        e = problem.rows.items[problem.protected_places[f]]
        if e >= 0:
            n_touched = count_item(e, joint, touched, n_touched)
    return n_touched


@step
def count_protected(n_holders, problem, known):
    """Count the protected items of the holders into ``joint``; how many are in ``touched``."""
    n_touched = 0
    for h in range(n_holders):
        n_touched = add_row(known.holders[h], problem, known.joint, known.touched, n_touched)
    for c in range(known.at[SIZE]):
        known.joint[known.walk.path[c]] = 0
    return n_touched


@step
def count_of_known(itemset, size, problem, joint, touched):
    """The same for any itemset (ascending ranks): its support, and how many items are in ``touched``."""
    rows = problem.rows
    support = np.int64(0)
    n_touched = 0
    # Ranks ascend with the supports of the originals, so the first has the fewest postings.
    for posting in range(rows.post_offsets[itemset[0]], rows.post_offsets[itemset[0] + 1]):
        row = rows.post_rows[posting]
        if not publishes(row, itemset, size, rows):
            continue
        support += 1
        n_touched = add_row(row, problem, joint, touched, n_touched)
    for c in range(size):
        joint[itemset[c]] = 0
    return support, n_touched


@step
def copy_without(item, itemset, size, rest):
    """Copy the itemset without the item into ``rest``; how many are left."""
    n_rest = 0
    for c in range(size):
        if itemset[c] != item:
            rest[n_rest] = itemset[c]
            n_rest += 1
    return n_rest


def small_sizes(layout: PersonalLayout) -> int:
    """Up to which size, at most 3, sets of known items are tested one by one.

    Larger ones are covered by closed sets, which are judged much faster if small sets need not be judged
    there.
    """
    lengths = np.diff(layout.rows.offsets).astype(np.float64)
    triples = (lengths * (lengths - 1) * (lengths - 2) / 6).sum()
    pairs = (lengths * (lengths - 1) / 2).sum()
    return 3 if triples <= MOST_SMALL_SETS else 2 if pairs <= MOST_SMALL_SETS else 1
