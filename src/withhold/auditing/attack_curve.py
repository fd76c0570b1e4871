"""The attack curve: knowing 1, 2, 3, … random items of a random person, how much can be learnt?

Drawn with a seed. A person is drawn uniformly among the records with enough items, then the known
items uniformly among the record's; only public items where the layout splits these from private ones.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from withhold.auditing.result import AttackPoint, Share
from withhold.counting.attack import Attacks, try_attacks
from withhold.counting.layout import Ints, Layout, Longs
from withhold.counting.threads import Progress, Stop, quiet, run_all
from withhold.counting.walk import Rows

LARGEST_KNOWN = 5


def attack_curve(
    layout: Layout,
    allowed: Fraction | None,
    *,
    k: int | None = None,
    samples: int,
    seed: int,
    stop: Stop,
    jobs: int | None = None,
    progress: Progress = quiet,
) -> tuple[AttackPoint, ...]:
    """One point for each number of known items that some record has; fewer if time runs out.

    ``allowed`` is the largest confidence allowed in a sensitive item, ``k`` the fewest records in which
    the known items must be; None: the model says nothing of the kind.
    """
    generator = np.random.default_rng(seed)
    lengths = np.diff(layout.offsets)
    points = []
    for known in range(1, LARGEST_KNOWN + 1):
        eligible = np.flatnonzero(lengths >= known)
        if len(eligible) == 0:
            break
        drawn = _draw(layout, eligible, known, samples, generator)
        tasks = [partial(_try, layout, allowed, part, stop) for part in np.array_split(drawn, 16)]
        outcomes = run_all(tasks, stop, jobs=jobs, progress=progress, what="trying attacks")
        if stop.reason != 0:
            break
        supports = np.concatenate([supports for supports, _ in outcomes])
        hits = sum(inferred for _, inferred in outcomes)
        points.append(
            AttackPoint(
                known,
                len(eligible),
                unique=Share(int((supports == 1).sum()), samples),
                inferred=None if allowed is None else Share(hits, samples),
                below_k=None if k is None else Share(int((supports < k).sum()), samples),
            )
        )
    return tuple(points)


def _try(layout: Layout, allowed: Fraction | None, known: Ints, stop: Stop) -> tuple[Longs, int]:
    """In how many records each of the known sets is, and from how many sets a sensitive item follows."""
    supports = np.zeros(len(known), dtype=np.int64)
    inferred = np.zeros(len(known), dtype=np.bool_)
    try_attacks(
        Rows(layout.offsets, layout.items, layout.post_offsets, layout.post_rows),
        layout.sensitive_offsets,
        layout.sensitive_items,
        1 if allowed is None else allowed.numerator,
        1 if allowed is None else allowed.denominator,
        Attacks(np.ascontiguousarray(known), supports, inferred),
        stop.flag,
    )
    return supports, int(inferred.sum())


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
