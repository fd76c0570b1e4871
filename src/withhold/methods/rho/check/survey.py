"""Every antecedent up to a given size: how many breaches there are, the worst, and which rows they expose.

Depth first over itemsets in rank order (``counting.walk``). One pass over the rows of a set q counts the
sensitive items beside it, the confidences of q→e.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.counting.layout import Layout
from withhold.counting.surveys import Survey, SurveyRun, Tally, survey_roots
from withhold.counting.walk import Walk, go_deeper, new_walk, start_at, step_on
from withhold.counting.worst import keep_worst
from withhold.methods.rho.check.closed_sets import CLEAN, FOUND, STOPPED


class Task(NamedTuple):
    """Which antecedents to visit, and what to count."""

    root_from: Any
    """The antecedents are those whose rarest item is in [root_from, root_to)."""
    root_to: Any
    from_size: Any
    """The smallest size of antecedents that are counted."""
    num: Any
    """ρ is num/den."""
    den: Any
    first_only: Any
    """Whether to stop at the first breach."""
    skip_equal: Any
    """Whether to leave out q∪x where x is in every record of q: q has the same confidences and is smaller.

    For verdicts, not for counting.
    """


class Sensitive(NamedTuple):
    """The sensitive items, and arrays to count them."""

    marked: Any
    """By rank."""
    offsets: Any
    items: Any
    """For each row its sensitive ranks."""
    in_row: Any
    """For each row how many these are."""
    in_path: Any
    """For each size how many the path of that size has."""
    joint: Any
    """By rank: in how many rows of the current set the item is; all zero between two sets."""
    touched: Any
    """The items that are counted in ``joint``."""
    unsafe: Any
    """By rank: whether the current set infers it; all False between two sets."""
    useful: Any
    """By rank: see ``counting.walk.count_useful_extensions``."""


def survey(layout: Layout, rho: Fraction, sizes: tuple[int, int], run: SurveyRun) -> Survey:
    """All breaches with an antecedent of ``sizes[0]`` to ``sizes[1]`` (at least 1) items."""
    rows, smallest, largest = layout.rows(), *sizes
    numbers = smallest, rho.numerator, rho.denominator, run.first_only, run.skip_equal

    def visit(first: int, end: int, scratch: tuple[Walk, Sensitive], tally: Tally) -> bool:
        task = Task(first, end, *numbers)
        return bool(survey_antecedents(rows, *scratch, task, tally, run.stop.flag) == FOUND)

    def new_scratch() -> tuple[Walk, Sensitive]:
        return new_walk(rows, largest), sensitive_of(layout, largest)

    return survey_roots(layout, largest, run, new_scratch, visit)


def sensitive_of(layout: Layout, largest: int) -> Sensitive:
    """The layout's sensitive items, with arrays for a survey of sets of up to ``largest`` items."""
    return Sensitive(
        layout.sensitive,
        layout.sensitive_offsets,
        layout.sensitive_items,
        np.diff(layout.sensitive_offsets),
        np.zeros(largest + 1, dtype=np.int64),
        np.zeros(layout.n_items, dtype=np.int64),
        np.empty(layout.n_items, dtype=np.int32),
        np.zeros(layout.n_items, dtype=np.bool_),
        np.zeros(layout.n_items, dtype=np.int64),
    )


@kernel
def survey_antecedents(rows, walk, sensitive, task, tally, stop):
    """Tally the breaches q→e of the task with |q| up to the walk's largest: CLEAN, FOUND or STOPPED.

    Exposed are the rows that hold q and e.
    """
    largest = len(walk.path) - 1
    for root in range(task.root_from, task.root_to):
        if stop[0] != 0:
            return STOPPED
        size = 1 if start_at(rows, walk, root) > 0 else 0
        while size > 0:
            size, child = step_on(walk, size)
            if size == 0:
                break
            start = walk.child_start[child]
            end = walk.child_end[child]
            tally.visited[0] += 1
            is_sensitive = 1 if sensitive.marked[walk.path[size - 1]] else 0
            sensitive.in_path[size] = sensitive.in_path[size - 1] + is_sensitive
            if size >= task.from_size:
                if end - start == 1:
                    note_unique(walk, sensitive, tally, size, start)
                else:
                    note_shared(walk, sensitive, task, tally, size, child)
                if task.first_only and tally.counts[size] > 0:
                    return FOUND
            if size == largest:
                continue
            if end - start == 1 and (
                task.skip_equal or count_supersets(rows, walk, sensitive, task, tally, size)
            ):
                continue
            if stop[0] != 0:
                return STOPPED
            in_path = sensitive.in_path[size]
            # Adding an item that all rows of q hold changes no confidence.
            equal = end - start if task.skip_equal else np.int64(-1)
            share = (np.int64(0), np.int64(1))
            if go_deeper(rows, walk, sensitive, size, (start, end), in_path, equal, share):
                size += 1
    for size in range(largest + 1):
        if tally.counts[size] > 0:
            return FOUND
    return CLEAN


