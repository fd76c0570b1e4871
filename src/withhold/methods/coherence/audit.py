"""The audit of (h,k,p)-coherence and k^m-anonymity: a verdict, and the minimal moles from a survey."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.records import Breaches, Found, attack_curve, audit_by
from withhold.auditing.result import AttackPoint
from withhold.counting.set_draws import Frame
from withhold.counting.surveys import SurveyRun
from withhold.data.array_types import Ints
from withhold.data.evidence import Evidence
from withhold.methods.coherence.check.proof import mole_of_nothing, named, verify_coherence
from withhold.methods.coherence.cohorts import Limits, limits_of, split_rows
from withhold.methods.coherence.mole import Mole
from withhold.methods.coherence.mole_survey import (
    MoleSurvey,
    alive_without,
    judge_single_items,
    mark_first_minimal,
    survey,
)


class MinimalMoles(Breaches):
    """Public sets that too few records hold or from which a private item follows, with no such subset."""

    kind = "moles"
    of_rules = False
    minimal = True

    def lay_out(self, evidence: Evidence) -> int:
        self.rows = split_rows(self.records, self.records.codes(self.model.private))
        self.limits = limits_of(self.rows, self.model)
        self.most_known = self.limits.largest if self.model.p is None else self.model.p
        return self.rows.n_rows

    @cached_property
    def frame(self) -> Frame:
        # What is a mole by itself is in no larger minimal one.
        alive = alive_without(self.rows, judge_single_items(self.rows, self.limits)[0])[
            self.rows.items
        ]
        return Frame.of(self.rows.offsets, self.rows.items, alive, alive)

    def of_nothing(self) -> Found:
        mole = mole_of_nothing(self.rows, self.model)
        exposed = np.full(self.n_rows, mole is not None, dtype=np.uint8)
        return Found(int(mole is not None), [] if mole is None else [self.named(mole)], exposed)

    def n_sets(self, size: int) -> int:
        return 0 if size == 1 else self.frame.n_sets(size)

    def count(self, size: int) -> Found:
        if size > self.limits.largest:
            return Found(0, [], np.zeros(self.n_rows, dtype=np.uint8))
        return super().count(size)

    def survey(self, size: int, run: SurveyRun) -> MoleSurvey:
        limits = Limits(self.limits.k, self.limits.num, self.limits.den, size)
        return survey(self.rows, limits, run)

    def named(self, breach: Any) -> Mole:
        return named(self.rows, self.records, breach)

    def mark_breaches(self, drawn: Sequence[Ints], hits: NDArray[np.bool_]) -> None:
        mark_first_minimal(self.rows, self.limits, drawn, hits, self.stop)

    def attack_curve(self) -> tuple[AttackPoint, ...]:
        # A bound of 1 asks for nothing.
        allowed = self.model.h if self.model.h < 1 else None
        return attack_curve(self.rows, self.request, self.stop, allowed=allowed, k=self.model.k)


audit_coherence = audit_by(verify_coherence, MinimalMoles)
