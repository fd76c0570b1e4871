"""Ruin and recreate: take items from a few similar records, and put back what is safe in another order.

Every step leaves a safe table, so polishing can end after any move.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import sort_ascending
from withhold.counting.jit import kernel, step
from withhold.counting.supports import IndexedRows
from withhold.methods.rho.search.antecedent_fix import next_random
from withhold.methods.rho.search.events import add_event
from withhold.methods.rho.search.polish_safety import (
    MOST,
    can_add,
    can_delete,
    take_subset,
    toggle,
)

ALIKE = 3
"""At most this many other records lose items together with the one that a move starts from."""
MOST_COMPARED = 400
"""At most this many records are compared to find the most similar ones."""
DRAWS = 64
"""Attempts to draw a position whose item is still gone; if all fail, the move is over."""


class Aim(NamedTuple):
    """Where moves start, what they may withhold, and which are kept."""

    starts: Any
    """Positions whose sensitive item is gone; a move starts from one of them."""
    may_go: Any
    """By rank: what may be withheld."""
    chances: Any
    """The chances, of 2^31, that a move which costs 1, 2, ... occurrences is kept nevertheless."""


class Moves(NamedTuple):
    """Room for the moves, and what they changed."""

    chosen: Any
    """The rows of the current move."""
    marks: Any
    """How similar each of them is to the first."""
    changed: Any
    """The positions that the current move changed, in order."""
    changed_rows: Any
    gone: Any
    """The positions at which its rows lack an item."""
    gone_rows: Any
    done: Any
    """How many moves were made, and by how many occurrences the table has grown."""


def new_moves(rows: IndexedRows) -> Moves:
    """Room for moves over these rows."""
    longest = int(np.diff(rows.offsets).max(initial=0))
    most = (ALIKE + 1) * longest
    return Moves(
        chosen=np.empty(ALIKE + 1, dtype=np.int32),
        marks=np.empty(ALIKE + 1, dtype=np.int64),
        changed=np.empty(2 * most, dtype=np.int32),
        changed_rows=np.empty(2 * most, dtype=np.int32),
        gone=np.empty(most, dtype=np.int32),
        gone_rows=np.empty(most, dtype=np.int32),
        done=np.zeros(2, dtype=np.int64),
    )


@kernel
def make_moves(rows, rule, aim, scratch, moves, state, n_moves, stop):
    """Make ``n_moves`` moves, each of which is kept or undone; ``stop`` ends this between two moves."""
    for _ in range(n_moves):
        if stop[0] != 0:
            return
        moves.done[0] += 1
        position = draw_gone(rows, aim.starts, state)
        if position < 0:
            continue
        e = ~rows.items[position]
        row = row_of(rows, position)
        n_chosen = choose_alike(rows, scratch, moves, row, e, state)
        n_ruined = ruin(rows, rule, aim, scratch, moves, n_chosen, e, state)
        n_changed = n_ruined
        for k in range(list_gone(rows, rule, moves, n_chosen, state)):
            if can_add(rows, rule, scratch, moves.gone_rows[k], moves.gone[k], MOST - 1):
                n_changed = change(rows, moves, n_changed, moves.gone_rows[k], moves.gone[k])
        # What was put back, less what was taken away.
        gain = n_changed - 2 * n_ruined
        if gain >= 0 or (-gain <= len(aim.chances) and next_random(state) < aim.chances[-gain - 1]):
            moves.done[1] += gain
        else:
            for k in range(n_changed - 1, -1, -1):
                toggle(rows, moves.changed_rows[k], moves.changed[k])


@step
def draw_gone(rows, starts, state):
    """Draw a position whose item is gone; -1 if none was found."""
    for _ in range(DRAWS):
        position = starts[next_random(state) % len(starts)]
        if rows.items[position] < 0:
            return np.int64(position)
    return np.int64(-1)


@step
def row_of(rows, position):
    """The row that the position is in."""
    low = np.int64(0)
    high = np.int64(len(rows.offsets) - 1)
    while high - low > 1:
        middle = (low + high) // 2
        if rows.offsets[middle] <= position:
            low = middle
        else:
            high = middle
    return low


@step
def choose_alike(rows, scratch, moves, row, e, state):
    """Choose the row and up to ALIKE rows with e that overlap with it most, preferably short; how many."""
    local_of = scratch.local_of
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] >= 0:
            local_of[rows.items[p]] = 0
    most = 1 + next_random(state) % ALIKE
    n_postings = rows.post_offsets[e + 1] - rows.post_offsets[e]
    posting = next_random(state) % n_postings
    moves.chosen[0] = row
    n = np.int64(1)
    for _ in range(min(n_postings, MOST_COMPARED)):
        other = rows.post_rows[rows.post_offsets[e] + posting]
        posting = posting + 1 if posting + 1 < n_postings else 0
        mark = np.int64(0)
        length = 0
        holds = False
        for p in range(rows.offsets[other], rows.offsets[other + 1]):
            item = rows.items[p]
            if item >= 0:
                length += 1
                mark += 3 if local_of[item] == 0 else -1
                holds = holds or item == e
        if not holds or length > MOST or (n > most and mark <= moves.marks[n - 1]):
            continue
        # Insert it by its mark; the last one drops out if there are enough.
        at = n if n <= most else n - 1
        n = at + 1
        while at > 1 and moves.marks[at - 1] < mark:
            moves.marks[at] = moves.marks[at - 1]
            moves.chosen[at] = moves.chosen[at - 1]
            at -= 1
        moves.marks[at] = mark
        moves.chosen[at] = other
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if rows.items[p] >= 0:
            local_of[rows.items[p]] = -1
    return n


@step
def change(rows, moves, n_changed, row, position):
    """Put back or take away an occurrence, and note it; returns how many were changed."""
    toggle(rows, row, position)
    moves.changed[n_changed] = position
    moves.changed_rows[n_changed] = row
    return n_changed + 1


@step
def ruin(rows, rule, aim, scratch, moves, n_chosen, e, state):
    """Take e and about half of the other sensitive items from the chosen rows if that is safe.

    Of a row that already lacks two items, one time in three the rarest public item that may go is taken, too.
    """
    n_changed = np.int64(0)
    for k in range(n_chosen):
        row = moves.chosen[k]
        rarest = np.int64(-1)
        n_gone = 0
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            item = rows.items[p]
            if item < 0:
                n_gone += 1
            elif not rule.sensitive[item]:
                rarest = p if rarest < 0 and aim.may_go[item] else rarest
            elif (item == e or next_random(state) % 2 == 0) and can_delete(
                rows, rule, scratch, row, p
            ):
                n_changed = change(rows, moves, n_changed, row, p)
        drawn = rarest >= 0 and n_gone >= 2 and next_random(state) % 3 == 0
        if drawn and can_delete(rows, rule, scratch, row, rarest):
            n_changed = change(rows, moves, n_changed, row, rarest)
    return n_changed


@step
def list_gone(rows, rule, moves, n_chosen, state):
    """List what the chosen rows lack, in random order, the sensitive items first; how many."""
    n = np.int64(0)
    for turn in range(2):
        begin = n
        for k in range(n_chosen):
            row = moves.chosen[k]
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                if rows.items[p] < 0 and rule.sensitive[~rows.items[p]] == (turn == 0):
                    at = begin + next_random(state) % (n + 1 - begin)
                    moves.gone[n] = moves.gone[at]
                    moves.gone_rows[n] = moves.gone_rows[at]
                    moves.gone[at] = p
                    moves.gone_rows[at] = row
                    n += 1
    return n


@kernel
def explain_gone(rows, rule, scratch, positions, position_rows, events, antecedents):
    """Note for each position which rule keeps its item out; put the item back if none does."""
    for k in range(len(positions)):
        row = position_rows[k]
        x = ~rows.items[positions[k]]
        if can_add(rows, rule, scratch, row, positions[k], MOST):
            toggle(rows, row, positions[k])
            continue
        mask, consequent, joint, support = scratch.witness
        size = take_subset(scratch, MOST, mask)
        e = x
        if consequent >= 0:
            e = scratch.ranks[consequent]
            scratch.itemset[size] = x
            size += 1
            sort_ascending(scratch.itemset, size)
        add_event(events, antecedents, scratch.itemset, size, (e, joint, support))
        events.positions[events.counts[0]] = positions[k]
        events.answers[events.counts[0]] = events.counts[1] - 1
        events.counts[0] += 1


@kernel
def toggle_all(rows, positions, position_rows):
    """At each position put back the item if it is gone, and take it away if it is there."""
    for k in range(len(positions)):
        toggle(rows, position_rows[k], positions[k])
