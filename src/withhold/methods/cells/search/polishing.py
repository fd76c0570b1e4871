"""After the search: improve a release move by move; all groups are valid after every move.

One thread makes the moves one after the other, and what they do depends on the seed alone. So the same number
of moves makes the same release, however long they take.
"""

from __future__ import annotations

from withhold.counting.threads import Progress, Stop
from withhold.methods.cells.options import CellsSearch
from withhold.methods.cells.search.guarded import Guarded
from withhold.methods.cells.search.ruin import make_ruin, polish_groups

AT_ONCE = 100
"""Moves between two checks of the clock."""


def polish(state: Guarded, options: CellsSearch, seed: int, progress: Progress) -> int:
    """Make moves for a number of seconds, or a number of moves; how many were made."""
    ruin, made = make_ruin(state, seed), 0
    # Compiled before the clock starts.
    polish_groups(state, ruin, 0)
    most = options.polish_moves
    with Stop(options.polish if most is None else None) as stop:
        while stop.cause == 0 and (most is None or made < most):
            n = AT_ONCE if most is None else min(AT_ONCE, most - made)
            polish_groups(state, ruin, n)
            made += n
            progress("polishing", made, most or made)
    return made
