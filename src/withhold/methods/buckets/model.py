"""k-anonymity of whole records (Reddy et al. 2012): every published set of items occurs at least k times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from withhold.arguments import checked
from withhold.data.by_fields import ByFields
from withhold.errors import PolicyError
from withhold.options import K_HELP, K_MISSING, Option, Plain, smaller
from withhold.wording import counted

FILLS = {
    "none": "adds nothing: whatever a record says is true of its person",
    "hash": "adds items that people never had",
}
"""What can be added to the records of a group to make them equal, and what that means."""


@dataclass(frozen=True, init=False)
class Buckets(ByFields):
    """Nobody can tell a record from at least k - 1 others.

    This holds whatever items of the record they know.

    Parameters
    ----------
    k
        The fewest records with exactly the same items.

    Raises
    ------
    PolicyError
        k below 2.

    Examples
    --------
    >>> print(Buckets(k=5).promise())
    Every record is one of at least 5 with exactly the same items, so whoever knows any of them cannot \
tell it from the others.
    """

    name: ClassVar[str] = "buckets"
    needs: ClassVar[str] = ""

    k: int

    @checked
    def __init__(
        self, k: Annotated[int, Option(K_HELP, at_least=2, missing=K_MISSING, weaker=smaller)]
    ) -> None:
        if not hasattr(k, "__index__") or isinstance(k, bool) or k < 2:
            raise PolicyError(f"k must be a whole number of at least 2, not {k!r}")
        self._set(k=int(k))

    @property
    def sensitive(self) -> frozenset[str]:
        """None: no item is more sensitive than another here."""
        return frozenset()

    def promise(self) -> str:
        """What holds for a table that satisfies the model, in one sentence."""
        return (
            f"Every record is one of at least {self.k:,} with exactly the same items, so whoever knows "
            "any of them cannot tell it from the others."
        )


@dataclass(frozen=True)
class RareSet:
    """A set of items that too few records have in common.

    >>> print(RareSet(("beer", "soap"), records=1, k=3))
    {beer, soap}: 1 record, fewer than 3
    """

    items: tuple[str, ...]
    records: int
    k: int

    def row(self) -> tuple[str, ...]:
        """The set as cells of a table."""
        return self._shown, "all of a record", f"{self.records:,}", f"of {self.k:,}"

    def as_dict(self) -> dict[str, Plain]:
        """The set with its count."""
        return {"items": list(self.items), "records": self.records, "k": self.k}

    @property
    def _shown(self) -> str:
        return "{" + ", ".join(self.items) + "}"

    def __str__(self) -> str:
        return f"{self._shown}: {counted(self.records, 'record')}, fewer than {self.k:,}"
