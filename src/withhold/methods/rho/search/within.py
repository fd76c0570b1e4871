"""Is some antecedent within a given record unsafe? By all its subsets if it is short, else by closed sets."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import maker, routine, step
from withhold.counting.local_rows import LocalRows, merge_local_rows, rarer_of
from withhold.counting.supports import IndexedRows, count_support, holds_item
from withhold.methods.rho.search.closed_fix import new_lowered, visit_closed_sets

SHORT = 11
"""Up to this many items, all subsets of a record are tested together."""
MANY = 128
"""After this many were put back, the index of the item's records is rebuilt."""
INDEXED, N_HOLDERS, N_RESTORED, N_KNOWN = 0, 1, 2, 3
"""The places in ``Trial.state``."""


class Trial(NamedTuple):
    """Room to try candidates: the current record, and the index of D_e for the current item e."""

    ranks: Any
    """The items of the record that antecedents are made of."""
    local_of: Any
    """Their numbers, by rank; all -1 between two records."""
    itemset: Any
    """The unsafe antecedent."""
    with_e: Any
    consequents: Any
    joint_of: Any
    """For each subset of a short record how many records share exactly that with it."""
    state: Any
    """The current item, how many records hold it, how many got it back since, how many rules are known."""
    known: Any
    """Candidates that were blocked by a rule q→e, unless q is a whole record. As long as only e comes back,
    that rule has no room."""
    holders: Any
    """D_e, and behind it the records that got e back meanwhile."""
    postings: Any
    """For each item x the places in ``holders`` of records with e and x."""
    begin_of: Any
    end_of: Any
    masks: Any
    met: Any
    group_of: Any


def new_trial(rows: IndexedRows, n_candidates: int) -> Trial:
    """Room for ``n_candidates`` candidates; pages that are never written cost no memory."""
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


@routine
def find_unsafe_within(rows, limits, trial, f, given, n_local):
    """An antecedent within the record that leaves q→f no room; ``given``, unless -1, is in it.

    Fills ``trial.itemset`` and returns its size, or -1. Of a long record only the largest are tested.
    """
    extra = np.int64(1 if given >= 0 else 0)
    # The whole record, then (if it is long) the record less one item: most are blocked here.
    for leave_out in range(n_local, n_local - 1 if n_local <= SHORT else -1, -1):
        if given >= 0 and leave_out < n_local and trial.ranks[leave_out] == given:
            continue
        size = np.int64(0)
        for k in range(n_local):
            if k != leave_out:
                trial.itemset[size] = trial.ranks[k]
                size += 1
        if size == 0 and not limits.with_prior:
            continue
        joint = 1 + count_holders(rows, trial, f, given, size)
        enough = (joint * limits.den + limits.num - 1) // limits.num - extra
        if count_support(rows, trial.itemset, size, enough) < enough:
            return size
    if n_local <= SHORT:
        count_subsets(rows, trial, f, given, n_local)
        return find_unsafe_subset(rows, limits, trial, n_local, extra)
    return -1


@step
def count_holders(rows, trial, f, given, size):
    """In how many records of D_e the itemset occurs, and f unless that is e, the current item itself."""
    begin, end = np.int64(0), trial.state[N_HOLDERS]
    key = np.int64(-1)
    if given >= 0:
        key = f
        begin, end = trial.begin_of[f], trial.end_of[f]
    for k in range(size):
        x = trial.itemset[k]
        if trial.end_of[x] - trial.begin_of[x] < end - begin:
            key = np.int64(x)
            begin, end = trial.begin_of[x], trial.end_of[x]
    count = np.int64(0)
    for place in range(begin, end):
        h = place if key < 0 else np.int64(trial.postings[place])
        if holds_all(rows, trial, trial.holders[h], f, given, size):
            count += 1
    first = trial.state[N_HOLDERS]
    for h in range(first, first + trial.state[N_RESTORED]):
        if holds_all(rows, trial, trial.holders[h], f, given, size):
            count += 1
    return count


@step
def holds_all(rows, trial, row, f, given, size):
    """Whether the row holds the itemset, and f if another item is given."""
    k = 0
    while k < size and holds_item(rows, row, trial.itemset[k]):
        k += 1
    return k == size and (given < 0 or holds_item(rows, row, f))


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
        # Only records that share an item with this one need to be visited.
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
    """An unsafe subset of a short record, given how many records share exactly each subset with it.

    Only closed subsets are tested, and not the whole record, which is known to be safe.
    """
    joint_of = trial.joint_of
    n_masks = 1 << n_local
    # The record to come holds them all.
    joint_of[n_masks - 1] += 1
    for local in range(n_local):
        bit = 1 << local
        for block in range(0, n_masks, 2 * bit):
            for mask in range(block, block + bit):
                joint_of[mask] += joint_of[mask + bit]
    for mask in range(n_masks - 2, -1, -1):
        size = np.int64(0)
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


@maker
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


@maker
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
    n_rows = np.int64(0)
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
