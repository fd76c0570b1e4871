"""A table of named columns: what k-anonymity reads, and no method may change.

In: columns of texts, coded. Out: the same cells as codes, lists or frames. A blank is a value like any other;
a cell that was withheld has a code of its own. Which column plays which role is up to the model.
Nothing here reads files or withholds anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import checked, fits
from withhold.data.array_types import Ints
from withhold.data.native import (
    Native,
    as_arrow,
    as_pandas,
    as_polars,
    blanked,
    only_rows,
    restored,
)  # fmt: skip
from withhold.data.records import only_kept
from withhold.data.repeats import Repeat
from withhold.data.source import Source
from withhold.data.tidied import Tidied
from withhold.data.unknown import Unknown, missing_column
from withhold.errors import InputError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

WITHHELD = -1
"""The code of a cell that was withheld."""
TEXT = "String"
"""The kind of a column whose cells are texts."""

Value = str | None
"""The text of a cell; None is the null of sources that have it, not a withheld cell."""


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One column: ``values[codes[row]]`` is the cell, and -1 a withheld one."""

    name: str
    codes: Ints
    values: tuple[Value, ...]
    """The different values, none of them twice; sorted where the column was read."""
    kind: str = TEXT
    """The type of the cells in the source, as polars calls it; they are texts here."""
    native: Native = field(default=None, repr=False)
    """The cells as they came, if they came from a frame or parquet; null where withheld."""
    padded: polars.Series | None = field(default=None, repr=False)
    """The cells with the blanks around them, if a CSV file has some; null where withheld."""
    pandas_kind: str = ""
    """The pandas type, if it is one of the nullable ones (``Int32``)."""

    def __post_init__(self) -> None:
        codes = np.ascontiguousarray(self.codes, dtype=np.int32)
        if len(codes) and (codes.min() < WITHHELD or codes.max() >= len(self.values)):
            raise InputError("a cell's code lies outside the values", column=self.name)
        if len(set(self.values)) < len(self.values):
            raise InputError("duplicate value in the list of values", column=self.name)
        view = codes.view()
        view.flags.writeable = False
        object.__setattr__(self, "codes", view)

    @classmethod
    def of(cls, name: str, cells: Iterable[Value], kind: str = TEXT) -> Column:
        """The column of these cells."""
        codes, values = _coded(list(cells))
        return cls(name, codes, values, kind)

    @property
    def withheld(self) -> NDArray[np.bool_]:
        """Which cells were withheld."""
        return np.equal(self.codes, WITHHELD)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many cells hold each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values)).astype(np.int64)

    def cells(self, withheld: object = None) -> NDArray[np.object_]:
        """The cells as Python values, a withheld one as ``withheld``."""
        return np.array((*self.values, withheld), dtype=object)[self.codes]

    def in_words(self, words: Sequence[Value]) -> polars.Series:
        """The cells with these texts for the values, the last one for a withheld cell."""
        import polars as pl

        texts = pl.Series(self.name, words, dtype=pl.String)
        return texts.gather((self.codes % len(texts)).astype(np.uint32))

    def mapped(self, change: Callable[[Value], Value], kind: str = TEXT) -> Column:
        """The column with every value changed; values that become equal become one."""
        new, values = _coded([change(value) for value in self.values])
        return Column(self.name, np.append(new, np.int32(WITHHELD))[self.codes], values, kind)

    def with_withheld(self, value: Value) -> Column:
        """The column with every cell of this value taken for a withheld one."""
        if value not in self.values:
            return self
        place = self.values.index(value)
        values = self.values[:place] + self.values[place + 1 :]
        new = np.arange(len(self.values), dtype=np.int32) - 1
        new[:place] += 1
        new[place] = WITHHELD
        codes = np.append(new, np.int32(WITHHELD))[self.codes]
        native, padded = (blanked(cells, codes == WITHHELD) for cells in (self.native, self.padded))
        return replace(self, codes=codes, values=values, native=native, padded=padded)

    def with_shown(self, value: Value) -> Column:
        """The column with every withheld cell taken for one of this value; the reverse of the above."""
        values = self.values if value in self.values else (*self.values, value)
        codes = np.where(self.codes == WITHHELD, values.index(value), self.codes)
        padded = None if self.padded is None else self.padded.fill_null(value or "")
        return Column(self.name, codes, values, self.kind, padded=padded)

    def exact(self) -> Column:
        """The column in which cells that differ by the blanks around them are different values."""
        if self.padded is None:
            return self
        codes, values = _coded(self.padded.to_list())
        made = Column(self.name, codes, values)
        return made.with_withheld(None) if self.withheld.any() else made

    def only_rows(self, kept: NDArray[np.bool_]) -> Column:
        """The column with the rows that are ``kept``, in their order."""
        native, padded = (only_rows(cells, kept) for cells in (self.native, self.padded))
        return replace(self, codes=self.codes[kept], native=native, padded=padded)

    def to_polars(self) -> polars.Series:
        """The cells with their types in the source; blanks and withheld ones are null."""
        import polars as pl

        if self.padded is not None:
            return self.padded.alias(self.name)
        if self.native is not None:
            return as_polars(self.native).alias(self.name)
        values = restored(pl.Series(self.name, self.values, dtype=pl.String), self.kind)
        return values.extend_constant(None, 1).gather(
            (self.codes % (len(values) + 1)).astype(np.uint32)
        )


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Rows of cells under named columns.

    Examples
    --------
    >>> table = Table.from_columns({"age": ["30", "", "30"], "sex": ["f", "m", None]})
    >>> len(table), table.names, table.rows()[1]
    (3, ('age', 'sex'), ('', 'm'))
    """

    kind: ClassVar[str] = "table"

    columns: tuple[Column, ...]
    source: Source | None = None
    dropped: tuple[str, ...] = ()
    """The columns that were left out on the way in."""
    binned: tuple[str, ...] = ()
    """How columns were binned on the way in, as ``age=5``."""
    tidied: tuple[Tidied, ...] = ()
    """How columns were tidied on the way in, before they were binned."""
    without_consent: int | None = None
    """How many rows were left out for lack of consent; None: consent was not used."""
    index: tuple[object, ...] | None = None
    """The row labels of a pandas frame, if it has labels of its own."""
    unknown: tuple[Unknown, ...] = ()
    """Names on accompanying lists, such as the list of consent, that the data does not contain."""
    repeats: tuple[Repeat, ...] | None = None
    """Why its rows may not be persons; None: nobody has looked yet."""

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if not names:
            raise InputError("a table needs at least one column")
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            remedy = "give each column a unique name"
            raise InputError(f"has two columns {twice[0]!r}", remedy=remedy)
        if len({len(column.codes) for column in self.columns}) > 1:
            raise InputError("the columns of a table are not equally long")

    @classmethod
    @checked
    def from_columns(cls, columns: Mapping[str, Iterable[Value]]) -> Table:
        """The table of columns given as texts.

        Parameters
        ----------
        columns
            The cells of each column, by its name; None is the null of sources that have it.

        Raises
        ------
        InputError
            If the columns are not equally long, or not texts.
        """
        for name, cells in columns.items():
            if not isinstance(name, str) or not fits(cells, Iterable[object]):
                problem, shown = "each column is a name and a collection of texts", repr(name)
                remedy = "give for example {'age': ['30', '31']}"
                raise InputError(problem, value=f"{shown}: {type(cells).__name__}", remedy=remedy)
        return cls(tuple(Column.of(name, cells) for name, cells in columns.items()))

    def __len__(self) -> int:
        return len(self.columns[0].codes)

    def __repr__(self) -> str:
        """How much it holds, not what.

        >>> Table.from_columns({"age": ["30", "", "30"], "sex": ["f", "m", None]})
        <Table rows=3 columns=age,sex withheld=0>
        """
        return f"<Table rows={len(self):,} columns={','.join(self.names)} withheld={self.n_withheld:,}>"

    def __eq__(self, other: object) -> bool:
        """Same names, same cells in the same order, the same ones withheld; whatever the codes."""
        if not isinstance(other, Table):
            return NotImplemented
        return self.names == other.names and all(
            _same_cells(*pair) for pair in zip(self.columns, other.columns, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the custodian should know about it, as found on the way in."""
        return tuple(each.problem for each in self.repeats or () if each.is_noted)

    @property
    def record_ids(self) -> None:
        """None: rows have no ids; they are referred to by their numbers."""
        return None

    def only_records(self, kept: NDArray[np.bool_]) -> Table:
        """The rows that are ``kept``, in their order."""
        return replace(
            self,
            columns=tuple(column.only_rows(kept) for column in self.columns),
            index=only_kept(self.index, kept),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def n_withheld(self) -> int:
        """How many cells were withheld."""
        return sum(int(column.withheld.sum()) for column in self.columns)

    def column(self, name: str) -> Column:
        """The column of this name; an unknown name is an error with the nearest spelling."""
        for column in self.columns:
            if column.name == name:
                return column
        path = None if self.source is None else self.source.path
        raise missing_column(name, self.names, path)

    def cells(self, names: Sequence[str]) -> Ints:
        """The codes of these columns side by side, one row for each row."""
        columns = [self.column(name).codes for name in names]
        return np.stack(columns, axis=1) if columns else np.empty((len(self), 0), dtype=np.int32)

    def with_columns(self, changed: Iterable[Column]) -> Table:
        """The table with these columns in place of those of the same names."""
        new = {column.name: column for column in changed}
        return replace(self, columns=tuple(new.get(c.name, c) for c in self.columns))

    def with_marks(self, mark: str, names: Iterable[str]) -> Table:
        """The table in which cells of these columns that show the mark count as withheld.

        An empty mark means empty cells, including null.
        """
        columns = [self.column(name).with_withheld(mark) for name in names]
        return self.with_columns(c if mark else c.with_withheld(None) for c in columns)

    def rows(self) -> list[tuple[Value, ...]]:
        """All rows as texts; a withheld cell is None."""
        return list(zip(*(column.cells().tolist() for column in self.columns), strict=True))

    def to_polars(self) -> polars.DataFrame:
        """A polars frame; columns of a frame or parquet have their types, withheld cells are null."""
        import polars as pl

        return pl.DataFrame([column.to_polars() for column in self.columns])

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame; columns of a frame or parquet have their types, withheld cells are missing.

        Whole numbers and truth values with such cells among them get pandas' nullable types.
        """
        import pandas as pd

        columns = {
            column.name: as_pandas(column.native)
            if column.native is not None
            else column.cells()
            if column.kind == TEXT and column.padded is None
            else as_pandas(column.to_polars())
            for column in self.columns
        }
        frame = pd.DataFrame(columns, columns=list(self.names))
        # A column of pandas carries the labels of its rows, which may be names of people.
        frame.index = pd.RangeIndex(len(self)) if self.index is None else pd.Index(self.index)
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow table; columns of a frame or parquet have their types, withheld cells are null."""
        import pyarrow as pa

        natives = {c.name: c.to_polars() if c.native is None else c.native for c in self.columns}
        return pa.table({name: as_arrow(native) for name, native in natives.items()})


def _coded(cells: Sequence[Value]) -> tuple[Ints, tuple[Value, ...]]:
    """The codes of cells, and the different values, null first."""
    values = tuple(sorted(set(cells), key=lambda value: (value is not None, value or "")))
    code_of = {value: code for code, value in enumerate(values)}
    return np.fromiter((code_of[cell] for cell in cells), np.int32, count=len(cells)), values


def _same_cells(one: Column, other: Column) -> bool:
    code_of = {value: code for code, value in enumerate(one.values)}
    # Values that the first column lacks get a code that no cell has.
    new = [code_of.get(value, WITHHELD - 1) for value in other.values]
    if not np.array_equal(one.codes, np.array([*new, WITHHELD], dtype=np.int32)[other.codes]):
        return False
    if one.padded is None or other.padded is None:
        return one.padded is other.padded
    return one.padded.equals(other.padded)
