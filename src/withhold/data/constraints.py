"""Who wants what protected: for every record the items that nobody should infer about that person.

In: pairs of record and item, a mapping, a matrix, or a function of the record. Out: a frozen value that
holds one bit for each person and item, or the pairs themselves if these take less memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import checked
from withhold.data import wishes
from withhold.data.array_types import Longs
from withhold.data.names import clean_set
from withhold.data.packing import Numbers, chunks_of, marks_of_pairs, packed, packed_pairs
from withhold.data.records import Records
from withhold.data.unknown import Unknown
from withhold.data.wishes import ByRecord, Categories, Matrix, WishFunction
from withhold.errors import InputError
from withhold.wording import counted

if TYPE_CHECKING:
    Wanted: TypeAlias = "ByRecord | Matrix | WishFunction | Constraints"
    """Whatever says who wants what protected, as ``Constraints.of`` reads it."""
    AnyMatrix: TypeAlias = Matrix
else:
    Wanted = AnyMatrix = Any  # ``of`` says what is wrong with a value better than a type does


@dataclass(frozen=True, eq=False, slots=True)
class Constraints:
    """The items that each record's person wants protected, owned or not.

    Examples
    --------
    >>> records = Records.from_lists([["milk", "medicine"], ["milk"]])
    >>> constraints = Constraints.of({0: ["medicine"], "*": ["milk"]}, records)
    >>> constraints.of_record(0), constraints.of_record(1)
    (('medicine', 'milk'), ('milk',))
    """

    n_records: int
    items: tuple[str, ...]
    """The items to protect by name, ascending: the columns."""
    bits: NDArray[np.uint64]
    """A row of bits for each record; no rows at all if the pairs are held instead."""
    offsets: Longs
    columns: NDArray[np.int32]
    """The pairs: the columns of record ``r`` are columns[offsets[r]:offsets[r + 1]], ascending."""
    unknown: tuple[Unknown, ...] = ()
    """Records that the file names and the data does not have, if that was allowed; and items taken back
    in vain."""
    categories: tuple[str, ...] = field(default=(), repr=False)
    """The names of the hierarchy that could have been used."""
    _digests: list[str] = field(default_factory=list, repr=False)
    """The digest, once computed."""

    @classmethod
    @checked
    def of(
        cls,
        source: Wanted,
        records: Records,
        *,
        hierarchy: Categories | None = None,
        allow_unknown: bool = False,
    ) -> Constraints:
        """The constraints for the records of ``records``.

        Parameters
        ----------
        source
            A mapping from row numbers (from 0) or record ids to items; ``"*"`` means everybody, and an
            item that starts with ``!`` is taken back for one record (write ``\\!item`` for an item whose
            name starts so). Or a matrix (numpy or scipy sparse) with a row for each record and a column for
            each item of the vocabulary. Or a function that gets each record as a tuple of names and returns
            items.
        hierarchy
            With it, the name of a category means all its items.
        allow_unknown
            Whether a mapping may name records that the data does not have.
        """
        if isinstance(source, Constraints):
            return source.checked_for(records)
        if isinstance(source, Mapping):
            rows = wishes.RowsByName(records)
            wanted = [
                (rows.row(wishes.record_key(key)), wishes.several(all_, key))
                for key, all_ in source.items()
            ]
            if not allow_unknown:
                rows.refuse_strangers()
            there = ((row, item) for row, items in wanted if row >= wishes.ALL for item in items)
            pairs = ((row, *wishes.parse_wish(wishes.item_text(item, row))) for row, item in there)
            made = cls.from_pairs(pairs, records, hierarchy=hierarchy)
            return replace(made, unknown=(*rows.unknown(), *made.unknown))
        if callable(source):
            return cls.from_function(source, records, hierarchy=hierarchy)
        if hasattr(source, "shape"):
            return cls.from_matrix(cast(Matrix, source), records)
        problem = "constraints must be a mapping, a matrix or a function of the record"
        remedy = "give for example {0: ['medicine']}, or read a file with read_constraints"
        raise InputError(problem, value=type(source).__name__, remedy=remedy)

    @classmethod
    @checked
    def from_pairs(
        cls,
        pairs: Iterable[tuple[int, str, bool]],
        records: Records,
        *,
        hierarchy: Categories | None = None,
    ) -> Constraints:
        """From triples (row, item, whether the wish is removed); row -1 is everybody."""
        everybody: set[str] = set()
        numbers: dict[str, int] = {}
        rows: list[int] = []
        found: list[str] = []
        back: list[bool] = []
        wish: list[int] = []
        for row, written, taken in map(wishes.pair_of, pairs):
            names = wishes.expanded(written, hierarchy)
            if row >= 0:
                number = numbers.setdefault(written, len(numbers)) if names else 0
                found += names
                rows += [row] * len(names)
                back += [taken] * len(names)
                wish += [number] * len(names)
            elif taken and names:
                problem = "a wish can be removed for one record, not for everybody"
                raise InputError(problem, value=written)
            else:
                everybody.update(names)
        items, codes = np.unique(np.array(found, dtype=object), return_inverse=True)
        return cls.from_codes(
            np.array(rows, dtype=np.int64),
            codes.astype(np.int64),
            tuple(items.tolist()),
            n_records=len(records),
            back=np.array(back, dtype=bool),
            everybody=everybody,
            written=(np.array(wish, dtype=np.int64), tuple(numbers)),
            vocabulary=records.vocabulary,
            categories=wishes.category_names(hierarchy),
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
        """From parallel arrays of rows and item codes; ``back`` marks wishes that are removed.

        ``written`` are the numbers and names of what was written, if that may include categories.
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
        # The pairs in the order of their rows, those to add before those to take back.
        order = np.argsort(rows, kind="stable")
        add, drop = (order[mask[order]] for mask in (~given, given))
        common = np.array(sorted(column_of[name] for name in shared), dtype=np.int64)

        def row_bits(start: int, end: int) -> NDArray[np.bool_]:
            marks = np.zeros((end - start, len(named)), dtype=bool)
            marks[:, common] = True
            for pairs, value in ((add, True), (drop, False)):
                some = pairs[slice(*np.searchsorted(rows[pairs], (start, end)))]
                marks[rows[some] - start, columns[some]] = value
            return marks

        made = replace(cls(n_records, *packed(n_records, named, row_bits)), categories=categories)
        if not given.any():
            return made
        wish, names = (codes, items) if written is None else written
        for_all = np.array([name in shared for name in items], dtype=bool)
        vain = [
            names[number] for number in wishes.vain_take_backs(rows, codes, given, for_all, wish)
        ]
        taken = len(np.unique(wish[given]))
        wished = shared | {items[code] for code in np.unique(codes[~given])}
        missing = wishes.unknown_take_backs(vain, taken, wished, vocabulary)
        return made if missing is None else replace(made, unknown=(missing,))

    @classmethod
    @checked
    def from_function(
        cls, wishes_of: WishFunction, records: Records, *, hierarchy: Categories | None = None
    ) -> Constraints:
        """From a function of a record, which is called once for each. The items it returns are plain names:
        a ``!`` in front is part of the name."""
        pairs = (
            (row, wishes.named(wishes.item_text(item, row)), False)
            for row, record in enumerate(records)
            for item in wishes.several(wishes_of(record), row)
        )
        return cls.from_pairs(pairs, records, hierarchy=hierarchy)

    @classmethod
    @checked
    def from_matrix(cls, matrix: AnyMatrix, records: Records) -> Constraints:
        """From a boolean matrix, dense or scipy's: records × the vocabulary."""
        if not hasattr(matrix, "shape"):
            problem, remedy = "constraints by matrix must be an array", "a scipy sparse matrix"
            shown = type(matrix).__name__
            raise InputError(problem, value=shown, remedy=f"give a numpy array or {remedy}")
        if tuple(matrix.shape) != (len(records), records.n_items):
            has = f"{counted(len(records), 'record')} and {counted(records.n_items, 'item')}"
            remedy = "give a row for each record and a column for each item of the vocabulary"
            problem = f"the matrix has shape {tuple(matrix.shape)}, and the data {has}"
            raise InputError(problem, remedy=remedy)
        # Anything else is read by rows, so that it need not be in memory as a whole.
        by_row: Any = matrix.tocsr() if hasattr(matrix, "tocsr") else matrix

        def row_bits(start: int, end: int) -> NDArray[np.bool_]:
            part = by_row[start:end]
            dense = part.toarray() if hasattr(part, "toarray") else np.asarray(part)
            return np.asarray(dense != 0)

        return cls(len(records), *packed(len(records), records.vocabulary, row_bits))

    def __repr__(self) -> str:
        """How many there are, not whose."""
        counts = f"records={self.n_records:,} items={len(self.items):,} pairs={self.n_pairs:,}"
        return f"<Constraints {counts}>"

    @property
    def n_pairs(self) -> int:
        """The number of pairs of a person and an item to protect."""
        held = len(self.columns) if len(self.offsets) > 1 else np.bitwise_count(self.bits).sum()
        return int(held)

    @property
    def n_people(self) -> int:
        """The number of people who want anything protected."""
        if len(self.offsets) > 1:
            return int(np.count_nonzero(np.diff(self.offsets)))
        return int(np.count_nonzero(self.bits.any(axis=1)))

    @property
    def nbytes(self) -> int:
        """The memory of the arrays."""
        return self.bits.nbytes + self.offsets.nbytes + self.columns.nbytes

    def chunks(self) -> Iterator[tuple[int, int]]:
        """Ranges of records whose ``marks`` need little memory."""
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
        """The items that one person wants protected; rows count from 0."""
        return tuple(self.items[column] for column in np.flatnonzero(self.marks(row, row + 1)[0]))

    def shared_by_all(self) -> frozenset[str] | None:
        """The items to protect, if everybody wants the same; else None."""
        first = self.marks(0, 1)[0] if self.n_records else np.zeros(0, dtype=bool)
        for start, end in self.chunks():
            if (self.marks(start, end) != first).any():
                return None
        return frozenset(name for name, there in zip(self.items, first, strict=True) if there)

    def and_for_all(self, names: Iterable[str]) -> Constraints:
        """These constraints, plus items that everybody wants protected."""
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

    def checked_for(self, records: Records) -> Constraints:
        """These constraints, if they are for as many records as the data has."""
        if self.n_records != len(records):
            made = f"the constraints are for {counted(self.n_records, 'record')}"
            problem = f"{made}, and the data has {len(records):,}"
            raise InputError(problem, remedy="make them for this data")
        return self

    def digest(self) -> str:
        """The SHA-256 of who wants what protected, independent of its representation."""
        if not self._digests:
            digest = hashlib.sha256(f"{self.n_records}\n".encode())
            digest.update("\n".join(self.items).encode())
            for start, end in self.chunks():
                digest.update(np.packbits(self.marks(start, end), axis=1).tobytes())
            self._digests.append(digest.hexdigest())
        return self._digests[0]
