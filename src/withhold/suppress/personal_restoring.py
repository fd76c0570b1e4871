"""Put back every deletion that can be undone safely, until none can.

Most deletions answered a rule that is still as tight as can be, and stay. For the others it is found out,
shortest record first, whether anything breaks; what breaks is the new reason to keep it out.
With ``max_known`` the look is as strict as without, so a few that could return stay out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.kernels.layout import Ints, Longs
from withhold.kernels.personal_judge import room_for_rules, scratch_for
from withhold.kernels.personal_restore import RETURNED, put_back
from withhold.kernels.threads import Progress, Stop, quiet, run_all
from withhold.suppress.personal_workspace import PersonalWorkspace

LOOKS = 16
"""Tasks into which the deletions to look at are split; a fixed number, so that jobs change nothing."""


@dataclass
class _Rules:
    """The rules that keep deletions out, in ranks; grows."""

    starts: Longs
    items: Ints
    consequents: Ints

    def add(self, starts: Longs, items: Ints, consequents: Ints) -> None:
        self.starts = np.concatenate([self.starts, self.starts[-1] + starts[1:]])
        self.items = np.concatenate([self.items, items])
        self.consequents = np.concatenate([self.consequents, consequents])


def restore_people(
    work: PersonalWorkspace, stop: Stop, *, jobs: int | None = None, progress: Progress = quiet
) -> None:
    """Undo deletions wherever nothing breaks.

    All are looked at first, on all cores, each as if it came back alone; what would break something then
    is not tried until others have come back.
    """
    places, blocked_by = work.log.removals()
    blocked_by = blocked_by.copy()
    rules = _rules_of(work)
    rows, _ = work.rows_and_ranks(places)
    positions = work.positions_of(places)
    out = np.ones(len(places), dtype=bool)
    returned = 1
    while returned and stop.reason == 0:
        alive = np.zeros(len(work.rows.items) + 1, dtype=np.int64)
        np.cumsum(work.rows.items >= 0, out=alive[1:])
        lengths = np.diff(alive[work.rows.offsets])
        tried = np.flatnonzero(out)
        tried = tried[np.lexsort((positions[tried], lengths[rows[tried]]))]
        trial = partial(_try, work, positions, rows, blocked_by, rules, stop)
        looks = [partial(trial, part, keep=False) for part in np.array_split(tried, LOOKS)]
        n_known = len(rules.consequents)
        hopeful = []
        for part, blocks, outcomes, new in run_all(
            looks, stop, jobs=jobs, progress=progress, what="undoing what can be undone"
        ):
            # Each look numbered what it found as if it were the only one.
            blocked_by[part] = blocks + np.where(
                blocks >= n_known, len(rules.consequents) - n_known, 0
            )
            rules.add(*new)
            hopeful.append(part[outcomes == RETURNED])
        part, blocks, outcomes, new = trial(np.concatenate(hopeful), keep=True)
        blocked_by[part] = blocks
        rules.add(*new)
        out[part[outcomes == RETURNED]] = False
        returned = int((outcomes == RETURNED).sum())


def _rules_of(work: PersonalWorkspace) -> _Rules:
    """The reasons in the log, in ranks."""
    reasons = work.log.reasons()
    rank_of_code = np.empty(work.layout.layout.n_items, dtype=np.int32)
    rank_of_code[work.layout.layout.code_of_rank] = np.arange(len(rank_of_code), dtype=np.int32)
    items = rank_of_code[reasons.items]
    event_of = np.repeat(np.arange(len(reasons)), np.diff(reasons.starts))
    # The kernels count from the rarest item on, so each antecedent ascends in rank.
    items = items[np.lexsort((items, event_of))]
    return _Rules(reasons.starts, items, rank_of_code[reasons.consequents])


def _try(
    work: PersonalWorkspace,
    positions: Ints,
    rows: Ints,
    blocked_by: Ints,
    rules: _Rules,
    stop: Stop,
    numbers: Longs,
    *,
    keep: bool,
) -> tuple[Longs, Ints, NDArray[np.int8], Any]:
    """Try deletions, by their number: the rule that blocks each, what comes of it, and the new rules."""
    published = work.rows
    if not keep:
        # To look, an item is put back for a moment: not where others look, too.
        published = published._replace(
            items=published.items.copy(),
            supports=published.supports.copy(),
            bitmaps=published.bitmaps.copy(),
        )
    blocks = blocked_by[numbers]
    outcomes = np.zeros(len(numbers), dtype=np.int8)
    new = put_back(
        positions[numbers],
        rows[numbers],
        blocks,
        rules.starts,
        rules.items,
        rules.consequents,
        published,
        work.people,
        work.fears,
        work.num,
        work.den,
        stop.flag,
        keep,
        scratch_for(work.layout),
        room_for_rules(1, work.layout.layout.n_items),
        outcomes,
    )
    return numbers, blocks, outcomes, new
