"""Adversaries drawn at random, and what they infer.

An adversary of size ℓ: a person drawn uniformly among the records with at least ℓ original items, then ℓ
of these items. Persons are not merged here, for they carry the probabilities.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.attack import find_rank
from withhold.counting.jit import kernel
from withhold.counting.layout import Ints
from withhold.counting.set_draws import draw_places
from withhold.methods.personal.judge import report
from withhold.methods.personal.people import PersonalLayout, fears_item


def draw_adversaries(
    layout: PersonalLayout, size: int, draws: int, generator: np.random.Generator
) -> tuple[Ints, Ints]:
    """The rows drawn, and for each ``size`` of its original ranks, ascending; none if none is so long."""
    lengths = np.diff(layout.rows.offsets)
    # By record, not by row: the same draws whatever order the layout has.
    row_of_record = np.argsort(layout.layout.record_of_row).astype(np.int32)
    eligible = row_of_record[lengths[row_of_record] >= size]
    if len(eligible) == 0:
        return np.zeros(0, dtype=np.int32), np.zeros((0, size), dtype=np.int32)
    rows = eligible[generator.integers(0, len(eligible), draws)]
    chosen = draw_places(lengths[rows], size, generator)
    ranks = layout.layout.items[layout.rows.offsets[rows][:, None] + chosen]
    return rows, ranks


@kernel
def publishes(row, itemset, size, rows):
    """Whether the row holds the itemset (ascending ranks) and nothing of it is withheld."""
    place = rows.offsets[row]
    end = rows.offsets[row + 1]
    for k in range(size):
        place = find_rank(itemset[k], place, end, rows.items)
        if place < 0 or rows.items[place] < 0:
            return False
        place += 1
    return True


@kernel
def try_adversaries(row_of, known, rows, people, fears, num, den, stop, unsafe, found):
    """Mark in ``unsafe`` the adversaries who infer something feared; ``found`` gets rules if it has room."""
    n_items = len(rows.supports)
    size = known.shape[1]
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    itemset = np.empty(size, np.int32)
    for trial in range(len(row_of)):
        if stop[0] != 0:
            return
        rare = known[trial, 0]
        for c in range(size):
            itemset[c] = known[trial, c]
            if rows.supports[known[trial, c]] < rows.supports[rare]:
                rare = known[trial, c]
        support = np.int64(0)
        n_touched = 0
        for posting in range(rows.post_offsets[rare], rows.post_offsets[rare + 1]):
            if rows.items[rows.post_positions[posting]] < 0:
                continue
            row = rows.post_rows[posting]
            if not publishes(row, known[trial], size, rows):
                continue
            support += 1
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                e = rows.items[p]
                if e >= 0 and fears.anybody[e]:
                    if joint[e] == 0:
                        touched[n_touched] = e
                        n_touched += 1
                    joint[e] += 1
        for c in range(size):
            joint[known[trial, c]] = 0
        person = people.of_row[row_of[trial]]
        for t in range(n_touched):
            e = touched[t]
            if joint[e] * den > num * support and fears_item(person, e, fears):
                unsafe[trial] = True
                report(found, itemset, size, -1, e, joint[e], support, row_of[trial])
            joint[e] = 0
