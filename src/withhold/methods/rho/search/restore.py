"""Put deleted occurrences back where that harms nobody.

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
from withhold.counting.jit import kernel, routine, step
from withhold.counting.local_rows import LocalRows, merge_local_rows, rarer_of
from withhold.counting.supports import IndexedRows, count_support
from withhold.counting.walk import place_of
from withhold.methods.rho.search.bounded import find_small_unsafe, holds_item
from withhold.methods.rho.search.closed_fix import new_lowered, visit_closed_sets
from withhold.methods.rho.search.room import has_room

SKIPPED, BLOCKED, ACCEPTED = 0, 1, 2
SHORT = 11
"""Up to so many items, all subsets of a record are looked at together."""
MANY = 128
"""After so many were put back, the index of the item's records is made anew."""
INDEXED, N_HOLDERS, N_RESTORED, N_KNOWN = 0, 1, 2, 3


class Candidates(NamedTuple):
    """Deletions that may be undone, in this order: by item."""

    positions: Any
    rows: Any
    items: Any
    ceilings: Any
    """By rank: an item that is as frequent is skipped."""
    put_back: Any
    """Whether what is accepted is put back at once; else each is looked at for itself."""
    outcomes: Any
    """ACCEPTED, BLOCKED or SKIPPED (its item is at its ceiling, or the time is up)."""


class Blocking(NamedTuple):
    """For each candidate what blocks it; the antecedents are a list of items that grows, and so apart."""

    starts: Any
    consequents: Any
    extras: Any
    """As ``has_room`` takes them."""


class Trial(NamedTuple):
    """Room to try candidates: the record at hand, and the index of D_e for the item e at hand."""

    ranks: Any
    """The items of the record that antecedents are made of."""
    local_of: Any
    """Their numbers, by rank; all -1 between two records."""
    itemset: Any
    """The unsafe antecedent."""
    with_e: Any
    consequents: Any
    joint_of: Any
    """For each subset of a short record how many records leave just that of it."""
    state: Any
    """The item at hand, how many records hold it, how many got it back since, how many rules are known."""
    known: Any
    """Rules q→e found without room: while e is at hand they stay so, for no other item comes back."""
    holders: Any
    """D_e; what is put back meanwhile stands behind it."""
    postings: Any
    """For each item x the places in ``holders`` of records with e and x."""
    begin_of: Any
    end_of: Any
    masks: Any
    met: Any
    group_of: Any


def new_trial(rows: IndexedRows, n_candidates: int) -> Trial:
    """Room for so many candidates; pages that are never written cost no memory."""
    n_items, n_rows = len(rows.supports), len(rows.offsets) - 1
    longest = int(np.diff(rows.offsets).max(initial=0))
    return Trial(
        ranks=np.empty(longest + 1, dtype=np.int32),
        local_of=np.full(n_items, -1, dtype=np.int32),
        itemset=np.empty(longest + 1, dtype=np.int32),
        with_e=np.empty(longest + 2, dtype=np.int32),
        consequents=np.empty(longest + 1, dtype=np.int32),
        joint_of=np.empty(1 << SHORT, dtype=np.int64),
        state=np.array([-1, 0, 0, 0], dtype=np.int64),
        known=np.empty(n_candidates, dtype=np.int64),
        holders=np.empty(n_rows + MANY + 1, dtype=np.int32),
        postings=np.empty(len(rows.items), dtype=np.int32),
        begin_of=np.zeros(n_items, dtype=np.int64),
        end_of=np.zeros(n_items, dtype=np.int64),
        masks=np.zeros(n_rows + 1, dtype=np.int32),
        met=np.empty(n_rows + 1, dtype=np.int32),
        group_of=np.empty(n_rows + 1, dtype=np.int32),
    )


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
            if turn == 1 and known < 0:
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
    """Make the index of D_e in the place of the one before."""
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
    n_local = 0
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


@routine
def find_unsafe_within(rows, limits, trial, f, given, n_local):
    """An antecedent within the record that leaves q→f no room; ``given``, unless -1, is in it.

    Fills ``trial.itemset`` and returns its size, or -1. Of a long record only the largest are looked at.
    """
    extra = np.int64(1 if given >= 0 else 0)
    # The whole record, then (if it is long) the record less one item: most end here.
    for leave_out in range(n_local, n_local - 1 if n_local <= SHORT else -1, -1):
        if given >= 0 and leave_out < n_local and trial.ranks[leave_out] == given:
            continue
        size = 0
        for k in range(n_local):
            if k != leave_out:
                trial.itemset[size] = trial.ranks[k]
                size += 1
        if size == 0 and not limits.with_prior:
            continue
        if not has_room(rows, limits, trial.itemset, size, f, extra, trial.with_e):
            return size
    if n_local <= SHORT:
        count_subsets(rows, trial, f, given, n_local)
        return find_unsafe_subset(rows, limits, trial, n_local, extra)
    return -1


