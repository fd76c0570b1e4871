"""Make unsafe rules Q→e safe by withholding e, or an item of Q, from records that hold both.

The walk over what can be known is that of ``known_sets``, on rows that change under it. A withheld occurrence
becomes ``~rank``. A row that has lost an occurrence since the walk reached its current root is tested again
before it is counted.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from math import log
from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.counting.published import place_in, publishes, withhold
from withhold.methods.personal.known_sets import (
    ROOT,
    SUPPORT,
    count_protected,
    next_known_set,
    start_known,
)
from withhold.methods.personal.search.owners import known_owner_wants_protected
from withhold.methods.rho.search.antecedent_fix import next_random

CONSEQUENT, LEFTOVER, DISTRIBUTION = 0, 1, 2
"""Which item of Q and e is withheld. CONSEQUENT: always e. LEFTOVER: the one for which (share of its support
that is left) times (occurrences to withhold) is least. DISTRIBUTION: the most over-represented one."""


class Choice(NamedTuple):
    """How the item to withhold, the *victim*, and its records are chosen."""

    victim: Any
    """CONSEQUENT, LEFTOVER or DISTRIBUTION."""
    at_random: Any
    """Whether records are drawn; else the longest ones lose the item."""
    state: Any
    """The state of the draw."""
    originally: Any
    """The supports before anything was withheld."""
    total: Any
    """[0]: how many occurrences are published."""


class Fixes(NamedTuple):
    """What was withheld, and for which rules."""

    count: Any
    """[0]: how many occurrences; [1]: how many rules."""
    starts: Any
    items: Any
    """The known items of the rules."""
    numbers: Any
    """By rule: e, joint and support."""
    holders: Any
    """The rows that publish the known items of the current rule, longest first."""
    positions: Any
    """By withheld occurrence: its position, and its row."""
    row_of: Any
    answers: Any
    """By withheld occurrence: the rule for which it was withheld."""


def room_for_fixes(n_places: int, n_items: int, holders: Any) -> Fixes:
    """No fixes; room for ``n_places`` occurrences, each with its own rule, and ``n_items`` known items."""
    starts, items = np.zeros(n_places + 1, dtype=np.int64), np.empty(n_items, dtype=np.int32)
    places, numbers = np.empty((3, n_places), np.int32), np.empty((n_places, 3), np.int64)
    return Fixes(np.zeros(2, np.int64), starts, items, numbers, holders, *places)


@step
def choose(known, size, e, joint, support, problem, choice):
    """Choose the item to withhold for Q→e; also returns from how many records."""
    num = problem.num
    den = problem.den
    best = np.int64(e)
    needed = joint - num * support // den
    if choice.victim == CONSEQUENT:
        return best, needed
    # (joint - k) ≤ ρ (support - k), solved for the least k.
    from_known = (joint * den - num * support + den - num - 1) // (den - num)
    n_before = 0.0
    if choice.victim == DISTRIBUTION:
        for x in range(len(choice.originally)):
            n_before += choice.originally[x]
    best_cost = np.inf
    for c in range(-1, size):
        x = np.int64(e if c < 0 else known[c])
        k = needed if c < 0 else from_known
        if choice.victim == LEFTOVER:
            cost = problem.rows.supports[x] / choice.originally[x] * k
        else:
            now = problem.rows.supports[x] / choice.total[0]
            gain = now * log(now / (choice.originally[x] / n_before))
            cost = -gain / k if gain > 0 else -gain * k
        if cost < best_cost:
            best_cost = cost
            best = x
    return best, needed if best == e else from_known


@step
def fix_rule(known, size, e, joint, n_holders, problem, choice, fixes):
    """Withhold until Q→e, with ``joint`` holders that have e, is safe; returns the item that was withheld."""
    rows = problem.rows
    victim, wanted = choose(known, size, e, joint, n_holders, problem, choice)
    rule = fixes.count[1]
    left = joint
    for h in range(n_holders):
        row = fixes.holders[h]
        if place_in(row, e, rows) < 0:
            continue
        if not choice.at_random or next_random(choice.state) % left < wanted:
            position = place_in(row, victim, rows)
            withhold(position, row, rows)
            choice.total[0] -= 1
            n = fixes.count[0]
            fixes.count[0] += 1
            fixes.positions[n] = position
            fixes.row_of[n] = row
            fixes.answers[n] = rule
            wanted -= 1
            if wanted == 0:
                break
        left -= 1
    for c in range(size):
        fixes.items[fixes.starts[rule] + c] = known[c]
    fixes.starts[rule + 1] = fixes.starts[rule] + size
    fixes.numbers[rule, 0] = e
    fixes.numbers[rule, 1] = joint
    fixes.numbers[rule, 2] = n_holders
    fixes.count[1] += 1
    return victim


@kernel
def fix_known_sets(size, problem, known, choice, fixes, stop):
    """Make every Q→e safe with |Q| = ``size`` ≥ 1 and an owner of Q who wants e protected.

    ``known`` is a walk over changing rows, whose holders are those of ``fixes``.
    """
    for root in range(len(problem.rows.supports)):
        if problem.rows.supports[root] == 0:
            continue
        start_known(root, True, problem, known)
        while stop[0] == 0:
            reached = next_known_set(size, problem, known)
            if reached == 0:
                break
            # Count, fix, and count again when an item of Q itself was withheld.
            n_holders = known.at[SUPPORT] if reached == size else 0
            while n_holders > 0:
                n_holders = fix_set(n_holders, size, problem, known, choice, fixes)
        if stop[0] != 0:
            break


@step
def fix_set(n_holders, size, problem, known, choice, fixes):
    """Fix what follows from the current set until something known is withheld.

    Returns how many holders are left then, or 0 if nothing known was withheld.
    """
    again = False
    path = known.walk.path
    n_touched = count_protected(n_holders, problem, known)
    for t in range(n_touched):
        e = known.touched[t]
        joint = known.joint[e]
        known.joint[e] = 0
        if (
            again
            or joint * problem.den <= problem.num * n_holders
            or not known_owner_wants_protected(e, known, problem)
        ):
            continue
        before = fixes.count[0]
        again = fix_rule(path, size, e, joint, n_holders, problem, choice, fixes) != e
        for n in range(before, fixes.count[0]):
            known.changed_in[fixes.row_of[n]] = known.at[ROOT]
    n_left = 0
    if again:
        for h in range(n_holders):
            if publishes(known.holders[h], path, size, problem.rows):
                known.holders[n_left] = known.holders[h]
                n_left += 1
    return n_left


@kernel
def fix_rules(starts, items, consequents, problem, choice, fixes, stop):
    """Make the given rules safe, one after the other, skipping those that have become safe."""
    rows = problem.rows
    known = np.empty(len(items) + 1, np.int32)
    for rule in range(len(consequents)):
        if stop[0] != 0:
            break
        e = consequents[rule]
        if rows.supports[e] == 0:
            continue
        size = starts[rule + 1] - starts[rule]
        for c in range(size):
            known[c] = items[starts[rule] + c]
        n_holders = 0
        joint = np.int64(0)
        # Ranks ascend with the original supports.
        first = rows.post_offsets[known[0]] if size > 0 else 0
        end = rows.post_offsets[known[0] + 1] if size > 0 else len(rows.offsets) - 1
        for k in range(first, end):
            row = rows.post_rows[k] if size > 0 else np.int32(k)
            if publishes(row, known, size, rows):
                fixes.holders[n_holders] = row
                n_holders += 1
                if place_in(row, e, rows) >= 0:
                    joint += 1
        if joint * problem.den > problem.num * n_holders:
            fix_rule(known, size, e, joint, n_holders, problem, choice, fixes)
