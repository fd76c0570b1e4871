"""The options of searches that can improve what they found, the same for every method that has them."""

from __future__ import annotations

from typing import Annotated

from withhold.errors import PolicyError
from withhold.options import Option

A_WEEK = 7 * 24 * 3600

PolishOption = Annotated[
    float | None,
    Option(
        "Seconds to improve the release after the search.",
        repeated_by="polish_moves",
    ),
]
PolishMovesOption = Annotated[
    int | None,
    Option(
        "Moves to make instead; repeatable with --seed.",
        at_least=0,
    ),
]


def is_polished(polish: float | None, polish_moves: int | None) -> bool:
    """Whether a release is to be improved after the search; refuses contradictory options."""
    if polish is not None and not 0 < polish <= A_WEEK:
        raise PolicyError(
            f"polish must be above 0 seconds and at most {A_WEEK} (a week), not {polish}"
        )
    if polish is not None and polish_moves is not None:
        raise PolicyError("give either polish (seconds) or polish_moves (a number), not both")
    return polish is not None or polish_moves is not None
