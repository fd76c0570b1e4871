"""How many items a record loses in every safe release, by the other records that could hide it.

A record published as p that keeps a sensitive e needs ``helpers`` others that are published with p∖e and
without e. A record that never held e can help with e only; one that held all of p can help with one item, by
losing it. docs/decisions/0020 has the proof.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import sort_ascending
from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel, routine, step
from withhold.counting.supports import count_support
from withhold.methods.rho.bound.dealing import deal_part
from withhold.methods.rho.bound.near_rows import MOST_BITMAPS, find_near

MOST_FREE = 14
"""Up to this many items that matter, every set that can be left is tried; above, helpers are only counted."""

MOST_COMPARED = 1024
"""At most this many near rows of a longer record are compared with each other."""
USUALLY_SAFE = 5
"""Records of at most this many items are usually safe as they are, which is quickly tested."""


class Needs(NamedTuple):
    """What a record needs."""

    helpers: Any
    """⌈1/ρ⌉ - 1: how many others a sensitive item needs that lack just that."""
    with_prior: Any
    """Whether the empty antecedent counts."""
    most_together: Any
    """How many items of a record are tested together: one more than the attacker knows."""
    most_free: Any


@kernel
def bound_rows(rows, sensitive, chosen, needs, near, losses, stop):
    """Write into ``losses`` how many items each chosen row loses at least, in every safe release.

    A row with more items than are tested together is dealt into parts; the row loses at least the sum of what
    these lose.
    """
    for number in range(len(chosen)):
        if stop[0] != 0:
            return
        row = chosen[number]
        length = rows.offsets[row + 1] - rows.offsets[row]
        n_parts = (length + needs.most_together - 1) // needs.most_together
        for part in range(n_parts):
            n, n_sensitive = deal_part(rows, sensitive, row, part, n_parts, near.own)
            if n_sensitive > 0 and (n > 1 or needs.with_prior):
                sort_ascending(near.own, n)
                for k in range(n):
                    near.is_sensitive[k] = sensitive[near.own[k]]
                losses[number] += least_loss(rows, needs, near, row, n, n_sensitive)


@routine
def least_loss(rows, needs, near, row, n, n_sensitive):
    """The fewest items of ``near.own`` that the row loses."""
    if n_sensitive == 1 or n <= USUALLY_SAFE:
        if can_stay(rows, needs, near, n, n_sensitive):
            return np.int64(0)
        if n_sensitive == 1:
            return np.int64(1)
    n_near = find_near(rows, near, row, n, n_sensitive)
    n_others = np.int64(len(rows.offsets) - 2)
    least = n_sensitive
    # If nobody is near, only a record without all of its sensitive items is safe.
    if n_near > 0 or n_sensitive == n:
        n_listed = min(n_near, len(near.masks))
        n_bits = n
        if n <= MOST_BITMAPS:
            n_bits = number_bits(near, n, n_near, n_listed)
        if n_bits <= needs.most_free:
            count_masks(near, n, n_listed, n_bits)
            least = least_by_masks(needs, near, n, n_sensitive, n_bits, n_others)
        else:
            least = least_by_sizes(needs, near, n, n_sensitive, n_others)
            if n <= MOST_BITMAPS and n_near <= min(n_listed, MOST_COMPARED):
                least = least_by_pairs(needs, near, n, n_sensitive, n_near, least)
            if least == 0 and not can_stay(rows, needs, near, n, n_sensitive):
                least = np.int64(1)
    for size in range(n_sensitive + 1):
        near.sizes[size] = 0
    return least


@step
def number_bits(near, n, n_near, n_listed):
    """Number those items that are sensitive or that a near row lacks, in ``near.others``; -1 for all others.

    No near row lacks those others, and they need no helpers, so losing one of them would not help.
    """
    # If not all near rows are listed, any item may be lacking in one.
    lacked = np.int64(0) if n_near == n_listed else (np.int64(1) << n) - 1
    for k in range(n_listed):
        lacked |= near.masks[k]
    n_bits = np.int64(0)
    for k in range(n):
        near.others[k] = -1
        if near.is_sensitive[k] or (lacked >> k) & 1:
            near.others[k] = n_bits
            n_bits += 1
    return n_bits


@step
def count_masks(near, n, n_near, n_bits):
    """Count, by mask over the numbered items, the near rows that lack only items of the mask."""
    for k in range(n_near):
        mask = np.int64(0)
        for i in range(n):
            if (near.masks[k] >> i) & 1:
                mask |= np.int64(1) << near.others[i]
        near.counts[mask] += 1
    for b in range(n_bits):
        bit = np.int64(1) << b
        for start in range(bit, np.int64(1) << n_bits, 2 * bit):
            for mask in range(start, start + bit):
                near.counts[mask] += near.counts[mask - bit]


@step
def can_stay(rows, needs, near, n, n_sensitive):
    """Whether there are enough helpers for all of the items to stay."""
    support = count_support(rows, near.own, n, n_sensitive * needs.helpers + 1)
    missing = np.int64(0)
    for left_out in range(n):
        if near.is_sensitive[left_out]:
            for k in range(n - 1):
                near.others[k] = near.own[k if k < left_out else k + 1]
            enough = support + needs.helpers
            missing += max(enough - count_support(rows, near.others, n - 1, enough), 0)
            if missing >= support:
                return False
    return True


@step
def least_by_masks(needs, near, n, n_sensitive, n_bits, n_others):
    """The fewest items without which there are enough helpers for the rest; clears ``near.counts``."""
    n_masks = np.int64(1) << n_bits
    if n_bits == n:
        near.counts[n_masks - 1] = n_others
    sensitive = np.int64(0)
    for k in range(n):
        if near.is_sensitive[k]:
            sensitive |= np.int64(1) << near.others[k]
    least = n_sensitive
    for gone in range(n_masks):
        size = np.int64(count_bits(np.uint64(gone)))
        if size >= least:
            continue
        missing = np.int64(0)
        if n - size > 1 or needs.with_prior:
            left = sensitive & ~gone
            while left != 0 and missing <= near.counts[gone]:
                bit = left & -left
                left ^= bit
                lacking = near.counts[gone | bit] - near.counts[gone]
                missing += max(needs.helpers - lacking, 0)
        if missing <= near.counts[gone]:
            least = size
    for mask in range(n_masks):
        near.counts[mask] = 0
    return least


@step
def least_by_sizes(needs, near, n, n_sensitive, n_others):
    """As ``least_by_masks``, but only by the number of near rows, each of which helps at most once."""
    n_near = near.sizes[0]
    for size in range(n_sensitive):
        n_near += near.sizes[size + 1]
        if size + 1 == n:
            n_near = n_others if needs.with_prior else n * needs.helpers
        if n_near >= (n_sensitive - size) * needs.helpers:
            return np.int64(size)
    return n_sensitive


@step
def least_by_pairs(needs, near, n, n_sensitive, n_near, least):
    """As ``least_by_sizes``, from ``least`` on, but near rows must also be able to help the same record.

    Take the helper that lacks the most public items. The record has lost all of these, so it has lost fewer
    sensitive ones and needs more helpers. Each helper lacks only what the record has lost and one more item;
    so two of them together lack only what it has lost and two more.
    """
    public = np.int64(0)
    for k in range(n):
        if not near.is_sensitive[k]:
            public |= np.int64(1) << k
    for size in range(least, n_sensitive):
        if size + 1 >= n:
            return np.int64(size)
        for first in range(n_near):
            mask = near.masks[first]
            n_public = size_of(mask & public)
            if size_of(mask) > size + 1 or n_public > size:
                continue
            wanted = (n_sensitive - size + n_public) * needs.helpers
            for k in range(n_near):
                other = near.masks[k]
                fits = size_of(other) <= size + 1 and size_of(other | mask) <= size + 2
                if fits and size_of(other & public) <= n_public:
                    wanted -= 1
                    if wanted == 0:
                        return np.int64(size)
    return n_sensitive


@step
def size_of(mask):
    """How many items a mask represents."""
    return np.int64(count_bits(np.uint64(mask)))
