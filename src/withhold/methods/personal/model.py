"""Personalised ρ-uncertainty (Nakagawa et al. 2018): everybody says what they want protected.

An adversary knows some items Q of the ORIGINAL record of a person u, and must not infer any item that u
fears, outside Q, with a confidence above ρ measured in the PUBLISHED rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from withhold.arguments import checked
from withhold.data.constraints import Constraints
from withhold.data.records import Records
from withhold.errors import PolicyError, option
from withhold.exact import decimal_text, exact_threshold
from withhold.methods.rho.model import MaxKnownOption, RhoOption, RhoUncertainty
from withhold.options import Option, Threshold, allows_more
from withhold.wording import counted

NOT_THESE = (
    "these are not the constraints that the release was made for: the file may be another one, or {}, {}, "
    "{} or {} was given then and not now, or the other way round"
)
MAKES_OTHERS = ("consent", "skip_missing_ids", "sensitive", "hierarchy")
"""Options that make other constraints of the same file."""


@dataclass(frozen=True, eq=False, init=False)
class PersonalRhoUncertainty:
    """Nobody who knows items of a person's record can infer what that person fears.

    >>> table = Records.from_lists([["milk", "medicine"], ["milk"]])
    >>> fears = Constraints.of({0: ["medicine"]}, table)
    >>> print(PersonalRhoUncertainty("0.5", fears).promise())
    Whoever knows any items of a person's original record, or nothing at all, can infer no item that this \
person fears with a confidence above 0.5.
    """

    name: ClassVar[str] = "personal-rho"

    rho: Fraction
    constraints: Constraints | None
    """Who fears what. None: not known here, so that nothing can be proved."""
    originals: Records | None
    """The rows as they were before anything was withheld: what an adversary may know."""
    max_known: int | None
    """The adversary knows at most so many items; None: any number."""
    epsilon: Fraction | None
    """In the sampled model: the share of adversaries that may still succeed."""
    delta: Fraction | None
    """In the sampled model: the chance that the share is larger all the same."""
    test: str
    seed: int
    """Of the sample."""
    round: int
    """Which sample of this seed; each later one spends less of ``delta``."""
    constraints_sha256: str | None

    @checked
    def __init__(
        self,
        rho: RhoOption,
        constraints: Constraints | None = None,
        *,
        originals: Records | None = None,
        max_known: MaxKnownOption = None,
        epsilon: Annotated[
            Threshold | None,
            Option(
                "By samples: the share of adversaries that may still succeed, e.g. 0.05.",
                kind="threshold",
                weaker=allows_more,
            ),
        ] = None,
        delta: Annotated[
            Threshold | None,
            Option(
                "By samples: the chance that more of them would after all, e.g. 0.05.",
                kind="threshold",
                weaker=allows_more,
            ),
        ] = None,
        test: Annotated[
            Literal["honest", "paper"],
            Option(
                "By samples: honest (default) keeps delta for the release as it is; paper draws as the "
                "published algorithm does."
            ),
        ] = "honest",
        seed: int = 0,
        round: int = 1,
        constraints_sha256: str | None = None,
    ) -> None:
        if (epsilon is None) != (delta is None):
            raise PolicyError("epsilon and delta belong together; give both or neither")
        if epsilon is not None and not max_known:
            raise PolicyError("a sampled guarantee needs max_known, at least 1")
        if constraints is not None:
            digest = constraints.digest()
            if constraints_sha256 not in (None, digest):
                raise PolicyError(NOT_THESE.format(*map(option, MAKES_OTHERS)))
            constraints_sha256 = digest
            if originals is not None:
                constraints.checked_for(originals)
        values = {
            "rho": exact_threshold(rho, name="rho"),
            "constraints": constraints,
            "originals": originals,
            "max_known": None if max_known is None else int(max_known),
            "epsilon": None if epsilon is None else exact_threshold(epsilon, name="epsilon"),
            "delta": None if delta is None else exact_threshold(delta, name="delta"),
            "test": test,
            "seed": int(seed),
            "round": int(round),
            "constraints_sha256": constraints_sha256,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def needs(self) -> str:
        """What a proof needs beside the published file and its manifest, in words."""
        return (
            "Only somebody who has the original records and the constraints can prove this release "
            "again (withhold verify --original FILE --constraints FILE). The published file shows "
            "that it is unchanged, and nothing else."
        )

    @property
    def method_for_strangers(self) -> str:
        """How a release is checked, without the round and the size of the sample, which would tell it."""
        if self.max_known is None:
            return "every set of items of every person's original record"
        if self.is_sampled:
            return f"random adversaries of each size from 1 to {self.max_known} ({self.test} test)"
        known = counted(self.max_known, "item")
        return f"every set of at most {known} of every person's original record"

    @property
    def sensitive(self) -> frozenset[str]:
        """The items that anybody fears."""
        return frozenset() if self.constraints is None else frozenset(self.constraints.items)

    @property
    def is_sampled(self) -> bool:
        """Whether a share of the adversaries may still succeed."""
        return self.epsilon is not None

    def with_originals(self, table: Records) -> PersonalRhoUncertainty:
        """The same model, for releases of ``table``."""
        return self._with(originals=table)

    def with_constraints(self, constraints: Constraints) -> PersonalRhoUncertainty:
        """The same model, knowing who fears what."""
        return self._with(constraints=constraints)

    def in_round(self, seed: int, round: int) -> PersonalRhoUncertainty:
        """The same model, confirmed by this sample."""
        return self._with(seed=seed, round=round)

    def _with(self, **changes: Any) -> PersonalRhoUncertainty:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return PersonalRhoUncertainty(**(values | changes))

    def as_global(self) -> RhoUncertainty | None:
        """The global model that asks exactly the same, if everybody fears the same items."""
        if self.constraints is None or self.is_sampled:
            return None
        shared = self.constraints.shared_by_all()
        return RhoUncertainty(self.rho, shared, max_known=self.max_known) if shared else None

    def promise(self) -> str:
        """What holds for a release that satisfies the model, in one sentence."""
        if self.max_known is None:
            who = "any items of a person's original record"
        else:
            who = f"at most {counted(self.max_known, 'item')} of a person's original record"
        what = (
            f"can infer no item that this person fears with a confidence above "
            f"{decimal_text(self.rho)}"
        )
        if self.epsilon is None:
            return f"Whoever knows {who}, or nothing at all, {what}."
        assert self.delta is not None
        return (
            f"Of those who know {who}, chosen at random, fewer than {percent(self.epsilon)} "
            f"succeed for each number of items known; the others {what}. "
            f"This was confirmed by a sample and is wrong with a chance of at most "
            f"{percent(self.delta)}."
        )

    def parameters(self) -> dict[str, Any]:
        """The parameters as plain values; who fears what is private and only named by its digest."""
        return {
            "model": self.name,
            "rho": decimal_text(self.rho),
            "max_known": self.max_known,
            "epsilon": None if self.epsilon is None else decimal_text(self.epsilon),
            "delta": None if self.delta is None else decimal_text(self.delta),
            "test": self.test,
            "seed": self.seed,
            "round": self.round,
            "constraints_sha256": self.constraints_sha256,
        }


def percent(share: Fraction) -> str:
    """A share as people say it.

    >>> percent(Fraction(1, 20)), percent(Fraction(1, 3))
    ('5 %', '33.3333 %')
    """
    return f"{float(share * 100):.6g} %"


def as_released(
    model: PersonalRhoUncertainty, originals: Records, options: Mapping[str, Any] | None
) -> PersonalRhoUncertainty:
    """The model as it is proved for a release of ``originals`` that was made with these options."""
    bound = model.with_originals(originals)
    if options is None or not model.is_sampled:
        return bound
    return bound.in_round(options["seed"], options["round"])
