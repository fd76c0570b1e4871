"""How a release under personalised ρ-uncertainty is searched: the options, each defined once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from withhold.method import SearchOptions
from withhold.methods.rho.options import BudgetOption, KeepOption, RestoreOption, check_budget
from withhold.options import ITEMS_HELP, Option


@dataclass(frozen=True, kw_only=True)
class PersonalFiles:
    """What people want protected, in files that are about the data."""

    constraints: Annotated[
        str,
        Option(
            "Who wants what protected: a file with the columns record and item; record * means "
            "everybody.",
            kind="file",
            missing="use --constraints FILE, with the columns record and item",
        ),
    ]
    sensitive: Annotated[Iterable[str] | None, Option(ITEMS_HELP, kind="items")] = None
    hierarchy: Annotated[
        str | None,
        Option("A file: its categories in the constraints stand for their items.", kind="file"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class PersonalSearch(SearchOptions):
    """What to keep, and how long to look for it."""

    keep: KeepOption = "rules"
    pick: Annotated[
        Literal["longest", "random"], Option("Which records lose an item: longest or random.")
    ] = "longest"
    restoring: RestoreOption = True
    budget: BudgetOption = None

    def __post_init__(self) -> None:
        check_budget(self.budget)
