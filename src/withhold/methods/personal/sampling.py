"""Which adversaries to draw, how many, and how many of them may succeed for the test to pass.

If a share ``epsilon`` or more of all adversaries would succeed, the test passes with a probability of at most
``delta``. If no success is allowed, this requires (1-ε)^n ≤ δ; if k are, the binomial distribution function
at k must be at most δ (Clopper and Pearson). Floating point only chooses n, which is rounded up.

To draw an adversary of size ℓ, draw a person uniformly among the records with at least ℓ original items, then
ℓ of these items. Persons are not merged here, so that each record has its own probability.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, lgamma, log, log1p

import numpy as np

from withhold.counting.attack import row_holds
from withhold.counting.jit import kernel, step
from withhold.counting.published import counts_from_first
from withhold.counting.set_draws import draw_places
from withhold.data.array_types import Ints
from withhold.methods.personal.people import PersonalLayout, wants_protected

SHARE_ALLOWED = 0.5
"""The failures allowed, as a share of those expected at ``epsilon``; a failure is an adversary who
succeeds."""


@dataclass(frozen=True)
class SampleTest:
    """Draw ``draws`` adversaries of each size; at most ``allowed`` of them may succeed."""

    draws: int
    allowed: int
    delta: Fraction
    """The probability that the test for one size in this round passes although it should not."""


def sample_test(
    epsilon: Fraction, delta: Fraction, *, sizes: int, round: int, kind: str
) -> SampleTest:
    """The test of one round. ``honest``: ``delta`` is spent over all sizes and all rounds there may be.

    >>> half = sample_test(Fraction(1, 20), Fraction(1, 20), sizes=1, round=1, kind="paper")
    >>> half.draws, half.allowed
    (600, 0)
    """
    if kind == "paper":
        draws = ceil(log(1 / float(delta)) / (2 * float(epsilon) ** 2))
        return SampleTest(draws, 0, delta)
    spent = delta / (sizes * round * (round + 1))
    allowed = 0
    while True:
        draws = fewest_draws(float(epsilon), float(spent), allowed)
        if allowed >= SHARE_ALLOWED * float(epsilon) * draws:
            return SampleTest(draws, allowed, spent)
        allowed += max(1, allowed // 8)


def fewest_draws(epsilon: float, delta: float, allowed: int) -> int:
    """The least n for which at most ``allowed`` failures have a chance of at most ``delta``.

    >>> fewest_draws(0.05, 0.05, 0)
    59
    """

    def enough(draws: int) -> bool:
        return chance_of_at_most(allowed, draws, epsilon) <= delta

    most = allowed + 1
    while not enough(most):
        most *= 2
    return bisect_left(range(most), True, key=enough)


def chance_of_at_most(failures: int, draws: int, share: float) -> float:
    """The binomial distribution function.

    >>> round(chance_of_at_most(1, 3, 0.5), 3)
    0.5
    """
    if failures >= draws:
        return 1.0
    total = 0.0
    for k in range(failures + 1):
        ways = lgamma(draws + 1) - lgamma(k + 1) - lgamma(draws - k + 1)
        total += exp(ways + k * log(share) + (draws - k) * log1p(-share))
    return min(total, 1.0)


def draw_adversaries(
    layout: PersonalLayout, size: int, draws: int, generator: np.random.Generator
) -> tuple[Ints, Ints]:
    """The rows drawn, and for each ``size`` of its original ranks, ascending; none if none is so long."""
    lengths = np.diff(layout.rows.offsets)
    # By record, not by row: the same draws whatever order the layout has.
    row_of_record = np.argsort(layout.layout.record_of_row).astype(np.int32)
    eligible = row_of_record[lengths[row_of_record] >= size]
    if len(eligible) == 0:
        return np.zeros(0, dtype=np.int32), np.zeros((0, size), dtype=np.int32)
    rows = eligible[generator.integers(0, len(eligible), draws)]
    chosen = draw_places(lengths[rows], size, generator)
    ranks = layout.layout.items[layout.rows.offsets[rows][:, None] + chosen]
    return rows, ranks


@kernel
def are_first_personal_breaches(row_of, consequents, known, problem, stop, hits):
    """Mark the draws q→e that are breaches and were drawn from the first row that publishes q and e.

    Somebody who owns q originally must want e protected. Each breach is counted once among all choices of a
    row and a rule, because only its first row counts.
    """
    size = known.shape[1]
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        rule = known[trial], size, consequents[trial]
        support, joint = counts_from_first(row_of[trial], *rule, problem.rows)
        is_unsafe = joint * problem.den > problem.num * support
        hits[trial] = is_unsafe and some_owner_wants_protected(*rule, problem)


@step
def some_owner_wants_protected(itemset, size, e, problem):
    """Whether somebody who owns the itemset originally wants e protected."""
    rows = problem.rows
    for posting in range(rows.post_offsets[itemset[0]], rows.post_offsets[itemset[0] + 1]):
        row = rows.post_rows[posting]
        if row_holds(row, itemset, size, rows.offsets, rows.items) and wants_protected(
            problem.people.of_row[row], e, problem.wishes
        ):
            return True
    return False
