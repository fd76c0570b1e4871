"""How many rows fit a row when a withheld cell fits anything."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from withhold.counting.jit import kernel


@kernel
def fewest_fitting(cells, sizes, withheld, stop):
    """The least number of rows that fit one of the tuples, a withheld cell on either side fitting anything.

    A tuple is given up as soon as as many rows fit it as fitted the worst so far; those that fit many others
    should come first. -1 if it was stopped.
    """
    fewest = sizes.sum()
    for one in range(len(cells)):
        if stop[0] != 0:
            return -1
        fitting = 0
        for other in range(len(cells)):
            fits = True
            for j in range(cells.shape[1]):
                a, b = cells[one, j], cells[other, j]
                if a != b and a != withheld and b != withheld:
                    fits = False
                    break
            if fits:
                fitting += sizes[other]
                if fitting >= fewest:
                    break
        if fitting < fewest:
            fewest = fitting
    return fewest
