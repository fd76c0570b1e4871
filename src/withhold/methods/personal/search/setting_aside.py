"""What is withheld because there is no time to look at it: whole records, or all but a few items of each.

Of a record with a thousand items, nearly every pair stands nowhere else, so that whoever knows two of them
could infer all others; and the work grows with the cube of its length. Of a record with three items,
rules of at most two known items are all there are, and those are quickly fixed.
"""

from __future__ import annotations

import numpy as np

from withhold.counting.threads import Stop
from withhold.methods.personal.search.rounds import fix_small
from withhold.methods.personal.search.workspace import PersonalWorkspace

MOST_WORK = 2_000_000_000
"""The sum, over all records, of the cube of the length, up to which every record is searched. Of the usual
click streams and market baskets none comes near; a few records of a thousand items do."""


def count_too_long(work: PersonalWorkspace, most: int | None = None) -> int:
    """How many of the longest records must be set aside for the others to be little enough work."""
    # Rows come longest first.
    lengths = np.diff(work.rows.offsets).astype(np.float64)
    from_there_on = np.cumsum((lengths**3)[::-1])[::-1]
    return int((from_there_on > (MOST_WORK if most is None else most)).sum())


def set_aside(work: PersonalWorkspace, n_rows: int) -> None:
    """Withhold all of the longest records; it may come back when what can be undone is undone."""
    work.withhold(np.arange(work.rows.offsets[n_rows], dtype=np.int64))


def shorten_records(work: PersonalWorkspace, size: int, stop: Stop) -> bool:
    """Leave every record ``size`` + 1 items, the most frequent, and make that safe; whether it is."""
    published = work.rows.items >= 0
    before = np.concatenate([[0], np.cumsum(published, dtype=np.int64)])
    ends = before[work.rows.offsets[1:]]
    behind = np.repeat(ends, np.diff(work.rows.offsets)) - before[:-1]
    # Ranks ascend with the original supports.
    work.withhold(np.flatnonzero(published & (behind > size + 1)))
    # No rule of more than ``size`` known items has a record; a pass that finds nothing has seen them all.
    since = -1
    while stop.reason == 0 and work.log.n_removed != since:
        since = work.log.n_removed
        fix_small(work, size, stop)
    return stop.reason == 0
