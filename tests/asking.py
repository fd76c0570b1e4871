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


def _apart(asked: Any, *names: str) -> tuple[Any, dict[str, Any]]:
    """The model, and what a verb takes beside it."""
    if not isinstance(asked, Personal):
        return asked, {}
    beside = {
        "constraints": asked.evidence.constraints,
        "originals": asked.evidence.originals,
        "evidence": asked.evidence,
    }
    return asked.model, {name: beside[name] for name in names}


def anonymize(data: Any, asked: Any, **options: Any) -> Any:
    model, beside = _apart(asked, "constraints")
    return wh.anonymize(data, model, **options, **beside)


def audit(data: Any, asked: Any, **options: Any) -> Any:
    model, beside = _apart(asked, "constraints", "originals")
    return wh.audit(data, model, **options, **beside)


def verify(data: Any, asked: Any, **options: Any) -> wh.Verdict:
    model, beside = _apart(asked, "evidence")
    return wh.verify(data, model, **options, **beside)


def sweep(data: Any, asked: Any, **options: Any) -> Any:
    model, beside = _apart(asked, "constraints")
    return wh.sweep(data, model, **options, **beside)


def verify_release(release: Any, **options: Any) -> wh.Verdict:
    """The proof of a release, once more."""
    return wh.verify(release.data, release.model, evidence=release.evidence, **options)
