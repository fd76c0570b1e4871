"""What breaks the model: an item that is too frequent in a group, or a list that does not fit its group."""

from __future__ import annotations

from dataclasses import dataclass

from withhold.describing import described
from withhold.options import Plain
from withhold.wording import counted, percent


@dataclass(frozen=True)
class TooFrequent:
    """A sensitive item that too many records of a group hold.

    >>> print(TooFrequent("group=7", "condom", 2, 3))
    group=7: 2 of 3 records hold condom
    >>> print(TooFrequent("record 4", "condom", 1, 1))
    record 4: 1 of 1 record holds condom
    """

    group: str
    item: str
    count: int
    size: int

    def row(self) -> tuple[str, ...]:
        """The finding as cells of a table."""
        shown = percent(self.count / self.size)
        return self.group, "→ " + described(self.item), shown, f"{self.count:,} of {self.size:,}"

    def as_dict(self) -> dict[str, Plain]:
        """The finding with its counts."""
        return {"group": self.group, "item": self.item, "count": self.count, "size": self.size}

    def __str__(self) -> str:
        verb = "holds" if self.count == 1 else "hold"
        return (
            f"{self.group}: {self.count:,} of {counted(self.size, 'record')} {verb} "
            f"{described(self.item)}"
        )


@dataclass(frozen=True)
class Misfit:
    """A record that does not fit the group that it says it is in.

    >>> print(Misfit("record 4", "says condom=1/3, and its group has 2 records"))
    record 4 says condom=1/3, and its group has 2 records
    """

    where: str
    problem: str

    def row(self) -> tuple[str, ...]:
        """The finding as cells of a table."""
        return self.where, self.problem

    def as_dict(self) -> dict[str, Plain]:
        """The finding in words."""
        return {"where": self.where, "problem": self.problem}

    def __str__(self) -> str:
        return f"{self.where} {self.problem}"
