"""Does a safe table stay safe when one occurrence comes back, or goes? Exactly, for records of a few items.

Let P be what record r holds, without x. When x comes back, sup(qx) rises for every q ⊆ P: the rules q→x gain
a record, and so do the rules qx→f with f ∈ P, together with their antecedent. When x goes, the rules qx→f
with f ∉ r lose a record of their antecedent only. No other confidence rises.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import clear_bit, set_bit
from withhold.counting.jit import routine, step
from withhold.counting.supports import IndexedRows, count_support
from withhold.methods.rho.model import Limits

MOST = 14
"""A record that is changed has at most this many items; longer ones have too many subsets."""


class Rule(NamedTuple):
    """What must hold, as ``polish`` takes it."""

    limits: Any
    max_known: Any
    """How many items an attacker knows at most; a large number stands for any."""
    sensitive: Any
    """By rank."""


class Scratch(NamedTuple):
    """Room to test the subsets of one record."""

    ranks: Any
    """P, ascending."""
    local_of: Any
    """The numbers of its items, by rank; all -1 between two calls."""
    joint_of: Any
    """For each subset of P how many other records hold it and x."""
    itemset: Any
    witness: Any
    """Of what may not come back: the subset, the local number of the consequent (-1: x), joint, support."""
    masks: Any
    """For each other record with x what it shares with P."""
    starts: Any
    """Where its sensitive items outside P start in ``others``, and where the last ones end."""
    others: Any
    pool: Any
    """Along one path of subsets, the records that hold each."""
    pool_end: Any
    path: Any
    counts: Any
    """By rank; all 0 between two calls."""


def new_scratch(rows: IndexedRows) -> Scratch:
    """Room for these rows; pages that are never written cost no memory."""
    n_items, n_rows = len(rows.supports), len(rows.offsets) - 1
    return Scratch(
        ranks=np.empty(MOST + 1, dtype=np.int32),
        local_of=np.full(n_items, -1, dtype=np.int32),
        joint_of=np.empty(1 << MOST, dtype=np.int64),
        itemset=np.empty(MOST + 1, dtype=np.int32),
        witness=np.zeros(4, dtype=np.int64),
        masks=np.empty(n_rows, dtype=np.int32),
        starts=np.zeros(n_rows + 1, dtype=np.int64),
        others=np.empty(len(rows.items), dtype=np.int32),
        pool=np.empty((MOST + 1) * n_rows, dtype=np.int32),
        pool_end=np.zeros(MOST + 2, dtype=np.int64),
        path=np.zeros(MOST + 2, dtype=np.int64),
        counts=np.zeros(n_items, dtype=np.int32),
    )


def new_rule(limits: Limits, max_known: int | None, sensitive: Any) -> Rule:
    """The model as ``polish`` takes it."""
    return Rule(limits, np.iinfo(np.int64).max if max_known is None else max_known, sensitive)


@step
def toggle(rows, row, position):
    """Put back the item that is gone from a position of the row, or take away the one that is there."""
    first = len(rows.post_offsets) - 1 - rows.bitmaps.shape[0]
    item = rows.items[position]
    if item >= 0:
        rows.supports[item] -= 1
        clear_bit(rows.bitmaps, first, item, row)
    else:
        rows.supports[~item] += 1
        set_bit(rows.bitmaps, first, ~item, row)
    rows.items[position] = ~item


@step
def list_rest(rows, scratch, row, position, most):
    """Put what the row holds elsewhere into ``scratch.ranks``; returns how many, or -1 if above ``most``."""
    n = np.int64(0)
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] >= 0 and p != position:
            if n == most:
                return np.int64(-1)
            scratch.ranks[n] = rows.items[p]
            n += 1
    return n


@step
def take_subset(scratch, n, mask):
    """Put the subset of P into ``scratch.itemset``; returns its size."""
    size = np.int64(0)
    for k in range(n):
        if mask & (1 << k):
            scratch.itemset[size] = scratch.ranks[k]
            size += 1
    return size


@step
def take_rest_with(scratch, n, without, x):
    """Put P and x, without the item of one local number, into ``scratch.itemset``, ascending."""
    size = 0
    waiting = True
    for k in range(n):
        if waiting and x < scratch.ranks[k]:
            scratch.itemset[size] = x
            size += 1
            waiting = False
        if k != without:
            scratch.itemset[size] = scratch.ranks[k]
            size += 1
    if waiting:
        scratch.itemset[size] = x


@step
def size_of(mask):
    """How many bits are set."""
    size = 0
    while mask != 0:
        mask &= mask - 1
        size += 1
    return size


@step
def note(scratch, mask, consequent, joint, support):
    """Note the rule that would break."""
    scratch.witness[0] = mask
    scratch.witness[1] = consequent
    scratch.witness[2] = joint
    scratch.witness[3] = support


@routine
def can_add(rows, rule, scratch, row, position, most):
    """Whether the table stays safe if the row, of at most ``most`` items, gets back what is gone there.

    If not, ``scratch.witness`` says what breaks, unless the record is too long (joint 0).
    """
    x = ~rows.items[position]
    n = list_rest(rows, scratch, row, position, most)
    note(scratch, 0, -1, 0, 0)
    if n < 0:
        return False
    num = rule.limits.num
    den = rule.limits.den
    whole = (1 << n) - 1
    least = (den + num - 1) // num
    # Nearly everything is refused because of P itself, which few other records hold.
    if rule.sensitive[x] and n <= rule.max_known and (n > 0 or rule.limits.with_prior):
        support = count_support(rows, scratch.ranks, n, least)
        if support < least:
            note(scratch, whole, -1, 1, support)
            return False
    if n <= rule.max_known:
        for f in range(n):
            if rule.sensitive[scratch.ranks[f]]:
                take_rest_with(scratch, n, f, x)
                support = count_support(rows, scratch.itemset, n, least - 1) + 1
                if support < least:
                    note(scratch, whole & ~(1 << f), f, 1, support)
                    return False
    count_joints(rows, scratch, n, x)
    joint_of = scratch.joint_of
    for f in range(n):
        if rule.sensitive[scratch.ranks[f]]:
            bit = 1 << f
            for mask in range(whole + 1):
                if mask & bit == 0:
                    joint = joint_of[mask | bit] + 1
                    support = joint_of[mask] + 1
                    if joint * den > num * support and size_of(mask) < rule.max_known:
                        note(scratch, mask, f, joint, support)
                        return False
    return not rule.sensitive[x] or all_have_room(rows, rule, scratch, n)


@step
def count_joints(rows, scratch, n, x):
    """Fill ``scratch.joint_of``: the records with x, by the subsets of P that they hold."""
    joint_of = scratch.joint_of
    for mask in range(1 << n):
        joint_of[mask] = 0
    for k in range(n):
        scratch.local_of[scratch.ranks[k]] = k
    for posting in range(rows.post_offsets[x], rows.post_offsets[x + 1]):
        mask, holds = what_is_shared(rows, scratch, rows.post_rows[posting], x)
        if holds:
            joint_of[mask] += 1
    for k in range(n):
        scratch.local_of[scratch.ranks[k]] = -1
        for mask in range(1 << n):
            if mask & (1 << k) == 0:
                joint_of[mask] += joint_of[mask | (1 << k)]


@step
def what_is_shared(rows, scratch, other, x):
    """The items of P, by ``scratch.local_of``, that another record holds, and whether it holds x."""
    mask = 0
    holds = False
    for p in range(rows.offsets[other], rows.offsets[other + 1]):
        item = rows.items[p]
        if item >= 0:
            if scratch.local_of[item] >= 0:
                mask |= 1 << scratch.local_of[item]
            elif item == x:
                holds = True
    return mask, holds


@step
def all_have_room(rows, rule, scratch, n):
    """Whether q→x has room for one more record, for every q ⊆ P.

    A larger set that occurs with x in as many records, and is small enough to be known, decides for q.
    """
    joint_of = scratch.joint_of
    num = rule.limits.num
    den = rule.limits.den
    for mask in range((1 << n) - 1, -1, -1):
        size = size_of(mask)
        if size > rule.max_known or (size == 0 and not rule.limits.with_prior):
            continue
        decides = True
        if size < rule.max_known:
            for k in range(n):
                if mask & (1 << k) == 0 and joint_of[mask | (1 << k)] == joint_of[mask]:
                    decides = False
                    break
        if decides:
            joint = joint_of[mask] + 1
            enough = (joint * den + num - 1) // num
            support = count_support(rows, scratch.itemset, take_subset(scratch, n, mask), enough)
            if support < enough:
                note(scratch, mask, -1, joint, support)
                return False
    return True


@routine
def can_delete(rows, rule, scratch, row, position):
    """Whether the table stays safe if the row loses the item at the position."""
    if rule.max_known == 0:
        return True
    n = list_rest(rows, scratch, row, position, MOST - 1)
    if n < 0:
        return False
    n_others = list_others(rows, rule, scratch, n, row, rows.items[position])
    # Depth first over q ⊆ P, as long as other records hold qx.
    pool = scratch.pool
    for k in range(n_others):
        pool[k] = k
    scratch.pool_end[0] = 0
    scratch.pool_end[1] = n_others
    scratch.path[0] = 0
    depth = 0
    safe = n_others == 0 or rest_is_safe(rule, scratch, np.int64(0), n_others)
    while safe and depth >= 0:
        k = scratch.path[depth]
        if k == n or depth + 2 > rule.max_known:
            depth -= 1
            continue
        scratch.path[depth] += 1
        begin = scratch.pool_end[depth]
        end = scratch.pool_end[depth + 1]
        top = end
        for place in range(begin, end):
            if scratch.masks[pool[place]] & (1 << k):
                pool[top] = pool[place]
                top += 1
        # An item that all of them hold changes nothing, here and further down.
        if top > end and top - end < end - begin:
            safe = rest_is_safe(rule, scratch, end, top)
            depth += 1
            scratch.pool_end[depth + 1] = top
            scratch.path[depth] = k + 1
    return safe


@step
def list_others(rows, rule, scratch, n, row, x):
    """List the other records with x: what each shares with P, and its sensitive items outside."""
    for k in range(n):
        scratch.local_of[scratch.ranks[k]] = k
    n_others = np.int64(0)
    at = np.int64(0)
    for posting in range(rows.post_offsets[x], rows.post_offsets[x + 1]):
        other = rows.post_rows[posting]
        if other == row:
            continue
        mask, holds = what_is_shared(rows, scratch, other, x)
        if not holds:
            continue
        for p in range(rows.offsets[other], rows.offsets[other + 1]):
            item = rows.items[p]
            if item >= 0 and rule.sensitive[item] and item != x and scratch.local_of[item] < 0:
                scratch.others[at] = item
                at += 1
        scratch.masks[n_others] = mask
        n_others += 1
        scratch.starts[n_others] = at
    for k in range(n):
        scratch.local_of[scratch.ranks[k]] = -1
    return n_others


@step
def rest_is_safe(rule, scratch, begin, end):
    """Whether no sensitive item is in too many of the records in this part of the pool."""
    safe = True
    most = rule.limits.num * (end - begin) // rule.limits.den
    for place in range(begin, end):
        k = scratch.pool[place]
        for i in range(scratch.starts[k], scratch.starts[k + 1]):
            scratch.counts[scratch.others[i]] += 1
            if scratch.counts[scratch.others[i]] > most:
                safe = False
    for place in range(begin, end):
        k = scratch.pool[place]
        for i in range(scratch.starts[k], scratch.starts[k + 1]):
            scratch.counts[scratch.others[i]] = 0
    return safe
