"""Spreadsheets: one sheet of an Excel or OpenDocument file, through fastexcel, which is optional.

In: the bytes of a file, and which sheet. Out: a frame with the types of the cells, or the same as the text of
a CSV file, which may be in any text format. Excel has one type of number: a column with only whole ones
becomes a column of whole numbers. Dates are written in ISO 8601. A formula is read as its last saved value.
"""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from xml.parsers import expat

from withhold.data.names import nearest
from withhold.errors import InputError, option
from withhold.formats.opening import EXPANSION, EXPANSION_FROM, OLE, SOMETHING, Opened, Text
from withhold.formats.parquet import held_panics

if TYPE_CHECKING:
    import polars

T = TypeVar("T")
OPEN_DOCUMENT = "content.xml"
SHEETS = ("xl/workbook.xml", "xl/workbook.bin", OPEN_DOCUMENT)
"""Members that a zip archive contains if it is a spreadsheet."""
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
"""The name of the only content of an Excel file with a password."""
LARGEST_WHOLE = 2**53
"""Beyond this, one number of Excel represents several whole numbers."""
INSTALL = "pip install 'withhold[excel]', or export the sheet as CSV"
AGAIN = "open it and save it again, or export the sheet as CSV"


def read_sheet(opened: Opened, sheet: str | int | None = None) -> tuple[str, polars.DataFrame]:
    """The name of the chosen sheet, and its cells under the names in its first row."""
    book = _open_book(opened)
    name = _find_sheet(book, sheet, opened.label)
    header, frame = _loaded(book, name, opened.label)
    if "" in header or len(set(header)) < len(header):
        raise InputError(
            f"the first row of the sheet {name!r} does not name every column once",
            path=opened.label,
            remedy="begin with a row of column names, each different from the others",
        )
    if not len(frame):
        problem = f"the sheet {name!r} holds a header but no rows"
        raise InputError(problem, path=opened.label, remedy="give at least one row")
    return name, frame.rename(dict(zip(frame.columns, header, strict=True)))


def sheet_text(opened: Opened, encoding: str | None, sheet: str | int | None) -> Text:
    """The sheet as CSV, the first row too."""
    import polars as pl

    if encoding is not None:
        remedy = f"leave {option('encoding')} out"
        raise InputError(
            "is a spreadsheet, which contains its own encoding", path=opened.label, remedy=remedy
        )
    book = _open_book(opened)
    name = _find_sheet(book, sheet, opened.label)
    header, frame = _loaded(book, name, opened.label)
    texts = frame.select(pl.all().cast(pl.String).str.replace_all("\r\n?", "\n"))
    first = pl.DataFrame([header], schema=texts.schema, orient="row")
    cells = pl.concat([first, texts])
    if cells.width == 1:
        # Most readers skip an empty line instead of reading it as a row.
        cells = cells.fill_null("")
    data = cells.write_csv(include_header=False, quote_style="necessary").encode()
    return Text(data.replace(b"\0", b""), opened.label, opened.path.name, sheet=name)


def _open_book(opened: Opened) -> Any:
    """The file opened by fastexcel."""
    label = opened.label
    if opened.data.startswith(OLE):
        if ENCRYPTED in opened.data:
            remedy = "save it without a password, or export the sheet as CSV"
            raise InputError("is protected by a password", path=label, remedy=remedy)
    else:
        _check_archive(opened)
    try:
        import fastexcel
    except ImportError:
        problem = "is a spreadsheet, and the package that reads them (fastexcel) is not installed"
        raise InputError(problem, path=label, remedy=INSTALL) from None
    # Its notes about columns without a value are of no use to anybody.
    logging.getLogger("fastexcel").setLevel(logging.ERROR)
    return _guarded(label, lambda: fastexcel.read_excel(opened.data))


def _check_archive(opened: Opened) -> None:
    """Refuse a zip archive that is not a spreadsheet, or that is made to fill the memory."""
    label = opened.label
    try:
        with zipfile.ZipFile(io.BytesIO(opened.data)) as archive:
            found = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        problem = f"is a broken spreadsheet or zip archive: {error}"
        raise InputError(problem, path=label, remedy="copy or download it again") from None
    if not any(each.filename in SHEETS for each in found):
        remedy = "unpack it, and name a file inside it"
        raise InputError("is a zip archive", path=label, remedy=remedy)
    unpacked = sum(each.file_size for each in found)
    if unpacked > max(EXPANSION_FROM, EXPANSION * len(opened.data)):
        problem = f"grows more than {EXPANSION}-fold when unpacked"
        raise InputError(problem, path=label, remedy=AGAIN)
    if OPEN_DOCUMENT in (each.filename for each in found):
        _check_open_document(opened)


