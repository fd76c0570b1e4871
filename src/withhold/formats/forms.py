"""In what form a release is written: by its file's name, else as the input was.

In: a name, the input's form, a format the user asked for. Out: a form, which is a ``Source`` whose
file does not exist yet. Nothing is written here.
"""

from __future__ import annotations

from pathlib import Path

from withhold.data import Source
from withhold.data.names import nearest
from withhold.errors import InputError, OutputError
from withhold.formats.extensions import TEXT, check_extension, split_name

FORMATS = ("basket", "long", "spmf", "one-hot", "list", "jsonl")
FRAMES = ("long", "one-hot", "list")
"""The formats that parquet can hold."""
SEPARATOR_NAMES = {"space": " ", "comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}


def output_form(name: str, like: Source | None = None, format: str | None = None) -> Source:
    """The form of a file of this name.

    The extension decides, and ``.gz`` or ``.zst`` after it the packing; what it leaves open (which
    separator, long or one-hot) is as in ``like``. Without an extension all but the packing is
    as in ``like``, or a basket file; one that is not written is refused. A ``format`` that is given
    wins over both.
    """
    is_text = like is not None and like.container == "text"
    check_extension(name, like.path.name if like is not None and is_text else None)
    extension, compression = split_name(name)
    wanted = check_format(format) or _format_by(extension, like)
    container = "parquet" if extension == ".parquet" or wanted == "list" else "text"
    known = extension in TEXT or extension == ".parquet"
    if not known and like is not None and like.format == wanted:
        container = like.container if like.container == "parquet" else container
    if container == "parquet" and wanted not in FRAMES:
        raise OutputError(
            f"{name}: a parquet file cannot be in the format {wanted!r}. "
            f"To fix it: use one of {', '.join(FRAMES)}, or another extension."
        )
    if container == "parquet" and extension in TEXT:
        raise OutputError(
            f"{name}: the format {wanted!r} needs a parquet file. To fix it: name it .parquet."
        )
    same = like is not None and like.format == wanted
    return Source(
        Path(name),
        wanted,
        compression=compression,
        container="jsonl" if wanted == "jsonl" else container,
        separator=_separator_by(extension, wanted, like),
        columns=like.columns if like is not None and same else (),
        variant=like.variant if like is not None and same else "",
    )


def check_format(format: str | None) -> str | None:
    """The format, if there is one of this name."""
    if format is None or format in FORMATS:
        return format
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
        raise InputError(
            "a separator is one ASCII character, neither a letter nor a digit nor a quote",
            value=separator,
            remedy=f"use one of {', '.join(SEPARATOR_NAMES)}",
        )
    return mark


def separator_name(mark: str) -> str:
    """How a separator is best typed: by its name, if it has one."""
    return next((name for name, each in SEPARATOR_NAMES.items() if each == mark), mark)


def _format_by(extension: str, like: Source | None) -> str:
    """The format that goes with an extension, the input's own where it fits."""
    if extension in (".jsonl", ".ndjson"):
        return "jsonl"
    if extension == ".spmf":
        return "spmf"
    if extension == ".parquet":
        return like.format if like is not None and like.format in FRAMES else "list"
    if like is None or (like.format == "list" and like.container == "text"):
        return "basket"
    if extension in (".csv", ".tsv"):
        return like.format if like.format in ("basket", "long", "one-hot") else "basket"
    if extension in TEXT:
        # SPMF files are called .txt and many a table is, too; a .dat made from a .csv is a basket.
        fits = extension in like.path.suffixes and like.container == "text"
        return like.format if fits else "basket"
    return like.format


def _separator_by(extension: str, format: str, like: Source | None) -> str:
    """The separator that goes with an extension, the input's own where it fits."""
    tabular = format in ("long", "one-hot")
    if format not in ("basket", "long", "one-hot"):
        return " "
    if extension == ".tsv":
        return "\t"
    own = like.separator if like is not None and like.container == "text" else None
    if extension == ".csv":
        return own if own in (",", ";", "|") and own is not None else ","
    if like is not None and own is not None and like.format == format:
        return own
    return "," if tabular or extension == ".basket" else " "
