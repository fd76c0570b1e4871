"""Has a rule room for one more record? The questions that decide which deletions are worth a try."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, routine, step
from withhold.counting.supports import count_support


class Rules(NamedTuple):
    """Rules q→f, in ranks."""

    starts: Any
    items: Any
    """The antecedents, ascending."""
    consequents: Any
    extras: Any
    """How many records more would hold q than do now, if one came that holds q and f."""


@routine
def has_room(rows, limits, itemset, size, e, extra, with_e):
    """Whether the rule itemset→e stays safe with one more record that holds both.

    ``extra`` is 1 if that record does not hold the itemset yet, else 0. ``with_e`` is scratch.
    """
    n = 0
    for k in range(size):
        if n == k and e < itemset[k]:
            with_e[n] = e
            n += 1
        with_e[n] = itemset[k]
        n += 1
    if n == size:
        with_e[n] = e
    joint = count_support(rows, with_e, size + 1, np.int64(len(rows.offsets) - 1))
    enough = ((joint + 1) * limits.den + limits.num - 1) // limits.num - extra
    return count_support(rows, itemset, size, enough) >= enough


@kernel
def find_loose_events(rows, limits, events, rules, loose, stop):
    """Mark those of ``events``, numbers of rules, that have room for one more record.

    A deletion that answered a rule which is still tight cannot be undone; most end here.
    """
    largest = np.int64(0)
    for event in events:
        largest = max(largest, rules.starts[event + 1] - rules.starts[event])
    antecedent = np.empty(largest + 1, np.int32)
    with_e = np.empty(largest + 2, np.int32)
    for event in events:
        if stop[0] != 0:
            return
        size = np.int64(0)
        for k in range(rules.starts[event], rules.starts[event + 1]):
            antecedent[size] = rules.items[k]
            size += 1
        e = np.int64(rules.consequents[event])
        loose[event] = has_room(rows, limits, antecedent, size, e, rules.extras[event], with_e)


@step
def holds_antecedent(rows, rules, rule, row):
    """Whether the row holds the antecedent of the rule."""
    p = rows.offsets[row]
    end = rows.offsets[row + 1]
    for k in range(rules.starts[rule], rules.starts[rule + 1]):
        while p < end and rows.items[p] < rules.items[k]:
            p += 1
        if p == end or rows.items[p] != rules.items[k]:
            return False
    return True


@kernel
def find_astray(rows, rules, events, event_rows, astray):
    """Mark the deletions whose event no longer concerns their record: it lost more of the antecedent."""
    for k in range(len(events)):
        astray[k] = not holds_antecedent(rows, rules, events[k], event_rows[k])


@kernel
def find_touched_events(rows, rules, row_starts, returned, touched):
    """Mark the rules whose antecedent some record holds that got one of its items back.

    ``returned[row_starts[x]:row_starts[x + 1]]`` are the records that got item x back. Only there can a
    rule that was tight have gained room.
    """
    for rule in range(len(touched)):
        for k in range(rules.starts[rule], rules.starts[rule + 1]):
            x = rules.items[k]
            for r in range(row_starts[x], row_starts[x + 1]):
                if holds_antecedent(rows, rules, rule, returned[r]):
                    touched[rule] = True
                    break
            if touched[rule]:
                break
