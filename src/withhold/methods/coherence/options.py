"""How items are chosen for suppression: the options, each defined once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from withhold.errors import PolicyError, option
from withhold.method import SearchOptions
from withhold.methods.coherence.model import Coherent
from withhold.options import Option

KeepOption = Annotated[
    Literal["itemsets", "items", "best"],
    Option("What to preserve: itemsets (default), items, or best (the better of both)."),
]
NuggetOption = Annotated[
    int | None,
    Option(
        "Itemsets in at least N records are worth keeping (default: 0.1% of the records, at least k).",
        at_least=1,
    ),
]
CountingOption = Annotated[
    Literal["fast", "borders"],
    Option("fast (default), or borders (as in the paper, for small files)."),
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


MOST_KNOWN = 3
"""Items that an attacker knows, at most, in a release by parts: the counts of larger sets do not fit."""


def not_by_parts(model: Coherent, options: CoherenceSearch, given: Mapping[str, Any]) -> str:
    """Why records cannot be released part by part."""
    if model.p is None or model.p > MOST_KNOWN:
        return f"sets of more than {MOST_KNOWN} items are not counted over parts; choose a smaller p or m"
    if given.get("keep", "items") != "items":
        return "itemsets are not counted over parts; use --keep items, or leave it out"
    if options.counting != "fast" or options.nugget_support is not None:
        name = "nugget_support" if options.counting == "fast" else "counting"
        return f"{option(name)} is about itemsets, which are not counted over parts; leave it out"
    return ""
