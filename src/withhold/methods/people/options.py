"""How people are searched: the options, each defined once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from withhold.data.roles import ColumnTreesOption
from withhold.errors import PolicyError, option
from withhold.method import SearchOptions
from withhold.options import Option

WEIGHT = 1.0
"""As measured; see docs/decisions/0034-people.md."""


@dataclass(frozen=True, kw_only=True)
class PeopleSearch(SearchOptions):
    """The weight of a cell, and what may replace it."""

    weight: Annotated[
        float,
        Option(
            "How much cells count against sensitive items (default 1); more keeps more cells.",
            at_least=0,
        ),
    ] = WEIGHT
    hierarchy: ColumnTreesOption = None

    def __post_init__(self) -> None:
        if not math.isfinite(self.weight):
            raise PolicyError(f"{option('weight')} must be a number such as 1, not {self.weight}")
