"""Sensitive items apart, of people: attributes and public items as they are, in groups that share a list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar

from withhold.arguments import checked, names_in
from withhold.data.roles import SensitiveColumnsOption
from withhold.errors import PolicyError
from withhold.methods.apart.model import ApartModel
from withhold.options import Option, RhoOption, SensitiveOption, lacks


@dataclass(frozen=True, init=False)
class PeopleApart(ApartModel):
    """No group of people has a sensitive item in more than ρ of them, and none says whose it is.

    Parameters
    ----------
    rho
        The largest confidence allowed: text (``"0.7"``, ``"2/3"``), a Fraction, a Decimal or a number; exact.
    sensitive
        The names of the items that must not be inferred.
    quasi_identifiers
        The columns that are published unchanged.
    sensitive_column
        Columns whose values must not be inferred either; each value counts as a sensitive item.

    Raises
    ------
    PolicyError
        A threshold outside its range, nothing sensitive, or a column in two roles.

    Examples
    --------
    >>> print(PeopleApart("0.5", {"HIV"}, quasi_identifiers=["age", "sex"]).promise())
    Whoever finds a person's record by anything but its sensitive items, and takes all records of its group \
to be equally likely to hold what the group's list says, cannot infer the 1 sensitive item with a confidence \
above 0.5.
    """

    name: ClassVar[str] = "apart"
    label: ClassVar[None] = None

    quasi_identifiers: tuple[str, ...]
    """The columns that are published as they are, for all to know."""
    sensitive_column: tuple[str, ...]  # type: ignore[misc]  # records have none
    """The columns whose values are in the lists of groups, each a sensitive item."""

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
        columns = names_in(quasi_identifiers, name="quasi_identifiers")
        if isinstance(sensitive_column, str):
            sensitive_column = (sensitive_column,)
        protected = tuple(dict.fromkeys(names_in(sensitive_column, name="sensitive_column")))
        object.__setattr__(self, "sensitive_column", protected)
        super().__init__(rho, sensitive)
        if both := [name for name in protected if name in columns]:
            raise PolicyError(
                f"column {both[0]!r} cannot be a quasi-identifier and sensitive at once; what all may know "
                "is no secret"
            )
        if not columns:
            raise PolicyError("no quasi-identifiers were named; people need at least one")
        if len(set(columns)) < len(columns):
            raise PolicyError("a quasi-identifier is named twice; name each once")
        object.__setattr__(self, "quasi_identifiers", columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the model names."""
        return (*self.quasi_identifiers, *self.sensitive_column)
