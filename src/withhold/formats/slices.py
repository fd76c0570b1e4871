"""A slice of a large file: the lines that begin between two bytes, or the rows between two numbers.

In: a path, where the slice begins and ends, and the form that the whole file has. Out: ``Records``. Only the
slice is read, so that a file that does not fit in memory can be read piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from withhold.data import Records, Source
from withhold.errors import InputError
from withhold.formats import read_opened, reading_of
from withhold.formats.forms import TABLE, TRAITS
from withhold.formats.frame_slices import FrameSlice
from withhold.formats.opening import GZIP, PARQUET, ZSTD, Digest, Opened, open_bytes, unreadable
from withhold.formats.parquet import parquet_rows, row_count
from withhold.formats.spmf import ITEM

HEAD = 2**20
"""Bytes from which the form of a text file is detected."""
BLOCK = 2**16
WITH_HEADER = ("one-hot", TABLE)
TELLING_ROWS = 1_000
"""Rows from which the form of a parquet file is detected."""


@dataclass(frozen=True)
class Slice:
    """A piece of a file: bytes of text, rows of parquet."""

    path: Path
    start: int = 0
    end: int | None = None
    """None: all of the file, which may be compressed."""

    def __str__(self) -> str:
        """The name of the slice in messages.

        >>> str(Slice(Path("shop.dat"), 100, 2_000))
        'shop.dat [100 to 2,000]'
        """
        return (
            str(self.path) if self.end is None else f"{self.path} [{self.start:,} to {self.end:,}]"
        )


Piece = Slice | FrameSlice


def form_of(path: Path, **options: Any) -> Source:
    """The form of a file, detected from its first lines; for a compressed file, from all of it."""
    with open_file(path) as file:
        head = file.read(HEAD + 1)
    if head.startswith(PARQUET):
        piece = Slice(path, 0, min(row_count(path), TELLING_ROWS))
        records = read_opened(_rows(piece), **options)
    elif head.startswith((GZIP, ZSTD)) or len(head) <= HEAD:
        records = read_opened(open_bytes(path), **options)
    else:
        lines = head[: head.rfind(b"\n", 0, HEAD) + 1]
        if not lines:
            problem = f"has a first line of more than {HEAD // 2**20} MiB"
            raise InputError(problem, path=path, line=1, remedy="put each record on a line")
        records = read_opened(_opened(path, lines, str(path)), **options)
    assert records.source is not None
    return replace(records.source, path=path)


def can_be_cut(form: Source) -> bool:
    """Whether a file of this form can be read in pieces, each with whole records."""
    if form.container == "parquet":
        return form.format != "long"
    by_bytes = not form.compression and not form.encoding.startswith(("utf-16", "utf-32"))
    return TRAITS[form.format].by_lines and by_bytes and form.container != "spreadsheet"


def size_of(path: Path, form: Source) -> int:
    """The size of a file in the unit of its slices: rows of parquet, bytes of text."""
    return row_count(path) if form.container == "parquet" else path.stat().st_size


def cut(path: Path, form: Source, n_parts: int) -> list[Slice]:
    """The file in at most this many pieces of whole records, none of them empty."""
    if form.format == "spmf" and _has_names(path):
        return [Slice(path)]
    size = size_of(path, form)
    ends = [size * number // n_parts for number in range(n_parts + 1)]
    if form.container != "parquet":
        with open_file(path) as file:
            ends = [_line_from(file, end) for end in ends]
    ends = sorted(set(ends))
    return [Slice(path, *span) for span in zip(ends, ends[1:], strict=False)]


def read_slice(piece: Piece, form: Source) -> Records:
    """The records of one piece of a file or frame of this form."""
    return read_opened(open_slice(piece, form), **how_to_read(form))


def how_to_read(form: Source) -> dict[str, Any]:
    """The options of ``read`` for every piece: nothing is detected again, not even the encoding."""
    is_text = form.container in ("text", "jsonl")
    return {**({"encoding": "utf-8"} if is_text else {}), **reading_of(form)}


def open_slice(piece: Piece, form: Source) -> Opened:
    """The content of one piece of a file or frame of this form, with its digest."""
    if isinstance(piece, FrameSlice):
        return piece.open()
    if piece.end is None:
        return open_bytes(piece.path)
    if form.container == "parquet":
        return _rows(piece)
    with open_file(piece.path) as file:
        has_header = form.format in WITH_HEADER and form.container == "text"
        header = file.readline() if has_header and piece.start > 0 else b""
        start = _line_from(file, piece.start)
        end = _line_from(file, piece.end)
        file.seek(start)
        lines = file.read(end - start)
    return _opened(piece.path, header + lines, str(piece))


def _has_names(path: Path) -> bool:
    """Whether an SPMF file gives names to its numbers: pieces without these lines would have other items."""
    before = b""
    with open_file(path) as file:
        while block := file.read(HEAD):
            if ITEM.encode() in before + block:
                return True
            before = block[-len(ITEM) :]
    return False


def _line_from(file: BinaryIO, position: int) -> int:
    """Where the first line begins that does not begin before this byte."""
    if position == 0:
        return 0
    file.seek(position - 1)
    while block := file.readline(BLOCK):
        if block.endswith(b"\n"):
            break
    return file.tell()


def _rows(piece: Slice) -> Opened:
    data = parquet_rows(piece.path, piece.start, piece.end or 0)
    return _opened(piece.path, data, str(piece))


def _opened(path: Path, data: bytes, label: str) -> Opened:
    return Opened(path, label, data, "", Digest(data))


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """The file, open for reading; errors of the system become messages."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise unreadable(error, str(path)) from None
