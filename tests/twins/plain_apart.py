"""The kernels that group similar records, in obvious Python: what each must return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Set = frozenset[int]


def similarity(one: Set, other: Set) -> int:
    """What both have in common, as a share of what either has, as a fixed-point number."""
    return (len(one & other) << 20) // max(len(one | other), 1)


def group_neighbours(
    public: Sequence[Set],
    private: Sequence[Set],
    orders: Sequence[Sequence[int]],
    most: Sequence[int],
    size: int,
    window: int,
) -> list[int]:
    """The group of each record, -1 for those that got none."""
    group_of = [-1] * len(public)
    free = [list(order) for order in orders]
    n_groups = 0
    for first in orders[0]:
        if group_of[first] >= 0 or not private[first]:
            continue
        near: list[int] = []
        for order in free:
            at = order.index(first)
            for side in (order[:at][::-1], order[at + 1 :]):
                fitting = [row for row in side[: 8 * window] if not private[row] & private[first]]
                near += [row for row in fitting if row not in near][:window]
        members, held = [first], set(private[first])
        for row in sorted(near, key=lambda row: (-similarity(public[first], public[row]), row)):
            if len(members) < size and not private[row] & held:
                members.append(row)
                held |= private[row]
        rest = [row for row in free[0] if row not in members]
        left = Counter(item for row in rest for item in private[row])
        if len(members) < size or any(n > most[len(rest)] for n in left.values()):
            continue
        for row in members:
            group_of[row] = n_groups
        free = [[row for row in order if row not in members] for order in free]
        n_groups += 1
    return group_of


def cut_rest(
    rest: Sequence[int], private: Sequence[Set], most: Sequence[int], size: int
) -> list[bool]:
    """Where groups of these records begin, each as small as it can be with groups for those after it."""
    begins = [False] * len(rest)
    start = 0
    while start < len(rest):
        begins[start] = True
        for end in range(start + size, len(rest) + 1):
            parts = rest[start:end], rest[end:]
            if all(_fits(part, private, most) for part in parts):
                break
        else:
            end = len(rest)
        start = end
    return begins


def _fits(rows: Sequence[int], private: Sequence[Set], most: Sequence[int]) -> bool:
    counts = Counter(item for row in rows for item in private[row])
    return all(n <= most[len(rows)] for n in counts.values())
