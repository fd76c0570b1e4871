"""Put back every deletion that can be undone safely, until none can.

Most deletions answered a rule that is still as tight as can be, and stay. For the others it is found out,
shortest record first, whether anything breaks; what breaks is the new reason to keep it out.
With ``max_known`` the look is as strict as without, so a few that could return stay out.
"""

from __future__ import annotations

import numpy as np

from withhold.kernels.personal_judge import room_for_rules, scratch_for
from withhold.kernels.personal_restore import RETURNED, put_back
from withhold.kernels.threads import Progress, Stop, quiet
from withhold.suppress.personal_workspace import PersonalWorkspace


def restore_people(work: PersonalWorkspace, stop: Stop, *, progress: Progress = quiet) -> None:
    """Undo deletions wherever nothing breaks."""
    places, answers = work.log.removals()
    reasons = work.log.reasons()
    rank_of_code = np.empty(work.layout.layout.n_items, dtype=np.int32)
    rank_of_code[work.layout.layout.code_of_rank] = np.arange(len(rank_of_code), dtype=np.int32)
    items = rank_of_code[reasons.items]
    event_of = np.repeat(np.arange(len(reasons)), np.diff(reasons.starts))
    # The kernels count from the rarest item on, so each antecedent ascends in rank.
    items = items[np.lexsort((items, event_of))]
    starts, consequents = reasons.starts, rank_of_code[reasons.consequents]
    rows, _ = work.rows_and_ranks(places)
    positions = work.positions_of(places)
    scratch, found = scratch_for(work.layout), room_for_rules(1, work.layout.layout.n_items)
    blocked_by, out = answers.copy(), np.ones(len(places), dtype=bool)
    returned = 1
    while returned and stop.reason == 0:
        progress("undoing what can be undone", int((~out).sum()), len(places))
        alive = np.zeros(len(work.rows.items) + 1, dtype=np.int64)
        np.cumsum(work.rows.items >= 0, out=alive[1:])
        lengths = np.diff(alive[work.rows.offsets])
        tried = np.flatnonzero(out)
        tried = tried[np.lexsort((positions[tried], lengths[rows[tried]]))]
        blocks = blocked_by[tried]
        outcomes = np.zeros(len(tried), dtype=np.int8)
        new_starts, new_items, new_consequents = put_back(
            positions[tried],
            rows[tried],
            blocks,
            starts,
            items,
            consequents,
            work.rows,
            work.people,
            work.fears,
            work.num,
            work.den,
            stop.flag,
            scratch,
            found,
            outcomes,
        )
        starts = np.concatenate([starts, starts[-1] + new_starts[1:]])
        items = np.concatenate([items, new_items])
        consequents = np.concatenate([consequents, new_consequents])
        blocked_by[tried] = blocks
        out[tried[outcomes == RETURNED]] = False
        returned = int((outcomes == RETURNED).sum())
