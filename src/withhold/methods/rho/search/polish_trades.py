"""Withhold rare public items of a record if at least as many of its sensitive ones can come back."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel, routine, step
from withhold.counting.supports import count_support
from withhold.methods.rho.search.polish_moves import change
from withhold.methods.rho.search.polish_safety import (
    MOST,
    can_add,
    can_delete,
    toggle,
)


@kernel
def trade_items(rows, rule, aim, scratch, moves, stop):
    """For each row, the shortest first: drop public items if as many sensitive ones come back; how many rows.

    First each public item on its own, the rarest first; then the rarest ones together.
    """
    n_traded = np.int64(0)
    for row in range(len(rows.offsets) - 2, -1, -1):
        if stop[0] != 0:
            break
        n_gone = count_gone(rows, rule, row)
        traded = n_gone == 0
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            if not traded and may_go(rows, rule, aim, p):
                traded = trade(rows, rule, aim, scratch, moves, row, p, np.int64(1))
        first = rows.offsets[row]
        for most in range(2, n_gone + 1):
            traded = traded or trade(rows, rule, aim, scratch, moves, row, first, np.int64(most))
        if traded and n_gone > 0:
            n_traded += 1
    return n_traded


@step
def may_go(rows, rule, aim, position):
    """Whether the row holds a public item at the position that may be dropped."""
    item = rows.items[position]
    return item >= 0 and aim.may_go[item] and not rule.sensitive[item]


@step
def count_gone(rows, rule, row):
    """How many sensitive items the row lacks."""
    n_gone = 0
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] < 0 and rule.sensitive[~rows.items[p]]:
            n_gone += 1
    return n_gone


@routine
def trade(rows, rule, aim, scratch, moves, row, first, n_dropped):
    """Drop ``n_dropped`` public items, from position ``first`` on, if as many sensitive ones come back."""
    n_changed = np.int64(0)
    n_rest = np.int64(0)
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if p >= first and n_changed < n_dropped and may_go(rows, rule, aim, p):
            moves.changed[n_changed] = p
            n_changed += 1
        elif rows.items[p] >= 0:
            if n_rest == MOST - 1:
                return False
            scratch.ranks[n_rest] = rows.items[p]
            n_rest += 1
    if n_changed < n_dropped:
        return False
    # What is left must be in enough records to hide a sensitive item: usually it is not.
    least = (rule.limits.den + rule.limits.num - 1) // rule.limits.num
    is_known = n_rest <= rule.max_known and (n_rest > 0 or rule.limits.with_prior)
    if is_known and count_support(rows, scratch.ranks, n_rest, least) < least:
        return False
    n_changed = np.int64(0)
    while n_changed < n_dropped and can_delete(rows, rule, scratch, row, moves.changed[n_changed]):
        n_changed = change(rows, moves, n_changed, row, moves.changed[n_changed])
    if n_changed == n_dropped:
        n_changed = put_back(rows, rule, scratch, moves, row, n_changed, True)
    if n_changed >= 2 * n_dropped:
        put_back(rows, rule, scratch, moves, row, n_changed, False)
        return True
    for k in range(n_changed - 1, -1, -1):
        toggle(rows, row, moves.changed[k])
    return False


@step
def put_back(rows, rule, scratch, moves, row, n_changed, sensitive):
    """Put back the sensitive, or the public, items that can come back; returns how many changes there are."""
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        wanted = rows.items[p] < 0 and rule.sensitive[~rows.items[p]] == sensitive
        if wanted and can_add(rows, rule, scratch, row, p, MOST - 1):
            n_changed = change(rows, moves, n_changed, row, p)
    return n_changed
