"""ρ-uncertainty of people: attributes and items of the same persons, published together.

Persons with equal published quasi-identifiers are a *group*; a withheld cell is a value of its own, and so
is a blank. Every group must have at least k persons, and its items alone must be ρ-uncertain, what can be
said without knowing any item included. Whatever is known of attributes leaves a union of groups, and a share
that no group exceeds is exceeded by no union of them; docs/decisions/0034 has the argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar

from withhold.arguments import checked, names_in
from withhold.data.by_fields import ByFields
from withhold.data.dated_items import has_dates
from withhold.data.names import clean_set
from withhold.data.roles import (
    QuasiIdentifiersOption,
    SensitiveColumnsOption,
    known_columns,
    named_columns,
    refuse_known,
    secret_columns,
)
from withhold.errors import PolicyError, option
from withhold.exact import decimal_text, exact_threshold
from withhold.methods.coherence.model import at_least_one
from withhold.methods.km.model import KmAnonymity
from withhold.methods.rho.model import MaxKnownOption, RhoUncertainty
from withhold.options import ITEMS_HELP, K_HELP, K_MISSING, Option, RhoOption, lacks, smaller
from withhold.wording import counted, listing, none_inferred, so_many

if TYPE_CHECKING:
    from withhold.data.people import People


@dataclass(frozen=True, init=False)
class PeopleUncertainty(ByFields):
    """Nobody can infer a sensitive item of a person above ρ.

    This holds whatever attributes and items of that person somebody knows; with ``max_known``, if they know
    at most this many items.

    Parameters
    ----------
    rho, sensitive
        As for ``RhoUncertainty``.
    k
        The fewest persons with the same published quasi-identifiers.
    quasi_identifiers
        As for ``KAnonymity``.
    max_known
        As for ``RhoUncertainty``.
    sensitive_column
        Columns whose values must not be inferred either; each value counts as a sensitive item.
    km
        Any set of this many public items of a person is shared by at least k persons of the group; None:
        not required.

    Raises
    ------
    PolicyError
        A threshold outside its range, nothing sensitive, or a column in two roles.

    Examples
    --------
    >>> model = PeopleUncertainty("0.5", {"HIV"}, k=5, quasi_identifiers=["age", "sex"], max_known=1)
    >>> print(model.promise())
    Whoever knows anything about a person's age and sex, and at most 1 item of the published record, cannot \
infer the sensitive item with a confidence above 0.5; and every person shares all published values of age \
and sex with at least 4 others.
    """

    name: ClassVar[str] = "people"
    needs: ClassVar[str] = ""
    label: ClassVar[None] = None

    rho: Fraction
    sensitive: frozenset[str]
    """The items that must not be inferred."""
    k: int
    quasi_identifiers: tuple[str, ...]
    """The columns that others may know of a person."""
    max_known: int | None
    """The attacker knows at most this many items; None: any number."""
    sensitive_column: tuple[str, ...]
    """The columns whose values must not be inferred either; each value counts as a sensitive item."""
    km: int | None
    """Any set of this many public items of a person is shared by k of the group; None: not required."""
    dated: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether the data have items with dates, which the promise then mentions; they are protected anyway."""

    @checked
    def __init__(
        self,
        rho: RhoOption,
        sensitive: Annotated[
            Iterable[str],
            Option(ITEMS_HELP, kind="items", missing="use --sensitive FILE", weaker=lacks),
        ] = (),
        *,
        k: Annotated[int, Option(K_HELP, at_least=1, missing=K_MISSING, weaker=smaller)],
        quasi_identifiers: QuasiIdentifiersOption,
        max_known: MaxKnownOption = None,
        sensitive_column: SensitiveColumnsOption = (),
        km: Annotated[
            int | None,
            Option(
                "(k, k^m)-anonymity: k persons share any N public items, too. Withholds many items.",
                at_least=1,
                weaker=smaller,
            ),
        ] = None,
    ) -> None:
        items = clean_set(names_in(sensitive, name="sensitive"), "sensitive")
        protected = secret_columns(sensitive_column)
        if not items and not protected:
            raise PolicyError(
                f"nothing sensitive was named; name items with {option('sensitive')}, or columns with "
                f"{option('sensitive_column')}"
            )
        columns = known_columns(quasi_identifiers, "people need at least one")
        refuse_known(protected, columns, "sensitive")
        if isinstance(k, bool) or k < 1:
            raise PolicyError(f"k must be a whole number of at least 1, not {k!r}")
        if km is not None and k == 1:
            raise PolicyError(
                f"{option('km')} asks for k persons with the same items, and k is 1, which everybody is; "
                "choose a larger k"
            )
        self._set(
            rho=exact_threshold(rho, name="rho"),
            sensitive=items,
            k=int(k),
            quasi_identifiers=columns,
            max_known=None if max_known is None else int(max_known),
            sensitive_column=protected,
            km=None if km is None else at_least_one(km, name="km"),
            dated=False,
        )

    @property
    def withheld_columns(self) -> tuple[str, ...]:
        """The columns of which cells may be withheld: all that are named."""
        return named_columns(self)

    def knowing(self, max_known: int | None) -> PeopleUncertainty:
        """The same model against somebody who knows at most this many items."""
        return replace(self, max_known=max_known)

    def about(self, people: People) -> PeopleUncertainty:
        """The same model, whose promise mentions dates if the people's items have any."""
        made = copy(self)
        made._set(dated=has_dates(people.items))
        return made

    def within_groups(self, sensitive: Iterable[str]) -> RhoUncertainty:
        """The model for records in which each group has items of its own, if at least one item is known.

        Whoever knows an item there knows the group. The empty antecedent, which spans all groups, is left
        out: what follows from knowing no item is tested for each group by itself.
        """
        return RhoUncertainty(self.rho, sensitive, max_known=self.max_known, ignore_prior=True)

    def of_public_items(self) -> KmAnonymity | None:
        """The model for public items of which each group has its own, if that is required."""
        return None if self.km is None else KmAnonymity(self.k, self.km)

    def promise(self) -> str:
        """What holds for people that satisfy the model, in one sentence."""
        known = listing(self.quasi_identifiers)
        items = f"{so_many(self.max_known, 'item')} of the published record"
        if self.dated and self.max_known != 0:
            items += f", with or without {'its date' if self.max_known == 1 else 'their dates'}"
        secrets = none_inferred(len(self.sensitive), self.sensitive_column, dated=self.dated)
        also = "" if self.km is None else f", and any {_public_items(self.km)},"
        shared = (
            f"; and every person shares all published values of {known}{also} with at least "
            f"{counted(self.k - 1, 'other')}"
        )
        if self.k == 1:
            shared = f"; nothing is promised about finding the person by {known}, since k is 1"
        return (
            f"Whoever knows anything about a person's {known}, and {items}, "
            f"{secrets} with a confidence above {decimal_text(self.rho)}{shared}."
        )


def _public_items(most: int) -> str:
    if most == 1:
        return "item that is not sensitive"
    return f"{counted(most, 'item')} or fewer that are not sensitive"
