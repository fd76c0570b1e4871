"""How far a share seen in a sample may be from the truth: the interval of Clopper and Pearson.

It covers the true share in at least 95% of all samples, however small the share; the usual
approximations do not if it is near 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, lgamma, log, log1p

ERROR = 0.05
STEPS = 60
"""Halvings of the interval; a double has no more digits."""
TINY = 1e-300


@lru_cache(maxsize=4096)
def share_interval(hits: int, trials: int) -> tuple[float, float]:
    """The interval for the share of which ``hits`` of ``trials`` draws were seen.

    >>> low, high = share_interval(0, 100)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    if trials == 0:
        return 0.0, 1.0
    # The share for which this many hits, or more, are only just likely enough.
    low = _where(lambda share: _beta(share, hits, trials - hits + 1)) if hits else 0.0
    missed = trials - hits
    high = 1.0 - _where(lambda share: _beta(share, missed, hits + 1)) if missed else 1.0
    return low, high


def _where(chance: Callable[[float], float]) -> float:
    """Where the growing chance is half of the error, from below."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if chance(middle) < ERROR / 2:
            low = middle
        else:
            high = middle
    return low


def _beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function: the chance of at least a hits in a + b - 1 draws.

    >>> round(_beta(0.5, 2, 2), 6)
    0.5
    """
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    if x > (a + 1) / (a + b + 2):
        # The fraction converges fast only on this side.
        return 1.0 - _beta(1.0 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1.0 / _not_nothing(1.0 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / _not_nothing(1.0 + term * d)
            c = _not_nothing(1.0 + term / c)
            result *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return result


def _not_nothing(value: float) -> float:
    return value if abs(value) > TINY else TINY
