"""Who fears what: for every record the items that nobody should infer about that person.

In: pairs of record and item, a mapping, a matrix, or a function of the record. Out: a frozen value that
holds one bit for each person and feared item, or the pairs themselves where these take less room.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import checked, fits
from withhold.data.names import clean_set
from withhold.data.packing import Longs, Numbers, chunks_of, marks_of_pairs, packed, packed_pairs
from withhold.data.records import Records
from withhold.data.take_backs import unknown_take_backs, vain_take_backs
from withhold.data.unknown import Unknown
from withhold.data.wishes import ALL, RowsByName, named, parse_wish, several
from withhold.errors import InputError
from withhold.wording import counted


@runtime_checkable
class Categories(Protocol):
    """What a hierarchy can say: the items that a name stands for."""

    def __contains__(self, name: object) -> bool: ...

    def leaves_under(self, name: str) -> Iterable[str]:
        """The items below a category."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class Constraints:
    """For every record of a table the items its person fears, owned or not.

    >>> table = Records.from_lists([["milk", "medicine"], ["milk"]])
    >>> constraints = Constraints.of({0: ["medicine"], "*": ["milk"]}, table)
    >>> constraints.of_record(0), constraints.of_record(1)
    (('medicine', 'milk'), ('milk',))
    """

    n_records: int
    items: tuple[str, ...]
    """The feared items by name, ascending: the columns."""
    bits: NDArray[np.uint64]
    """A row of bits for each record; no rows at all where the pairs are held instead."""
    offsets: Longs
    columns: NDArray[np.int32]
    """The pairs: the columns of record ``r`` are columns[offsets[r]:offsets[r + 1]], ascending."""
    unknown: tuple[Unknown, ...] = ()
    """Records that the file names and the table does not have, where that was allowed; and what takes
    nothing back."""
    categories: tuple[str, ...] = field(default=(), repr=False)
    """The names of the hierarchy that could have been used."""
    _digests: list[str] = field(default_factory=list, repr=False)
    """The digest, once it was asked for."""

    @classmethod
    @checked
    def of(
        cls,
        source: Any,
        table: Records,
        *,
        hierarchy: Categories | None = None,
        allow_unknown: bool = False,
    ) -> Constraints:
        """The constraints for ``table`` from a mapping, a matrix or a function.

        A mapping goes from row numbers (from 0) or record ids to items; ``"*"`` stands for everybody, and an
        item that starts with ``!`` is taken back for one record (write ``\\!item`` for an item that starts so
        itself). A matrix (numpy or scipy sparse)
        has a row for each record and a column for each item of the table's vocabulary. A function gets
        each record as a tuple of names and returns the items feared. With a hierarchy, the name of a category
        stands for all its items. A record that the table does not have is refused unless ``allow_unknown``.
        """
        if isinstance(source, Constraints):
            return source.checked_for(table)
        if isinstance(source, Mapping):
            rows = RowsByName(table)
            by_row = [
                (rows.row(_record(record)), several(feared, record))
                for record, feared in source.items()
            ]
            if not allow_unknown:
                rows.refuse_strangers()
            pairs = (
                (row, *parse_wish(_written(item, row)))
                for row, feared in by_row
                if row >= ALL
                for item in feared
            )
            made = cls.from_pairs(pairs, table, hierarchy=hierarchy)
            return replace(made, unknown=(*rows.unknown(), *made.unknown))
        if callable(source):
            return cls.from_function(source, table, hierarchy=hierarchy)
        if hasattr(source, "shape"):
            return cls.from_matrix(source, table)
        raise InputError(
            "constraints must be a mapping, a matrix or a function of the record",
            value=type(source).__name__,
            remedy="give for example {0: ['medicine']}, or read a file with read_constraints",
        )

    @classmethod
    @checked
    def from_pairs(
        cls,
        pairs: Iterable[tuple[int, str, bool]],
        table: Records,
        *,
        hierarchy: Categories | None = None,
    ) -> Constraints:
        """From (row, item, whether it is taken back); row -1 is everybody."""
        everybody: set[str] = set()
        rows: list[int] = []
        names: list[str] = []
        back: list[bool] = []
        numbers: dict[str, int] = {}
        wishes: list[int] = []
        for pair in pairs:
            row, written, taken = _pair(pair)
            for name in expanded(written, hierarchy):
                if row >= 0:
                    rows.append(row)
                    names.append(name)
                    back.append(taken)
                    wishes.append(numbers.setdefault(written, len(numbers)))
                elif taken:
                    raise InputError(
                        "an item can be taken back for one record, not for everybody", value=written
                    )
                else:
                    everybody.add(name)
        items, codes = np.unique(np.array(names, dtype=object), return_inverse=True)
        return cls.from_codes(
            np.array(rows, dtype=np.int64),
            codes.astype(np.int64),
            tuple(items.tolist()),
            n_records=len(table),
            back=np.array(back, dtype=bool),
            everybody=everybody,
            written=(np.array(wishes, dtype=np.int64), tuple(numbers)),
            vocabulary=table.vocabulary,
            categories=category_names(hierarchy),
        )

    @classmethod
    def from_codes(
        cls,
        rows: Numbers,
        codes: Numbers,
        items: tuple[str, ...],
        *,
        n_records: int,
        back: NDArray[np.bool_] | None = None,
        everybody: Iterable[str] = (),
        written: tuple[Numbers, Sequence[str]] | None = None,
        vocabulary: Sequence[str] = (),
        categories: tuple[str, ...] = (),
    ) -> Constraints:
        """From parallel arrays of rows and item codes, ``back`` marking what is taken back.

        ``written`` are the numbers and names of what stood there, where that could be categories.
        """
        shared = frozenset(everybody)
        named = tuple(sorted(shared | set(items)))
        column_of = {name: column for column, name in enumerate(named)}
        to_column = np.array([column_of[name] for name in items], dtype=np.int32)
        columns = to_column[codes] if len(codes) else codes
        if not shared and (back is None or not back.any()):
            made = cls(n_records, *packed_pairs(n_records, named, rows, columns))
            return replace(made, categories=categories)
        given = np.zeros(len(rows), dtype=bool) if back is None else back
        add, drop = (_by_row(rows[mask], columns[mask]) for mask in (~given, given))
        common = np.array(sorted(column_of[name] for name in shared), dtype=np.int64)

        def row_bits(start: int, end: int) -> NDArray[np.bool_]:
            marks = np.zeros((end - start, len(named)), dtype=bool)
            marks[:, common] = True
            for (at, column), value in ((add, True), (drop, False)):
                span = slice(*np.searchsorted(at, (start, end)))
                marks[at[span] - start, column[span]] = value
            return marks

        made = replace(cls(n_records, *packed(n_records, named, row_bits)), categories=categories)
        if not given.any():
            return made
        wish, names = (codes, items) if written is None else written
        for_all = np.array([name in shared for name in items], dtype=bool)
        vain = [names[number] for number in vain_take_backs(rows, codes, given, for_all, wish)]
        taken = len(np.unique(wish[given]))
        wished = shared | {items[code] for code in np.unique(codes[~given])}
        missing = unknown_take_backs(vain, taken, wished, vocabulary)
        return made if missing is None else replace(made, unknown=(missing,))

    @classmethod
    @checked
    def from_function(
        cls,
        fears: Callable[[tuple[str, ...]], Iterable[str]],
        table: Records,
        *,
        hierarchy: Categories | None = None,
    ) -> Constraints:
        """From a function of the record; it is called once for each. The items it returns are names, as they
        are: a ``!`` in front is part of the name."""
        pairs = (
            (row, named(_written(item, row)), False)
            for row, record in enumerate(table)
            for item in several(fears(record), row)
        )
        return cls.from_pairs(pairs, table, hierarchy=hierarchy)

    @classmethod
    @checked
    def from_matrix(cls, matrix: Any, table: Records) -> Constraints:
        """From a boolean matrix, dense or scipy's: records × the table's vocabulary."""
        if not hasattr(matrix, "shape"):
            raise InputError(
                "constraints by matrix must be an array",
                value=type(matrix).__name__,
                remedy="give a numpy array or a scipy sparse matrix",
            )
        if tuple(matrix.shape) != (len(table), table.n_items):
            raise InputError(
                f"the matrix has shape {tuple(matrix.shape)}, and the table {counted(len(table), 'record')} "
                f"and {counted(table.n_items, 'item')}",
                remedy="give a row for each record and a column for each item of the vocabulary",
            )
        # Anything else is taken by rows, so that it need not be in memory as a whole.
        by_row = matrix.tocsr() if hasattr(matrix, "tocsr") else matrix

        def row_bits(start: int, end: int) -> NDArray[np.bool_]:
            part = by_row[start:end]
            dense = part.toarray() if hasattr(part, "toarray") else np.asarray(part)
            return np.asarray(dense != 0)

        return cls(len(table), *packed(len(table), table.vocabulary, row_bits))

    def __repr__(self) -> str:
        """How many fears there are, not whose."""
        return (
            f"<Constraints records={self.n_records:,}"
            f" items={len(self.items):,} pairs={self.n_pairs:,}>"
        )

    @property
    def n_pairs(self) -> int:
        """How many pairs of a person and a feared item there are."""
        if len(self.offsets) > 1:
            return len(self.columns)
        return int(np.bitwise_count(self.bits).sum())

    @property
    def nbytes(self) -> int:
        """The memory of the arrays."""
        return self.bits.nbytes + self.offsets.nbytes + self.columns.nbytes

    def chunks(self) -> Iterator[tuple[int, int]]:
        """Ranges of records whose ``marks`` take little memory."""
        return chunks_of(self.n_records, len(self.items))

    def marks(self, start: int, end: int) -> NDArray[np.bool_]:
        """Some records as rows of a boolean matrix over ``items``."""
        if len(self.offsets) > 1:
            return marks_of_pairs(self.offsets, self.columns, len(self.items), start, end)
        if not self.items:
            return np.zeros((end - start, 0), dtype=bool)
        as_bytes = self.bits[start:end].view(np.uint8)
        unpacked = np.unpackbits(as_bytes, axis=1, count=len(self.items), bitorder="little")
        return unpacked.astype(np.bool_)

    def of_record(self, row: int) -> tuple[str, ...]:
        """The items that one person fears; rows count from 0."""
        return tuple(self.items[column] for column in np.flatnonzero(self.marks(row, row + 1)[0]))

    def shared_by_all(self) -> frozenset[str] | None:
        """The items feared, if everybody fears the same; else None."""
        first = self.marks(0, 1)[0] if self.n_records else np.zeros(0, dtype=bool)
        for start, end in self.chunks():
            if (self.marks(start, end) != first).any():
                return None
        return frozenset(name for name, there in zip(self.items, first, strict=True) if there)

    def and_for_all(self, names: Iterable[str]) -> Constraints:
        """These constraints, with items that everybody fears besides."""
        shared = clean_set(names, "sensitive")
        if not shared:
            return self
        named = tuple(sorted(shared | set(self.items)))
        place = {name: column for column, name in enumerate(named)}
        mine = np.array([place[name] for name in self.items], dtype=np.int64)
        common = np.array([place[name] for name in shared], dtype=np.int64)

        def row_bits(start: int, end: int) -> NDArray[np.bool_]:
            marks = np.zeros((end - start, len(named)), dtype=bool)
            marks[:, mine] = self.marks(start, end)
            marks[:, common] = True
            return marks

        together = Constraints(self.n_records, *packed(self.n_records, named, row_bits))
        return replace(together, unknown=self.unknown, categories=self.categories)

    def checked_for(self, table: Records) -> Constraints:
        """The same, if they have as many records as the table."""
        if self.n_records != len(table):
            raise InputError(
                f"the constraints are for {counted(self.n_records, 'record')}, and the table has "
                f"{len(table):,}",
                remedy="make them for this table",
            )
        return self

    def digest(self) -> str:
        """The SHA-256 of who fears what, whatever form it is held in."""
        if not self._digests:
            digest = hashlib.sha256(f"{self.n_records}\n".encode())
            digest.update("\n".join(self.items).encode())
            for start, end in self.chunks():
                digest.update(np.packbits(self.marks(start, end), axis=1).tobytes())
            self._digests.append(digest.hexdigest())
        return self._digests[0]


