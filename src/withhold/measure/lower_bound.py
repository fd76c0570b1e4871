"""How little any release could have withheld: a number below which no safe release is, whoever makes it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from withhold.telling.facts import Fact
from withhold.wording import counted

MEANING = (
    "the share of all occurrences that every safe release that only deletes must withhold, "
    "whatever it deletes"
)


@dataclass(frozen=True)
class LowerBound:
    """No safe release that only deletes withholds fewer than ``occurrences``.

    >>> bound = LowerBound(occurrences=341, total=1000, sensitive_only=346)
    >>> print(bound.sentence())
    No safe release that only deletes can withhold less than 341 of 1,000 occurrences (34.10%); \
one that deletes sensitive items only, no less than 346 (34.60%).
    """

    occurrences: int
    total: int
    sensitive_only: int | None = None
    """The same of releases that delete sensitive items only; None if the search deletes others, too."""

    @property
    def share(self) -> float:
        """The bound as a share of all occurrences."""
        return self.occurrences / self.total if self.total else 0.0

    def sentence(self) -> str:
        """What is true of every release."""
        narrower = ""
        if self.sensitive_only is not None:
            least = f"{self.sensitive_only:,} ({_percent(self.sensitive_only, self.total)})"
            narrower = f"; one that deletes sensitive items only, no less than {least}"
        return (
            f"No safe release that only deletes can withhold less than {self.occurrences:,} of "
            f"{counted(self.total, 'occurrence')} ({_percent(self.occurrences, self.total)}){narrower}."
        )

    def as_dict(self) -> dict[str, Any]:
        """The bound as plain values."""
        return {**asdict(self), "share": self.share}

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know of it, as pairs of texts."""
        shown = f"{self.occurrences:,} ({_percent(self.occurrences, self.total)})"
        found = [("at least", f"{shown} in every safe release that only deletes")]
        if self.sensitive_only is not None:
            shown = f"{self.sensitive_only:,} ({_percent(self.sensitive_only, self.total)})"
            found.append(("", f"{shown} in one that deletes sensitive items only"))
        return found

    def fact(self) -> Fact:
        """The bound as one number among the measures of a release."""
        return Fact("bound.share", "at least", self.share, "share", MEANING)


def _percent(part: int, whole: int) -> str:
    return f"{part / whole if whole else 0.0:.2%}"
