"""The exact check of ρ-uncertainty: every closed set of every D_e, or every antecedent up to a size.

In: rows and the model. Out: a verdict with a smallest witness. No cut-off on the length of records.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from withhold.counting.equal_items import without_equal_items
from withhold.counting.layout import Layout, lay_out
from withhold.counting.supports import support_of
from withhold.counting.surveys import SurveyRun
from withhold.counting.threads import ANSWERED, PATIENCE, Progress, Stop, run_all
from withhold.data import Records
from withhold.data.breach import Breach
from withhold.data.evidence import Evidence
from withhold.data.groups import Stray
from withhold.method import CheckRun
from withhold.methods.rho.check.closed_sets import Rule, find_unsafe_closed_set
from withhold.methods.rho.check.survey import survey
from withhold.methods.rho.model import RhoUncertainty
from withhold.verdict import Status, Verdict
from withhold.wording import counted


def verify_rho(
    records: Records,
    model: RhoUncertainty,
    evidence: Evidence,
    run: CheckRun,
) -> Verdict:
    """The verdict on ``records``."""
    began = time.perf_counter()
    model = model.for_records_up_to(int(records.lengths.max(initial=0)))
    if (stray := _stray(records, model)) is not None:
        method = "every item is a group or sensitive"
        return Verdict(Status.BROKEN, method, 1, time.perf_counter() - began, stray, True)
    with Stop(run.limit_seconds) as stop:
        sensitive = records.codes(model.sensitive)
        layout = lay_out(without_equal_items(records, sensitive), sensitive)
        search = _closed_sets if model.max_known is None else _bounded_antecedents
        method, checked, found = search(layout, model, stop, run.threads, run.progress)
        witness, smallest = None, False
        if found is not None:
            stop.go_on()
            with stop.at_most(PATIENCE) as patience:
                found, smallest = _smallest(layout, model, found, patience, run.jobs)
            witness = named(layout, records, found)
        cut_short = found is None and stop.cause != 0
    status = Status.BROKEN if witness else Status.UNDECIDED if cut_short else Status.HOLDS
    seconds = time.perf_counter() - began
    return Verdict(status, method, checked, seconds, witness, smallest)


def _stray(records: Records, model: RhoUncertainty) -> Stray | None:
    """The first item that is neither a group nor sensitive, if public items are published as groups."""
    if model.groups is None:
        return None
    known = model.groups.names | model.sensitive
    strays = (item for item in records.occurring if item not in known)
    return next((Stray(item, "neither a group nor sensitive") for item in strays), None)


def _closed_sets(
    layout: Layout, model: RhoUncertainty, stop: Stop, jobs: int, progress: Progress
) -> tuple[str, int, Rule | None]:
    """Check the closed sets of every D_e until one is unsafe."""
    consequents = layout.sensitive_ranks()
    rows = layout.rows(with_bitmaps=True)
    n_tasks = min(len(consequents), 16 * jobs)

    def check(start: int) -> tuple[Rule | None, int]:
        # Every n-th consequent, so that frequent and rare ones are spread over the tasks.
        # A copy, since the kernel would be compiled again for a view with a stride.
        some = consequents[start::n_tasks].copy()
        result = find_unsafe_closed_set(rows, some, model.limits, stop.flag)
        if result[0] is not None:
            stop.because(ANSWERED)
        return result

    tasks = [partial(check, start) for start in range(n_tasks)]
    seen = run_all(tasks, stop, jobs=jobs, progress=progress, what="checking closed sets")
    checked = sum(n_checked for _, n_checked in seen)
    found = next((rule for rule, _ in seen if rule is not None), None)
    return "all closed sets of the records of each sensitive item", checked, found


def _bounded_antecedents(
    layout: Layout, model: RhoUncertainty, stop: Stop, jobs: int, progress: Progress
) -> tuple[str, int, Rule | None]:
    """Check every antecedent of at most ``max_known`` items until one is unsafe."""
    assert model.max_known is not None
    method = f"all antecedents of at most {counted(model.max_known, 'item')}"
    found = None if model.ignore_prior else _prior(layout, model)
    checked = 0 if model.ignore_prior else 1
    if found is None and model.max_known > 0:
        run = SurveyRun(
            stop=stop, keep=1, first_only=True, skip_equal=True, jobs=jobs, progress=progress
        )
        result = survey(layout, model.rho, (1, model.max_known), run)
        found = next((rules[0][:4] for rules in result.worst if rules), None)
        checked += result.visited
    return method, checked, found


def _smallest(
    layout: Layout, model: RhoUncertainty, found: Rule, stop: Stop, jobs: int | None
) -> tuple[Rule, bool]:
    """The worst of the smallest breaches, and whether the search for smaller ones was complete."""
    found = _without_needless_items(layout, model, found, stop)
    if not model.ignore_prior and (prior := _prior(layout, model)) is not None:
        return prior, True
    # An antecedent with a needless item is never a smallest one.
    run = SurveyRun(stop=stop, keep=1, skip_equal=True, jobs=jobs)
    for size in range(1, len(found[0]) + 1):
        result = survey(layout, model.rho, (size, size), run)
        if stop.cause != 0:
            return found, False
        if result.worst[size]:
            return result.worst[size][0][:4], True
    return found, True


def _prior(layout: Layout, model: RhoUncertainty) -> Rule | None:
    """∅→e for the most frequent sensitive item, if that breaks the model."""
    ranks = layout.sensitive_ranks()
    if len(ranks) == 0:
        return None
    # Ranks ascend with support; of equally frequent items the first counts.
    most = int(layout.supports[ranks].max())
    first = int(ranks[layout.supports[ranks] == most][0])
    if most * model.rho.denominator <= model.rho.numerator * layout.n_rows:
        return None
    return np.empty(0, dtype=np.int32), first, most, layout.n_rows


def _without_needless_items(layout: Layout, model: RhoUncertainty, rule: Rule, stop: Stop) -> Rule:
    """The rule without those items of its antecedent that are not needed for it to be a breach.

    Large parts of the antecedent are tried first, then smaller ones, finally single items: for a record of a
    million items, of which a few suffice, some dozens of counts are enough.
    """
    antecedent, consequent, joint, support = rule
    rows = layout.rows()
    width = (len(antecedent) + 1) // 2
    while width > 0 and stop.cause == 0:
        at = 0
        while at < len(antecedent) and len(antecedent) > 1 and stop.cause == 0:
            shorter = np.delete(antecedent, slice(at, at + width))
            with_e = np.sort(np.append(shorter, np.int32(consequent)))
            fewer = support_of(rows, shorter, layout.n_rows)
            both = support_of(rows, with_e, layout.n_rows)
            if len(shorter) > 0 and both * model.rho.denominator > model.rho.numerator * fewer:
                antecedent, joint, support = shorter, both, fewer
            else:
                at += width
        width = 0 if width == 1 else (width + 1) // 2
    return antecedent, consequent, joint, support


def named(layout: Layout, records: Records, rule: Rule) -> Breach:
    """The rule with the items by name."""
    antecedent, consequent, joint, support = rule
    names = sorted(records.vocabulary[layout.code_of_rank[rank]] for rank in antecedent)
    return Breach(tuple(names), records.vocabulary[layout.code_of_rank[consequent]], joint, support)
