"""Sensitive items apart from their records (Anatomy, Xiao and Tao 2006; CAHD, Ghinita, Tao and Kalnis 2008).

Public items stay in their records, which are published in groups; for sensitive items, only the number of
records of a group that hold each is published.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

from withhold.arguments import checked, names_in
from withhold.data.by_fields import ByFields
from withhold.data.dated_items import has_dates
from withhold.data.names import clean_set
from withhold.errors import PolicyError
from withhold.exact import decimal_text, exact_threshold
from withhold.methods.apart.secrets import Secrets, records_of
from withhold.options import RhoOption, SensitiveOption
from withhold.wording import none_inferred

if TYPE_CHECKING:
    from withhold.data import People, Records


@dataclass(frozen=True, init=False)
class ApartModel(ByFields):
    """What the models with sensitive items apart have in common, for records and for people."""

    name: ClassVar[str]
    needs: ClassVar[str] = ""

    sensitive_column: ClassVar[tuple[str, ...]] = ()

    rho: Fraction
    sensitive: frozenset[str]
    dated: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether the data have items with dates, which the promise then mentions; they are set apart anyway."""

    @checked
    def __init__(
        self,
        rho: RhoOption,
        sensitive: SensitiveOption,
    ) -> None:
        items = clean_set(names_in(sensitive, name="sensitive"), "sensitive")
        if not items and not self.sensitive_column:
            raise PolicyError("no sensitive items were named; there is nothing to set apart")
        self._set(rho=exact_threshold(rho, name="rho"), sensitive=items, dated=False)

    def about(self, data: Records | People) -> Self:
        """The same model, whose promise mentions dates if the items have any."""
        made = copy(self)
        made._set(dated=has_dates(records_of(data, ())))
        return made

    def promise(self) -> str:
        """What holds for records that satisfy the model, in one sentence."""
        return (
            "Whoever finds a person's record by anything but its sensitive items, and takes all records of "
            "its group to be equally likely to hold what the group's list says, "
            f"{none_inferred(len(self.sensitive), self.sensitive_column, dated=self.dated)} with a "
            f"confidence above {decimal_text(self.rho)}."
        )

    @property
    def secrets(self) -> Secrets:
        """What is sensitive, by its name."""
        return Secrets(self.sensitive, self.sensitive_column)


@dataclass(frozen=True, init=False)
class SensitiveApart(ApartModel):
    """No group has a sensitive item in more than ρ of its records.

    The sensitive items of a group are published as a list that does not say which record has which.

    Parameters
    ----------
    rho, sensitive
        As for ``RhoUncertainty``.

    Raises
    ------
    PolicyError
        A threshold outside 0 to 1, or no sensitive items.

    Examples
    --------
    >>> model = SensitiveApart(rho="0.5", sensitive={"condom"})
    >>> print(model.promise())
    Whoever finds a person's record by anything but its sensitive items, and takes all records of its group \
to be equally likely to hold what the group's list says, cannot infer the sensitive item with a confidence \
above 0.5.
    """

    name: ClassVar[str] = "apart"
