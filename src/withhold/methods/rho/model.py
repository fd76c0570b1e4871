"""ρ-uncertainty (Cao et al. 2010): no sensitive item can be inferred with confidence above ρ.

Whole numbers decide: ρ is an exact fraction, and a rule q→e is unsafe iff
``sup(qe) * denominator > numerator * sup(q)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol

from withhold.arguments import checked, names_in
from withhold.data.by_fields import ByFields
from withhold.data.groups import Groups, GroupsOption
from withhold.data.names import clean_set
from withhold.data.tree_building import some
from withhold.errors import PolicyError
from withhold.exact import decimal_text, exact_threshold
from withhold.options import (
    Option,
    RhoOption,
    SensitiveOption,
    fewer,
    said_only_by_offered,
)
from withhold.wording import none_of, percent, so_many

MaxKnownOption = Annotated[
    int | None,
    Option(
        "Most items an attacker may know; any if not given.",
        at_least=0,
        weaker=fewer,
    ),
]


NEARLY_SURE = Fraction(4, 5)
"""From this confidence on, a warning says in words what is allowed."""


class BoundsKnowledge(Protocol):
    """A model that says how many items an attacker knows, and how sure of a sensitive one they may be."""

    @property
    def max_known(self) -> int | None:
        """At most this many; None: any number."""
        ...

    @property
    def rho(self) -> Fraction:
        """The largest confidence allowed."""
        ...


def weak_promises(data: object, model: BoundsKnowledge) -> tuple[str, ...]:
    """Warnings about a promise that is kept and protects hardly anybody, whatever the data.

    Other tools mean "no bound" by 0.
    """
    found = []
    if model.max_known == 0:
        found.append(
            "max-known 0 promises nothing about somebody who knows one item of a person; leave --max-known "
            "out to protect from any number"
        )
    if model.rho >= NEARLY_SURE:
        found.append(
            f"with rho {decimal_text(model.rho)} an attacker may be {percent(model.rho, None)} sure of a "
            "sensitive item of a person; 0.5 is usual"
        )
    return tuple(found)


class Limits(NamedTuple):
    """The model as the kernels take it: ρ is num/den."""

    num: Any
    den: Any
    with_prior: Any
    """Whether the empty antecedent counts."""


@dataclass(frozen=True, init=False)
class RhoUncertainty(ByFields):
    """Nobody can infer a sensitive item with confidence above ρ.

    This holds whatever items of a record somebody knows; with ``max_known``, if they know at most this many.

    Parameters
    ----------
    rho
        The largest confidence allowed: text (``"0.7"``, ``"2/3"``), a Fraction, a Decimal or a number; exact.
    sensitive
        The names of the items that must not be inferred.
    max_known
        The most items that an attacker may know; None: any number.
    ignore_prior
        Leave out the empty antecedent: what can be inferred without knowing anything.
    groups
        Set by a search with a hierarchy; not meant to be given.

    Raises
    ------
    PolicyError
        A threshold outside 0 to 1 or with more than nine decimals, or no sensitive items.

    Examples
    --------
    >>> model = RhoUncertainty(rho="0.7", sensitive={"condom"})
    >>> model.rho
    Fraction(7, 10)
    >>> print(model.promise())
    Whoever knows any items of a person's record, or nothing at all, cannot infer the sensitive \
item with a confidence above 0.7.
    """

    name: ClassVar[str] = "rho"
    needs: ClassVar[str] = ""

    rho: Fraction
    sensitive: frozenset[str]
    max_known: int | None
    """The attacker knows at most this many items; None: any number."""
    ignore_prior: bool
    """Leave out the empty antecedent: what can be inferred about everybody without knowing anything."""
    groups: Groups | None
    """What the public items are published as; None: each as itself."""

    @checked
    def __init__(
        self,
        rho: RhoOption,
        sensitive: SensitiveOption,
        *,
        max_known: MaxKnownOption = None,
        ignore_prior: Annotated[
            bool,
            Option("Allow inferences that need no known item.", weaker=said_only_by_offered),
        ] = False,
        groups: GroupsOption = None,
    ) -> None:
        items = clean_set(names_in(sensitive, name="sensitive"), "sensitive")
        if not items:
            raise PolicyError("no sensitive items were named; ρ-uncertainty needs at least one")
        if max_known == 0 and ignore_prior:
            raise PolicyError("max_known=0 with ignore_prior leaves nothing to protect from")
        self._set(
            rho=exact_threshold(rho, name="rho"),
            sensitive=items,
            max_known=None if max_known is None else int(max_known),
            ignore_prior=bool(ignore_prior),
            groups=_checked_groups(groups, items),
        )

    @property
    def limits(self) -> Limits:
        """ρ, and whether the empty antecedent counts."""
        return Limits(self.rho.numerator, self.rho.denominator, not self.ignore_prior)

    def for_records_up_to(self, longest: int) -> RhoUncertainty:
        """The same model without ``max_known`` if no record is long enough for that limit to matter."""
        if self.max_known is None or self.max_known < longest:
            return self
        return replace(self, max_known=None)

    def under(self, groups: Groups) -> RhoUncertainty:
        """The same model of records whose public items are published as these groups."""
        return replace(self, groups=groups)

    def promise(self) -> str:
        """What holds for a table that satisfies the model, in one sentence."""
        who = f"{so_many(self.max_known, 'item')} of a person's record"
        if self.groups is not None:
            who += ", each seen as the group it is published under"
        prior = "" if self.ignore_prior or self.max_known == 0 else ", or nothing at all"
        comma = "," if prior or self.groups is not None else ""
        return (
            f"Whoever knows {who}{prior}{comma} "
            f"{none_of(len(self.sensitive), 'sensitive item')} with a confidence above "
            f"{decimal_text(self.rho)}."
        )


def _checked_groups(
    groups: Groups | Mapping[str, Iterable[str]] | None, sensitive: frozenset[str]
) -> Groups | None:
    """The groups; refuses those that stand for a sensitive item, or are called like one."""
    if groups is None:
        return None
    made = Groups.of(groups)
    if mixed := sorted((made.items | made.names) & sensitive):
        raise PolicyError(f"sensitive items must not be in groups, nor name them: {some(mixed)}")
    return made
