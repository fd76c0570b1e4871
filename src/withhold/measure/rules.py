"""Which association rules of the original can still be mined from the release, and which are new.

In: the rules of both. Out: ``RuleChanges``, with the rules that changed most by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class RuleChange:
    """A rule of the original or of the release, with its counts in both."""

    fate: Literal["kept", "lost", "spurious"]
    antecedent: tuple[str, ...]
    consequent: str
    joint_before: int
    support_before: int
    joint_after: int
    support_after: int

    @property
    def confidence_before(self) -> float:
        return _share(self.joint_before, self.support_before)

    @property
    def confidence_after(self) -> float:
        return _share(self.joint_after, self.support_after)


@dataclass(frozen=True)
class RuleChanges:
    """Association rules before and after."""

    min_confidence: str
    before: int
    after: int
    kept: int
    most_changed: tuple[RuleChange, ...]
    """The largest change of confidence first, then the largest change of joint support."""

    @property
    def lost(self) -> int:
        return self.before - self.kept

    @property
    def spurious(self) -> int:
        return self.after - self.kept

    @property
    def jaccard(self) -> float:
        """J: rules in both, as a share of the rules in either; 1 if there are none at all."""
        either = self.before + self.after - self.kept
        return self.kept / either if either else 1.0

    @property
    def distance(self) -> float:
        return 1.0 - self.jaccard


def _share(joint: int, support: int) -> float:
    return joint / support if support else 0.0
