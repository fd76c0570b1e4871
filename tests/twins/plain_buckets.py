"""The kernels of buckets and similar groups in obvious Python: what each must return."""

from __future__ import annotations

from collections.abc import Sequence

Record = frozenset[int]


def find_bucket_count(records_with_sum: Sequence[int], k: int, first: int, last: int) -> int:
    """The first number of buckets from ``first`` towards ``last`` that leaves none with 1 … k-1 records.

    Both ends are included; 0 if there is no such number. ``records_with_sum[s]`` records have the sum s,
    and go into bucket s modulo the number of buckets.

    >>> find_bucket_count([1, 1, 1], 2, 2, 1)
    1
    """
    step = 1 if last >= first else -1
    for n_buckets in range(first, last + step, step):
        buckets = [sum(records_with_sum[bucket::n_buckets]) for bucket in range(n_buckets)]
        if all(size == 0 or size >= k for size in buckets):
            return n_buckets
    return 0


def gather_similar(
    rows: Sequence[Record],
    gain: Sequence[int],
    classes: Sequence[Sequence[int]],
    k: int,
    window: int,
) -> list[list[int]]:
    """Groups of at least k rows of one class: the first free row, and k - 1 times the cheapest to add."""
    made: list[list[int]] = []
    for members in classes:
        free, groups = list(members), []
        while len(free) >= k:
            group = [free.pop(0)]
            while len(group) < k:
                best = min(free[:window], key=lambda row: joining_cost(row, group, rows, gain))
                free.remove(best)
                group.append(best)
            groups.append(group)
        for row in free:
            min(groups, key=lambda group: joining_cost(row, group, rows, gain)).append(row)
        made += groups
    return made


def joining_cost(
    row: int, group: Sequence[int], rows: Sequence[Record], gain: Sequence[int]
) -> int:
    """What the members lose for common nodes that the row lacks, and the row for nodes that they lack."""
    common = frozenset.intersection(*(rows[member] for member in group))
    lost_by_each = sum(gain[node] for node in common - rows[row])
    return len(group) * lost_by_each + sum(gain[node] for node in rows[row] - common)
