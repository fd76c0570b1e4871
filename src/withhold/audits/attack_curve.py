"""The attack curve: knowing 1, 2, 3, … random items of a random person, how much can be learnt?

Drawn with a seed. A person is drawn uniformly among the records with enough items, then the known
items uniformly among the record's.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from withhold.audits.result import AttackPoint, Share
from withhold.kernels.attack import try_attacks
from withhold.kernels.layout import Ints, Layout
from withhold.kernels.threads import Stop

LARGEST_KNOWN = 5


def attack_curve(
    layout: Layout, rho: Fraction, *, samples: int, seed: int, stop: Stop
) -> tuple[AttackPoint, ...]:
    """One point for each number of known items that some record has; fewer if time runs out."""
    generator = np.random.default_rng(seed)
    lengths = np.diff(layout.offsets)
    points = []
    for known in range(1, LARGEST_KNOWN + 1):
        eligible = np.flatnonzero(lengths >= known)
        if len(eligible) == 0 or stop.reason != 0:
            break
        drawn = _draw(layout, eligible, known, samples, generator)
        supports = np.zeros(samples, dtype=np.int64)
        inferred = np.zeros(samples, dtype=np.bool_)
        tried = try_attacks(
            drawn,
            layout.offsets,
            layout.items,
            layout.post_offsets,
            layout.post_rows,
            layout.sensitive_offsets,
            layout.sensitive_items,
            rho.numerator,
            rho.denominator,
            supports,
            inferred,
            stop.flag,
        )
        if tried < samples:
            break
        unique = Share(int((supports == 1).sum()), samples)
        points.append(
            AttackPoint(known, len(eligible), unique, Share(int(inferred.sum()), samples))
        )
    return tuple(points)


def _draw(
    layout: Layout,
    eligible: np.ndarray,
    known: int,
    samples: int,
    generator: np.random.Generator,
) -> Ints:
    """``samples`` rows of ``known`` ranks, ascending, each drawn from one record."""
    rows = eligible[generator.integers(0, len(eligible), samples)]
    drawn = np.empty((samples, known), dtype=np.int32)
    for trial, row in enumerate(rows):
        record = layout.items[layout.offsets[row] : layout.offsets[row + 1]]
        drawn[trial] = np.sort(generator.choice(record, known, replace=False))
    return drawn
