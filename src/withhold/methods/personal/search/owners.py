"""Who owns what of a closed set: those in whose rows it stands, and others who had some of it originally."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel
from withhold.methods.personal.people import fears_item


@kernel
def feared_by_owner(e, pool, start, end, people, fears):
    """Some owner of the rows pool[start:end] who fears e, or -1."""
    for k in range(start, end):
        if fears_item(people.of_row[pool[k]], e, fears):
            return people.of_row[pool[k]]
    return -1


@kernel
def neighbours(closure, size, n, rows, people, in_set, essential):
    """Mark the essential items of the closed set; returns the row that leaves the fewest candidates.

    A Q with support n must hold something that the row lacks, whatever row outside T is taken; the one
    whose missing items have the fewest owners is returned, or -1 if none was met.
    """
    a = closure[0]
    b = -1
    for c in range(1, size):
        x = closure[c]
        if rows.supports[x] < rows.supports[a]:
            b = a
            a = x
        elif b < 0 or rows.supports[x] < rows.supports[b]:
            b = x
    all_ranks = np.int64(0)
    all_owners = np.int64(0)
    for c in range(size):
        essential[c] = False
        all_ranks += closure[c]
        all_owners += people.post_offsets[closure[c] + 1] - people.post_offsets[closure[c]]
    if size == 1:
        essential[0] = n < len(rows.offsets) - 1
        return -1
    best_row = -1
    fewest = all_owners
    # A row that lacks one item of the set only holds one of the two rarest.
    for turn in range(2):
        rare = a if turn == 0 else b
        for posting in range(rows.post_offsets[rare], rows.post_offsets[rare + 1]):
            if rows.items[rows.post_positions[posting]] < 0:
                continue
            row = rows.post_rows[posting]
            hits = 0
            ranks = np.int64(0)
            owners = np.int64(0)
            has_a = False
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                x = rows.items[p]
                if x >= 0 and in_set[x]:
                    hits += 1
                    ranks += x
                    owners += people.post_offsets[x + 1] - people.post_offsets[x]
                    if x == a:
                        has_a = True
            if hits == size or (turn == 1 and has_a):
                continue
            if hits == size - 1:
                missing = all_ranks - ranks
                for c in range(size):
                    if closure[c] == missing:
                        essential[c] = True
            if all_owners - owners < fewest:
                fewest = all_owners - owners
                best_row = row
    return best_row


@kernel
def count_owners(closure, size, people):
    """How many owners the first items of a set have, who may be the same."""
    owners = np.int64(0)
    for c in range(size):
        owners += people.post_offsets[closure[c] + 1] - people.post_offsets[closure[c]]
    return owners


@kernel
def known_of(person, itemset, size, without, people, in_set, known):
    """Fill ``known`` with the items of a set that the person owns, but for one; returns how many.

    ``in_set`` marks the items of the set, whose ranks ascend.
    """
    n_known = 0
    p = people.offsets[person]
    end = people.offsets[person + 1]
    if end - p <= 16 * size:
        for q in range(p, end):
            x = people.items[q]
            if in_set[x] and x != without:
                known[n_known] = x
                n_known += 1
        return n_known
    # In a long record each is searched for.
    for c in range(size):
        x = itemset[c]
        high = end
        while p < high:
            middle = (p + high) // 2
            if people.items[middle] < x:
                p = middle + 1
            else:
                high = middle
        if p == end:
            break
        if people.items[p] == x and x != without:
            known[n_known] = x
            n_known += 1
    return n_known
