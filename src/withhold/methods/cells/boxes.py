"""Boxes: what the rows of a group show, one range or set per column, and what that costs.

A column of numbers or dates is *ordered*: its part of a box is a lowest and a highest place. Any other column
is one of categories: its part is a set of bits. A value's *slot* is its number among those of all columns; in
a column of very many categories some share a slot, so a search takes their sets for smaller than they are.
Costs are whole numbers, so that ties are ties on every machine: ``UNIT`` is a cell that shows nothing.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import step

UNIT = 1 << 24
"""The cost of a cell that is withheld."""
APART = 4 * UNIT
"""The distance of missing values from each other and from all other places: no range spans it."""
BITS = 60
"""Bits used of a word, so that no word is negative."""
ALONE = 3
"""The first bits of a column are for values that no set may contain: blanks, nulls, withheld cells."""
MOST_WORDS = 4


class Axes(NamedTuple):
    """The columns as parts of boxes."""

    places: Any
    """By slot: the place in an ordered column, or the number of a bit, int64."""
    words: Any
    """By column: its first word in a box, and the end of all, int64."""
    steps: Any
    """By column: the cost of one more value in a set; 0 in an ordered column, int64."""


@step
def clear_box(axes, boxes, box):
    """Make a box empty."""
    for j in range(len(axes.steps)):
        first = axes.words[j]
        for word in range(first, axes.words[j + 1]):
            boxes[box, word] = 0
        if axes.steps[j] == 0:
            boxes[box, first] = 2**62
            boxes[box, first + 1] = -(2**62)


@step
def add_row(axes, boxes, box, cells, row):
    """Widen a box to hold a row."""
    for j in range(len(axes.steps)):
        first, place = axes.words[j], axes.places[cells[row, j]]
        if axes.steps[j] == 0:
            boxes[box, first] = min(boxes[box, first], place)
            boxes[box, first + 1] = max(boxes[box, first + 1], place)
        else:
            boxes[box, first + place // BITS] |= np.int64(1) << (place % BITS)


@step
def width_of(axes, boxes, box, j):
    """The cost of a cell that shows this part of a box."""
    first = axes.words[j]
    if axes.steps[j] == 0:
        return min(boxes[box, first + 1] - boxes[box, first], UNIT)
    n_values = np.int64(0)
    for word in range(first, axes.words[j + 1]):
        n_values += np.int64(count_bits(np.uint64(boxes[box, word])))
    return set_width(n_values, boxes[box, first], axes.steps[j])


@step
def set_width(n_values, first_word, step_cost):
    """The cost of a set of ``n_values``; that of a withheld cell if one of them must be alone."""
    if n_values > 1 and first_word & ((1 << ALONE) - 1):
        return np.int64(UNIT)
    return (n_values - 1) * step_cost


@step
def cost_of_box(axes, boxes, box):
    """The cost of a row that shows this box."""
    cost = np.int64(0)
    for j in range(len(axes.steps)):
        cost += width_of(axes, boxes, box, j)
    return cost


@step
def cost_together(axes, boxes, one, other, limit):
    """The cost of a row that shows the union of two boxes; above ``limit``, perhaps only a part of it."""
    cost = np.int64(0)
    for j in range(len(axes.steps)):
        first = axes.words[j]
        if axes.steps[j] == 0:
            low = min(boxes[one, first], boxes[other, first])
            high = max(boxes[one, first + 1], boxes[other, first + 1])
            cost += min(high - low, UNIT)
        else:
            n_values = np.int64(0)
            for word in range(first, axes.words[j + 1]):
                n_values += np.int64(count_bits(np.uint64(boxes[one, word] | boxes[other, word])))
            cost += set_width(n_values, boxes[one, first] | boxes[other, first], axes.steps[j])
        if cost > limit:
            return cost
    return cost
