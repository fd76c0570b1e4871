"""How people are searched: the options, each defined once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from withhold.data.roles import PublishOption
from withhold.method import SearchOptions
from withhold.options import Option

WEIGHT = 1.0
"""As measured; see docs/decisions/0034-people.md."""


@dataclass(frozen=True, kw_only=True)
class PeopleSearch(SearchOptions):
    """What a cell is worth, and what it may become."""

    weight: Annotated[
        float,
        Option(
            "How much cells of quasi-identifiers count against sensitive items: 1 (default) if withholding a "
            "percent of either is as bad; more keeps more cells, less keeps more sensitive items.",
            at_least=0,
        ),
    ] = WEIGHT
    hierarchy: Annotated[
        Mapping[str, Any] | str | None,
        Option(
            "What values can be generalised to: COLUMN=FILE, or COLUMN= and a way to build one (width:5, "
            "quantiles:8, edges:18,40,65, dates, prefix, frequency:0.01); with commas between.",
            kind="file",
        ),
    ] = None
    publish: PublishOption = ()
