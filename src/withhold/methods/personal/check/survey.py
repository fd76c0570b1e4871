"""Every set of known items up to a size, and what follows from it that somebody with these items fears.

Depth first over the ORIGINAL rows by occurrence delivery: each Q comes with the persons who own it, and those
of them whose published row still holds all of it are its support.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import kernel
from withhold.counting.layout import Ints, Longs, fair_bounds
from withhold.counting.threads import ANSWERED, Progress, Stop, available_cores, quiet, run_all
from withhold.methods.personal.known_sets import go_deeper, prepare_walk, start_at
from withhold.methods.personal.people import Feared, PersonalLayout, feared_in_rows, fears_item

Rule = tuple[Ints, int, int, int, int]
"""Antecedent and consequent in ranks, sup(Qe), sup(Q), and the row of somebody who fears it."""


@kernel
def survey_known_sets(
    root_from,
    root_to,
    smallest,
    largest,
    rows,
    feared_offsets,
    feared_places,
    people,
    fears,
    num,
    den,
    first_only,
    skip_equal,
    counts,
    worst_counts,
    worst_sets,
    worst_numbers,
    exposed,
    visited,
    stop,
):
    """All unsafe Q→e with ``smallest`` ≤ |Q| ≤ ``largest`` whose lowest rank is a root in the range.

    ``feared_places`` are where the items of each row stand that somebody fears: of a long row often few.

    ``counts[size]`` rules are unsafe; of the worst, ``worst_sets`` holds (e, Q) and ``worst_numbers`` (joint,
    support, row of somebody who fears e). Rows of persons about whom something is inferred are marked in
    ``exposed``. ``skip_equal`` leaves out each Q that has the same rows as one without its last
    item: whatever is unsafe there is unsafe without that item. Returns whether a rule was found.
    """
    n_items = len(rows.supports)
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    known = np.empty(largest + 1, np.int32)
    support_of = np.zeros(largest + 2, np.int64)
    walk, children, pool = prepare_walk(n_items, largest)
    support_of[0] = len(rows.offsets) - 1
    anything = False
    for root in range(root_from, root_to):
        if rows.supports[root] == 0:
            continue
        pool = start_at(root, rows, walk, children, pool)
        size = 1
        while size > 0:
            if walk.next_child[size] == walk.last_child[size]:
                size -= 1
                continue
            if stop[0] != 0:
                return anything
            child = walk.next_child[size]
            walk.next_child[size] += 1
            start = children.start[child]
            end = children.end[child]
            known[size - 1] = children.item[child]
            support = np.int64(0)
            for k in range(start, end):
                if pool.holds[k]:
                    support += 1
            if support == 0 or (skip_equal and support == support_of[size - 1]):
                continue
            support_of[size] = support
            visited[0] += 1

            if size >= smallest:
                n_touched = 0
                for k in range(start, end):
                    if not pool.holds[k]:
                        continue
                    row = pool.row[k]
                    for f in range(feared_offsets[row], feared_offsets[row + 1]):
                        e = rows.items[feared_places[f]]
                        if e >= 0:
                            if joint[e] == 0:
                                touched[n_touched] = e
                                n_touched += 1
                            joint[e] += 1
                for c in range(size):
                    joint[known[c]] = 0
                for t in range(n_touched):
                    e = touched[t]
                    if joint[e] * den <= num * support:
                        joint[e] = 0
                        continue
                    fearful = -1
                    for k in range(start, end):
                        if fears_item(people.of_row[pool.row[k]], e, fears):
                            if fearful < 0:
                                fearful = pool.row[k]
                            exposed[pool.row[k]] = 1
                            if first_only:
                                break
                    if fearful >= 0:
                        anything = True
                        counts[size] += 1
                        keep_if_worst(
                            known,
                            size,
                            e,
                            joint[e],
                            support,
                            fearful,
                            worst_counts,
                            worst_sets,
                            worst_numbers,
                        )
                    joint[e] = 0
                if anything and first_only:
                    return True
            # What one row holds, it holds with any other of its items: nothing below has other rows.
            if size == largest or (skip_equal and support == 1):
                continue

            children, pool = go_deeper(size, start, end, rows, walk, children, pool)
            size += 1
    return anything


@kernel
def keep_if_worst(known, size, e, joint, support, row, worst_counts, worst_sets, worst_numbers):
    """Put the rule among the worst of its size, higher confidence first, then more people."""
    keep = worst_sets.shape[1]
    n = worst_counts[size]
    place = n
    while place > 0:
        other_joint = worst_numbers[size, place - 1, 0]
        other_support = worst_numbers[size, place - 1, 1]
        ahead = joint * other_support - other_joint * support
        if ahead < 0 or (ahead == 0 and joint <= other_joint):
            break
        place -= 1
    if place == keep:
        return
    if n < keep:
        worst_counts[size] = n + 1
    else:
        n -= 1
    for k in range(n, place, -1):
        for c in range(size + 1):
            worst_sets[size, k, c] = worst_sets[size, k - 1, c]
        for c in range(3):
            worst_numbers[size, k, c] = worst_numbers[size, k - 1, c]
    worst_sets[size, place, 0] = e
    for c in range(size):
        worst_sets[size, place, c + 1] = known[c]
    worst_numbers[size, place, 0] = joint
    worst_numbers[size, place, 1] = support
    worst_numbers[size, place, 2] = row


@dataclass(frozen=True)
class PersonalSurvey:
    """What was found, by the number of items known."""

    counts: Longs
    worst: list[list[Rule]]
    exposed: NDArray[np.uint8]
    visited: int


def survey_people(
    layout: PersonalLayout,
    rho: Fraction,
    *,
    sizes: tuple[int, int],
    stop: Stop,
    keep: int,
    first_only: bool = False,
    skip_equal: bool = False,
    jobs: int | None = None,
    progress: Progress = quiet,
    what: str = "surveying what can be known",
) -> PersonalSurvey:
    """All unsafe rules of somebody who knows ``sizes[0]`` to ``sizes[1]`` (at least 1) items."""
    jobs = jobs or available_cores()
    n_sizes = sizes[1] + 1
    exposed = np.zeros(layout.layout.n_rows, dtype=np.uint8)
    bounds = fair_bounds(layout.layout, 32 * jobs)
    feared = feared_in_rows(layout)
    part = partial(_task, layout, feared, rho)
    tasks = [
        partial(part, start, end, sizes, keep, first_only, skip_equal, exposed, stop)
        for start, end in zip(bounds, bounds[1:], strict=False)
    ]
    counts = np.zeros(n_sizes, dtype=np.int64)
    worst: list[list[Rule]] = [[] for _ in range(n_sizes)]
    visited = 0
    for result in run_all(tasks, stop, jobs=jobs, progress=progress, what=what):
        counts += result[0]
        visited += result[2]
        for size, rules in enumerate(result[1]):
            worst[size].extend(rules)
    for rules in worst:
        # Stable, so that among equals the first in rank order stays first.
        rules.sort(key=lambda rule: (-Fraction(rule[2], rule[3]), -rule[2]))
        del rules[keep:]
    return PersonalSurvey(counts, worst, exposed, visited)


def _task(
    layout: PersonalLayout,
    feared: Feared,
    rho: Fraction,
    start: int,
    end: int,
    sizes: tuple[int, int],
    keep: int,
    first_only: bool,
    skip_equal: bool,
    exposed: NDArray[np.uint8],
    stop: Stop,
) -> tuple[Longs, list[list[Rule]], int]:
    n_sizes = sizes[1] + 1
    counts = np.zeros(n_sizes, dtype=np.int64)
    worst_counts = np.zeros(n_sizes, dtype=np.int64)
    sets = np.zeros((n_sizes, keep, n_sizes), dtype=np.int32)
    numbers = np.zeros((n_sizes, keep, 3), dtype=np.int64)
    visited = np.zeros(1, dtype=np.int64)
    found = survey_known_sets(
        start,
        end,
        sizes[0],
        sizes[1],
        layout.rows,
        *feared,
        layout.people,
        layout.fears,
        rho.numerator,
        rho.denominator,
        first_only,
        skip_equal,
        counts,
        worst_counts,
        sets,
        numbers,
        # Shared by all threads: each only ever writes the value 1 into it.
        exposed,
        visited,
        stop.flag,
    )
    if found and first_only:
        stop.because(ANSWERED)
    worst = [
        [
            (
                sets[size, k, 1 : size + 1].copy(),
                int(sets[size, k, 0]),
                *(int(number) for number in numbers[size, k]),
            )
            for k in range(worst_counts[size])
        ]
        for size in range(n_sizes)
    ]
    return counts, worst, int(visited[0])  # type: ignore[return-value]