@step
def mask_of(rows, trial, row):
    """Which of the locally numbered items the row holds, as bits."""
    mask = 0
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        x = rows.items[p]
        if x >= 0 and trial.local_of[x] >= 0:
            mask |= 1 << trial.local_of[x]
    return mask


@step
def count_subsets(rows, trial, f, given, n_local):
    """Count in ``trial.joint_of`` the records of D_f (and D_given) by what they share with the record."""
    joint_of, masks = trial.joint_of, trial.masks
    n_holders = trial.state[N_HOLDERS]
    for mask in range(1 << n_local):
        joint_of[mask] = 0
    if given < 0:
        # Only records that share an item with this one need to be touched.
        n_met = 0
        for k in range(n_local):
            for place in range(trial.begin_of[trial.ranks[k]], trial.end_of[trial.ranks[k]]):
                h = trial.postings[place]
                if masks[h] == 0:
                    trial.met[n_met] = h
                    n_met += 1
                masks[h] |= 1 << k
        joint_of[0] = n_holders - n_met
        for k in range(n_met):
            joint_of[masks[trial.met[k]]] += 1
            masks[trial.met[k]] = 0
    else:
        for place in range(trial.begin_of[f], trial.end_of[f]):
            joint_of[mask_of(rows, trial, trial.holders[trial.postings[place]])] += 1
    for h in range(n_holders, n_holders + trial.state[N_RESTORED]):
        if given < 0 or holds_item(rows, trial.holders[h], f):
            joint_of[mask_of(rows, trial, trial.holders[h])] += 1


@step
def find_unsafe_subset(rows, limits, trial, n_local, extra):
    """An unsafe subset of a short record, given how many records leave each subset of it.

    Only closed subsets are looked at, and not the whole record, which is known to be safe.
    """
    joint_of = trial.joint_of
    n_masks = 1 << n_local
    # The record to come holds them all.
    joint_of[n_masks - 1] += 1
    for local in range(n_local):
        for mask in range(n_masks):
            if mask & (1 << local) == 0:
                joint_of[mask] += joint_of[mask | (1 << local)]
    for mask in range(n_masks - 2, -1, -1):
        size = 0
        closed = True
        for local in range(n_local):
            if mask & (1 << local):
                trial.itemset[size] = trial.ranks[local]
                size += 1
            elif joint_of[mask | (1 << local)] == joint_of[mask]:
                closed = False
                break
        if closed and (size > 0 or limits.with_prior):
            enough = (joint_of[mask] * limits.den + limits.num - 1) // limits.num - extra
            if count_support(rows, trial.itemset, size, enough) < enough:
                return size
    return -1


@kernel
def visit_within(rows, limits, trial, f, given, n_local, stop):
    """As ``find_unsafe_within``, for a long record: by the closed sets of what others share with it."""
    extra = np.int64(1 if given >= 0 else 0)
    local = gather_within(rows, trial, f, given, n_local)
    lowered = new_lowered(local, np.bool_(False))
    state = np.zeros(1, np.int64)
    if not visit_closed_sets(rows, local, limits, np.int64(1), extra, lowered, state, stop):
        return np.int64(-1)
    for k in range(lowered.starts[1]):
        trial.itemset[k] = lowered.items[k]
    return lowered.starts[1]


@kernel
def gather_within(rows, trial, f, given, n_local):
    """``LocalRows`` of the rows that hold both items (``given`` may be -1), cut to the numbered items.

    The record itself is among them, as a row without weight: all local items.
    """
    key = rarer_of(rows, f, given)
    first = rows.post_offsets[key]
    end = rows.post_offsets[key + 1]
    room = np.int64(n_local)
    for posting in range(first, end):
        row = rows.post_rows[posting]
        room += min(rows.offsets[row + 1] - rows.offsets[row], n_local)
    offsets = np.zeros(end - first + 2, np.int64)
    items = np.empty(room, np.int32)
    n_rows = 0
    at = np.int64(0)
    for posting in range(first, end):
        row = rows.post_rows[posting]
        has_first = False
        has_second = given < 0
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            x = rows.items[p]
            if x < 0:
                continue
            has_first = has_first or x == f
            has_second = has_second or x == given
            if trial.local_of[x] >= 0:
                items[at] = trial.local_of[x]
                at += 1
        if has_first and has_second:
            n_rows += 1
            offsets[n_rows] = at
        else:
            at = offsets[n_rows]
    for local in range(n_local):
        items[at] = local
        at += 1
    n_rows += 1
    offsets[n_rows] = at
    n_groups, first_of, weights = merge_local_rows(n_rows, offsets, items, trial.group_of)
    weights[trial.group_of[n_rows - 1]] -= 1
    return LocalRows(
        offsets[: n_rows + 1], items[:at], first_of, weights, trial.ranks, n_local, n_groups
    )
