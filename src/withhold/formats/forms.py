"""The form in which a release is written: by its file's name, else like the input.

In: a name, the input's form, a format that the user requested. Out: a form, which is a ``Source`` whose
file does not exist yet; or ``OutputError`` with the nearest name that can be written, because nobody wants
text in a file whose name says that it is a spreadsheet. Nothing is written here.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from withhold.data import Source
from withhold.data.names import nearest
from withhold.errors import InputError, OutputError, PolicyError

TABLE, PEOPLE = "table", "people"
"""The formats of a file that holds a table, or persons whose items may be in other files."""


class Traits(NamedTuple):
    """The properties of a format that other modules need."""

    has_columns: bool = True
    """Whether columns have names, so that there is a place for record ids and for consent."""
    separated: bool = False
    """Whether the separator between the cells of a text file can be chosen; otherwise it is a blank."""
    escapable: bool = False
    """Whether formulas in its cells can be escaped for spreadsheets."""
    in_frames: bool = False
    """Whether data frames and parquet files can hold it."""
    by_lines: bool = False
    """Whether a record of a text file is a line, so that the file can be cut between any two."""
    extensions: tuple[str, ...] = ()
    """Extensions of this format alone."""


TRAITS = {
    "basket": Traits(has_columns=False, separated=True, escapable=True, by_lines=True),
    "long": Traits(separated=True, escapable=True, in_frames=True),
    "spmf": Traits(has_columns=False, by_lines=True, extensions=(".spmf",)),
    "one-hot": Traits(separated=True, in_frames=True, by_lines=True),
    "list": Traits(in_frames=True),
    "jsonl": Traits(by_lines=True, extensions=(".jsonl", ".ndjson")),
    TABLE: Traits(separated=True, escapable=True),
    PEOPLE: Traits(separated=True, escapable=True),
}
FORMATS = tuple(format for format in TRAITS if format not in (TABLE, PEOPLE))
"""The formats of records."""
FRAMES = tuple(format for format in FORMATS if TRAITS[format].in_frames)
SEPARATED = tuple(format for format in FORMATS if TRAITS[format].separated)
OF_ONE_FORMAT = {extension: name for name in FORMATS for extension in TRAITS[name].extensions}
SEPARATOR_NAMES = {"space": " ", "comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
PACKED = {".gz": "gz", ".zst": "zst"}
FOR_RECORDS = (".dat", ".txt", ".basket", ".csv", ".tsv", *sorted(OF_ONE_FORMAT), ".parquet")
FOR_TABLES = (".csv", ".tsv", ".txt", ".dat", ".jsonl", ".ndjson", ".parquet")
TEXT = frozenset(FOR_RECORDS) - {".parquet"}
SPREADSHEETS = frozenset((".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"))
PACKERS = frozenset((".zip", ".bz2", ".xz", ".7z", ".rar", ".lz4", ".br", ".z"))
INSTEAD = {
    ".json": ".jsonl",
    ".tab": ".tsv",
    **dict.fromkeys((".pq", ".feather", ".arrow", ".ipc", ".orc", ".avro"), ".parquet"),
}
"""For some extensions that cannot be written, the nearest that can."""
AS_LISTS = "write .jsonl, or a parquet list column"


def unwritable(
    what: str, where: str, instead: str = "write .jsonl or .parquet instead"
) -> OutputError:
    """The error for names that a format cannot write."""
    return OutputError(f"{what} cannot be written to {where}. To fix it: {instead}.")


def split_name(name: str) -> tuple[str, str]:
    """The extension, in lower case, and the compression that the name indicates."""
    path = Path(name)
    compression = PACKED.get(path.suffix.lower(), "")
    return (path.with_suffix("") if compression else path).suffix.lower(), compression


def check_extension(name: str, own: str | None = None, *, table: bool = False) -> None:
    """Refuse a name whose extension does not match what would be in the file.

    ``own`` is the name of the input, if that is text: an output may have the same extension.
    """
    known = FOR_TABLES if table else FOR_RECORDS
    extension, compression = split_name(name)
    if not extension or extension in known or (own and split_name(own)[0] == extension):
        return
    packing = f".{compression}" if compression else ""
    stem = Path(name.removesuffix(packing) if packing else name).stem
    if extension in SPREADSHEETS:
        problem = f"spreadsheets ({extension}) are read, not written"
        remedy = f"write {stem}.csv{packing} or {stem}.parquet{packing}"
    elif extension in PACKERS:
        problem = f"files are packed with gzip or zstd, not as {extension}"
        remedy = f"name it {stem}.gz or {stem}.zst"
    else:
        only = f"only {', '.join(known)}, each perhaps with .gz or .zst after it"
        problem = f"files with the extension {extension} are not written, {only}"
        meant = INSTEAD.get(extension) or nearest(extension, known) or ".csv"
        remedy = f"name it {stem}{meant}{packing}"
    raise OutputError(f"{name}: {problem}. To fix it: {remedy}.")


def output_form(name: str, like: Source | None = None, format: str | None = None) -> Source:
    """The form of a file of this name.

    The extension decides, and ``.gz`` or ``.zst`` after it the compression; what it leaves open (which
    separator, long or one-hot) is as in ``like``. Without an extension all but the compression is
    as in ``like``, or a basket file; a form that cannot be written is refused. A ``format`` that is
    given takes precedence over both.
    """
    is_text = like is not None and like.container == "text"
    check_extension(name, like.path.name if like is not None and is_text else None)
    extension, compression = split_name(name)
    wanted = check_format(format) or _format_by(extension, like)
    same = like if like is not None and like.format == wanted else None
    container = "parquet" if extension == ".parquet" or wanted == "list" else "text"
    if extension not in FOR_RECORDS and same and same.container == "parquet":
        container = "parquet"
    problem = ""
    if container == "parquet" and wanted not in FRAMES:
        problem = f"a parquet file cannot be in the format {wanted!r}"
        remedy = f"use one of {', '.join(FRAMES)}, or another extension"
    elif container == "parquet" and extension in TEXT:
        problem, remedy = f"the format {wanted!r} needs a parquet file", "name it .parquet"
    if problem:
        raise OutputError(f"{name}: {problem}. To fix it: {remedy}.")
    return Source(
        Path(name),
        wanted,
        compression=compression,
        container="jsonl" if wanted == "jsonl" else container,
        separator=_separator_by(extension, wanted, like),
        columns=same.columns if same else (),
        variant=same.variant if same else "",
    )


def check_format(format: str | None) -> str | None:
    """The format, if there is one of this name."""
    if format is None or format in FORMATS:
        return format
    if format.casefold() in ("csv", "tsv"):
        raise PolicyError(
            f"{format.upper()} is a kind of file, not a format; choose long, list, one-hot or basket"
        )
    near = nearest(format, FORMATS)
    meant = f"say {near!r}, if that is what you mean, or " if near else ""
    remedy = f"{meant}use one of {', '.join(FORMATS)}"
    raise InputError(f"there is no format {format!r}", remedy=remedy)


def check_separator(separator: str | None) -> str | None:
    """The separator itself, from how it was written."""
    if separator is None:
        return None
    mark = SEPARATOR_NAMES.get(separator, "\t" if separator == "\\t" else separator)
    if len(mark) != 1 or not mark.isascii() or mark.isalnum() or mark in '\n\r\0"':
        problem = "a separator is one ASCII character, neither a letter nor a digit nor a quote"
        remedy = f"use one of {', '.join(SEPARATOR_NAMES)}"
        raise InputError(problem, value=separator, remedy=remedy)
    return mark


def separator_name(mark: str) -> str:
    """How to type a separator: by its name, if it has one."""
    return next((name for name, each in SEPARATOR_NAMES.items() if each == mark), mark)


def _format_by(extension: str, like: Source | None) -> str:
    """The format for an extension, the input's own if it fits."""
    if extension in OF_ONE_FORMAT:
        return OF_ONE_FORMAT[extension]
    if extension == ".parquet":
        return like.format if like is not None and like.format in FRAMES else "list"
    if like is None or (like.format == "list" and like.container == "text"):
        return "basket"
    if extension in (".csv", ".tsv"):
        return like.format if like.format in SEPARATED else "basket"
    if extension in TEXT:
        # SPMF files are called .txt, and so are many tables; a .dat made from a .csv is a basket.
        fits = extension in like.path.suffixes and like.container == "text"
        return like.format if fits else "basket"
    return like.format


def _separator_by(extension: str, format: str, like: Source | None) -> str:
    """The separator for an extension, the input's own if it fits."""
    if format not in SEPARATED:
        return " "
    if extension == ".tsv":
        return "\t"
    own = like.separator if like is not None and like.container == "text" else None
    if extension == ".csv":
        return own if own in (",", ";", "|") and own is not None else ","
    if like is not None and own is not None and like.format == format:
        return own
    return "," if format != "basket" or extension == ".basket" else " "
