"""What can be read: the types of what callers may pass, none of which needs a library to be imported.

Type checkers see these. When a function is called, its reader says what is wrong with a value, in more words
than a type could; so at run time they stand for anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from withhold.data import People, Records, Table


class FrameLike(Protocol):
    """A data frame of pandas, polars (also lazy), pyarrow or another library that narwhals knows."""

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
    """A file that lists who agreed, the name of a 0/1 column, record ids, row numbers, or truth values."""
else:
    Readable = ReadableTable = ReadableItems = Consent = Any
