"""Boxes: what rows show together, one range or set a column, and what that costs.

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
"""Between the places of missing values, and from them to all others: no range reaches so far."""
BITS = 60
"""Bits used of a word, so that no word is negative."""
ALONE = 3
"""The first bits of a column are for values that no set may hold: blanks, nulls, withheld cells."""
MOST_WORDS = 4


class Axes(NamedTuple):
    """The columns as parts of boxes."""

    places: Any
    """By slot: the place in an ordered column, or the number of a bit, int64."""
    words: Any
    """By column: its first word in a box, and the end of all, int64."""
    steps: Any
    """By column: what one more value of a set costs; 0 in an ordered column, int64."""


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
    """What a cell costs that shows this part of a box."""
    first = axes.words[j]
    if axes.steps[j] == 0:
        return min(boxes[box, first + 1] - boxes[box, first], UNIT)
    n_values = np.int64(0)
    for word in range(first, axes.words[j + 1]):
        n_values += np.int64(count_bits(np.uint64(boxes[box, word])))
    return set_width(n_values, boxes[box, first], axes.steps[j])


@step
def set_width(n_values, first_word, step_cost):
    """What a set of so many values costs; everything if one of them must stand alone."""
    if n_values > 1 and first_word & ((1 << ALONE) - 1):
        return np.int64(UNIT)
    return (n_values - 1) * step_cost


@step
def cost_of_box(axes, boxes, box):
    """What a row costs that shows this box."""
    cost = np.int64(0)
    for j in range(len(axes.steps)):
        cost += width_of(axes, boxes, box, j)
    return cost


@step
def cost_together(axes, boxes, one, other, limit):
    """What a row costs that shows two boxes together; something above ``limit`` once it is above."""
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
