"""Which association rules of the original can still be mined from the release, and which are new.

In: the rules of both. Out: ``RuleChanges``, with the rules that changed most by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from withhold.exact import decimal_text
from withhold.measure.alignment import Pair
from withhold.mining.miner import Itemsets, rules_of
from withhold.mining.rule_counts import Counts, RulesElsewhere

RULES_SHOWN = 20


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


def compare_rules(
    pair: Pair, before: Itemsets, after: Itemsets, confidence: Fraction
) -> RuleChanges:
    """What became of the rules among the frequent itemsets of both tables."""
    old = RulesElsewhere(rules_of(before, confidence), after, pair.published)
    new = RulesElsewhere(rules_of(after, confidence), before, pair.original)
    kept = old.are_rules(confidence)
    spurious = ~new.are_rules(confidence)
    changes = [
        *(_old("kept", counts) for counts in old.most_changed(kept, RULES_SHOWN)),
        *(_old("lost", counts) for counts in old.most_changed(~kept, RULES_SHOWN)),
        *(_new(counts) for counts in new.most_changed(spurious, RULES_SHOWN)),
    ]
    changes.sort(key=_by_change)
    return RuleChanges(
        min_confidence=decimal_text(confidence),
        before=len(old.rules),
        after=len(new.rules),
        kept=int(kept.sum()),
        most_changed=tuple(changes[:RULES_SHOWN]),
    )


def _old(fate: Literal["kept", "lost"], counts: Counts) -> RuleChange:
    rule, joint, support = counts
    return RuleChange(
        fate, rule.antecedent, rule.consequent, rule.joint, rule.support, joint, support
    )


def _new(counts: Counts) -> RuleChange:
    rule, joint, support = counts
    return RuleChange(
        "spurious", rule.antecedent, rule.consequent, joint, support, rule.joint, rule.support
    )


def _by_change(change: RuleChange) -> tuple[float, int, tuple[str, ...], str]:
    return (
        -abs(change.confidence_after - change.confidence_before),
        -abs(change.joint_after - change.joint_before),
        change.antecedent,
        change.consequent,
    )


def _share(joint: int, support: int) -> float:
    return joint / support if support else 0.0
