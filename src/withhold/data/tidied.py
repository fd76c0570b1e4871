"""What was tidied on reading, as carried by the data, shown in notes and recorded in manifests."""

from __future__ import annotations

from dataclasses import dataclass

from withhold.data.column_lists import typed
from withhold.wording import counted

ITEMS = "items"
"""The name for all items of records, in place of the name of a column."""


@dataclass(frozen=True)
class Tidied:
    """What was tidied, and how much that changed."""

    name: str
    """A column, or ``items``."""
    ways: tuple[str, ...]
    changed: int = 0
    """How many cells, or occurrences of items, are spelt differently now."""
    merged: int = 0
    """How many fewer different values there are."""
    prefixes: tuple[str, ...] = ()
    """Of items from several files: the prefixes, which stay as they are."""

    def __str__(self) -> str:
        return f"{typed(self.name)}={','.join(self.ways)}"

    def sentence(self) -> str:
        """What was done, for a note.

        >>> print(Tidied("sex", ("case",), 40, 2).sentence())
        tidied sex (case): 40 cells changed, 2 spellings fewer
        """
        what = "occurrence" if self.name == ITEMS else "cell"
        merged = f"{counted(self.merged, 'spelling')} fewer" if self.merged else "no value fewer"
        return (
            f"tidied {self.name} ({', '.join(self.ways)}): {counted(self.changed, what)} changed, "
            f"{merged}"
        )

    def as_dict(self) -> dict[str, str | int]:
        """As it is written in manifests."""
        return {"tidy": str(self), "changed": self.changed, "merged": self.merged}
