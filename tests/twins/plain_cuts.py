"""The kernel that ranks cuts of a hierarchy, in obvious Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

Record = frozenset[int]


def estimate_losses(
    records: Sequence[Record],
    sensitive: Record,
    rho: Fraction,
    node_of: Mapping[int, int],
    next_of: Mapping[int, int],
    leaves_under: Mapping[int, Record],
) -> list[tuple[float, dict[int, float]]]:
    """What each record would lose under a cut, and with each one of its nodes split.

    Records are sets of leaves and sensitive items.

    >>> records = [frozenset({1, 9}), frozenset({2})]
    >>> under = {0: frozenset({1, 2}), 1: frozenset({1}), 2: frozenset({2})}
    >>> both, split = {1: 0, 2: 0}, {1: 1, 2: 2}
    >>> estimate_losses(records, frozenset({9}), Fraction(1, 2), both, split, under)
    [(0.0, {0: 1.0}), (0, {0: 0})]
    """

    def loss(record: Record, nodes: frozenset[int]) -> float:
        holding = [other for other in records if all(other & leaves_under[node] for node in nodes)]
        allowed = int(rho * len(holding))
        joints = [sum(e in other for other in holding) for e in record & sensitive]
        return sum(max(0, joint - allowed) / joint for joint in joints)

    found = []
    for record in records:
        leaves = record - sensitive
        nodes = frozenset(node_of[leaf] for leaf in leaves)
        after = {
            split: loss(
                record,
                (nodes - {split}) | {next_of[leaf] for leaf in leaves if node_of[leaf] == split},
            )
            for split in nodes
        }
        found.append((loss(record, nodes), after))
    return found
