"""How many people are unique in the population, estimated from a sample: Zayatz, Pitman and SNB.

In: the sizes of the sample's equivalence classes, and the sampling fraction. Out: an estimate of each model
and the one to use, by the rule of Dankar and others (2012): Pitman's up to a sampling fraction of 0.1, above
it the smaller of Zayatz' and SNB's. A model that finds no solution has None, and Zayatz' takes its place.
Estimates, not proofs: floating point is good enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import exp, lgamma, log

import numpy as np

from withhold.data.array_types import Longs

Histogram = dict[int, int]
"""How many classes there are of each size."""

SMALL_SAMPLE = 0.1
"""Up to this sampling fraction Pitman's estimate is the most accurate (Dankar and others 2012)."""
STEPS = 80
"""Of a search for the best or the right value of one parameter."""
GOLDEN = (5**0.5 - 1) / 2
ALPHAS = (1e-6, 1 - 1e-6)
"""The range of Pitman's α."""
LOG_THETAS = (-14.0, 28.0)
BETAS = 400
"""Values of SNB's β that are tried before the solution between two of them is found."""


@dataclass(frozen=True)
class PopulationUniques:
    """People who are unique in the population, by each model; None if a model has no solution."""

    sampling_fraction: float
    population: int
    """People, from the sampling fraction."""
    zayatz: float
    pitman: float | None
    snb: float | None
    model: str
    """The one to use."""
    why: str

    @property
    def uniques(self) -> float:
        """The estimate to use."""
        used: float = getattr(self, self.model)
        return used

    @property
    def share(self) -> float:
        """Of the population."""
        return self.uniques / self.population


def estimate_uniques(sizes: Longs, fraction: float) -> PopulationUniques:
    """The estimates for a sample whose classes have these sizes."""
    kinds, counts = np.unique(sizes, return_counts=True)
    histogram = dict(zip(kinds.tolist(), counts.tolist(), strict=True))
    rows = int(sizes.sum())
    people = max(round(rows / fraction), rows, 1)
    if not histogram.get(1):
        none = "no row is unique in the sample"
        return PopulationUniques(fraction, people, 0.0, 0.0, 0.0, "zayatz", none)
    found = (
        zayatz(histogram, rows, people),
        _within(pitman(histogram, rows, people), people),
        _within(shifted_negative_binomial(histogram, fraction), people),
    )
    return PopulationUniques(fraction, people, *found, *_choice(*found, fraction))


def _within(uniques: float | None, people: int) -> float | None:
    """The estimate, unless it exceeds the number of people."""
    return None if uniques is None or not 0 <= uniques <= people else uniques


def _choice(
    by_zayatz: float, by_pitman: float | None, by_snb: float | None, fraction: float
) -> tuple[str, str]:
    if fraction <= SMALL_SAMPLE:
        small = f"the sampling fraction is at most {SMALL_SAMPLE}"
        if by_pitman is not None:
            return "pitman", small
        return "zayatz", f"{small}, but Pitman's model has no solution"
    large = f"the sampling fraction is above {SMALL_SAMPLE}"
    if by_snb is None:
        return "zayatz", f"{large}, and SNB has no solution"
    which = ("snb", "zayatz") if by_snb <= by_zayatz else ("zayatz", "snb")
    return which[0], f"{large}, and it is the smaller of Zayatz and SNB"


def zayatz(histogram: Histogram, rows: int, people: int) -> float:
    """Zayatz (1991): sample classes stand for population classes of their size; Bayes does the rest.

    >>> round(zayatz({1: 10}, rows=10, people=100))
    100
    """

    def drawn_once(size: int) -> float:
        """That a population class of this size leaves one row in the sample: hypergeometric."""
        if people - size < rows - 1:
            return 0.0
        logs = _log_choose(people - size, rows - 1) - _log_choose(people, rows)
        return size * exp(logs)

    once = {size: count * drawn_once(size) for size, count in histogram.items()}
    return histogram[1] * once[1] / sum(once.values()) * people / rows


