"""How a release under ρ-uncertainty is searched: the options, each defined once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from withhold.errors import PolicyError, option
from withhold.formats.item_trees import CO_OCCURRENCE, TreeSource
from withhold.method import SearchOptions
from withhold.options import Option
from withhold.polished_search import PolishMovesOption, PolishOption, is_polished

KeepOption = Annotated[
    Literal["rules", "distribution"],
    Option("What to preserve: rules (default) or distribution."),
]
PickOption = Annotated[
    Literal["longest", "random"] | None,
    Option("Which records lose an item: longest or random."),
]
RestoreOption = Annotated[
    bool,
    Option("Undo every deletion that can be undone (default).", spelt="--restore/--no-restore"),
]
BudgetOption = Annotated[
    float | None,
    Option("Seconds to search; sensitive items that are not safe by then are removed."),
]
MOST_OCCURRENCES = 2_000_000
"""In larger data the bound is computed only if it is asked for."""
BoundOption = Annotated[
    bool | None,
    Option(
        "Also compute the least that every safe release by deletion must withhold.",
        spelt="--bound/--no-bound",
        varies=False,
    ),
]


@dataclass(frozen=True, kw_only=True)
class RhoSearch(SearchOptions):
    """What to keep, and how long to look for it."""

    keep: Annotated[
        Literal["rules", "distribution", "counts", "sensitive"],
        Option("What to preserve: rules (default), distribution, counts or sensitive."),
    ] = "rules"
    pick: PickOption = None
    restoring: Annotated[
        bool | None,
        Option(
            "Undo every deletion that can be undone; if not given, only where that usually helps.",
            spelt="--restore/--no-restore",
        ),
    ] = None
    parts: Annotated[
        int | None,
        Option("Split the records into N parts: 2 or 4 for large files.", at_least=1),
    ] = None
    max_cost: Annotated[
        float | None, Option("Split in halves until each part costs less (as in the paper).")
    ] = None
    budget: BudgetOption = None
    hierarchy: Annotated[
        TreeSource | None,
        Option(
            "Publish public items as groups: a file, prefix, fan-out:10 or co-occurrence. Requires "
            "--detail or --cut; alone, lists what each choice costs.",
            kind="file",
        ),
    ] = None
    detail: Annotated[
        float | None,
        Option(
            "With --hierarchy: from 0 (withhold least) to 1 (keep every item as it is).",
            at_least=0,
            at_most=1,
        ),
    ] = None
    cut: Annotated[
        str | int | os.PathLike[str] | Iterable[str] | None,
        Option(
            "With --hierarchy: a level (0 is the root), or a file with one node per line.",
            kind="file",
        ),
    ] = None
    bound: BoundOption = None
    polish: PolishOption = None
    polish_moves: PolishMovesOption = None

    def __post_init__(self) -> None:
        check_budget(self.budget)
        self._check_polish()
        unused = [name for name in ("pick", "parts", "max_cost") if getattr(self, name) is not None]
        if self.keep == "counts" and unused:
            raise PolicyError(
                f"{unused[0]} is not for keep=counts, which takes an item from all records or from none; "
                "leave it out"
            )
        for name in ("detail", "cut"):
            if getattr(self, name) is not None and self.hierarchy is None:
                raise PolicyError(f"{option(name)} requires {option('hierarchy')}")
        if self.bound and self.hierarchy is not None:
            raise PolicyError(
                f"{option('bound')} is about releases that only delete; leave it out with "
                f"{option('hierarchy')}"
            )
        if self.detail is not None and self.cut is not None:
            raise PolicyError(
                f"{option('detail')} chooses the groups and {option('cut')} names them; leave one out"
            )

    @property
    def polishes(self) -> bool:
        """Whether the release is to be improved after the search."""
        return is_polished(self.polish, self.polish_moves)

    def _check_polish(self) -> None:
        if self.polishes and self.keep in ("distribution", "counts"):
            raise PolicyError(
                f"polishing would undo what keep={self.keep} is for; leave it out, or choose keep=rules "
                "or keep=sensitive"
            )


def check_budget(budget: float | None) -> None:
    """Refuse a budget in which nothing could be done."""
    if budget is not None and not budget > 0:
        raise PolicyError(f"the budget must be above 0 seconds, not {budget}")


def not_by_parts(model: object, options: RhoSearch, given: Mapping[str, object]) -> str:
    """Why records cannot be released part by part: what is one choice for all of them."""
    if options.keep == "counts" and options.budget is not None:
        return f"with {option('keep', 'counts')} no part can be cut short; leave {option('budget')} out"
    if options.hierarchy is None:
        return ""
    if options.keep == "counts":
        return f"{option('keep', 'counts')} and {option('hierarchy')} would be two choices for all parts"
    if options.hierarchy == CO_OCCURRENCE:
        return (
            "items that are held together are found in all records at once; name a file, or prefix"
        )
    if options.cut is None:
        return (
            f"what detail costs is found by searching all records; name the groups with {option('cut')}, "
            "after looking at a sample in memory"
        )
    return ""
