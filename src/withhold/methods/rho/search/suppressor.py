"""The suppressor of ρ-uncertainty, whole: split, search, give up what is left, restore; out comes a plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.counting.layout import Longs, lay_out
from withhold.counting.memory import give_back_memory
from withhold.counting.threads import Progress, Stop, quiet, run_all
from withhold.data import Records
from withhold.data.evidence import Evidence
from withhold.data.plan import Plan, fingerprint
from withhold.method import SearchRun
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.options import RhoSearch
from withhold.methods.rho.search.counts import suppress_everywhere
from withhold.methods.rho.search.forced import delete_forced
from withhold.methods.rho.search.giving_up import remove_everywhere, remove_unproven
from withhold.methods.rho.search.log import Log
from withhold.methods.rho.search.partial import Choices, suppress_sensitive
from withhold.methods.rho.search.polishing import polish
from withhold.methods.rho.search.restoring import restore_deletions
from withhold.methods.rho.search.splitting import part_of, places_of, split_records
from withhold.methods.rho.search.thinning import thin
from withhold.methods.rho.search.unsafe_items import already_holds
from withhold.methods.rho.search.workspace import Workspace

Bools = NDArray[np.bool_]
SHARE_OF_SEARCH = 0.7
"""Of a budget for records in one part; the rest goes to finding what the search left unsafe."""
SHARE_OF_CHECK = 0.2
"""Of a budget, to find out whether the model already holds."""
DEFAULT_PARTS = 4
"""With restoring, parts lose about as much as the whole; see docs/decisions/0004 and 0051."""
FEWEST_TO_SPLIT = 4_000
"""Records; below, parts would be too small to keep anything, and restoring takes no time."""
MOST_TO_SPLIT = 1_000_000
"""Occurrences; above, restoring what the parts lost takes longer than it is worth."""
MOST_TO_RESTORE = 4_000_000
"""Occurrences; above, the records are split into parts of a million, and each part restores its own."""
PARTS_ON_A_BUDGET = 16
"""On a budget, parts that were finished in time keep what they could; so there are several."""


def suppress_rho(
    records: Records,
    model: RhoUncertainty,
    evidence: Evidence,
    options: RhoSearch,
    run: SearchRun,
) -> tuple[Plan, dict[str, Any]]:
    """A plan after which the model holds, and the options in force; see ``anonymize`` for them."""
    model = model.for_records_up_to(int(records.lengths.max(initial=0)))
    keep, budget = options.keep, options.budget
    restoring = options.restoring is not False
    thinning = keep == "distribution"
    log = Log()
    if keep == "counts":
        left = suppress_everywhere(records, model, options, run, log)
        in_force = {"keep": keep, "restoring": restoring, "budget": budget, "seed": run.seed}
        return _plan(records, log, left), in_force
    parts, max_cost = options.parts, options.max_cost
    if parts is None and max_cost is None:
        parts = _default_parts(records, restoring=restoring, hurried=budget is not None)
    sensitive = records.codes(model.sensitive)
    splitting = partial(split_records, records, sensitive, parts=parts, max_cost=max_cost)
    layout = None
    if thinning or budget is not None or model.max_known is not None:
        split = splitting()
    else:
        # The layout is for the forced deletions.
        both = (splitting, partial(lay_out, records, sensitive))
        split, layout = run_all(both, Stop(), jobs=run.jobs)
    # The search over all records removes hardly anything that need not go; see docs/decisions/0027.
    hasty = len(split) > 1 or thinning
    if options.restoring is None:
        few = len(records) < FEWEST_TO_SPLIT
        restoring = few or hasty or options.polishes or keep == "sensitive"
    within_parts = restoring and len(split) > 1 and records.n_occurrences > MOST_TO_RESTORE
    pick = options.pick or ("longest" if len(split) == 1 else "random")
    choices = Choices(at_random=pick == "random", **vars(run))
    in_force = {
        "keep": keep,
        "pick": pick,
        "restoring": "within parts" if within_parts else restoring,
        "parts": len(split),
        "budget": budget,
        "polish_moves": 0 if options.polishes else None,
        "seed": run.seed,
    }
    with Stop(budget) as overall:
        with _search_stop(budget, in_one=len(split) == 1) as search:
            # On a budget each part looks for its own forced deletions, so that some get finished.
            forced_in_parts = budget is not None and len(split) > 1 and not thinning
            kept = np.ones(records.n_occurrences, dtype=bool)
            if not thinning and not forced_in_parts:
                kept = delete_forced(records, model, choices, log, search, layout)
            layout = None
            nothing_gone = hasty and log.n_removed == 0
            if nothing_gone and _holds(records, model, budget, run.jobs, run.progress):
                return _plan(records, log, kept), in_force
            if thinning:
                kept = thin(records, model, log, search)
            give_back_memory()
            n_thinned = log.n_reasons if thinning else 0
            # What was forced can never come back; what was thinned can.
            may_return = np.ones_like(kept) if thinning else kept
            workspace = partial(Workspace, records, model, may_return, log)
            work = None
            if len(split) == 1:
                left = suppress_sensitive(records, model, kept, choices, log, search).kept()
            else:
                part = partial(
                    _suppress_part,
                    records,
                    model,
                    kept,
                    choices,
                    search,
                    forced_in_parts,
                    within_parts,
                )
                early = workspace if restoring and not within_parts else None
                left, work = _suppress_parts(
                    records, kept, split, choices, log, search, part, early
                )
            interrupted = search.cause != 0
        if interrupted and len(split) == 1:
            left = remove_unproven(records, model, left, log, overall, jobs=run.jobs)
        elif restoring and not within_parts and not interrupted:
            work = work or workspace()
            work.delete(work.positions_of(np.flatnonzero(may_return & ~left)))
            _restore(work, records, model, overall, run, n_thinned, few=not hasty)
            left = work.kept()
        if options.polishes or keep == "sensitive":
            # Nothing is forced where public items may go.
            kept = np.ones_like(kept) if keep == "sensitive" else kept
            work = Workspace(records, model, kept, log)
            work.delete(work.positions_of(np.flatnonzero(kept & ~left)))
            in_force["polish_moves"] = polish(work, model, options, run, overall)
            if restoring and not within_parts:
                with Stop(None) as last:
                    _restore(
                        work, records, model, last if options.polishes else overall, run, few=True
                    )
            left = work.kept()
    return _plan(records, log, left), in_force


def _holds(
    records: Records,
    model: RhoUncertainty,
    budget: float | None,
    jobs: int | None,
    progress: Progress,
) -> bool:
    """Whether nothing need be withheld, as far as that is found out in a small share of the budget."""
    with Stop(None if budget is None else budget * SHARE_OF_CHECK) as stop:
        return already_holds(records, model, stop, jobs=jobs, progress=progress)


def _search_stop(budget: float | None, *, in_one: bool) -> Stop:
    """What ends the search. Parts that are not finished are emptied, which takes no time."""
    return Stop(budget * SHARE_OF_SEARCH if budget is not None and in_one else budget)


def _default_parts(records: Records, *, restoring: bool, hurried: bool) -> int:
    if hurried and len(records) >= FEWEST_TO_SPLIT:
        return max(PARTS_ON_A_BUDGET, -(-records.n_occurrences // MOST_TO_SPLIT))
    if records.n_occurrences > MOST_TO_RESTORE:
        return -(-records.n_occurrences // MOST_TO_SPLIT)
    if records.n_occurrences > MOST_TO_SPLIT or len(records) < FEWEST_TO_SPLIT or not restoring:
        return 1
    return DEFAULT_PARTS


def _suppress_parts(
    records: Records,
    kept: Bools,
    split: list[Longs],
    choices: Choices,
    log: Log,
    stop: Stop,
    suppress: Callable[[Longs], tuple[Log, Bools]],
    workspace: Callable[[], Workspace] | None,
) -> tuple[Bools, Workspace | None]:
    """What is left when every part was made safe on its own, in parallel with making the workspace."""
    tasks: list[Callable[[], Any]] = [partial(suppress, part) for part in split]
    # First, since the last part is the one that other threads wait for.
    tasks.insert(0, workspace or (lambda: None))
    what = "suppressing parts"
    made, *done = run_all(tasks, stop, jobs=choices.jobs, progress=choices.progress, what=what)
    left = kept.copy()
    for part, (part_log, part_left) in zip(split, done, strict=True):
        places = places_of(records, part)
        left[places] = part_left
        log.absorb(part_log, places)
    return left, made


def _suppress_part(
    records: Records,
    model: RhoUncertainty,
    kept: Bools,
    choices: Choices,
    stop: Stop,
    forced: bool,
    restoring: bool,
    chosen: Longs,
) -> tuple[Log, Bools]:
    """The log of one part and what is left of it; unfinished, it keeps no sensitive item at all."""
    choices = replace(choices, jobs=1, progress=quiet)
    log = Log()
    places = places_of(records, chosen)
    part = part_of(records, chosen, places)
    left = kept[places]
    del places
    if stop.cause == 0:
        if forced:
            left = delete_forced(part, model, choices, log, stop)
        work = suppress_sensitive(part, model, left, choices, log, stop)
        finished = stop.cause == 0
        if restoring and finished:
            _restore(work, part, model, stop, SearchRun(jobs=1))
        left = work.kept()
        del work
        give_back_memory()
        if finished:
            return log, left
    return log, remove_everywhere(part, part.codes(model.sensitive), left, log)


def _restore(
    work: Workspace,
    records: Records,
    model: RhoUncertainty,
    stop: Stop,
    run: SearchRun,
    n_thinned: int = 0,
    few: bool = False,
) -> None:
    """Undo what can be undone. What the forced pass took is not in the workspace: it must stay out."""
    positions = np.flatnonzero(work.items < 0).astype(np.int32)
    answers = work.log.last_answers(work.n_places)[work.place_of[positions]]
    first = int(answers.min(initial=work.log.n_reasons))
    restore_deletions(
        work,
        positions,
        answers - np.int32(first),
        work.log.reasons(first),
        model.max_known,
        stop,
        n_loose=max(n_thinned - first, 0),
        like=records.supports[work.layout.code_of_rank] if n_thinned else None,
        few=few,
        jobs=run.jobs,
        progress=run.progress,
    )


def _plan(records: Records, log: Log, kept: np.ndarray) -> Plan:
    """The plan of what is gone in the end, each with its last reason."""
    # The reasons first: joining them leaves room for what follows.
    reasons = log.reasons()
    answers = log.last_answers(records.n_occurrences)
    removed = np.flatnonzero(~kept).astype(np.int32)
    return Plan(removed, answers[removed], reasons, fingerprint(records))
