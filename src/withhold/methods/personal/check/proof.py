"""The exact check of personalised ρ-uncertainty, for any number of known items or up to a number.

In: published rows, the model, and as evidence the originals and the constraints. Out: a verdict. Without the
constraints it is UNDECIDED. Without the originals only adversaries who know published items are checked, so
it is BROKEN or UNDECIDED, never HOLDS.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.counting.closed_walk import ClosedWalk, new_closed_walk
from withhold.counting.surveys import Survey, SurveyRun
from withhold.counting.threads import (
    ANSWERED,
    PATIENCE,
    Progress,
    Stop,
    quiet,
    run_all,
)
from withhold.data import Constraints, Records
from withhold.data.array_types import Ints
from withhold.data.evidence import Draw, Evidence
from withhold.errors import InputError
from withhold.method import CheckRun
from withhold.methods.personal.breach import PersonalBreach
from withhold.methods.personal.check.judge import (
    JudgeScratch,
    find_set_unsafe_for_somebody,
    mark_successful,
    new_judge_scratch,
    new_witness,
)
from withhold.methods.personal.check.person import find_harmed_person
from withhold.methods.personal.check.survey import Rule, survey_people
from withhold.methods.personal.known_sets import small_sizes
from withhold.methods.personal.model import PersonalRhoUncertainty
from withhold.methods.personal.people import (
    PersonalLayout,
    lay_out_needed,
    lay_out_people,
    problem_of,
)
from withhold.methods.personal.sampling import chance_of_at_most, draw_adversaries, sample_test
from withhold.methods.rho.check.proof import verify_rho
from withhold.verdict import Status, Verdict
from withhold.wording import counted

WITHOUT_CONSTRAINTS = "nothing: who wants what protected is not known here"
WITHOUT_ORIGINALS = (
    "only adversaries who know published items: the original records are not known here"
)


def verify_personal(
    records: Records,
    model: PersonalRhoUncertainty,
    evidence: Evidence,
    run: CheckRun,
) -> Verdict:
    """The verdict on the published ``records``."""
    began = time.perf_counter()
    constraints = evidence.constraints
    if constraints is None:
        return Verdict(Status.UNDECIDED, WITHOUT_CONSTRAINTS, 0, 0.0)
    originals = records if evidence.originals is None else evidence.originals
    published = kept_of(originals, records)
    constraints.checked_for(originals)
    everywhere = model.as_global(constraints)
    if evidence.originals is not None and everywhere is not None:
        return verify_rho(records, everywhere, evidence, run)
    with Stop(run.limit_seconds) as stop:
        if model.is_sampled:
            layout = lay_out_people(originals, published, constraints, merged=False)
        else:
            layout = lay_out_needed(originals, published, constraints)
        search = _Search(layout, model, stop, run.threads, run.progress)
        if model.is_sampled and search.prior() is None:
            verdict, rule = confirm(layout, model, evidence.draw, stop)
            if rule is not None:
                succeeds = named(layout, originals, constraints, rule)
                verdict = replace(verdict, witness=succeeds)
            return verdict if evidence.originals is not None else _without_originals(verdict)
        longest = int(originals.lengths.max(initial=0))
        if model.max_known is None or model.max_known >= longest:
            method, checked, found = search.closed_sets()
        else:
            method, checked, found = search.known_sets(model.max_known)
        witness, smallest = None, False
        if found is not None:
            stop.go_on()
            with stop.at_most(PATIENCE) as patience:
                found, smallest = replace(search, stop=patience).smallest(found)
            witness = named(layout, originals, constraints, found)
        cut_short = found is None and stop.cause != 0
    status = Status.BROKEN if witness else Status.UNDECIDED if cut_short else Status.HOLDS
    seconds = time.perf_counter() - began
    verdict = Verdict(status, method, checked, seconds, witness, smallest)
    return verdict if evidence.originals is not None else _without_originals(verdict)


def _without_originals(verdict: Verdict) -> Verdict:
    """The verdict if the originals are missing: a breach stands, but without one it is UNDECIDED."""
    if verdict.status is Status.BROKEN:
        return verdict
    method = f"{verdict.method}; {WITHOUT_ORIGINALS}"
    return replace(verdict, status=Status.UNDECIDED, method=method, witness=None, confidence=None)


@dataclass(frozen=True)
class _Search:
    """The ways to search for an unsafe rule in one laid-out problem."""

    layout: PersonalLayout
    model: PersonalRhoUncertainty
    stop: Stop
    jobs: int
    progress: Progress

    def closed_sets(self) -> tuple[str, int, Rule | None]:
        """Check the closed sets of the published rows until one is unsafe."""
        method = "all closed sets of the published records, against every person"
        small = small_sizes(self.layout)
        _, checked, rule = self.known_sets(small)
        if rule is not None or self.stop.cause != 0:
            return method, checked, rule
        layout, problem = self.layout, problem_of(self.layout, self.model.rho)
        few = layout.few_wishing
        find_unsafe = find_harmed_person if few else find_set_unsafe_for_somebody
        asked = layout.people.wishing if few else layout.rows.supports > 0
        roots = np.flatnonzero(asked).astype(np.int32)
        n_tasks = min(len(roots), 32 * self.jobs)
        spare: list[tuple[ClosedWalk, JudgeScratch]] = []

        def new() -> tuple[ClosedWalk, JudgeScratch]:
            return new_closed_walk(layout.rows, allowing=not few), new_judge_scratch(layout)

        def judge(part: Ints) -> tuple[int, Rule | None]:
            walk, scratch = spare.pop() if spare else new()
            witness, stop = new_witness(layout), self.stop.flag
            n, unsafe = find_unsafe(part, small + 1, problem, walk, scratch, witness, stop)
            spare.append((walk, scratch))
            if not unsafe:
                return n, None
            self.stop.because(ANSWERED)
            e, joint, support, person, size = witness.numbers.tolist()
            row = int(np.flatnonzero(layout.people.of_row == person)[0])
            return n, (witness.known[:size].copy(), e, joint, support, row)

        # Every n-th root or person, so that frequent and rare ones are spread over the tasks.
        tasks = [partial(judge, roots[start::n_tasks].copy()) for start in range(n_tasks)]
        what = "checking closed sets"
        results = run_all(tasks, self.stop, jobs=self.jobs, progress=self.progress, what=what)
        checked += sum(count for count, _ in results)
        return method, checked, next((rule for _, rule in results if rule is not None), None)

    def known_sets(self, largest: int) -> tuple[str, int, Rule | None]:
        """Check every set of at most ``largest`` known items until one is unsafe."""
        method = f"all sets of at most {counted(largest, 'item')} of every original record"
        found, checked = self.prior(), 1
        if found is None and largest > 0:
            result = self.survey((1, largest), self.progress, first_only=True)
            found = next((rules[0] for rules in result.worst if rules), None)
            checked += result.visited
        return method, checked, found

    def survey(self, sizes: tuple[int, int], progress: Progress, *, first_only: bool) -> Survey:
        """The worst rule of each size, or the first that is found."""
        common: dict[str, Any] = {"stop": self.stop, "jobs": self.jobs, "progress": progress}
        run = SurveyRun(keep=1, first_only=first_only, skip_equal=True, **common)
        return survey_people(self.layout, self.model.rho, sizes, run)

    def prior(self) -> Rule | None:
        """∅→e for the most frequent protected item, if that breaks the model."""
        supports, n_rows = self.layout.rows.supports, self.layout.layout.n_rows
        protected = np.flatnonzero(self.layout.wishes.anybody)
        if len(protected) == 0:
            return None
        worst = int(protected[np.argmax(supports[protected])])
        rho = self.model.rho
        if int(supports[worst]) * rho.denominator <= rho.numerator * n_rows:
            return None
        nothing = np.zeros(0, dtype=np.int32)
        row = int(rows_wanting(self.layout, worst)[0])
        return nothing, worst, int(supports[worst]), n_rows, row

    def smallest(self, found: Rule) -> tuple[Rule, bool]:
        """The worst of the smallest breaches, and whether the search for smaller ones was complete."""
        if (prior := self.prior()) is not None:
            return prior, True
        for size in range(1, len(found[0]) + 1):
            result = self.survey((size, size), quiet, first_only=False)
            if result.worst[size]:
                return result.worst[size][0], self.stop.cause == 0
            if self.stop.cause != 0:
                return found, False
        return found, True


def confirm(
    layout: PersonalLayout, model: PersonalRhoUncertainty, draw: Draw, stop: Stop
) -> tuple[Verdict, Rule | None]:
    """The verdict of the round that the draw names, and one adversary who succeeds, if too many do.

    CONFIRMED: the test passed. BROKEN: so many succeed that the share is above ``epsilon``, with the same
    confidence. Otherwise UNDECIDED: the sample shows neither.
    """
    assert model.max_known is not None
    assert model.epsilon is not None
    assert model.delta is not None
    began = time.perf_counter()
    test = sample_test(
        model.epsilon, model.delta, sizes=model.max_known, round=draw.round, kind=model.test
    )
    problem = problem_of(layout, model.rho)
    status, checked, rule = Status.CONFIRMED, 0, None
    for size in range(1, model.max_known + 1):
        generator = np.random.default_rng([draw.seed, draw.round, size])
        rows, known = draw_adversaries(layout, size, test.draws, generator)
        succeeds, witness = np.zeros(len(rows), dtype=np.bool_), new_witness(layout)
        mark_successful(rows, known, problem, stop.flag, succeeds, witness)
        checked += len(rows)
        failures = int(succeeds.sum())
        if failures > test.allowed:
            fewer = chance_of_at_most(failures - 1, test.draws, float(model.epsilon))
            shown = 1 - fewer <= float(test.delta)
            status = Status.BROKEN if shown or status is Status.BROKEN else Status.UNDECIDED
            if rule is None:
                *numbers, n_known = witness.numbers.tolist()
                rule = (witness.known[:n_known].copy(), *numbers)
        if stop.cause != 0:
            status = Status.UNDECIDED
            break
    method = (
        f"{test.draws:,} random adversaries of each size from 1 to {model.max_known}, of whom at most "
        f"{test.allowed:,} may succeed ({model.test} test, round {draw.round})"
    )
    seconds = time.perf_counter() - began
    confidence = 1 - model.delta if status is Status.CONFIRMED else None
    return Verdict(status, method, checked, seconds, confidence=confidence), rule


def rows_wanting(layout: PersonalLayout, rank: int) -> Ints:
    """The rows of the persons who want the item protected."""
    wishes = layout.wishes
    column = int(wishes.column_of[rank])
    if len(wishes.bits):
        word = wishes.bits[:, column >> 6] >> np.uint64(column & 63)
        persons = np.flatnonzero(word & np.uint64(1))
    else:
        persons = (
            np.searchsorted(wishes.offsets, np.flatnonzero(wishes.columns == column), "right") - 1
        )
    return np.flatnonzero(np.isin(layout.people.of_row, persons)).astype(np.int32)


def named(
    layout: PersonalLayout, records: Records, constraints: Constraints, rule: Rule
) -> PersonalBreach:
    """The rule with its items by name, and the record of somebody whom it harms."""
    known, consequent, joint, support, row = rule
    vocabulary, code_of_rank = records.vocabulary, layout.layout.code_of_rank
    inferred = vocabulary[code_of_rank[consequent]]
    of_row = layout.people.of_row
    equal = np.sort(layout.layout.record_of_row[of_row == of_row[row]])
    record = next(int(each) for each in equal if inferred in constraints.of_record(int(each)))
    names = tuple(sorted(vocabulary[code_of_rank[rank]] for rank in known))
    return PersonalBreach(names, inferred, joint, support, record + 1)


def kept_of(originals: Records, published: Records) -> NDArray[np.bool_]:
    """Which occurrences of the originals are published; refuses records that are not part of them."""
    if published is originals:
        return np.ones(originals.n_occurrences, dtype=bool)
    if len(originals) != len(published):
        raise InputError(
            f"{counted(len(published), 'record')} published, and the originals have {len(originals):,}",
            remedy="give the file that the release was made from",
        )
    code_of = {name: code for code, name in enumerate(originals.vocabulary)}
    codes = np.array([code_of.get(name, -1) for name in published.vocabulary], dtype=np.int64)
    width = max(originals.n_items, 1)
    numbers = np.arange(len(originals), dtype=np.int64)
    rows_after = np.repeat(numbers, published.lengths)
    new = codes[published.items] if len(published.items) else np.zeros(0, dtype=np.int64)
    before = np.repeat(numbers, originals.lengths) * width + originals.items
    after = np.where(new < 0, -1, rows_after * width + new)
    places = np.searchsorted(before, after)
    inside = places < len(before)
    inside[inside] = before[places[inside]] == after[inside]
    if not inside.all():
        record = int(rows_after[np.flatnonzero(~inside)[0]]) + 1
        raise InputError(
            f"published record {record:,} holds an item that its original does not have",
            remedy="give the file that the release was made from, with its records in the same order",
        )
    kept = np.zeros(len(before), dtype=bool)
    kept[places] = True
    return kept
