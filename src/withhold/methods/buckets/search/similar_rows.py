"""Groups of records that have much in common, one group after the other.

A record is a set of nodes, and ``gain[node]`` what it is worth to have the node in common with others.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel


@kernel
def gather_similar(offsets, nodes, gain, bounds, k, window, group_of, stop):
    """Fill ``group_of`` with groups of at least k rows, none across two classes. Class c is the rows
    bounds[c] … bounds[c + 1] - 1, at least k of them. Returns the number of groups.

    A group begins with the first free row of the class and takes, k - 1 times, the one of the next
    ``window`` free rows by which least is lost: by the members for the common nodes that the row lacks, and
    by the row for its nodes that the group lacks. Rows that are left over join the group they suit best."""
    longest = 0
    for c in range(len(bounds) - 1):
        longest = max(longest, offsets[bounds[c + 1]] - offsets[bounds[c]])
    common = np.empty(
        longest, np.int32
    )  # the common nodes of a class's groups, one after the other
    starts = np.zeros(len(group_of) // k + 2, np.int64)
    in_common = np.zeros(len(gain), np.bool_)
    has = np.zeros(len(gain), np.bool_)
    next_free = np.arange(1, len(group_of) + 1)
    n_groups = 0
    for c in range(len(bounds) - 1):
        if stop[0] != 0:
            return n_groups
        end = bounds[c + 1]
        free = bounds[c]
        n_made = 0
        n_free = end - free
        while n_free >= k and stop[0] == 0:
            free, last = _make_group(
                offsets, nodes, gain, k, window, free, end, next_free,
                common, starts[n_made], in_common, group_of, n_groups + n_made,
            )  # fmt: skip
            n_made += 1
            starts[n_made] = last
            n_free -= k
        _join_best(
            offsets, nodes, gain, k, free, end, next_free,
            common, starts, n_made, has, group_of, n_groups,
        )  # fmt: skip
        n_groups += n_made
    return n_groups


@kernel
def _worth(row, offsets, nodes, gain):
    """What all nodes of a row are worth together."""
    worth = np.int64(0)
    for p in range(offsets[row], offsets[row + 1]):
        worth += gain[nodes[p]]
    return worth


@kernel
def _make_group(
    offsets, nodes, gain, k, window, free, end, next_free, common, begin, in_common, group_of, group
):  # fmt: skip
    """Make one group of k rows. Returns the first row that is free then, and where its common nodes end."""
    last = begin
    for p in range(offsets[free], offsets[free + 1]):
        common[last] = nodes[p]
        in_common[nodes[p]] = True
        last += 1
    common_worth = _worth(free, offsets, nodes, gain)
    group_of[free] = group
    free = next_free[free]
    for size in range(1, k):
        best = -1
        before_best = -1
        best_cost = np.int64(0)
        before = -1
        row = free
        for _ in range(window):
            if row >= end:
                break
            shared = np.int64(0)
            lost = np.int64(0)
            for p in range(offsets[row], offsets[row + 1]):
                if in_common[nodes[p]]:
                    shared += gain[nodes[p]]
                else:
                    lost += gain[nodes[p]]
            cost = size * (common_worth - shared) + lost
            if best < 0 or cost < best_cost:
                best = row
                before_best = before
                best_cost = cost
                if cost == 0:
                    break
            before = row
            row = next_free[row]
        # What stays in common are the nodes of the new member that were; the others are unmarked.
        for p in range(begin, last):
            in_common[common[p]] = False
        for p in range(offsets[best], offsets[best + 1]):
            in_common[nodes[p]] = True
        kept = begin
        common_worth = np.int64(0)
        for p in range(begin, last):
            if in_common[common[p]]:
                common[kept] = common[p]
                common_worth += gain[common[p]]
                kept += 1
        for p in range(offsets[best], offsets[best + 1]):
            in_common[nodes[p]] = False
        for p in range(begin, kept):
            in_common[common[p]] = True
        last = kept
        group_of[best] = group
        if before_best < 0:
            free = next_free[best]
        else:
            next_free[before_best] = next_free[best]
    for p in range(begin, last):
        in_common[common[p]] = False
    return free, last


@kernel
def _join_best(
    offsets, nodes, gain, k, free, end, next_free, common, starts, n_made, has, group_of, first_group
):  # fmt: skip
    """Put each row that is left over into the group where least is lost."""
    sizes = np.full(n_made, k, np.int64)
    row = free
    while row < end:
        for p in range(offsets[row], offsets[row + 1]):
            has[nodes[p]] = True
        worth = _worth(row, offsets, nodes, gain)
        best = 0
        best_cost = np.int64(-1)
        for group in range(n_made):
            cost = worth
            for p in range(starts[group], starts[group + 1]):
                if common[p] >= 0:
                    value = gain[common[p]]
                    cost += -value if has[common[p]] else sizes[group] * value
            if best_cost < 0 or cost < best_cost:
                best = group
                best_cost = cost
        for p in range(starts[best], starts[best + 1]):
            if common[p] >= 0 and not has[common[p]]:
                common[p] = -1
        for p in range(offsets[row], offsets[row + 1]):
            has[nodes[p]] = False
        sizes[best] += 1
        group_of[row] = first_group + best
        row = next_free[row]