@step
def note_unique(walk, sensitive, tally, size, start):
    """Count the breaches of a set that only one row holds: all its other sensitive items are certain."""
    row = walk.pool_row[start]
    outside = sensitive.in_row[row] - sensitive.in_path[size]
    if outside == 0:
        return
    tally.counts[size] += outside
    tally.exposed[row] = 1
    if tally.worst.counts[size] == tally.worst.sets.shape[1]:
        return
    for s in range(sensitive.offsets[row], sensitive.offsets[row + 1]):
        e = sensitive.items[s]
        outside_path = True
        for k in range(size):
            if walk.path[k] == e:
                outside_path = False
        if outside_path:
            keep_worst(tally.worst, size, e, walk.path, np.int64(1), np.int64(1), np.int64(0))


@step
def note_shared(walk, sensitive, task, tally, size, child):
    """Count the breaches of a set that several rows hold, and mark the rows that they expose."""
    start = walk.child_start[child]
    end = walk.child_end[child]
    joint = sensitive.joint
    n_touched = 0
    for k in range(start, end):
        row = walk.pool_row[k]
        for s in range(sensitive.offsets[row], sensitive.offsets[row + 1]):
            e = sensitive.items[s]
            if joint[e] == 0:
                sensitive.touched[n_touched] = e
                n_touched += 1
            joint[e] += 1
    for k in range(size):
        joint[walk.path[k]] = 0
    n_unsafe = 0
    for t in range(n_touched):
        e = sensitive.touched[t]
        if joint[e] * task.den > task.num * (end - start):
            n_unsafe += 1
            sensitive.unsafe[e] = True
            keep_worst(tally.worst, size, e, walk.path, joint[e], end - start, np.int64(0))
        joint[e] = 0
    if n_unsafe == 0:
        return
    tally.counts[size] += n_unsafe
    for k in range(start, end):
        row = walk.pool_row[k]
        if tally.exposed[row] == 0:
            for s in range(sensitive.offsets[row], sensitive.offsets[row + 1]):
                if sensitive.unsafe[sensitive.items[s]]:
                    tally.exposed[row] = 1
                    break
    for t in range(n_touched):
        sensitive.unsafe[sensitive.touched[t]] = False


@step
def count_supersets(rows, walk, sensitive, task, tally, size):
    """Count the breaches of all supersets of a set that one row holds, in closed form.

    False, with nothing counted, if the walk must visit them, because some of them are to be listed.
    """
    start = walk.child_start[walk.next_child[size] - 1]
    row = walk.pool_row[start]
    outside = sensitive.in_row[row] - sensitive.in_path[size]
    if outside == 0:
        return True
    largest = len(walk.path) - 1
    if task.first_only:
        return False
    for deeper in range(max(size + 1, task.from_size), largest + 1):
        if tally.worst.counts[deeper] < tally.worst.sets.shape[1]:
            return False
    # All supersets within the row breach too.
    left = rows.offsets[row + 1] - walk.pool_position[start] - 1
    sensitive_left = np.int64(0)
    for p in range(walk.pool_position[start] + 1, rows.offsets[row + 1]):
        if sensitive.marked[rows.items[p]]:
            sensitive_left += 1
    ways = np.int64(1)
    for more in range(1, min(left, largest - size) + 1):
        ways = ways * (left - more + 1) // more
        if size + more >= task.from_size:
            # Each sensitive item that is left is in ways · more / left of these sets itself.
            tally.counts[size + more] += ways * outside - sensitive_left * (ways * more // left)
            tally.exposed[row] = 1
    return True
