"""Tables as text: a header line, and the same number of cells in every line.

In: the text of a CSV file. Out: its separator, its columns and its rows. Which columns mean what is
decided by the formats; nothing here turns a cell into anything but a string.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from withhold.errors import InputError, option
from withhold.formats.columns import INNER, Columns, Options
from withhold.formats.opening import Text
from withhold.wording import counted

if TYPE_CHECKING:
    import polars

SEPARATORS = (",", ";", "\t", "|", " ")
SAMPLE = 200
"""Lines examined before a file is taken for a table."""
BLANKS = " \t"
GUARD = "\x1f"
"""A placeholder for a blank inside quotes: never a separator, and never at the edge of a name."""
WHOLE = re.compile(r'\s*"((?:[^"]|"")*)"\s*')
"""A line that is one cell in quotes."""


class Sheet(Columns):
    """A text that is being read as a table."""

    def __init__(self, text: Text, separator: str, header: list[str]) -> None:
        self.text, self.path = text, text.path
        self.separator, self.columns = separator, header
        self.is_quoted = b'"' in text.data
        """Whether cells may be in quotes, so that only a CSV parser can tell them apart."""
        self._ready: dict[str, polars.Series] = {}

    @property
    def may_be_padded(self) -> bool:
        """Whether blanks around a cell can belong to it: not where they separate cells."""
        return self.separator != " "

    def rows(self, *, padded: bool = False, exact: bool = False) -> Iterator[tuple[int, list[str]]]:
        """The cells of each row below the header and its line.

        On request with the blanks around a cell (``padded``), or with those inside its quotes (``exact``).
        """
        # Editors leave empty lines at the end; elsewhere an empty line is a missing row.
        data = self.text.data.rstrip(b"\n")
        if padded and self.is_quoted:
            data = without_blanks_before_quotes(data, self.separator)
        text = Text(guard_blanks(data, self.separator) if exact else data, self.text.path)
        bare = unguarded if exact else _stripped
        lines = (line + "\n" for line in text.lines())
        reader = csv.reader(
            lines, delimiter=self.separator, skipinitialspace=not padded, strict=True
        )
        try:
            for row in islice(reader, 1, None):
                if len(row) != len(self.columns):
                    raise self._ragged(reader.line_num, row)
                yield reader.line_num, row if padded else list(map(bare, row))
        except csv.Error as error:
            remedy = 'close each quoted cell, and write a quote inside it as ""'
            line = max(reader.line_num, 1)
            raise text.error(f"is not proper CSV: {error}", remedy, line=line) from None

    def line(self, row: int) -> int:
        """The line of the file on which a row below the header ends, rows counted from 0."""
        return next(islice((number for number, _ in self.rows()), row, None))

    def column(self, name: str) -> polars.Series:
        """The cells of a column; ``load`` reads several columns at once, which is faster."""
        if name not in self._ready:
            self.load([name])
        return self._ready[name]

    def load(self, names: Sequence[str], *, exact: bool = False) -> None:
        """Read these columns."""
        found = self.cells([self.columns.index(name) for name in names], exact=exact)
        self._ready.update(zip(names, found, strict=True))

    def cells(
        self, places: Sequence[int], *, padded: bool = False, exact: bool = False
    ) -> list[polars.Series]:
        """Some columns below the header, as columns of texts; blanks as in ``rows``."""
        if self.is_quoted:
            return _parsed_cells(self, places, padded, exact)
        return _plain_cells(self, places, padded)

    def _ragged(self, line: int, row: Sequence[str]) -> InputError:
        """The error for a line with too many or too few cells."""
        if not any(cell.strip() for cell in row) and len(row) < 2:
            one = len(self.columns) == 1
            remedy = "delete it" + (', or write "" there for an empty cell' if one else "")
            return self.error("is blank", remedy, line=line)
        columns = counted(len(self.columns), "column")
        problem = f"has {counted(len(row), 'cell')} where the header has {columns}"
        remedy = f"complete the line, or name the separator with {option('separator')}"
        if len(row) == len(self.columns) + 1 and not row[-1].strip():
            remedy = "delete the separator at the end of the line, or add one to the header"
        elif len(row) > len(self.columns):
            remedy = f"put cells with {self.separator!r} in them in double quotes, or name the separator "
            remedy += f"with {option('separator')}"
        return self.error(problem, remedy, line=line)


def open_sheet(text: Text, options: Options) -> Sheet:
    """The text as a table, with the separator that the user named or the header shows."""
    lines = list(text.head(SAMPLE).lines())
    separator = options.separator or _sheet_separator(lines)
    header = _cells(lines[:1], separator)[0] if lines[0] else [""]
    return Sheet(text, separator, [name.strip(BLANKS) for name in header])


def without_blanks_before_quotes(data: bytes, separator: str) -> bytes:
    """The text of a CSV file without the blanks before quoted cells, which are not part of these cells.

    >>> without_blanks_before_quotes(b'a, "b, ""c", d', ",")
    b'a,"b, ""c", d'
    """
    blanks = b"[ ]*" if separator == "\t" else b"[ \t]*"
    before = b"(^|" + re.escape(separator.encode()) + b")"
    # Quoted cells are matched whole, so that nothing inside them is taken for the start of another.
    return re.sub(before + blanks + rb'("(?:[^"]|"")*")', rb"\1\2", data, flags=re.M)


def guard_blanks(data: bytes, separator: str) -> bytes:
    """The text of a CSV file with placeholders for the blanks at the edges of quoted cells."""
    if not re.search(rb'"[ \t]|[ \t]"', data):
        return data
    blanks = b"[ \t]*" if separator not in BLANKS else b""
    cell = re.compile(
        rb'(^|%b)(%b")((?:[^"]|"")*)"' % (re.escape(separator).encode(), blanks), re.M
    )
    return cell.sub(_guarded, data)


def _guarded(cell: re.Match[bytes]) -> bytes:
    inside = cell[3].strip(b" \t")
    if not inside or inside == cell[3]:
        return cell[0]
    before, _, after = cell[3].partition(inside)
    guard = GUARD.encode()
    return cell[1] + cell[2] + guard * len(before) + inside + guard * len(after) + b'"'


def unguarded(cell: str) -> str:
    """A cell without the blanks around it, but with those that ``guard_blanks`` guards."""
    bare = cell.strip(BLANKS)
    inside = bare.strip(GUARD)
    return bare if inside == bare else bare.replace(GUARD, " ") if inside else ""


def _stripped(cell: str) -> str:
    return cell.strip(BLANKS)


def holds_list(line: str) -> bool:
    """Whether a line is one cell in quotes that looks like a list of items."""
    whole = WHOLE.fullmatch(line)
    return whole is not None and INNER.match(whole[1]) is not None


def csv_lines(rows: Iterable[Sequence[str]], separator: str) -> Iterator[str]:
    """The rows as lines of CSV, each with its end; quotes where they are needed."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _sheet_separator(lines: list[str]) -> str:
    """The separator that splits the header and every other line into equally many cells."""
    found: list[tuple[bool, int, str]] = []
    for separator in SEPARATORS:
        if separator not in lines[0] or (separator == " " and found):
            continue
        if separator == " " and any(holds_list(line) for line in lines[1:]):
            continue  # Quotes are for CSV: one column, and blanks in its name.
        rows = _cells(lines, separator)
        even = all(len(row) == len(rows[0]) for row in rows)
        if len(rows[0]) > 1:
            found.append((even, len(rows[0]), separator))
    return max(found, key=lambda each: each[:2])[2] if found else ","


