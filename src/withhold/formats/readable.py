"""What can be read: the types of arguments that callers may pass, without importing any library.

They are for type checkers. At run time they allow anything, since the readers explain what is wrong with a
value better than a type could.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from withhold.data import People, Records, Table


class FrameLike(Protocol):
    """A data frame of pandas, polars (also lazy), pyarrow or another library that narwhals supports."""

    @property
    def columns(self) -> object:
        """Its columns, or their names."""
        ...


if TYPE_CHECKING:
    Path = str | os.PathLike[str]
    Item = str | int
    Readable = Path | FrameLike | Iterable[Iterable[Item]] | Records
    """Records: a path (``-`` is standard input), a frame, an iterable of iterables, or records."""
    ReadableTable = Path | FrameLike | Table | People
    """A table or people: a path (``-`` is standard input), a frame, or what was read already."""
    ReadableItems = (
        Path | FrameLike | Iterable[Path | FrameLike] | Mapping[str, Path | FrameLike] | None
    )
    """The items of people: a path or a frame, several of them, or by name."""
    Consent = Path | Iterable[Item] | None
    """A file that lists who consented, the name of a 0/1 column, record ids, row numbers, or truth values."""
else:
    Readable = ReadableTable = ReadableItems = Consent = Any
