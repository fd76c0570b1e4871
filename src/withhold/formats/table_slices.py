"""A slice of a large table: some of its lines or rows, with the header that all of them have.

As ``slices``, for tables of named columns. A CSV file with a line break inside quotes is not cut at all:
finding where its rows end would require reading the file from the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from withhold.data import Source, Table
from withhold.data.binning import Bins, read_numbers
from withhold.data.decimals import POINT
from withhold.data.preparing import Cut, parse_bins, prepare
from withhold.errors import InputError, PolicyError, option
from withhold.formats.first_rows import refuse_row_as_header
from withhold.formats.opening import GZIP, PARQUET, ZSTD, Opened, open_bytes
from withhold.formats.slices import HEAD, TELLING_ROWS, Slice, cut, open_file, open_slice, size_of
from withhold.formats.table import read_opened
from withhold.formats.table_repeats import repeats_in

BLOCK = 1 << 22


@dataclass(frozen=True)
class TableReader:
    """How every slice of some tables is read, and prepared."""

    form: Source
    drop: tuple[str, ...] = ()
    bins: Mapping[str, Cut] | None = None

    def open(self, piece: Slice) -> Opened:
        """The content of a slice, with its digest."""
        return open_slice(piece, self.form)

    def read(self, opened: Opened) -> Table:
        """The table in a slice, its columns dropped and binned."""
        table = _read(opened, self.form)
        table = replace(table, repeats=repeats_in(table, self.drop))
        return prepare(table, self.drop, self.bins or {})

    def whole_numbers(self, opened: Opened) -> frozenset[str]:
        """The binned columns that have only whole numbers, which decides how their ranges are written."""
        if not self.bins:
            return frozenset()
        table = _read(opened, self.form)
        numbers = {name: read_numbers(table.column(name), table).values() for name in self.bins}
        return frozenset(
            name
            for name, found in numbers.items()
            if all(number == number.to_integral_value() for number in found)
        )


def table_reader(
    form: Source, *, drop: tuple[str, ...] = (), bins: Any = (), decimal: str | None = None
) -> TableReader:
    """How slices of tables of this form are read; refuses options that need the whole column."""
    found = parse_bins(bins)
    for name, how in found.items():
        if not isinstance(how, Bins):
            raise PolicyError(
                f"{option('bin', f'{name}={how}')} looks at the whole column first, which a release by parts "
                "cannot; say width or edges, such as 5 or 18,65, or bin the column beforehand"
            )
    if decimal not in (None, POINT):
        raise PolicyError(
            f"{option('decimal', decimal)} looks at the whole column first, which a release by parts cannot; "
            "write numbers with decimal points beforehand"
        )
    return TableReader(form, drop, found)


def table_form_of(
    path: Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> Source:
    """The form of a table, detected from its first lines; for a compressed file, from all of it."""
    with open_file(path) as file:
        head = file.read(HEAD + 1)
    how: dict[str, Any] = {"encoding": encoding, "sheet": sheet}
    if head.startswith(PARQUET):
        piece = Slice(
            path, 0, min(size_of(path, Source(path, "", container="parquet")), TELLING_ROWS)
        )
        opened = open_slice(piece, Source(path, "", container="parquet"))
    elif head.startswith((GZIP, ZSTD)) or len(head) <= HEAD or encoding is not None or sheet:
        opened = open_bytes(path)
    else:
        lines = head[: head.rfind(b"\n", 0, HEAD) + 1]
        if not lines:
            problem = f"has a first line of more than {HEAD // 2**20} MiB"
            raise InputError(problem, path=path, line=1, remedy="put each row on a line")
        if lines.count(b'"') % 2:
            # The last line ends inside quotes, so all of it is read.
            opened = open_bytes(path)
        else:
            opened = replace(
                open_slice(Slice(path, 0, len(lines)), Source(path, "")), label=str(path)
            )
    table = read_opened(opened, separator, **how)
    refuse_row_as_header(table)
    found = table.source
    assert found is not None
    return replace(found, path=path)


def cut_table(path: Path, form: Source, part_rows: int) -> list[Slice]:
    """The file in pieces of about this many rows; in one if it cannot be cut."""
    if form.container == "parquet":
        return cut(path, form, max(1, round(size_of(path, form) / part_rows)))
    is_plain = not form.compression and form.encoding in ("", "utf-8") and not form.sheet
    if not is_plain or form.container not in ("text", "jsonl") or _breaks_in_quotes(path, form):
        return [Slice(path)]
    head = min(size_of(path, form), HEAD // 4)
    rows = max(len(_read(open_slice(Slice(path, 0, head), form), form)), 1)
    pieces = cut(path, form, max(1, round(size_of(path, form) / (head / rows * part_rows))))
    with open_file(path) as file:
        names = len(file.readline()) if form.container == "text" else 0
    # A piece with only the header is not a table.
    while len(pieces) > 1 and (pieces[0].end or 0) <= names:
        pieces[:2] = [Slice(path, 0, pieces[1].end)]
    return pieces


def _read(opened: Opened, form: Source) -> Table:
    if form.container in ("parquet", "spreadsheet"):
        return read_opened(opened, None, sheet=form.sheet or None)
    separator = form.separator if form.container == "text" else None
    return read_opened(
        opened, separator, container=form.container, encoding=form.encoding or "utf-8"
    )


def _breaks_in_quotes(path: Path, form: Source) -> bool:
    """Whether a CSV file has a line break between quotes, or an unclosed quote."""
    if form.container != "text":
        return False
    inside = False
    with open_file(path) as file:
        while block := file.read(BLOCK):
            if not inside and b'"' not in block:
                continue
            # Every second piece between quotes is inside them.
            for number, piece in enumerate(block.split(b'"')):
                if (number % 2 == 1) != inside and b"\n" in piece:
                    return True
            inside = inside != bool(block.count(b'"') % 2)
    return inside
