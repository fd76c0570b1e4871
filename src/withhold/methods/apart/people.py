"""Sensitive items apart, of people: attributes and public items as they are, in groups that share a list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from withhold.arguments import checked, names_in
from withhold.errors import PolicyError
from withhold.formats.reading_options import PeopleReading
from withhold.lazy import later
from withhold.methods.apart import METHOD as OF_RECORDS
from withhold.methods.apart.model import RhoOption, SensitiveApart, SensitiveOption
from withhold.options import Option, lacks


@dataclass(frozen=True, init=False)
class PeopleApart(SensitiveApart):
    """No group of people has a sensitive item in more than ρ of them, and none says whose it is.

    >>> print(PeopleApart("0.5", {"HIV"}, quasi_identifiers=["age", "sex"]).promise())
    Whoever finds a person's record by anything but its sensitive items, and takes all records of its group \
to be equally likely to hold what the group's list says, cannot infer the 1 sensitive item with a confidence \
above 0.5.
    """

    name: ClassVar[str] = "people-apart"
    label: ClassVar[None] = None
    sensitive_column: ClassVar[tuple[str, ...]] = ()

    quasi_identifiers: tuple[str, ...]
    """The columns that are published as they are, for all to know."""

    @checked
    def __init__(
        self,
        rho: RhoOption,
        sensitive: SensitiveOption,
        *,
        quasi_identifiers: Annotated[
            Iterable[str],
            Option(
                "The columns that somebody may know of a person, with commas between; they are published "
                "as they are.",
                kind="columns",
                missing="use --quasi-identifiers age,sex,zip",
                weaker=lacks,
            ),
        ],
    ) -> None:
        super().__init__(rho, sensitive)
        columns = names_in(quasi_identifiers, name="quasi_identifiers")
        if not columns:
            raise PolicyError("no quasi-identifiers were named; people need at least one")
        if len(set(columns)) < len(columns):
            raise PolicyError("a quasi-identifier is named twice; name each once")
        object.__setattr__(self, "quasi_identifiers", columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the model names."""
        return self.quasi_identifiers


METHOD = replace(
    OF_RECORDS,
    model=PeopleApart,
    data="people",
    reading_options=PeopleReading,
    column_roles=later("withhold.methods.apart.roles:roles_of_people"),
)
