"""How far a run over parts is, and how long it will go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class Pace:
    """What the parts that are finished say about those that are not.

    Parts that an earlier run proved are only proved again, which is quicker, so they say nothing about the
    others. As many parts as there are workers are made at the same time.
    """

    total: int
    workers: int
    known: int = 0
    """Parts of an earlier run, which may all be kept."""
    done: int = 0
    resumed: int = 0
    seconds: float = 0.0
    """What the parts made by this run took together."""

    def add(self, outcome: Any) -> None:
        """Count a part that is finished, or failed."""
        self.done += 1
        if getattr(outcome, "resumed", False):
            self.resumed += 1
        else:
            self.seconds += outcome.seconds

    @property
    def left(self) -> float | None:
        """Seconds that are left at this pace; None until a part was made.

        >>> from types import SimpleNamespace
        >>> pace = Pace(total=10, workers=2, known=4)
        >>> pace.add(SimpleNamespace(resumed=True, seconds=0.1))
        >>> pace.left
        >>> pace.add(SimpleNamespace(resumed=False, seconds=6.0))
        >>> pace.left
        15.0
        """
        made = self.done - self.resumed
        if not made:
            return None
        still_known = max(self.known - self.resumed, 0)
        to_make = max(self.total - self.done - still_known, 0)
        return self.seconds / made * to_make / min(self.workers, max(to_make, 1))

    def __str__(self) -> str:
        """As a bar says it.

        >>> print(Pace(total=10, workers=1, done=4, seconds=120.0))
        parts: 4 of 10, about 3 min left
        """
        shown = f"parts: {self.done} of {self.total}"
        if self.left is None or self.done == self.total:
            return shown
        left = f"{self.left:.0f} s" if self.left < 120 else f"{self.left / 60:.0f} min"
        return f"{shown}, about {left} left"
