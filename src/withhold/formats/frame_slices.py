"""Slices of frames that are not in memory: partitions of a Dask DataFrame, rows of a polars LazyFrame.

In: the frame, which may be sent to another process as it is. Out: the rows of one slice as parquet, which
are then read like those of a file. The rows must come in the same order whenever they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from withhold.errors import InputError
from withhold.formats.opening import Digest, Opened

if TYPE_CHECKING:
    import polars

T = TypeVar("T")


@runtime_checkable
class Partitioned(Protocol):
    """A frame in partitions, such as a Dask DataFrame."""

    @property
    def npartitions(self) -> int:
        """How many there are."""
        ...

    def get_partition(self, n: int) -> Any:
        """One of them; its ``compute`` gives a pandas frame."""
        ...


def is_lazy(data: object) -> bool:
    """Whether these are the rows of a frame that is not in memory.

    >>> is_lazy("shop.parquet"), is_lazy([["bread"]])
    (False, False)
    """
    return isinstance(data, Partitioned) or _is_lazy_polars(data)


def _is_lazy_polars(data: object) -> bool:
    kind = type(data)
    return kind.__name__ == "LazyFrame" and kind.__module__.startswith("polars")


@dataclass(frozen=True)
class FrameSlice:
    """A piece of a frame: a partition, or some rows of a lazy frame."""

    frame: Any
    start: int
    """The number of the partition, or the first row."""
    end: int | None = None
    """After the last row; None: this is a partition."""

    def __str__(self) -> str:
        """The name of the slice in messages."""
        if self.end is None:
            return f"partition {self.start + 1:,}"
        return f"rows {self.start + 1:,} to {self.end:,}"

    def open(self) -> Opened:
        """The rows as parquet, with their digest."""
        rows = _computed(self._rows, str(self))
        buffer = BytesIO()
        rows.write_parquet(buffer)
        data = buffer.getvalue()
        return Opened(Path(), str(self), data, "", Digest(data))

    def _rows(self) -> polars.DataFrame:
        import polars as pl

        if self.end is not None:
            rows: polars.DataFrame = self.frame.slice(self.start, self.end - self.start).collect()
            return rows
        # In this process: the work on a part must not wait for other tasks.
        found = self.frame.get_partition(self.start).compute(scheduler="synchronous")
        return found if isinstance(found, pl.DataFrame) else pl.from_pandas(found)


def _computed(compute: Callable[[], T], label: str | None = None) -> T:
    """The result of the user's query, which may fail in any way."""
    try:
        return compute()
    except Exception as error:
        reason = " ".join(str(error).split())
        raise InputError(f"the frame cannot be used: {reason}", path=label) from error


def cut_frame(frame: Any, part_records: int) -> list[FrameSlice]:
    """The partitions of a frame, or its rows in pieces of about this size."""
    if isinstance(frame, Partitioned):
        return [FrameSlice(frame, number) for number in range(frame.npartitions)]
    import polars as pl

    n_rows = _computed(lambda: int(frame.select(pl.len()).collect().item()))
    n_parts = max(1, round(n_rows / part_records))
    ends = [n_rows * number // n_parts for number in range(n_parts + 1)]
    return [FrameSlice(frame, *span) for span in zip(ends, ends[1:], strict=False)]