def _cells(lines: list[str], separator: str) -> list[list[str]]:
    """The cells of some lines, read leniently: they only serve detection."""
    try:
        return list(csv.reader(lines, delimiter=separator, skipinitialspace=True)) or [[]]
    except csv.Error:
        return [line.split(separator) for line in lines]


def _plain_cells(sheet: Sheet, places: Sequence[int], padded: bool) -> list[polars.Series]:
    """Some columns of a table without quotes, by polars."""
    import polars as pl

    data = sheet.text.data.rstrip(b"\n")
    names = [str(number) for number in range(len(sheet.columns))]
    n_lines = data.count(b"\n") + 1
    # Polars refuses a line with too many cells but pads one with too few; if the total is right
    # and no line has too many, none has too few.
    complete = data.count(sheet.separator.encode()) == (len(names) - 1) * n_lines
    try:
        if n_lines == 1 or not complete:
            raise pl.exceptions.ComputeError
        frame = pl.read_csv(
            data,
            has_header=False,
            skip_rows=1,
            separator=sheet.separator,
            quote_char=None,
            schema=dict.fromkeys(names, pl.String),
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        # The slow reader finds the faulty line, or that there is none.
        return _parsed_cells(sheet, places, padded)
    # All columns at once: each call of polars has a large overhead.
    cells = pl.all().fill_null("") if padded else pl.all().fill_null("").str.strip_chars(BLANKS)
    return frame.select(names[place] for place in places).select(cells).get_columns()


def _parsed_cells(
    sheet: Sheet, places: Sequence[int], padded: bool, exact: bool = False
) -> list[polars.Series]:
    """Some columns of a table, cell by cell."""
    import polars as pl

    found = sheet.rows(padded=padded, exact=exact)
    rows = [tuple(row[place] for place in places) for _, row in found]
    if not rows:
        raise sheet.error("holds a header but no records", "give at least one record")
    return [pl.Series(values, dtype=pl.String) for values in zip(*rows, strict=True)]
