"""The options of searches that can go on improving what they found, the same for every method that has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from withhold.errors import PolicyError
from withhold.method import SearchOptions
from withhold.options import Option

A_WEEK = 7 * 24 * 3600


@dataclass(frozen=True, kw_only=True)
class PolishedSearch(SearchOptions):
    """Of a search whose result can be improved for as long as somebody wants to wait."""

    polish: Annotated[
        float | None,
        Option(
            "Seconds to improve the release after the search; safe whenever it ends.",
            repeated_by="polish_moves",
        ),
    ] = None
    polish_moves: Annotated[
        int | None,
        Option(
            "Improve it by so many moves instead: with the same seed, as many make the same release.",
            at_least=0,
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.polish is not None and not 0 < self.polish <= A_WEEK:
            raise PolicyError(
                f"polish must be above 0 seconds and at most {A_WEEK} (a week), not {self.polish}"
            )
        if self.polish is not None and self.polish_moves is not None:
            raise PolicyError("give either polish (seconds) or polish_moves (a number), not both")

    @property
    def polishes(self) -> bool:
        """Whether the release is to be improved after the search."""
        return self.polish is not None or self.polish_moves is not None
