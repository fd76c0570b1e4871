"""From bytes to clean text: UTF-8 with plain line ends, whatever its encoding was; a spreadsheet becomes CSV.

In: the content of a file, and the user's options. Out: its text, or an error with the line that is not text.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from withhold.errors import InputError, option
from withhold.formats.encodings import UTF8, decode
from withhold.formats.opening import (
    SOMETHING,
    Opened,
    Text,
    line_number,
    open_bytes,
    refuse_foreign,
)
from withhold.formats.spreadsheets import sheet_text


def read_clean(
    path: str | os.PathLike[str], encoding: str | None = None, sheet: str | int | None = None
) -> Text:
    """The text in a file."""
    return text_of(open_bytes(Path(path)), encoding, sheet)


def text_of(opened: Opened, encoding: str | None = None, sheet: str | int | None = None) -> Text:
    """The content as clean text, a sheet of a spreadsheet as CSV; an error names the faulty line."""
    label, name = opened.label, opened.path.name
    if opened.is_spreadsheet:
        return sheet_text(opened, encoding, sheet)
    if sheet is not None:
        raise InputError("is not a spreadsheet", path=label, remedy=f"leave {option('sheet')} out")
    refuse_foreign(opened.data, label)
    decoded = decode(opened.data, label, encoding)
    data = decoded.data
    if b"\0" in data:
        remedy = "export it as UTF-8 text, JSON lines or parquet"
        raise _at(data, b"\0", "holds a NUL byte, so it is not a text file", label, remedy)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        # Old Macs ended every line with it; at the end of a file it is half of a truncated pair.
        data = data.removesuffix(b"\r") if b"\n" in data else data.replace(b"\r", b"\n")
        if b"\r" in data:
            remedy = "end every line in the same way"
            raise _at(data, b"\r", "holds a carriage return inside a line", label, remedy)
    if not data:
        raise InputError("is empty", path=label, remedy=SOMETHING)
    return Text(data, label, name, decoded.encoding, decoded.assumed)


def how_found(text: Text | None) -> dict[str, Any]:
    """The fields of a ``Source`` on a text's encoding and sheet; none for UTF-8, in which it is written."""
    if text is None or text.encoding == UTF8:
        return {}
    return {"encoding": text.encoding, "assumed": text.assumed, "sheet": text.sheet}


def refuse_for_files(
    encoding: str | None, sheet: str | int | None, path: str | None = None
) -> None:
    """Refuse options of texts and of spreadsheets if the data is neither."""
    for name, given in (("encoding", encoding), ("sheet", sheet)):
        if given is not None:
            what = "a text file" if name == "encoding" else "a spreadsheet"
            raise InputError(f"is not {what}", path=path, remedy=f"leave {option(name)} out")


def _at(data: bytes, byte: bytes, problem: str, label: str, remedy: str) -> InputError:
    line = line_number(data, data.index(byte))
    return InputError(problem, path=label, line=line, remedy=remedy)
