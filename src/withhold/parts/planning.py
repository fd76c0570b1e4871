"""Which files there are, and where they are cut: from names, sizes and footers alone."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from withhold.atomic.files import sha256_of
from withhold.data import Source
from withhold.data.repeats import REPEATS
from withhold.errors import InputError, option
from withhold.formats import read_opened
from withhold.formats.databases import is_query
from withhold.formats.encodings import check_encoding
from withhold.formats.forms import FOR_RECORDS, check_format, check_separator, split_name
from withhold.formats.frame_slices import cut_frame, is_lazy
from withhold.formats.slices import (
    HEAD,
    TELLING_ROWS,
    Piece,
    Slice,
    can_be_cut,
    cut,
    form_of,
    read_slice,
    size_of,
)
from withhold.publish.earlier import IS_RELEASED

PART_RECORDS = 250_000
"""Records or rows that are read at once by default."""
SEARCHED_RECORDS = 1_000_000
"""The same if each part is searched on its own: larger ones lose less, take longer and need more memory;
docs/decisions/0039 has the figures."""
Data = str | os.PathLike[str] | Any
"""A folder, a pattern or a file; a Dask DataFrame or a polars LazyFrame."""
EXTENSIONS = {"parquet": ".parquet", "jsonl": ".jsonl"}
PATTERN = "*?["
SMALLEST = 200
"""Files of fewer bytes hold some twenty records at most, and may be equal by chance."""
SAME = ("format", "container", "separator", "columns", "variant")
"""What all files of a folder must have in common."""
REMEDY = "name a folder of files, a pattern such as 'shop/*.parquet' in quotes, or a file"


def check_data(data: object) -> None:
    """Refuse what is neither the name of files nor a frame that is read piece by piece."""
    if not isinstance(data, str | os.PathLike) and not is_lazy(data):
        raise InputError(
            "parts are of a folder, a pattern, a file, a polars LazyFrame or a Dask DataFrame",
            value=type(data).__name__,
            remedy="for data in memory use anonymize, audit, compare or verify",
        )


def is_many(data: str) -> bool:
    """Whether this names several files: a folder, or a pattern that is not itself a file."""
    if is_query(data):
        return False
    path = Path(data)
    return path.is_dir() or (any(mark in data for mark in PATTERN) and not path.exists())


def find_files(data: str) -> list[Path]:
    """The files that a folder, a pattern or a path names, in the order of their names.

    In a folder, names that begin with a dot or an underscore are left out, as Spark and Dask do.
    """
    path = Path(data)
    if path.is_dir():
        found = [
            each
            for each in sorted(path.rglob("*"))
            if each.is_file()
            and not any(part.startswith((".", "_")) for part in each.relative_to(path).parts)
        ]
        strange = [each for each in found if split_name(each.name)[0] not in FOR_RECORDS]
        if any(each.name == "manifest.json" for each in strange):
            raise InputError(IS_RELEASED, path=path, remedy="name the folder of the original")
        if strange:
            problem = f"is in the folder {path} and does not look like data"
            raise InputError(problem, path=strange[0], remedy="move it, or name a pattern")
    elif is_many(data):
        found = [Path(name) for name in sorted(glob.glob(data, recursive=True))]
        found = [each for each in found if each.is_file()]
    else:
        found = [path]
    if not found:
        problem = "is a directory without data" if path.is_dir() else "names no file"
        raise InputError(problem, path=data, remedy=REMEDY)
    return found


def refuse_equal_files(files: Sequence[Path]) -> None:
    """Stop if two files are the same, byte by byte: each record would hide its own copy."""
    by_size: dict[int, list[Path]] = {}
    for path in files:
        by_size.setdefault(path.stat().st_size if path.is_file() else 0, []).append(path)
    for size, alike in by_size.items():
        known: dict[str, Path] = {}
        for path in alike if size >= SMALLEST and len(alike) > 1 else ():
            first = known.setdefault(sha256_of(path), path)
            if first is not path:
                raise InputError(
                    f"is the same file as {first}, so that each record hides its own copy",
                    path=path,
                    remedy=f"delete one of them; or say {option('publish', REPEATS)} if both are meant",
                )


def plan_parts(
    files: Sequence[Path], *, part_records: int | None = None, **options: Any
) -> tuple[Source, list[Slice]]:
    """The form that all the files have, and the parts, each of about ``part_records`` records.

    ``options`` are those of ``read`` that say how a file is to be understood.
    """
    wanted = part_records or PART_RECORDS
    forms = {path: _form_or_error(path, options) for path in files}
    form = next((each for each in forms.values() if isinstance(each, Source)), None)
    if form is None:
        raise next(each for each in forms.values() if isinstance(each, InputError))
    parts: list[Slice] = []
    for path, own in forms.items():
        # A file that cannot be read is a part that fails; the others go on.
        if isinstance(own, InputError):
            parts.append(Slice(path))
            continue
        check_same(form, own)
        if not can_be_cut(form) or own.compression:
            parts.append(Slice(path))
            continue
        in_a_part = wanted * _size_of_record(path, form)
        parts += cut(path, form, max(1, round(size_of(path, form) / in_a_part)))
    return form, parts


def checked_reading(reading: Mapping[str, Any] | None) -> dict[str, Any]:
    """How to read, as the readers take it; they are called with options that were checked."""
    given = dict(reading or {})
    checks = {"format": check_format, "separator": check_separator, "encoding": check_encoding}
    return given | {name: check(given[name]) for name, check in checks.items() if name in given}


def plan(
    data: Data, *, part_records: int | None = None, reading: Mapping[str, Any] | None = None
) -> tuple[Source, Sequence[Piece], list[Path]]:
    """The form of the data, its parts, and the files that it is in, if any."""
    check_data(data)
    how = checked_reading(reading)
    if not is_lazy(data):
        files = find_files(str(data))
        return *plan_parts(files, part_records=part_records, **how), files
    pieces = cut_frame(data, part_records or PART_RECORDS)
    if not pieces:
        raise InputError("the frame has no partition", remedy="give one with rows")
    head = replace(
        pieces[0], end=None if pieces[0].end is None else min(pieces[0].end, TELLING_ROWS)
    )
    form = read_opened(head.open(), **how).source
    assert form is not None
    if not can_be_cut(form):
        problem = "the frame has a row for each item, and a slice of it would cut records apart"
        raise InputError(
            problem, remedy="give one with a row for each record, and a column of lists"
        )
    return form, pieces, []


def extension_for(form: Source, files: Sequence[Path], usual: str = ".dat") -> str:
    """The extension of the parts, which have the form of the files."""
    if form.container == "spreadsheet":
        return usual
    named = split_name(files[0].name)[0] if files else ""
    return EXTENSIONS.get(form.container) or named or usual


def _form_or_error(path: Path, options: Mapping[str, Any]) -> Source | InputError:
    try:
        return form_of(path, **options)
    except InputError as error:
        return error


def _size_of_record(path: Path, form: Source) -> float:
    """How much of a file a record takes: a row of parquet, or the mean of the first lines."""
    if form.container == "parquet":
        return 1.0
    head = min(size_of(path, form), HEAD // 4)
    return head / max(len(read_slice(Slice(path, 0, head), form)), 1)


def check_same(first: Source, other: Source) -> None:
    """Refuse a file of another form than the first."""
    for name in SAME:
        if getattr(first, name) != getattr(other, name):
            problem = (
                f"has another {name} ({getattr(other, name)!r}) than {first.path.name} "
                f"({getattr(first, name)!r}), and the files of a release must be alike"
            )
            remedy = "say how to read them (--format, --separator), or release them apart"
            raise InputError(problem, path=other.path, remedy=remedy)
