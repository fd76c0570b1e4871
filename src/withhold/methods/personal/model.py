"""Personalised ρ-uncertainty (Nakagawa et al. 2018): each person says what they want protected.

An adversary knows some items Q of the ORIGINAL record of a person u, and must not infer any item that u
wants protected, outside Q, with a confidence above ρ measured in the PUBLISHED rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from withhold.arguments import checked
from withhold.data.by_fields import ByFields
from withhold.data.constraints import Constraints
from withhold.errors import PolicyError
from withhold.exact import decimal_text, exact_threshold
from withhold.methods.rho.model import MaxKnownOption, RhoUncertainty
from withhold.options import Option, RhoOption, Threshold, allows_more
from withhold.wording import counted, percent, so_many


@dataclass(frozen=True, init=False)
class PersonalRhoUncertainty(ByFields):
    """Nobody can infer what a person wants protected above ρ.

    This holds whatever items of that person's record somebody knows; with ``max_known``, if they know at most
    this many. Who wants what protected is given to ``anonymize`` and ``audit`` as ``constraints``, and to
    ``verify`` as part of the evidence.

    Parameters
    ----------
    rho, max_known
        As for ``RhoUncertainty``.
    epsilon
        Check by sampling: the share of adversaries that may still succeed; None: exact.
    delta
        Check by sampling: the probability that more of them succeed.
    test
        Check by sampling: ``honest`` (delta holds for the release) or ``paper`` (the published loop).

    Raises
    ------
    PolicyError
        A threshold outside its range, or one of epsilon and delta without the other.

    Examples
    --------
    >>> print(PersonalRhoUncertainty("0.5").promise())
    Whoever knows any items of a person's original record, or nothing at all, can infer no item that this \
person wants protected with a confidence above 0.5.
    """

    name: ClassVar[str] = "personal-rho"
    sensitive: ClassVar[frozenset[str]] = frozenset()
    """None for everybody: each person has constraints of their own."""

    rho: Fraction
    max_known: int | None
    """The adversary knows at most this many items; None: any number."""
    epsilon: Fraction | None
    """In the sampled model: the share of adversaries that may still succeed."""
    delta: Fraction | None
    """In the sampled model: the probability that the share is larger nevertheless."""
    test: str

    @checked
    def __init__(
        self,
        rho: RhoOption,
        *,
        max_known: MaxKnownOption = None,
        epsilon: Annotated[
            Threshold | None,
            Option(
                "By samples: the share of attackers who may succeed, e.g. 0.05.",
                kind="threshold",
                weaker=allows_more,
            ),
        ] = None,
        delta: Annotated[
            Threshold | None,
            Option(
                "By samples: the chance that more of them succeed, e.g. 0.05.",
                kind="threshold",
                weaker=allows_more,
            ),
        ] = None,
        test: Annotated[
            Literal["honest", "paper"],
            Option("By samples: honest (default), or paper (draws as published)."),
        ] = "honest",
    ) -> None:
        if (epsilon is None) != (delta is None):
            raise PolicyError("epsilon and delta belong together; give both or neither")
        if epsilon is not None and not max_known:
            raise PolicyError("a sampled guarantee needs max_known, at least 1")
        self._set(
            rho=exact_threshold(rho, name="rho"),
            max_known=None if max_known is None else int(max_known),
            epsilon=None if epsilon is None else exact_threshold(epsilon, name="epsilon"),
            delta=None if delta is None else exact_threshold(delta, name="delta"),
            test=test,
        )

    @property
    def needs(self) -> str:
        """What a proof needs beside the published file and its manifest, in words."""
        return (
            "Only somebody who has the original records and the constraints can prove this release "
            "again (withhold verify --original FILE --constraints FILE). The published file shows "
            "that it is unchanged, and nothing else."
        )

    def how_for_strangers(self) -> str:
        """How a release is checked, without the round and the sample size, which would disclose too much."""
        if self.max_known is None:
            return "every set of items of every person's original record"
        if self.is_sampled:
            return f"random adversaries of each size from 1 to {self.max_known} ({self.test} test)"
        known = counted(self.max_known, "item")
        return f"every set of at most {known} of every person's original record"

    @property
    def is_sampled(self) -> bool:
        """Whether a share of the adversaries may still succeed."""
        return self.epsilon is not None

    def as_global(self, constraints: Constraints) -> RhoUncertainty | None:
        """The equivalent global model, if everybody wants the same items protected."""
        shared = frozenset() if self.is_sampled else constraints.shared_by_all()
        return RhoUncertainty(self.rho, shared, max_known=self.max_known) if shared else None

    def promise(self) -> str:
        """What holds for a release that satisfies the model, in one sentence."""
        who = f"{so_many(self.max_known, 'item')} of a person's original record"
        what = (
            f"can infer no item that this person wants protected with a confidence above "
            f"{decimal_text(self.rho)}"
        )
        if self.epsilon is None:
            prior = "" if self.max_known == 0 else ", or nothing at all,"
            return f"Whoever knows {who}{prior} {what}."
        assert self.delta is not None
        return (
            f"Of those who know {who}, chosen at random, fewer than {percent(self.epsilon, None)} "
            f"succeed for each number of items known; the others {what}. "
            f"This was confirmed by a sample and is wrong with a chance of at most "
            f"{percent(self.delta, None)}."
        )
