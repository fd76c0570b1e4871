"""The answer to "is this safe?": yes, no with a witness, or not decided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from withhold.models.model import Finding


class Status(StrEnum):
    """The three possible answers. UNDECIDED never counts as HOLDS."""

    HOLDS = "HOLDS"
    BROKEN = "BROKEN"
    UNDECIDED = "UNDECIDED"

    @property
    def exit_code(self) -> int:
        return {"HOLDS": 0, "BROKEN": 1, "UNDECIDED": 5}[self.value]


@dataclass(frozen=True)
class Verdict:
    """The outcome of an exact check, and how it was reached."""

    status: Status
    method: str
    """What was looked at, in words."""
    checked: int
    """How many closed sets, antecedents or groups were looked at."""
    seconds: float
    witness: Finding | None = None
    """For BROKEN: what breaks the model."""
    witness_is_smallest: bool = False
    """Whether it was shown that nothing smaller breaks the model."""
    unit: str = "sets"
    """What was counted in ``checked``."""

    def __bool__(self) -> bool:
        """True only for HOLDS."""
        return self.status is Status.HOLDS
