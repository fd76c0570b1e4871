"""Lists of itemsets looked up by content: rules within one list, matches between two.

An itemset's key is the sum of its items' keys, so that the key without one item is one subtraction. Keys
only say where to look; items are always compared.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.counting.supports import IndexedRows, count_support

KEY_BITS = (1 << 40) - 1
"""Keys stay this short, so that neither a product nor a sum of them overflows."""


@step
def item_key(code):
    """A pseudo-random number for the item, the same every time."""
    key = ((np.int64(code) + 1) * 0x9E3779B1) & KEY_BITS
    key = ((key ^ (key >> 17)) * 0x2C1B3D) & KEY_BITS
    return key ^ (key >> 15)


@step
def set_key(items, begin, end):
    """The key of the itemset items[begin:end]."""
    key = np.int64(0)
    for p in range(begin, end):
        key += item_key(items[p])
    return key


@step
def slot_of(key, width):
    """Where in a table of ``width`` slots (a power of two) to begin looking."""
    return (key ^ (key >> 20)) & (width - 1)


@kernel
def index_itemsets(offsets, items):
    """A hash table over the itemsets: for each slot the itemset's number, or -1."""
    n_sets = len(offsets) - 1
    width = np.int64(4)
    while width < 2 * n_sets:
        width *= 2
    slots = np.full(width, -1, np.int64)
    for s in range(n_sets):
        at = slot_of(set_key(items, offsets[s], offsets[s + 1]), width)
        while slots[at] >= 0:
            at = (at + 1) & (width - 1)
        slots[at] = s
    return slots


@step
def find_itemset(key, wanted, begin, end, skipped, offsets, items, slots):
    """The number of the itemset wanted[begin:end] without the place ``skipped`` (-1: whole), or -1."""
    size = end - begin
    if skipped >= 0:
        size -= 1
    at = slot_of(key, len(slots))
    while slots[at] >= 0:
        s = slots[at]
        if offsets[s + 1] - offsets[s] == size:
            p = offsets[s]
            same = True
            for k in range(begin, end):
                if k == skipped:
                    continue
                if items[p] != wanted[k]:
                    same = False
                    break
                p += 1
            if same:
                return s
        at = (at + 1) & (len(slots) - 1)
    return np.int64(-1)


@kernel
def match_itemsets(wanted_offsets, wanted, offsets, items, slots):
    """For each wanted itemset its number in the other list, or -1."""
    found = np.empty(len(wanted_offsets) - 1, np.int64)
    for s in range(len(found)):
        begin, end = wanted_offsets[s], wanted_offsets[s + 1]
        key = set_key(wanted, begin, end)
        found[s] = find_itemset(key, wanted, begin, end, -1, offsets, items, slots)
    return found


@kernel
def find_rules(offsets, items, supports, slots, num, den):
    """All rules q→e of confidence num/den or more, q not empty, where q and qe are in the list.

    Returns how many, the numbers of qe and of q, and e; in the order of the list, e ascending.
    """
    n_rules = np.int64(0)
    wholes = np.empty(len(items), np.int64)
    antecedents = np.empty(len(items), np.int64)
    consequents = np.empty(len(items), np.int32)
    for s in range(len(offsets) - 1):
        begin, end = offsets[s], offsets[s + 1]
        if end - begin < 2:
            continue
        key = set_key(items, begin, end)
        for p in range(begin, end):
            rest_key = key - item_key(items[p])
            rest = find_itemset(rest_key, items, begin, end, p, offsets, items, slots)
            if rest >= 0 and supports[s] * den >= num * supports[rest]:
                wholes[n_rules] = s
                antecedents[n_rules] = rest
                consequents[n_rules] = items[p]
                n_rules += 1
    return n_rules, wholes, antecedents, consequents


@kernel
def count_supports(
    set_offsets, set_ranks, offsets, items, post_offsets, post_rows, supports, bitmaps
):
    """The support of each itemset, whose ranks ascend."""
    rows = IndexedRows(offsets, items, post_offsets, post_rows, supports, bitmaps)
    counts = np.empty(len(set_offsets) - 1, np.int64)
    enough = np.int64(len(offsets))
    for s in range(len(counts)):
        ranks = set_ranks[set_offsets[s] : set_offsets[s + 1]]
        counts[s] = count_support(rows, ranks, len(ranks), enough)
    return counts
