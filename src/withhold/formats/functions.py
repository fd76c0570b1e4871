"""What each format of records can do: read and write text, read and write frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from withhold.data import Records, Source
from withhold.formats import basket, jsonl, lists, long, onehot, spmf
from withhold.formats.columns import Options
from withhold.formats.frames import Frame
from withhold.formats.opening import Text
from withhold.formats.rows import Parsed

if TYPE_CHECKING:
    import polars


class Format(NamedTuple):
    """The functions of a format; None for what it cannot do."""

    read_text: Callable[[Text, Options], Parsed]
    write_text: Callable[[Records, Source], Iterator[str]] | None
    read_frame: Callable[[Frame, Options], Parsed] | None = None
    write_frame: Callable[[Records, Source], polars.DataFrame] | None = None
    columns: Callable[[Records, Source], tuple[str, ...]] | None = None
    """The columns that a file of some records has."""


FUNCTIONS = {
    "basket": Format(basket.read_text, basket.write_text),
    "long": Format(
        long.read_text, long.write_text, long.read_columns, long.write_frame, long.written_columns
    ),
    "spmf": Format(spmf.read_text, spmf.write_text),
    "one-hot": Format(
        *(onehot.read_text, onehot.write_text, onehot.read_columns, onehot.write_frame),
        onehot.written_columns,
    ),
    "list": Format(
        lists.read_text, None, lists.read_columns, lists.write_frame, lists.written_columns
    ),
    "jsonl": Format(jsonl.read_text, jsonl.write_text, columns=jsonl.written_columns),
}
"""The formats of ``FORMATS``, and their functions."""
