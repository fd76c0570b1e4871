"""Where a table came from and in what form, so that a release can be written back the same way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """The file that data was read from, and its format.

    Examples
    --------
    >>> import withhold as wh
    >>> wh.read([["milk"]]).source is None, Source(Path("a.dat.gz"), "basket", compression="gz").container
    (True, 'text')
    """

    path: Path
    format: str
    """One of ``FORMATS``; or ``table``, of named columns, or ``people``, whose items are in ``files`` or in
    a ``list_column``."""
    compression: str = ""
    """``gz``, ``zst`` or nothing."""
    container: str = "text"
    """``text`` (plain or CSV), ``parquet``, ``jsonl``, or ``spreadsheet``, which is only read."""
    separator: str = " "
    columns: tuple[str, ...] = ()
    """The record column, if there is one, and then the item column, if there is one.

    ``long`` has both; ``list`` and ``jsonl`` objects the items' and perhaps the records';
    ``one-hot`` perhaps the records'; ``table`` has them all.
    """
    sha256: str = ""
    """The digest of the bytes on disk."""
    variant: str = ""
    """The variant, if the format has several: ``basket`` may be ``quoted``, ``spmf`` is ``sequences`` or
    ``transactions``, and ``people`` may have ``;`` or ``|`` between the items of a cell."""
    mark: str = ""
    """Of a ``table``: what a withheld cell shows; if empty, it is an empty field or null."""
    marked: tuple[str, ...] = ()
    """Of a ``table``: the columns in which the mark means a withheld cell."""
    safe_csv: bool = False
    """Of CSV: whether cells that a spreadsheet would run as formulas have a quote before them."""
    id_column: str = ""
    """Of ``people``: the column that names the persons, if there is one."""
    list_column: str = ""
    """Of ``people`` in one file: the column that holds the items."""
    files: tuple[Source, ...] = ()
    """Of ``people``: the files of items, each with a ``part``."""
    part: str = ""
    """Of a file of items: what it is called; if there are several, items begin with it."""
    encoding: str = ""
    """Of a text that was read: its encoding, if not UTF-8; all files are written in UTF-8."""
    assumed: bool = False
    """Whether the encoding was guessed from the content."""
    sheet: str = ""
    """Of a ``spreadsheet``: the sheet that was read."""
    decimal: str = ""
    """Of a ``table``: ``comma`` if that is the decimal mark of its numbers."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """All the files."""
        return (self.path, *(each.path for each in self.files))
