"""The verbs, asked with a model, or with a personal model and its evidence as one value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import withhold as wh
from withhold.data.evidence import Draw


@dataclass(frozen=True)
class Personal:
    """Personalised ρ-uncertainty of these people."""

    model: wh.PersonalRhoUncertainty
    evidence: wh.Evidence = field(repr=False)

    @property
    def constraints(self) -> wh.Constraints:
        assert self.evidence.constraints is not None
        return self.evidence.constraints

    @property
    def originals(self) -> wh.Records:
        assert self.evidence.originals is not None
        return self.evidence.originals

    def of(self, originals: wh.Records) -> Personal:
        return replace(self, evidence=self.evidence.of(originals))

    def drawn(self, seed: int, round: int = 1) -> Personal:
        return replace(self, evidence=replace(self.evidence, draw=Draw(seed, round)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


def personal(
    rho: Any, constraints: wh.Constraints, *, originals: wh.Records | None = None, **more: Any
) -> Personal:
    """The model and its evidence; without the originals nothing can be proved."""
    evidence = wh.Evidence(originals=originals, constraints=constraints)
    return Personal(wh.PersonalRhoUncertainty(rho, **more), evidence)


def anonymize(data: Any, asked: Any, **options: Any) -> Any:
    if isinstance(asked, Personal):
        options["constraints"] = asked.constraints
        asked = asked.model
    return wh.anonymize(data, asked, **options)


def audit(data: Any, asked: Any, **options: Any) -> Any:
    if isinstance(asked, Personal):
        options |= {"constraints": asked.constraints, "originals": asked.evidence.originals}
        asked = asked.model
    return wh.audit(data, asked, **options)


def verify(data: Any, asked: Any, **options: Any) -> wh.Verdict:
    if isinstance(asked, Personal):
        options["evidence"] = asked.evidence
        asked = asked.model
    return wh.verify(data, asked, **options)


def sweep(data: Any, asked: Any, **options: Any) -> Any:
    if isinstance(asked, Personal):
        options["constraints"] = asked.constraints
        asked = asked.model
    return wh.sweep(data, asked, **options)


def verify_release(release: Any, **options: Any) -> wh.Verdict:
    """The proof of a release, once more."""
    return wh.verify(release.data, release.model, evidence=release.evidence, **options)
