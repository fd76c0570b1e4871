"""From lines or a frame to the bytes of a file, compressed as the form says.

In: an open target's path. Out: the whole file, flushed and closed, and its digest. The same table
gives the same bytes: archives contain neither a time nor a name. ``publish`` takes care of temporary
names, fsync and renaming.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from withhold.atomic import Draft, save
from withhold.errors import OutputError

if TYPE_CHECKING:
    import polars

CHUNK = 1 << 20
"""Characters encoded at a time."""


def save_lines(
    lines: Iterable[str], path: Path, compression: str, file: BinaryIO | None = None
) -> str:
    """Write text, many lines at a time, and return the SHA-256 of the file."""
    with _target(path, file) as target:
        with _packed(target, compression) as out:
            batch: list[str] = []
            size = 0
            for line in lines:
                batch.append(line)
                size += len(line)
                if size >= CHUNK:
                    out.write("".join(batch).encode())
                    batch, size = [], 0
            out.write("".join(batch).encode())
        return target.digest.hexdigest()


def save_frame(
    frame: polars.DataFrame, path: Path, compression: str, file: BinaryIO | None, schema: Any = None
) -> str:
    """Write a parquet file and return the SHA-256 of the file.

    A ``schema`` of pyarrow has notes for other readers; versions of polars that cannot write them omit them.
    """
    buffer = io.BytesIO()
    known = schema is not None and "arrow_schema" in signature(frame.write_parquet).parameters
    frame.write_parquet(buffer, **({"arrow_schema": schema} if known else {}))
    with _target(path, file) as target:
        with _packed(target, compression) as out:
            out.write(buffer.getbuffer())
        return target.digest.hexdigest()


@contextmanager
def _target(path: Path, file: BinaryIO | None) -> Iterator[Draft]:
    """The file to write: one that is already open, or a new one that gets its name when it is complete.

    Errors of the system are raised as our own.
    """
    try:
        if file is not None:
            yield cast(Draft, file)
            return
        with save(path) as draft:
            yield draft
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"{path} cannot be written: {reason}.") from None


@contextmanager
def _packed(target: Draft, compression: str) -> Iterator[BinaryIO]:
    """A stream that compresses what is written to the file."""
    raw = cast(BinaryIO, target)
    if compression == "gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as out:
            yield cast(BinaryIO, out)
    elif compression == "zst":
        import zstandard

        packer = zstandard.ZstdCompressor(level=9, write_checksum=True)
        with packer.stream_writer(raw, closefd=False) as out:
            yield cast(BinaryIO, out)
    else:
        yield raw