def _record(record: object) -> object:
    """The record that a key names; True and False are no row numbers."""
    if record is None or isinstance(record, bool | np.bool_):
        raise InputError(
            "a key of the constraints is no record",
            value=repr(record),
            remedy="use row numbers from 0, record ids, or * for everybody",
        )
    return record


def _written(item: object, record: object) -> str:
    """The item as a text; what is neither a text nor a whole number names no item."""
    if not fits(item, str | int):
        raise InputError(
            f"what record {record} wants protected must be texts",
            value=repr(item),
            remedy="name the items, such as ['medicine']",
        )
    return str(item)


def _pair(pair: Any) -> tuple[int, str, bool]:
    """A row, an item and whether it is taken back."""
    if isinstance(pair, tuple | list) and len(pair) == 3:
        row, item, back = pair
        if fits(row, int) and isinstance(item, str) and fits(back, bool):
            return int(row), item, bool(back)
    raise InputError(
        "a pair must be (row, item, whether it is taken back)",
        value=repr(pair),
        remedy="give for example (0, 'medicine', False); row -1 is everybody",
    )


def expanded(name: str, hierarchy: Categories | None) -> list[str]:
    """The item itself, or the items of the category that has this name."""
    return [name] if hierarchy is None or name not in hierarchy else [*hierarchy.leaves_under(name)]


def category_names(hierarchy: Categories | None) -> tuple[str, ...]:
    """All names of a hierarchy, as far as it says them."""
    return tuple(getattr(hierarchy, "names", ()))


def _by_row(rows: Numbers, columns: Numbers) -> tuple[Numbers, Numbers]:
    """The pairs, in the order of their rows."""
    order = np.argsort(rows, kind="stable")
    return rows[order], columns[order]
