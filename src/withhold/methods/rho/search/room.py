"""Does a rule have room for one more record? This decides which deletions are worth trying to undo."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import with_item
from withhold.counting.jit import kernel, routine, step
from withhold.counting.supports import count_support


class Rules(NamedTuple):
    """Rules q→f, in ranks."""

    starts: Any
    items: Any
    """The antecedents, ascending."""
    consequents: Any
    extras: Any
    """1 if a new record with q and f would add to sup(q), 0 if that record already holds q."""


@routine
def has_room(rows, limits, itemset, size, e, extra, with_e):
    """Whether the rule itemset→e stays safe with one more record that holds both.

    ``extra`` is 1 if that record does not hold the itemset yet, else 0. ``with_e`` is scratch.
    """
    with_item(itemset, size, e, with_e)
    joint = count_support(rows, with_e, size + 1, np.int64(len(rows.offsets) - 1))
    enough = ((joint + 1) * limits.den + limits.num - 1) // limits.num - extra
    return count_support(rows, itemset, size, enough) >= enough


@kernel
def find_loose_events(rows, limits, events, rules, loose, stop):
    """Mark those of ``events``, numbers of rules, that have room for one more record.

    A deletion whose rule still has no room cannot be undone; that decides most of them.
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
def find_obsolete(rows, rules, events, event_rows, obsolete):
    """Mark the deletions whose event does not concern their record: it has lost more of the antecedent."""
    for k in range(len(events)):
        obsolete[k] = not holds_antecedent(rows, rules, events[k], event_rows[k])


@kernel
def find_touched_events(rows, rules, events, row_starts, returned, touched, stop):
    """Mark those of ``events``, numbers of rules, with an antecedent in a record that got an item of it back.

    ``returned[row_starts[x]:row_starts[x + 1]]`` are the records that got item x back. Only such a rule can
    have gained room.
    """
    for rule in events:
        if stop[0] != 0:
            return
        for k in range(rules.starts[rule], rules.starts[rule + 1]):
            x = rules.items[k]
            for r in range(row_starts[x], row_starts[x + 1]):
                if holds_antecedent(rows, rules, rule, returned[r]):
                    touched[rule] = True
                    break
            if touched[rule]:
                break
