"""What a record can keep of its sensitive items if only sensitive items are deleted.

Equal records form a class. Classes with the most public items come first, because a record is hidden by those
that hold all of its public items. What a class can keep is stored: a record that cannot keep some items
cannot hide a record that keeps them. docs/decisions/0020 has the proof.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel, routine, step
from withhold.counting.supports import count_support
from withhold.methods.rho.bound.dealing import deal_part
from withhold.methods.rho.bound.hiding_rows import count_lacking, count_others, most_by_sizes
from withhold.methods.rho.bound.row_classes import NOTHING

MOST_TRIED = 10
"""Up to this many sensitive items, every subset is tried; more are tried in blocks of this many."""


@kernel
def bound_classes(rows, sensitive, classes, needs, scratch, tables, ends, stop):
    """Find what the classes from ``ends[0]`` to before ``ends[1]`` lose; returns the next class.

    That is ``ends[1]`` unless the tables ran out of room, or ``stop`` is set.

    ``tables[0]`` has the sets that classes can keep, ``tables[1][0]`` how much of it is used.
    """
    n_sets = 1 << needs.most_tried
    for turn in range(ends[0], ends[1]):
        if stop[0] != 0 or tables[1][0] + n_sets > len(tables[0]):
            return turn
        number = classes.order[turn]
        row = classes.rows[classes.starts[number]]
        length = rows.offsets[row + 1] - rows.offsets[row]
        n_parts = (length + needs.most_together - 1) // needs.most_together
        for part in range(n_parts):
            n, n_sensitive = deal_part(rows, sensitive, row, part, n_parts, scratch.sensitive)
            n_public = n - n_sensitive
            for k in range(n_public):
                scratch.public[k] = scratch.sensitive[n_sensitive + k]
            if n_sensitive > 0:
                sizes = n_public, n_sensitive
                loss = bound_part(rows, sensitive, classes, needs, scratch, tables, number, sizes)
                classes.losses[number] += loss
    return ends[1]


@step
def n_helpers(needs, n_keeping):
    """How many others must lack just one item, for each sensitive item, if ``n_keeping`` records keep all."""
    return (n_keeping * needs.den + needs.num - 1) // needs.num - n_keeping


@routine
def bound_part(rows, sensitive, classes, needs, scratch, tables, number, sizes):
    """How many of the items of the current part the rows of a class lose; records what they can keep."""
    n_public, n_sensitive = sizes
    size = classes.sizes[number]
    row = classes.rows[classes.starts[number]]
    # Only for a whole row: what a part can keep does not say what the row can keep.
    is_whole = n_public + n_sensitive == rows.offsets[row + 1] - rows.offsets[row]
    fewest = n_helpers(needs, 1)
    asks = n_public > 0 or needs.with_prior
    if asks and count_support(rows, scratch.public, n_public, fewest + 1) <= fewest:
        if is_whole:
            give_up(classes, scratch, number)
        return size * n_sensitive
    if n_public + n_sensitive == 1 and not needs.with_prior:
        return np.int64(0)
    if all_can_stay(rows, sensitive, classes, needs, scratch, tables[0], number, sizes):
        return np.int64(0)
    loss = np.int64(0)
    most = np.int64(0)
    for first in range(0, n_sensitive, needs.most_tried):
        n = min(n_sensitive - first, needs.most_tried)
        for k in range(n):
            scratch.local_of[scratch.sensitive[first + k]] = k
        block = (n_public, first, n)
        n_others = count_others(rows, sensitive, classes, scratch, tables[0], number, block)
        loss += bound_block(needs, scratch, tables, size, block, n_others)
        for k in range(n):
            scratch.local_of[scratch.sensitive[first + k]] = -1
            most += scratch.n_keeping[k + 1] > 0
        if first == 0 and is_whole:
            classes.possible[number] = tables[1][0]
            classes.n_tried[number] = n
            tables[1][0] += 1 << n
    if n_sensitive > needs.most_tried:
        most = min(most, most_by_sizes(rows, sensitive, classes, scratch, number, sizes, fewest))
        loss = max(loss, size * (n_sensitive - most))
    if is_whole:
        classes.most_kept[number] = most
    return loss


@step
def give_up(classes, scratch, number):
    """Record that the rows of a class can keep nothing."""
    classes.possible[number] = NOTHING
    classes.most_kept[number] = 0
    for k in range(classes.starts[number], classes.starts[number + 1]):
        row = classes.rows[k]
        scratch.hopeless[row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@step
def all_can_stay(rows, sensitive, classes, needs, scratch, table, number, sizes):
    """Whether for each sensitive item enough records lack it and can keep the rest, so that all can stay."""
    n_public, n_sensitive = sizes
    n = n_public + n_sensitive
    enough = n_helpers(needs, classes.sizes[number])
    for left_out in range(n_sensitive):
        # Merge the rest, ascending.
        p = 0
        s = 0
        for k in range(n - 1):
            s += 1 if s == left_out else 0
            if s == n_sensitive or (p < n_public and scratch.public[p] < scratch.sensitive[s]):
                scratch.itemset[k] = scratch.public[p]
                p += 1
            else:
                scratch.itemset[k] = scratch.sensitive[s]
                s += 1
        if n == 1:
            lacking = np.int64(len(rows.offsets) - 1) - rows.supports[scratch.sensitive[0]]
        else:
            gone = scratch.sensitive[left_out]
            lacking = count_lacking(rows, sensitive, classes, scratch, table, n - 1, gone, enough)
        if lacking < enough:
            return False
    return True


@step
def bound_block(needs, scratch, tables, size, block, n_others):
    """How many items of the block the rows of the class lose; records which sets one of them can keep."""
    n_public, first, n = block
    table, used = tables
    for k in range(n + 1):
        scratch.n_keeping[k] = 0
    for mask in range(1, 1 << n):
        n_kept = np.int64(count_bits(np.uint64(mask)))
        low = np.int64(0)
        high = size
        while low < high:
            # Nearly always all rows of the class can keep the set, or none.
            middle = high if low == 0 and high == size else (low + high + 1) // 2
            if can_keep(needs, scratch, n, n_public, mask, n_others, middle):
                low = middle
            else:
                high = middle - 1
        scratch.n_keeping[n_kept] += low
        if first == 0:
            table[used[0] + mask] = low > 0
    # Only the sets of the first block are recorded; the empty one can always be kept.
    if first == 0:
        table[used[0]] = True
    loss = np.int64(0)
    for k in range(1, n + 1):
        loss += max(size - scratch.n_keeping[k], 0)
    # Two lower bounds: from how many rows keep k items, for each k, and from how many keep each item.
    return max(loss, n * size - scratch.n_keeping[1])


@step
def can_keep(needs, scratch, n, n_public, mask, n_others, n_keeping):
    """Whether ``n_keeping`` records could keep this set, given the others that could lack one item of it."""
    n_held = scratch.held[mask] + scratch.held_by_few[mask]
    if n_public + count_bits(np.uint64(mask)) == 1 and not needs.with_prior:
        return True
    enough = n_helpers(needs, n_keeping)
    missing = n_keeping - 1
    for k in range(n):
        bit = np.int64(1) << k
        if mask & bit:
            lacking = scratch.lacking[mask, k] + scratch.held[mask ^ bit] - scratch.held[mask]
            if mask == bit:
                lacking = n_others - n_held
            missing += max(enough - lacking, 0)
    return missing <= n_held
