"""The answer to "is this safe?": yes, no with a witness, or not decided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from withhold.escaping import one_line
from withhold.method import Finding
from withhold.shown import Shown
from withhold.wording import counted, percent


class Status(StrEnum):
    """The possible verdicts. UNDECIDED never counts as HOLDS, and CONFIRMED, by a sample, is not HOLDS.

    Examples
    --------
    >>> [(str(status), status.exit_code, status.may_be_published) for status in Status]
    [('HOLDS', 0, True), ('CONFIRMED', 0, True), ('BROKEN', 1, False), ('UNDECIDED', 5, False)]
    """

    HOLDS = "HOLDS"
    CONFIRMED = "CONFIRMED"
    BROKEN = "BROKEN"
    UNDECIDED = "UNDECIDED"

    @property
    def exit_code(self) -> int:
        return {"HOLDS": 0, "CONFIRMED": 0, "BROKEN": 1, "UNDECIDED": 5}[self.value]

    @property
    def may_be_published(self) -> bool:
        """Whether a release with this verdict keeps the promise that was asked for."""
        return self in (Status.HOLDS, Status.CONFIRMED)


@dataclass(frozen=True)
class Verdict(Shown):
    """The outcome of an exact check, and how it was reached.

    Examples
    --------
    >>> import withhold as wh
    >>> verdict = wh.verify([["milk", "beer"], ["milk"]], wh.RhoUncertainty("0.4", {"beer"}))
    >>> str(verdict.status), bool(verdict), str(verdict.witness)
    ('BROKEN', False, 'nothing → beer: 1 of 2 (50.0%)')
    """

    status: Status
    method: str
    """What was checked, in words."""
    checked: int
    """How many closed sets, antecedents or groups were checked."""
    seconds: float
    witness: Finding | None = None
    """For BROKEN: what breaks the model."""
    witness_is_smallest: bool = False
    """Whether it was shown that nothing smaller breaks the model."""
    unit: str = "sets"
    """What was counted in ``checked``."""
    confidence: Fraction | None = None
    """For CONFIRMED: how sure the sample makes us."""

    @property
    def words(self) -> str:
        """The status in words.

        >>> Verdict(Status.CONFIRMED, "600 draws", 600, 0.1, confidence=Fraction(19, 20)).words
        'CONFIRMED WITH 95% CONFIDENCE'
        """
        if self.confidence is None:
            return self.status.value
        return f"{self.status.value} WITH {percent(self.confidence, None)} CONFIDENCE"

    def of_promise(self, promise: str) -> str:
        """The promise and whether it is kept, as a sentence.

        >>> Verdict(Status.BROKEN, "", 1, 0.1).of_promise("Nobody can infer it.")
        'This promise is broken: nobody can infer it.'
        """
        told = {Status.BROKEN: "This promise is broken", Status.UNDECIDED: "This is not decided"}
        return f"{told.get(self.status, 'It holds')}: {promise[0].lower()}{promise[1:]}"

    def __repr__(self) -> str:
        """The status, and what breaks the model or how much was checked.

        >>> Verdict(Status.HOLDS, "every closed set", 1200, 0.1)
        <Verdict HOLDS: 1,200 sets checked>
        """
        if self.witness is not None:
            told = one_line(str(self.witness))
        elif self.status is Status.UNDECIDED:
            told = self.method
        else:
            told = f"{counted(self.checked, self.unit.removesuffix('s'), self.unit)} checked"
        return f"<Verdict {self.words}: {told}>"

    def __bool__(self) -> bool:
        """True only for HOLDS."""
        return self.status is Status.HOLDS
