"""How little any release could have withheld: no safe release, whoever makes it, withholds less."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from withhold.telling.facts import Fact
from withhold.wording import counted, percent

MEANING = (
    "the share of all occurrences that every safe release must withhold that deletes nothing but what "
    "this one may delete"
)
ANY = "only deletes"
SENSITIVE = "deletes sensitive items only"


@dataclass(frozen=True)
class LowerBound:
    """No safe release that only deletes withholds fewer than ``occurrences``.

    >>> print(LowerBound(occurrences=341, total=1000, sensitive_only=346).sentence())
    No safe release that only deletes can withhold less than 341 of 1,000 occurrences (34.10%); \
one that deletes sensitive items only, no less than 346 (34.60%).
    >>> print(LowerBound(occurrences=None, total=1000, sensitive_only=346).sentence())
    No safe release that deletes sensitive items only can withhold less than 346 of 1,000 occurrences \
(34.60%).
    """

    occurrences: int | None
    """None if it was not computed: for a release of the narrower kind, the narrower bound matters."""
    total: int
    sensitive_only: int | None = None
    """The same for releases that delete sensitive items only; None if the search deletes others, too."""

    @property
    def share(self) -> float:
        """What releases of this kind withhold, as a share of all occurrences."""
        return self._found[-1][1] / self.total if self.total else 0.0

    def sentence(self) -> str:
        """The bound in a sentence."""
        (kind, least), *narrower = self._found
        number = f"{least:,} of {counted(self.total, 'occurrence')} ({self._percent(least)})"
        said = f"No safe release that {kind} can withhold less than {number}"
        for kind, least in narrower:
            said += f"; one that {kind}, no less than {least:,} ({self._percent(least)})"
        return f"{said}."

    def as_dict(self) -> dict[str, Any]:
        """The bound as plain values."""
        return {**asdict(self), "share": self.share}

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know of it, as pairs of texts."""
        (kind, least), *narrower = self._found
        first = (
            "at least",
            f"{least:,} ({self._percent(least)}) in every safe release that {kind}",
        )
        more = (
            f"{least:,} ({self._percent(least)}) in one that {kind}" for kind, least in narrower
        )
        return [first, *(("", text) for text in more)]

    def fact(self) -> Fact:
        """The bound as one number among the measures of a release."""
        return Fact("bound.share", "at least", self.share, "share", MEANING)

    @property
    def _found(self) -> list[tuple[str, int]]:
        """The kinds of release with a known bound, the widest first, and the bound of each."""
        both = (ANY, self.occurrences), (SENSITIVE, self.sensitive_only)
        return [(kind, least) for kind, least in both if least is not None]

    def _percent(self, part: int) -> str:
        return percent(part / self.total if self.total else 0.0, 2)
