"""Has a rule room for one more record? The questions that decide which deletions are worth a try."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel
from withhold.counting.supports import count_support


@kernel
def has_room(
    itemset,
    size,
    e,
    extra,
    with_e,
    num,
    den,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
):
    """Whether the rule itemset→e stays safe with one more record that holds both.

    ``extra`` is 1 if that record does not hold the itemset yet, else 0. ``with_e`` is scratch.
    """
    n = 0
    placed = False
    for k in range(size):
        if not placed and e < itemset[k]:
            with_e[n] = e
            n += 1
            placed = True
        with_e[n] = itemset[k]
        n += 1
    if not placed:
        with_e[n] = e
        n += 1
    n_rows = np.int64(len(offsets) - 1)
    joint = count_support(
        with_e, n, n_rows, offsets, items, post_offsets, post_rows, supports, bitmaps
    )
    enough = ((joint + 1) * den + num - 1) // num - extra
    support = count_support(
        itemset, size, enough, offsets, items, post_offsets, post_rows, supports, bitmaps
    )
    return support >= enough


@kernel
def find_loose_events(
    events,
    event_starts,
    event_items,
    consequents,
    extras,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    num,
    den,
    loose,
    stop,
):
    """Mark those of ``events``, rules C→e, that have room for one more record.

    A deletion that answered a rule which is still tight cannot be undone; most end here.
    """
    largest = np.int64(0)
    for event in events:
        largest = max(largest, event_starts[event + 1] - event_starts[event])
    antecedent = np.empty(largest + 1, np.int32)
    with_e = np.empty(largest + 2, np.int32)
    for event in events:
        if stop[0] != 0:
            return
        size = 0
        for k in range(event_starts[event], event_starts[event + 1]):
            antecedent[size] = event_items[k]
            size += 1
        loose[event] = has_room(
            antecedent,
            size,
            consequents[event],
            extras[event],
            with_e,
            num,
            den,
            offsets,
            items,
            post_offsets,
            post_rows,
            supports,
            bitmaps,
        )


@kernel
def find_astray(events, rows, event_starts, event_items, offsets, items, astray):
    """Mark the deletions whose event no longer concerns their record: it lost more of the antecedent."""
    for k in range(len(events)):
        p = offsets[rows[k]]
        end = offsets[rows[k] + 1]
        for wanted in range(event_starts[events[k]], event_starts[events[k] + 1]):
            while p < end and items[p] < event_items[wanted]:
                p += 1
            if p == end or items[p] != event_items[wanted]:
                astray[k] = True
                break


@kernel
def find_touched_events(
    events, event_starts, event_items, row_starts, rows, offsets, items, touched
):
    """Mark the events whose antecedent some record holds that got one of its items back.

    ``rows[row_starts[x]:row_starts[x + 1]]`` are the records that got item x back. Only there can a
    rule that was tight have gained room.
    """
    for event in events:
        begin = event_starts[event]
        end = event_starts[event + 1]
        for k in range(begin, end):
            x = event_items[k]
            for r in range(row_starts[x], row_starts[x + 1]):
                p = offsets[rows[r]]
                row_end = offsets[rows[r] + 1]
                matched = begin
                while p < row_end and matched < end and items[p] <= event_items[matched]:
                    if items[p] == event_items[matched]:
                        matched += 1
                    p += 1
                if matched == end:
                    touched[event] = True
                    break
            if touched[event]:
                break


@kernel
def find_within(known, n_known, starts, itemsets, local_of):
    """The first of the known itemsets whose items are all numbered in ``local_of``, or -1."""
    for k in range(n_known):
        inside = True
        for i in range(starts[known[k]], starts[known[k] + 1]):
            if local_of[itemsets[i]] < 0:
                inside = False
                break
        if inside:
            return known[k]
    return np.int64(-1)