def _check_open_document(opened: Opened) -> None:
    """Refuse content that is not well-formed XML, on which calamine would loop forever."""
    try:
        with zipfile.ZipFile(io.BytesIO(opened.data)) as archive:
            expat.ParserCreate().Parse(archive.read(OPEN_DOCUMENT), True)
    except Exception as error:  # each of the three libraries has its own
        problem = f"is a broken spreadsheet: {error}"
        raise InputError(problem, path=opened.label, remedy=AGAIN) from None


def _find_sheet(book: Any, wanted: str | int | None, label: str) -> str:
    """The name of the chosen sheet: by name or by number, or the only one that is not empty."""
    names = [str(name) for name in book.sheet_names]
    if not names:
        raise InputError("has no sheet", path=label, remedy=SOMETHING)
    listed = f"its sheets are {', '.join(map(repr, names))}"
    if wanted is None:
        filled = names
        if len(names) > 1:
            filled = [name for name in names if _guarded(label, partial(_height, book, name))]
        if len(filled) > 1:
            remedy = f"name one of them with {option('sheet', filled[0])}"
            raise InputError(f"has {len(filled)} sheets; {listed}", path=label, remedy=remedy)
        return (filled or names)[0]
    if str(wanted) in names:
        return str(wanted)
    number = str(wanted)
    if number.isascii() and number.isdigit() and 1 <= int(number) <= len(names):
        return names[int(number) - 1]
    near = nearest(str(wanted), names, cutoff=0.5)
    meant = f"say {option('sheet', near)}, if that is what you mean" if near else None
    remedy = meant or f"give a name, or a number from 1 to {len(names)}"
    raise InputError(f"has no sheet {str(wanted)!r}; {listed}", path=label, remedy=remedy)


def _height(book: Any, name: str) -> int:
    return int(book.load_sheet(name, header_row=None, dtypes="string", n_rows=1).height)


def _loaded(book: Any, name: str, label: str) -> tuple[list[str], polars.DataFrame]:
    """The first row of a sheet as names, and a frame of the others, each column of its own kind."""
    import polars as pl

    def load(**how: Any) -> polars.DataFrame:
        # All rows determine a column's type, not only the first thousand.
        every: dict[str, Any] = {"schema_sample_rows": None, "skip_whitespace_tail_rows": True}
        found: polars.DataFrame = _guarded(
            label, lambda: book.load_sheet(name, **every, **how).to_polars()
        )
        return found.rename({old: str(place) for place, old in enumerate(found.columns)})

    first = load(header_row=None, dtypes="string", n_rows=1)
    if not first.width or not len(first):
        raise InputError(f"the sheet {name!r} is empty", path=label, remedy=SOMETHING)
    header = [(cell or "").strip(" \t") for cell in first.row(0)]
    kinds, texts = load(), load(dtypes="string")
    columns = [_column(kinds[place], texts[place]) for place in texts.columns]
    return header, pl.DataFrame(columns)


def _column(typed: polars.Series, texts: polars.Series) -> polars.Series:
    """The cells with their own type if that represents their texts exactly; else the texts."""
    import polars as pl

    kind = typed.dtype
    if kind.is_numeric():
        if not typed.equals(texts.cast(pl.Float64, strict=False).cast(kind, strict=False)):
            return texts
        whole = ((typed % 1 == 0) & (typed.abs() <= LARGEST_WHOLE)).all()
        return typed.cast(pl.Int64) if whole and kind.is_float() else typed
    if kind == pl.Boolean:
        return typed if typed.cast(pl.String).equals(texts) else texts
    if isinstance(kind, pl.Datetime):
        if not typed.equals(texts.str.to_datetime(time_unit=kind.time_unit, strict=False)):
            return texts
        days = typed.dt.date()
        return days if typed.equals(days.cast(kind)) else typed
    if kind == pl.Date:
        return typed if typed.cast(pl.String).equals(texts) else texts
    return texts


def _guarded(label: str, call: Callable[[], T]) -> T:
    """What fastexcel returns; if anything goes wrong in it, the file is refused."""
    with held_panics(label, "spreadsheet") as held:
        try:
            return call()
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:  # also a panic of compiled code, which is not an Exception
            held.cleared = True
            reason = (str(error).splitlines() or ["no reason given"])[0]
    raise InputError(f"is a broken spreadsheet: {reason}", path=label, remedy=AGAIN)
