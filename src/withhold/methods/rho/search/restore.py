"""Put deleted occurrences back if no rule becomes unsafe.

Putting e back into record r raises sup(qe) for every q ⊆ r, and sup(q) together with sup(qf) for every
q ⊆ r with e ∈ q and f ∈ r. So it is safe iff the closed sets of {r ∩ t : t ∈ D_e} stay safe for e, and
for each sensitive f of r those of {r ∩ t : t ∈ D_f} that hold e stay safe for f.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import room_for, sort_ascending
from withhold.counting.bits import set_bit
from withhold.counting.jit import kernel, step
from withhold.counting.walk import place_of
from withhold.methods.rho.search.bounded import find_small_unsafe
from withhold.methods.rho.search.within import (
    INDEXED,
    MANY,
    N_HOLDERS,
    N_KNOWN,
    N_RESTORED,
    SHORT,
    find_unsafe_within,
    visit_within,
)

SKIPPED, BLOCKED, ACCEPTED = 0, 1, 2


class Candidates(NamedTuple):
    """Deletions that may be undone, in this order: by item."""

    positions: Any
    rows: Any
    items: Any
    ceilings: Any
    """By rank: an item that has this support is skipped."""
    put_back: Any
    """Whether what is accepted is put back at once; otherwise each candidate is tested on its own."""
    outcomes: Any
    """ACCEPTED, BLOCKED or SKIPPED (its item is at its ceiling, or the time is up)."""


class Blocking(NamedTuple):
    """For each candidate what blocks it. The antecedents are kept elsewhere, because that list grows."""

    starts: Any
    consequents: Any
    extras: Any
    """As ``has_room`` takes them."""


@kernel
def restore(rows, candidates, sensitive, limits, few, trial, blocking, stop):
    """Try to put back each candidate; what is accepted changes ``rows`` if it is to be put back.

    ``few`` is None for attackers who may know any number of items. Returns the antecedents of what blocks.
    """
    blocked_items = np.empty(1024, np.int32)
    for candidate in range(len(candidates.positions)):
        used = blocking.starts[candidate]
        blocking.starts[candidate + 1] = used
        row = candidates.rows[candidate]
        e = np.int64(candidates.items[candidate])
        candidates.outcomes[candidate] = SKIPPED
        if stop[0] != 0 or rows.supports[e] >= candidates.ceilings[e]:
            continue
        if e != trial.state[INDEXED] or trial.state[N_RESTORED] == MANY:
            index_holders(rows, trial, e)
            if few is not None:
                for x in range(len(few.joints_with)):
                    few.joints_with[x] = trial.end_of[x] - trial.begin_of[x]
        # First the rules q→e; then, for each sensitive f that the record holds, the rules q→f with e ∈ q.
        n_consequents = list_consequents(rows, trial, sensitive, row, e)
        turn = 0 if sensitive[e] else 1
        f = e
        size = -1
        known = np.int64(-1)
        while turn < n_consequents and size < 0 and stop[0] == 0:
            f = np.int64(trial.consequents[turn])
            given = np.int64(-1 if turn == 0 else e)
            n_local = number_items(rows, trial, row, candidates.positions[candidate], e, f)
            if turn == 0:
                known = find_known(trial, blocking.starts, blocked_items)
            if known >= 0:
                size = blocking.starts[known + 1] - blocking.starts[known]
                for k in range(size):
                    trial.itemset[k] = blocked_items[blocking.starts[known] + k]
            elif few is None:
                size = find_unsafe_within(rows, limits, trial, f, given, n_local)
                if size < 0 and n_local > SHORT:
                    size = visit_within(rows, limits, trial, f, given, n_local, stop)
            else:
                size = find_small_unsafe(rows, limits, few, trial, f, given, n_local)
                sort_ascending(trial.itemset, size)
            for k in range(n_local):
                trial.local_of[trial.ranks[k]] = -1
            turn += 1
        if stop[0] != 0:
            continue
        if size >= 0:
            blocked_items = room_for(blocked_items, used + size)
            for k in range(size):
                blocked_items[used + k] = trial.itemset[k]
            blocking.starts[candidate + 1] = used + size
            blocking.consequents[candidate] = f
            blocking.extras[candidate] = 1 if turn > 1 else 0
            candidates.outcomes[candidate] = BLOCKED
            # An antecedent that is a whole record is hardly ever within another, and there may be thousands.
            if turn == 1 and known < 0 and size < n_local:
                trial.known[trial.state[N_KNOWN]] = candidate
                trial.state[N_KNOWN] += 1
            continue
        candidates.outcomes[candidate] = ACCEPTED
        if candidates.put_back:
            if few is not None:
                for p in range(rows.offsets[row], rows.offsets[row + 1]):
                    if rows.items[p] >= 0:
                        few.joints_with[rows.items[p]] += 1
            trial.holders[trial.state[N_HOLDERS] + trial.state[N_RESTORED]] = row
            trial.state[N_RESTORED] += 1
            rows.items[candidates.positions[candidate]] = e
            rows.supports[e] += 1
            set_bit(rows.bitmaps, len(rows.post_offsets) - 1 - rows.bitmaps.shape[0], e, row)
    return blocked_items


@step
def index_holders(rows, trial, e):
    """Index D_e; replaces the index of the item before."""
    offsets, items, holders, end_of = rows.offsets, rows.items, trial.holders, trial.end_of
    for h in range(trial.state[N_HOLDERS]):
        for p in range(offsets[holders[h]], offsets[holders[h] + 1]):
            if items[p] >= 0:
                trial.begin_of[items[p]] = 0
                end_of[items[p]] = 0
    n = 0
    for posting in range(rows.post_offsets[e], rows.post_offsets[e + 1]):
        row = rows.post_rows[posting]
        if place_of(rows, row, e) >= 0:
            holders[n] = row
            n += 1
            for p in range(offsets[row], offsets[row + 1]):
                if items[p] >= 0:
                    end_of[items[p]] += 1
    at = np.int64(0)
    for h in range(n):
        for p in range(offsets[holders[h]], offsets[holders[h] + 1]):
            x = items[p]
            if x < 0:
                continue
            if end_of[x] > 0:
                # First met: reserve its places; from now on end_of counts upwards, below zero.
                trial.begin_of[x] = at
                at += end_of[x]
                end_of[x] = -trial.begin_of[x] - 1
            trial.postings[-end_of[x] - 1] = h
            end_of[x] -= 1
    for h in range(n):
        for p in range(offsets[holders[h]], offsets[holders[h] + 1]):
            x = items[p]
            if x >= 0 and end_of[x] < 0:
                end_of[x] = -end_of[x] - 1
    if e != trial.state[INDEXED]:
        trial.state[N_KNOWN] = 0
    trial.state[INDEXED] = e
    trial.state[N_HOLDERS] = n
    trial.state[N_RESTORED] = 0


@step
def list_consequents(rows, trial, sensitive, row, e):
    """Put e and the sensitive items of the row into ``trial.consequents``; returns how many."""
    trial.consequents[0] = e
    n = 1
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        x = rows.items[p]
        if x >= 0 and sensitive[x]:
            trial.consequents[n] = x
            n += 1
    return n


@step
def number_items(rows, trial, row, position, e, f):
    """Number the items of the row when e is back at the position, without f; returns how many."""
    n_local = np.int64(0)
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        x = e if p == position else np.int64(rows.items[p])
        if x >= 0 and x != f:
            trial.ranks[n_local] = x
            trial.local_of[x] = n_local
            n_local += 1
    return n_local


@step
def find_known(trial, starts, itemsets):
    """The first of the known candidates whose blocking antecedent is within the record, or -1."""
    for k in range(trial.state[N_KNOWN]):
        known = trial.known[k]
        inside = True
        for i in range(starts[known], starts[known + 1]):
            if trial.local_of[itemsets[i]] < 0:
                inside = False
                break
        if inside:
            return known
    return np.int64(-1)
