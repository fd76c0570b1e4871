"""The audit of ρ-uncertainty: a verdict from the exact check, counts and examples from a survey."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from withhold.auditing.records import (
    Breaches,
    Found,
    attack_curve,
    audit_by,
    prior_breaches,
)
from withhold.auditing.result import AttackPoint
from withhold.counting.layout import lay_out
from withhold.counting.set_draws import Frame
from withhold.counting.surveys import Listed, Survey, SurveyRun
from withhold.data.array_types import Ints
from withhold.data.breach import Breach
from withhold.data.evidence import Evidence
from withhold.methods.rho.advice import advise
from withhold.methods.rho.check.closed_sets import Rule
from withhold.methods.rho.check.proof import named, verify_rho
from withhold.methods.rho.check.survey import survey
from withhold.methods.rho.samples import are_first_breaches


class RuleBreaches(Breaches):
    """Rules q → e of a sensitive item e with a confidence above ρ."""

    def lay_out(self, evidence: Evidence) -> int:
        self.layout = lay_out(self.records, self.records.codes(self.model.sensitive))
        self.smallest, self.most_known = int(self.model.ignore_prior), self.model.max_known
        return self.layout.n_rows

    @cached_property
    def frame(self) -> Frame:
        offsets, items = self.layout.offsets, self.layout.items
        everything = np.ones(len(items), dtype=np.bool_)
        return Frame.of(offsets, items, everything, self.layout.sensitive[items])

    def of_nothing(self) -> Found:
        ranks, supports = self.layout.sensitive_ranks(), self.layout.supports
        return prior_breaches(ranks, supports, self.model.rho, self.n_rows, self._without_knowing)

    def _without_knowing(self, rank: int, joint: int) -> tuple[Breach, Ints]:
        start, end = self.layout.post_offsets[rank : rank + 2]
        rule = (np.zeros(0, dtype=np.int32), rank, joint, self.n_rows)
        return self.named(rule), self.layout.post_rows[start:end]

    def survey(self, size: int, run: SurveyRun) -> Survey:
        return survey(self.layout, self.model.rho, (size, size), run)

    def named(self, breach: Rule | Listed) -> Breach:
        return named(self.layout, self.records, breach[:4])

    def mark_breaches(self, drawn: Sequence[Ints], hits: NDArray[np.bool_]) -> None:
        rows, limits = self.layout.rows(), self.model.limits
        are_first_breaches(*drawn, rows, limits, self.stop.flag, hits)

    def attack_curve(self) -> tuple[AttackPoint, ...]:
        return attack_curve(self.layout, self.request, self.stop, allowed=self.model.rho)

    def advice(self) -> tuple[str, ...]:
        supports = self.layout.supports
        return advise(self.model, supports.sum(), supports[self.layout.sensitive].sum())


audit_rho = audit_by(verify_rho, RuleBreaches)
