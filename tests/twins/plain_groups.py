"""The plain twins of the kernels that merge whole groups; a group is known by its number.

What is lacking is computed in the kernels' order, since sums of floating-point numbers depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, log, prod, sqrt

from twins import plain_cells

TOO_CLOSE = 1e-9


@dataclass(frozen=True)
class Limits:
    """What must hold of a group; None if nothing is asked."""

    totals: Sequence[Sequence[int]]
    """By sensitive column and value: the rows of the whole table."""
    ordered: Sequence[bool]
    distinct: int | None = None
    entropy: Fraction | None = None
    recursive: tuple[Fraction, int] | None = None
    t: Fraction | None = None
    beta: Fraction | None = None


@dataclass
class Groups:
    """The groups by number; each is some of the tuples."""

    tuples: plain_cells.Tuples
    members: list[list[int]]
    counts: list[list[list[int]]]
    """By group, sensitive column and value: how many rows."""
    limits: Limits
    into: dict[int, int] = field(default_factory=dict)
    risky: list[int] = field(default_factory=list)

    def size(self, group: int) -> int:
        return sum(self.tuples.sizes[each] for each in self.members[group])


def mark_groups(groups: Groups) -> None:
    """List the groups that break the model."""
    for group in range(len(groups.members)):
        _mark(groups, group)


def merge_groups(
    groups: Groups,
    above: Mapping[int, int | None],
    costs: plain_cells.Costs,
    most_steps: int,
) -> int:
    """Merge a drawn risky group with another; ``most_steps`` times, or until none is risky."""
    tuples = groups.tuples
    for _ in range(most_steps):
        if not groups.risky:
            break
        group = groups.risky[plain_cells.next_draw(tuples, len(groups.risky))]
        lacking = shortfall(groups.limits, groups.counts[group])
        now = plain_cells.price(tuples, costs)
        cheapest, helpful = [], []
        for other in range(len(groups.members)):
            if other == group or other in groups.into:
                continue
            both = groups.members[group] + groups.members[other]
            cost = plain_cells.price_of(both, tuples, above, costs) - now
            cheapest.append((cost, other))
            together = _added(groups.counts[group], groups.counts[other])
            if (gain := lacking - shortfall(groups.limits, together)) > 0:
                helpful.append((cost / sqrt(gain), other))
        if not cheapest:
            _unmark(groups, group)
            break
        other = min(helpful or cheapest)[1]
        first, second = groups.members[group], groups.members[other]
        cells = plain_cells.merged(above, tuples.cells[first[0]], tuples.cells[second[0]])
        for each in first + second:
            tuples.cells[each] = cells
        groups.members[group] = first + second
        groups.counts[group] = _added(groups.counts[group], groups.counts[other])
        groups.into[other] = group
        _unmark(groups, other)
        _mark(groups, group)
    return len(groups.risky)


def shortfall(limits: Limits, counts: Sequence[Sequence[int]]) -> float:
    """How far a group is from what it must show of each sensitive column; 0 if it shows it."""
    lacking = 0.0
    for there, totals, ordered in zip(counts, limits.totals, limits.ordered, strict=True):
        n, n_rows = sum(there), sum(totals)
        shown = [m for m in there if m]
        if limits.distinct is not None and len(shown) < limits.distinct:
            lacking += 1 - len(shown) / limits.distinct
        if limits.entropy is not None:
            l = limits.entropy  # noqa: E741
            left = n * (log(n) - log(l.numerator) + log(l.denominator))
            for m in shown:
                left -= m * log(m)
            if n**n < l**n * prod(m**m for m in shown):
                lacking += max(-left / n, TOO_CLOSE)
        if limits.recursive is not None:
            c, rank = limits.recursive
            largest = sorted(shown, reverse=True)
            beyond = sum(largest[rank - 1 :])
            if largest[0] >= c * beyond:
                over = largest[0] * c.denominator - c.numerator * beyond
                lacking += (over + 1) / (n * c.denominator)
        if limits.t is not None:
            differences = [m * n_rows - total * n for m, total in zip(there, totals, strict=True)]
            steps = max(len(totals) - 1, 1) if ordered else 1
            if ordered:
                moved = sum(abs(sum(differences[: place + 1])) for place in range(len(totals)))
            else:
                moved = sum(each for each in differences if each > 0)
            most = floor(limits.t * steps * n * n_rows)
            lacking += max(0, moved - most) / (steps * n * n_rows)
        if limits.beta is not None:
            for m, total in zip(there, totals, strict=True):
                most = floor((1 + limits.beta) * total * n)
                lacking += max(0, m * n_rows - most) / (n * n_rows)
    return lacking


def _added(one: Sequence[Sequence[int]], other: Sequence[Sequence[int]]) -> list[list[int]]:
    return [
        [a + b for a, b in zip(mine, theirs, strict=True)]
        for mine, theirs in zip(one, other, strict=True)
    ]


def _mark(groups: Groups, group: int) -> None:
    right = shortfall(groups.limits, groups.counts[group]) == 0
    if right and groups.size(group) >= groups.tuples.k:
        _unmark(groups, group)
    elif group not in groups.risky:
        groups.risky.append(group)


def _unmark(groups: Groups, group: int) -> None:
    if group in groups.risky:
        groups.risky[groups.risky.index(group)] = groups.risky[-1]
        groups.risky.pop()
