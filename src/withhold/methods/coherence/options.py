"""How items are chosen for suppression: the options, each defined once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from withhold.errors import PolicyError
from withhold.method import SearchOptions
from withhold.options import Option

KeepOption = Annotated[
    Literal["itemsets", "items", "best"],
    Option("itemsets (default), items, or best of both."),
]
NuggetOption = Annotated[
    int | None,
    Option(
        "Itemsets in so many records are worth keeping; if not given 0.1 % of the records, at least k.",
        at_least=1,
    ),
]
CountingOption = Annotated[
    Literal["fast", "borders"],
    Option("fast (default), or borders as the paper has it, for small files."),
]
RestoreOption = Annotated[
    bool,
    Option("Undo every deletion that can be undone (default).", spelt="--restore/--no-restore"),
]


@dataclass(frozen=True, kw_only=True)
class CoherenceSearch(SearchOptions):
    """What to keep, and how it is counted."""

    keep: KeepOption = "itemsets"
    nugget_support: NuggetOption = None
    counting: CountingOption = "fast"
    restoring: RestoreOption = True

    def __post_init__(self) -> None:
        if self.counting == "borders" and self.keep != "itemsets":
            raise PolicyError("counting=borders is for keep=itemsets")
