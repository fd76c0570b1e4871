"""Sensitive items apart, for people: attributes and public items unchanged, in groups that share a list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar

from withhold.arguments import checked
from withhold.data.roles import (
    SensitiveColumnsOption,
    known_columns,
    refuse_known,
    secret_columns,
)
from withhold.methods.apart.model import ApartModel
from withhold.options import Option, RhoOption, SensitiveOption, lacks


@dataclass(frozen=True, init=False)
class PeopleApart(ApartModel):
    """No group has a sensitive item for more than ρ of its people.

    The sensitive items of a group are published as a list that does not say whose they are.

    Parameters
    ----------
    rho, sensitive, sensitive_column
        As for ``PeopleUncertainty``.
    quasi_identifiers
        The columns that are published unchanged.

    Raises
    ------
    PolicyError
        A threshold outside its range, nothing sensitive, or a column in two roles.

    Examples
    --------
    >>> print(PeopleApart("0.5", {"HIV"}, quasi_identifiers=["age", "sex"]).promise())
    Whoever finds a person's record by anything but its sensitive items, and takes all records of its group \
to be equally likely to hold what the group's list says, cannot infer the sensitive item with a confidence \
above 0.5.
    """

    name: ClassVar[str] = "apart"
    label: ClassVar[None] = None

    quasi_identifiers: tuple[str, ...]
    """The columns that are published unchanged, and that others may know."""
    sensitive_column: tuple[str, ...]  # type: ignore[misc]  # records have none
    """The columns whose values are in the lists of groups, each as a sensitive item."""

    @checked
    def __init__(
        self,
        rho: RhoOption,
        sensitive: SensitiveOption = (),
        *,
        quasi_identifiers: Annotated[
            Iterable[str],
            Option(
                "Columns that somebody may know of a person; published as they are.",
                kind="columns",
                missing="use --quasi-identifiers age,sex,zip",
                weaker=lacks,
            ),
        ],
        sensitive_column: SensitiveColumnsOption = (),
    ) -> None:
        protected = secret_columns(sensitive_column)
        self._set(sensitive_column=protected)
        super().__init__(rho, sensitive)
        columns = known_columns(quasi_identifiers, "people need at least one")
        refuse_known(protected, columns, "sensitive", "all")
        self._set(quasi_identifiers=columns)

    @property
    def withheld_columns(self) -> tuple[str, ...]:
        """The columns of which cells are withheld: all others are published as they are."""
        return self.sensitive_column