def pitman(histogram: Histogram, rows: int, people: int) -> float | None:
    """Pitman's sampling formula, its α and θ by maximum likelihood (Hoshino 2001)."""
    classes = sum(histogram.values())
    if classes == rows:
        return None

    def by_theta(alpha: float) -> Callable[[float], float]:
        inside = sum(
            count * (lgamma(size - alpha) - lgamma(1 - alpha)) for size, count in histogram.items()
        )

        def likelihood(log_theta: float) -> float:
            theta = exp(log_theta)
            rising = (classes - 1) * log(alpha)
            rising += lgamma(theta / alpha + classes) - lgamma(theta / alpha + 1)
            return rising - lgamma(theta + rows) + lgamma(theta + 1) + inside

        return likelihood

    def best_theta(alpha: float) -> float:
        return _highest(by_theta(alpha), *LOG_THETAS)

    alpha = _highest(lambda each: by_theta(each)(best_theta(each)), *ALPHAS)
    theta = exp(best_theta(alpha))
    # That a person is alone among all: none of the others, one after the other, joins their class.
    alone = lgamma(theta + alpha + people - 1) - lgamma(theta + alpha)
    return people * exp(alone - lgamma(theta + people) + lgamma(theta + 1))


def shifted_negative_binomial(histogram: Histogram, fraction: float) -> float | None:
    """SNB (Chen and Keller-McNulty 1998): a class has one person more than a negative binomial number.

    The number of classes in the population is Shlosser's estimate in the form of Haas and Stokes (1998).
    """
    if not histogram.get(2):
        return None
    classes = _shlosser(histogram, fraction)
    return snb_uniques(histogram[1], histogram[2], classes, fraction)


def snb_uniques(ones: float, twos: float, classes: float, fraction: float) -> float | None:
    """Uniques among this many classes, with α and β for which the sample's ones and twos are expected."""

    def alpha_for(beta: float) -> float:
        """The α with the right ratio of twos to ones, which grows with it."""

        def too_few(alpha: float) -> bool:
            hidden = (1 - fraction) * (1 - beta)
            odds = hidden / (1 - hidden)
            two = alpha * (1 - beta) / (1 - hidden) * (2 + (alpha + 1) * odds) * fraction / 2
            return two / (1 + alpha * odds) < twos / ones

        low, high = 0.0, 1.0
        while too_few(high) and high < 1e12:
            high *= 4
        return _boundary(too_few, low, high)

    def excess(beta: float) -> float:
        """Expected classes of one row, minus those that there are."""
        alpha = alpha_for(beta)
        hidden = (1 - fraction) * (1 - beta)
        odds = hidden / (1 - hidden)
        nothing_more = exp(alpha * (log(beta) - log(1 - hidden)))
        return classes * fraction * nothing_more * (1 + alpha * odds) - ones

    tried = [(n + 0.5) / BETAS for n in range(BETAS)]
    values = [excess(beta) for beta in tried]
    for low, high, a, b in zip(tried, tried[1:], values, values[1:], strict=False):
        if (a < 0) != (b < 0):
            beta = _boundary(partial(_has_sign, excess, a < 0), low, high)
            return classes * exp(alpha_for(beta) * log(beta))
    return None


def _has_sign(value: Callable[[float], float], negative: bool, place: float) -> bool:
    return (value(place) < 0) == negative


def _shlosser(histogram: Histogram, fraction: float) -> float:
    """How many classes the population has."""
    rest = 1 - fraction
    seen = unseen = square = mixed = 0.0
    for size, count in histogram.items():
        unseen += rest**size * count
        seen += size * fraction * rest ** (size - 1) * count
        square += size * fraction**2 * (1 - fraction**2) ** (size - 1) * count
        mixed += rest**size * ((1 + fraction) ** size - 1) * count if size < 1000 else 0.0
    classes = sum(histogram.values())
    return classes + histogram[1] * (square / mixed) * (unseen / seen) ** 2


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _highest(value: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one peak has it, by golden section."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = value(left), value(right)
    for _ in range(STEPS):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = value(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = value(left)
    return (low + high) / 2


def _boundary(before: Callable[[float], bool], low: float, high: float) -> float:
    """Where ``before`` ceases to hold."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if before(middle) else (low, middle)
    return (low + high) / 2
