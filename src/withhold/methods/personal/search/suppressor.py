"""The suppressor of personalised ρ-uncertainty (Nakagawa et al., Algorithms 1 and 2); out comes a plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from withhold.counting.threads import Stop
from withhold.data import Records
from withhold.data.evidence import Evidence
from withhold.data.plan import Plan, fingerprint
from withhold.errors import PolicyError
from withhold.method import SearchRun
from withhold.methods.personal.known_sets import small_sizes
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.options import PersonalSearch
from withhold.methods.personal.search.fix import DISTRIBUTION, LEFTOVER
from withhold.methods.personal.search.restoring import restore_people
from withhold.methods.personal.search.rounds import (
    count_too_long,
    holds_already,
    make_safe,
    shorten_records,
    unsafe_items,
)
from withhold.methods.personal.search.sampled import confirm_by_samples
from withhold.methods.personal.search.workspace import PersonalWorkspace
from withhold.methods.rho.options import RhoSearch
from withhold.methods.rho.search.giving_up import remove_everywhere
from withhold.methods.rho.search.log import Log
from withhold.methods.rho.search.suppressor import SHARE_OF_CHECK, suppress_rho

SHARE_OF_SEARCH, SHARE_OF_FINDING = 0.6, 0.75
"""Shares of a budget. The search ends at the first, and finding what it left unsafe at the second; the rest
is for making shortened records safe."""
VICTIMS = {"rules": LEFTOVER, "distribution": DISTRIBUTION}


def suppress_personal(
    records: Records,
    model: PersonalRhoUncertainty,
    evidence: Evidence,
    options: PersonalSearch,
    run: SearchRun,
) -> tuple[Plan, dict[str, Any]]:
    """A plan after which the model holds for a release of ``records``, and the options in force."""
    if (constraints := evidence.constraints) is None:
        raise PolicyError("no constraints were given; they say who wants what protected")
    constraints.checked_for(records)
    if (everywhere := model.as_global(constraints)) is not None:
        chosen = RhoSearch(**vars(options))
        return suppress_rho(records, everywhere, evidence, chosen, run)
    max_known = model.max_known
    if max_known is not None and max_known >= records.lengths.max(initial=0):
        max_known = None
    work = PersonalWorkspace(
        records,
        model,
        constraints,
        victim=VICTIMS[options.keep],
        at_random=options.pick == "random",
        **vars(run),
    )
    in_force: dict[str, Any] = {**vars(options), "seed": run.seed}
    with Stop(options.budget) as overall:
        with Stop(None if options.budget is None else options.budget * SHARE_OF_SEARCH) as search:
            if model.is_sampled:
                in_force["round"] = confirm_by_samples(work, model, run.seed, search)
            else:
                too_long = count_too_long(work)
                # The search withholds nothing from records that are safe; setting records aside does.
                limit = None if options.budget is None else options.budget * SHARE_OF_CHECK
                if too_long and holds_already(work, records, model, constraints, max_known, limit):
                    return _plan(records, work.log, work.kept()), in_force
                # What is set aside may come back when deletions are undone.
                work.withhold(np.arange(work.rows.offsets[too_long], dtype=np.int64))
                in_force["set_aside"] = too_long
                make_safe(work, max_known, search)
            interrupted = search.cause != 0
        if interrupted:
            in_force["round"] = 1
            left = _give_up(work, records, max_known, options.budget, overall)
            return _plan(records, work.log, left), in_force
        if options.restoring and options.keep == "rules" and not model.is_sampled:
            restore_people(work, max_known, overall)
    return _plan(records, work.log, work.kept()), in_force


def _give_up(
    work: PersonalWorkspace,
    records: Records,
    max_known: int | None,
    budget: float | None,
    stop: Stop,
) -> np.ndarray:
    """What stays if time has run out: everything but the unsafe protected items, if these are found in time.

    Removing an item everywhere changes no support of a set without it, so what is safe stays safe. If the
    unsafe items are not found in time, every record keeps a few items, which are made safe; if that takes too
    long as well, one item.
    """
    left_of_budget = None if budget is None else budget * (SHARE_OF_FINDING - SHARE_OF_SEARCH)
    with Stop(left_of_budget) as finding:
        ranks = unsafe_items(work, finding)
    if ranks is not None:
        codes = work.layout.layout.code_of_rank[ranks]
        return remove_everywhere(records, codes, work.kept(), work.log)
    size = small_sizes(work.layout)
    size = size if max_known is None else min(size, max_known)
    if not shorten_records(work, size, stop):
        with Stop() as at_last:
            shorten_records(work, 0, at_last)
    return work.kept()


def _plan(records: Records, log: Log, kept: np.ndarray) -> Plan:
    """The plan that removes what is not kept in the end, each occurrence with its last reason."""
    places, answers = log.removals()
    reason_of = np.zeros(records.n_occurrences, dtype=np.int32)
    reason_of[places] = answers
    removed = np.flatnonzero(~kept).astype(np.int32)
    return Plan(removed, reason_of[removed], log.reasons(), fingerprint(records))
