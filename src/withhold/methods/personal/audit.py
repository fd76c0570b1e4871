"""The audit of personalised ρ-uncertainty: a verdict, counts and examples, and the attack curve.

The attack curve draws adversaries as the sampled model does: *inferred* means that something follows which
the person drawn wants protected.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.records import (
    LARGEST_KNOWN,
    Breaches,
    Found,
    audit_by,
    prior_breaches,
)
from withhold.auditing.result import AttackPoint, Share
from withhold.counting.set_draws import Frame
from withhold.counting.supports import support_of
from withhold.counting.surveys import Survey, SurveyRun
from withhold.data.array_types import Ints
from withhold.data.evidence import Evidence
from withhold.errors import PolicyError
from withhold.methods.personal.breach import PersonalBreach
from withhold.methods.personal.check.judge import mark_successful, new_witness
from withhold.methods.personal.check.proof import kept_of, named, rows_wanting, verify_personal
from withhold.methods.personal.check.survey import Rule, survey_people
from withhold.methods.personal.people import lay_out_people, problem_of
from withhold.methods.personal.sampling import are_first_personal_breaches, draw_adversaries

COST = 4
"""A set takes about this many times as long as under another model, since its owners are tested as well."""
FEW_PROTECTED = 10
"""Counting this many protected items of a row takes about as long as visiting one of its sets."""


class PersonalBreaches(Breaches):
    """Rules by which somebody who knows items of an original infers what its person wants protected."""

    def lay_out(self, evidence: Evidence) -> int:
        if evidence.constraints is None:
            raise PolicyError("an audit needs the constraints: who wants what protected")
        self.originals = self.records if evidence.originals is None else evidence.originals
        self.constraints = evidence.constraints
        kept = kept_of(self.originals, self.records)
        self.layout = lay_out_people(self.originals, kept, self.constraints, merged=False)
        self.most_known = self.model.max_known
        return self.layout.layout.n_rows

    @cached_property
    def frame(self) -> Frame:
        return self._frame(self.layout.rows.items >= 0)

    @cached_property
    def known(self) -> Frame:
        """What can be known: all items of the originals, including those that were withheld."""
        return self._frame(np.ones(len(self.layout.rows.items), dtype=np.bool_))

    def _frame(self, there: NDArray[np.bool_]) -> Frame:
        items = self.layout.rows.items
        protected = (items >= 0) & self.layout.wishes.anybody[np.maximum(items, 0)]
        return Frame.of(self.layout.rows.offsets, items, there, protected)

    def of_nothing(self) -> Found:
        ranks, supports = np.flatnonzero(self.layout.wishes.anybody), self.layout.rows.supports
        return prior_breaches(ranks, supports, self.model.rho, self.n_rows, self._without_knowing)

    def _without_knowing(self, rank: int, joint: int) -> tuple[PersonalBreach, Ints]:
        rows = rows_wanting(self.layout, rank)
        rule = (np.zeros(0, dtype=np.int32), rank, joint, self.n_rows, int(rows[0]))
        return self.named(rule), rows

    def n_sets(self, size: int) -> int:
        """As many as take as long under another model; long rows with many protected items take longest."""
        return COST * max(self.known.n_sets(size), self.known.n_rules(size) // FEW_PROTECTED)

    def survey(self, size: int, run: SurveyRun) -> Survey:
        return survey_people(self.layout, self.model.rho, (size, size), run)

    def named(self, breach: Rule) -> PersonalBreach:
        return named(self.layout, self.originals, self.constraints, breach)

    def mark_breaches(self, drawn: Sequence[Ints], hits: NDArray[np.bool_]) -> None:
        problem = problem_of(self.layout, self.model.rho)
        are_first_personal_breaches(*drawn, problem, self.stop.flag, hits)

    def attack_curve(self) -> tuple[AttackPoint, ...]:
        """One point for each number of known items that some original has; fewer if time runs out."""
        layout, rows, samples = self.layout, self.layout.rows, self.request.samples
        problem, witness = problem_of(layout, self.model.rho), new_witness(layout)
        points = []
        for known in range(1, LARGEST_KNOWN + 1):
            generator = np.random.default_rng([self.request.seed, known])
            drawn, sets = draw_adversaries(layout, known, samples, generator)
            if len(drawn) == 0:
                break
            succeeds = np.zeros(len(drawn), dtype=np.bool_)
            mark_successful(drawn, sets, problem, self.stop.flag, succeeds, witness)
            if self.stop.cause != 0:
                break
            unique = sum(support_of(rows, each, 2) == 1 for each in sets)
            eligible = int((np.diff(rows.offsets) >= known).sum())
            shares = Share(int(unique), samples), Share(int(succeeds.sum()), samples)
            points.append(AttackPoint(known, eligible, *shares))
        return tuple(points)


audit_personal = audit_by(verify_personal, PersonalBreaches)
