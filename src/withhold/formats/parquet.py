"""Parquet files: the one place where polars is given untrusted bytes.

In: the bytes of a file. Out: a frame, or ``InputError``. A crafted or damaged file can make polars panic,
which is not an ``Exception`` and prints a backtrace; here it becomes an ordinary refusal. Or it makes polars
request more memory than there is, which aborts the process: then our signal handler prints the message and
exits with the code for bad input.

The nullable types of pandas are recognised by a note for pandas only. The note that pandas wrote is not
copied: it may reveal labels and categories that are not published.
"""

from __future__ import annotations

import ctypes
import io
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from withhold.errors import InputError
from withhold.escaping import one_line

if TYPE_CHECKING:
    from pathlib import Path

    import polars

    from withhold.data import Table

T = TypeVar("T")
STDERR = 2
REMEDY = "copy or export it again"
NUMBERS = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
NULLABLE: Mapping[str, str] = {
    **{name: name for name in (*NUMBERS, "Float32", "Float64")},
    "boolean": "Boolean",
    "string": "String",
}
"""The nullable types of pandas, and their names in polars."""


def read_parquet(data: bytes, path: str) -> polars.DataFrame:
    """The frame in a parquet file; whatever is wrong with it is an ``InputError``."""
    import polars as pl

    return _guarded(path, lambda: pl.read_parquet(data))


def parquet_notes(data: bytes, path: str) -> dict[str, str]:
    """The metadata that the writer of a parquet file left in it; nothing if polars cannot read it."""
    import polars as pl

    if not hasattr(pl, "read_parquet_metadata"):  # before 1.25
        return {}
    return _guarded(path, lambda: pl.read_parquet_metadata(io.BytesIO(data)))


def parquet_pieces(
    data: bytes, path: str, choose: Callable[[list[str]], Sequence[str]], n_rows: int
) -> Iterator[polars.DataFrame]:
    """Some columns of a parquet file, this many rows at a time; ``choose`` picks them from all names."""
    import polars as pl

    scan = _guarded(path, lambda: pl.scan_parquet(io.BytesIO(data)))
    columns = list(choose(_guarded(path, lambda: scan.collect_schema().names())))
    total = int(_guarded(path, lambda: scan.select(pl.len()).collect().item()))
    for start in range(0, total, n_rows):
        piece = scan.select(columns).slice(start, n_rows)
        yield _guarded(path, piece.collect)


def row_count(path: Path) -> int:
    """How many rows a parquet file has, by its footer."""
    import polars as pl

    scan = _guarded(str(path), lambda: pl.scan_parquet(path))
    return int(_guarded(str(path), lambda: scan.select(pl.len()).collect().item()))


def parquet_rows(path: Path, start: int, end: int) -> bytes:
    """Some rows of a parquet file as a file of their own; the others are not read."""
    import polars as pl

    scan = _guarded(str(path), lambda: pl.scan_parquet(path))
    made = io.BytesIO()
    _guarded(str(path), scan.slice(start, end - start).collect).write_parquet(made)
    return made.getvalue()


def _guarded(path: str, call: Callable[[], T]) -> T:
    """What polars returns; if it panics or raises an error, the file is refused."""
    import polars as pl

    broken: BaseException
    with held_panics(path, "parquet file") as held:
        try:
            return call()
        except (pl.exceptions.PanicException, pl.exceptions.PolarsError, OSError, ValueError) as e:
            broken = e
            held.cleared = True
    reason = (str(broken).splitlines() or ["no reason given"])[0]
    raise InputError(f"is a broken parquet file: {reason}", path=path, remedy=REMEDY)


@contextmanager
def held_panics(path: str, kind: str) -> Iterator[Held]:
    """While compiled code reads a file: its output is held back, and an abort ends with our message."""
    with _held_back_stderr() as held, _last_word(path, kind, held):
        yield held


@dataclass(slots=True)
class Held:
    """Whether the output that was held back is to be discarded."""

    cleared: bool = False
    terminal: int = STDERR
    """The descriptor on which messages are visible meanwhile."""


@contextmanager
def _held_back_stderr() -> Iterator[Held]:
    """Hold back what is written to stderr, also by compiled code, and print it afterwards unless cleared."""
    held = Held()
    try:
        saved = os.dup(STDERR)
    except OSError:  # no stderr, so nothing to hold back
        yield held
        return
    try:
        with tempfile.TemporaryFile() as file:
            if sys.stderr is not None:
                sys.stderr.flush()
            os.dup2(file.fileno(), STDERR)
            held.terminal = saved
            try:
                yield held
            finally:
                os.dup2(saved, STDERR)
                if not held.cleared and file.seek(0, os.SEEK_END):
                    file.seek(0)
                    os.write(STDERR, file.read())
    finally:
        os.close(saved)


@contextmanager
def _last_word(path: str, kind: str, held: Held) -> Iterator[None]:
    """Report what is wrong with the file if compiled code aborts the process while reading it.

    Only a handler in C runs then; Python's own handlers wait until the interpreter continues.
    """
    if os.name != "posix":
        yield
        return
    error = InputError(
        f"is a broken {kind}: it cannot be read in any memory", path=path, remedy=REMEDY
    )
    message = f"withhold: {one_line(str(error))}\n".encode(errors="backslashreplace")

    def say(_: int) -> None:
        os.write(held.terminal, message)
        os._exit(InputError.exit_code)

    handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(say)
    install = ctypes.CDLL(None).signal
    install.restype, install.argtypes = ctypes.c_void_p, (ctypes.c_int, ctypes.c_void_p)
    before = install(signal.SIGABRT, ctypes.cast(handler, ctypes.c_void_p))
    try:
        yield
    finally:
        install(signal.SIGABRT, before)


def pandas_kinds(notes: Mapping[str, str]) -> dict[str, str]:
    """The columns of a parquet file that have a nullable type in pandas; none if the note cannot be read."""
    try:
        noted = json.loads(notes.get("pandas", "{}"))
        columns = [(each["field_name"], each["numpy_type"]) for each in noted["columns"]]
    except (ValueError, TypeError, LookupError, RecursionError):
        return {}  # written by another program, and nothing depends on it
    return {str(name): kind for name, kind in columns if isinstance(kind, str) and kind in NULLABLE}


def pandas_schema(frame: polars.DataFrame, table: Table) -> Any:
    """The schema with a note for pandas on the columns whose type is unchanged; None if there are none.

    Without pyarrow there is no such note, and pandas reads the columns as those of any other file.
    """
    kinds = {
        column.name: column.pandas_kind
        for column in table.columns
        if NULLABLE.get(column.pandas_kind) == str(frame.schema[column.name])
    }
    if not kinds:
        return None
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return None
    columns = [
        {"name": n, "field_name": n, "pandas_type": "", "numpy_type": k, "metadata": None}
        for n, k in kinds.items()
    ]
    note = json.dumps({"index_columns": [], "column_indexes": [], "columns": columns})
    return frame.clear().to_arrow().schema.with_metadata({"pandas": note})
