"""Whether a small set of known items is unsafe: the walk of ``fix``, on rows that stay as they are."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel
from withhold.methods.personal.known_sets import go_deeper, prepare_walk, start_at
from withhold.methods.personal.people import fears_item


@kernel
def has_unsafe_known_set(roots, largest, rows, people, fears, feared, rho, stop):
    """Whether some Q→e with 1 ≤ |Q| ≤ ``largest``, whose lowest rank is a root, harms somebody who owns Q.

    ``feared`` is as ``feared_in_rows`` returns it, ``rho`` a numerator and a denominator.
    """
    n_items = len(rows.supports)
    counts = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    known = np.empty(largest + 1, np.int32)
    support_of = np.zeros(largest + 2, np.int64)
    support_of[0] = len(rows.offsets) - 1
    walk, children, pool = prepare_walk(n_items, largest)
    for root in roots:
        pool = start_at(root, rows, walk, children, pool)
        size = 1
        while size > 0:
            if walk.next_child[size] == walk.last_child[size]:
                size -= 1
                continue
            if stop[0] != 0:
                return False
            child = walk.next_child[size]
            walk.next_child[size] += 1
            start = children.start[child]
            end = children.end[child]
            known[size - 1] = children.item[child]
            support = np.int64(0)
            n_touched = 0
            for k in range(start, end):
                if pool.holds[k]:
                    support += 1
            # The same records as without the last item: whatever is unsafe here is so there.
            if support == 0 or support == support_of[size - 1]:
                continue
            support_of[size] = support
            for k in range(start, end):
                if not pool.holds[k]:
                    continue
                for f in range(feared.offsets[pool.row[k]], feared.offsets[pool.row[k] + 1]):
                    e = rows.items[feared.places[f]]
                    if e >= 0:
                        if counts[e] == 0:
                            touched[n_touched] = e
                            n_touched += 1
                        counts[e] += 1
            for c in range(size):
                counts[known[c]] = 0
            for t in range(n_touched):
                e = touched[t]
                if counts[e] * rho[1] > rho[0] * support:
                    for k in range(start, end):
                        if fears_item(people.of_row[pool.row[k]], e, fears):
                            return True
                counts[e] = 0
            if size < largest and support > 1:
                children, pool = go_deeper(size, start, end, rows, walk, children, pool)
                size += 1
    return False
