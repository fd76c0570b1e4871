"""Can what was withheld from a person's row be restored without making anything unsafe?"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import with_item
from withhold.counting.jit import kernel, maker, step
from withhold.counting.published import count_rows, place_in, put_back, reaches, withhold
from withhold.methods.personal.search.combinations import (
    MOST_COMBINATIONS,
    MOST_OTHERS,
    SHORT,
    find_unsafe_combination,
    find_unsafe_subset,
)
from withhold.methods.personal.search.few_restored import find_harm
from withhold.methods.personal.search.judge import find_unsafe_sets
from withhold.methods.personal.search.owners import MOST, N_RULES, report
from withhold.methods.rho.search.bounded import count_sets

BLOCKED, SAFE, RESTORED = 0, 1, 2
"""What became of an occurrence that was tried: it must stay withheld, it could be restored if no other were,
or it was restored."""
MOST_TRIED = 64
"""At most this many rules of an item, the newest, are tried before any search."""


class Rules(NamedTuple):
    """The rules for which occurrences stay withheld: known items and a consequent; and those of each item."""

    starts: Any
    """By rule: where its known items start in ``items``."""
    items: Any
    consequents: Any
    of_item_starts: Any
    """By rank: where the numbers of its rules start in ``of_item``."""
    of_item: Any
    """Numbers of rules, item by item, the newest last."""
    returned_at: Any
    """By rank: when the item was last restored anywhere."""


class Tried(NamedTuple):
    """Withheld occurrences that might be restored."""

    positions: Any
    row_of: Any
    blocked_by: Any
    """The rule for which each was withheld, or for which it stays withheld."""
    seen_at: Any
    """When that rule was last seen to be unsafe, or -1."""
    outcomes: Any
    """BLOCKED, SAFE or RESTORED."""


class Probe(NamedTuple):
    """What a thread needs to find out whether restoring an item does harm."""

    most: Any
    """Rules of at most this many known items count."""
    problem: Any
    walk: Any
    scratch: Any
    """For closed sets."""
    subsets: Any
    """Scratch for the subsets of a row, see ``combinations``."""
    job: Any
    """The one root and row to judge, as an array of one job."""
    person_by_person: Any
    """Whether few people want anything protected; the walk then allows nothing between two uses."""
    few: Any
    """Scratch for that case, see ``few_people``."""


@kernel
def put_all_back(positions, row_of, rows):
    """Publish all of these again."""
    for k in range(len(positions)):
        put_back(positions[k], row_of[k], rows)


@step
def is_too_frequent(x, problem):
    """Whether somebody wants the item protected and ∅→x is above ρ."""
    n_rows = len(problem.rows.offsets) - 1
    return (
        problem.wishes.anybody[x] and problem.rows.supports[x] * problem.den > problem.num * n_rows
    )


@step
def breaks(rule, rules, probe):
    """Whether a rule of the list has few enough known items to count and is above ρ in the current rows."""
    problem = probe.problem
    known = probe.scratch.known
    both = probe.scratch.rest
    start = rules.starts[rule]
    size = rules.starts[rule + 1] - start
    if size > probe.most:
        return False
    for c in range(size):
        known[c] = rules.items[start + c]
    with_item(known, size, rules.consequents[rule], both)
    joint = count_rows(both, size + 1, np.int64(len(problem.rows.offsets)), problem.rows)
    enough = (joint * problem.den + problem.num - 1) // problem.num
    return not reaches(known, size, enough, problem.rows)


@step
def stays_unsafe(rule, seen_at, rules, most):
    """Whether the rule counts, and none of its known items came back since it was seen to be unsafe."""
    start = rules.starts[rule]
    end = rules.starts[rule + 1]
    unsafe = seen_at >= 0 and end - start <= most
    for k in range(start, end):
        unsafe = unsafe and rules.returned_at[rules.items[k]] < seen_at
    return unsafe


@step
def another_blocks(x, row, rules, probe):
    """A rule that keeps other occurrences of x withheld and is unsafe within this row, too; or -1."""
    rows = probe.problem.rows
    last = rules.of_item_starts[x + 1]
    for place in range(last - 1, max(rules.of_item_starts[x], last - MOST_TRIED) - 1, -1):
        rule = rules.of_item[place]
        there = place_in(row, rules.consequents[rule], rows) >= 0
        for k in range(rules.starts[rule], rules.starts[rule + 1]):
            there = there and place_in(row, rules.items[k], rows) >= 0
        if there and breaks(rule, rules, probe):
            return rule
    return -1


@maker
def does_harm(x, row, probe, found, stop):
    """Whether x, just put back into the row, makes a rule unsafe, which is then added to ``found``.

    In a row with too many combinations, rules of more than ``most`` known items count as well.
    """
    problem = probe.problem
    rows = problem.rows
    subsets = probe.subsets
    before = found.count[N_RULES]
    found.count[MOST] = before + 1
    # A plain 0 or 1 is a type of its own to numba, for which what is called here would be compiled again.
    n_others = np.int64(0)
    if probe.person_by_person:
        size, e = find_harm(x, row, probe, stop)
        if e >= 0:
            report(probe.few.known, size, -1, e, found)
        return e >= 0 or stop[0] != 0
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] >= 0 and rows.items[p] != x:
            if n_others < MOST_OTHERS:
                subsets.others[n_others] = rows.items[p]
            n_others += 1
    if n_others < SHORT:
        owner = problem.people.of_row[row]
        size, e = find_unsafe_subset(x, n_others, owner, probe.most, problem, subsets)
    elif (
        probe.most < n_others <= MOST_OTHERS
        and count_sets(n_others, probe.most) <= MOST_COMBINATIONS
    ):
        size, e = find_unsafe_combination(x, n_others, probe.most, problem, subsets)
    else:
        probe.job[0, 0] = x
        probe.job[0, 1] = row
        least = np.int64(1)
        find_unsafe_sets(probe.job, least, x, problem, probe.walk, probe.scratch, found, stop)
        return found.count[N_RULES] > before or stop[0] != 0
    if e >= 0:
        report(subsets.known, size, -1, e, found)
    return e >= 0


@kernel
def try_restoring(tried, now, rules, probe, found, stop):
    """Put each occurrence back for a moment; ``outcomes`` says whether that is SAFE.

    The rule for which it was withheld is tried first, then those for which other occurrences of the item stay
    withheld. ``blocked_by`` becomes the rule that was unsafe; new rules are reported in ``found`` and
    numbered from len(rules.consequents) on. A rule that is unsafe at the time ``now`` stays so until one of
    its known items is restored somewhere.
    """
    rows = probe.problem.rows
    for k in range(len(tried.positions)):
        if stop[0] != 0:
            break
        row = tried.row_of[k]
        rule = tried.blocked_by[k]
        if stays_unsafe(rule, tried.seen_at[k], rules, probe.most):
            continue
        x = put_back(tried.positions[k], row, rows)
        if is_too_frequent(x, probe.problem):
            withhold(tried.positions[k], row, rows)
            continue
        unsafe = breaks(rule, rules, probe)
        if not unsafe:
            rule = another_blocks(x, row, rules, probe)
            unsafe = rule >= 0
            if not unsafe:
                rule = len(rules.consequents) + found.count[N_RULES]
                unsafe = does_harm(x, row, probe, found, stop)
            # If the test was stopped, no rule was reported.
            if unsafe and rule < len(rules.consequents) + found.count[N_RULES]:
                tried.blocked_by[k] = rule
        if unsafe:
            tried.seen_at[k] = now
        else:
            tried.outcomes[k] = SAFE
        withhold(tried.positions[k], row, rows)


@step
def can_harm_together(x, row, y, other, rows):
    """Whether x in its row and y in the other one can harm the same rule.

    Such a rule contains both items, and both rows hold it. If both items are the same, it contains another
    one that both rows hold, because the support of a single item is tested separately.
    """
    if x != y:
        return place_in(row, y, rows) >= 0 and place_in(other, x, rows) >= 0
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] >= 0 and rows.items[p] != x and place_in(other, rows.items[p], rows) >= 0:
            return True
    return False


@kernel
def restore_together(tried, probe, found, stop):
    """Put back, one after the other, what is SAFE alone and does no harm with those before it: RESTORED."""
    rows = probe.problem.rows
    done = np.empty(len(tried.positions), np.int64)
    n_done = 0
    for k in range(len(tried.positions)):
        if tried.outcomes[k] != SAFE or stop[0] != 0:
            continue
        row = tried.row_of[k]
        x = put_back(tried.positions[k], row, rows)
        harm = is_too_frequent(x, probe.problem)
        d = 0
        while not harm and d < n_done:
            other = tried.row_of[done[d]]
            if can_harm_together(x, row, rows.items[tried.positions[done[d]]], other, rows):
                found.count[N_RULES] = 0
                harm = does_harm(x, row, probe, found, stop)
                break
            d += 1
        if harm:
            withhold(tried.positions[k], row, rows)
        else:
            tried.outcomes[k] = RESTORED
            done[n_done] = k
            n_done += 1
