"""Sets of items: the records that every set-valued method reads and no method may change.

In: item codes in compressed-row form with a vocabulary of strings, or any iterable of iterables.
Out: the same rows as lists, frames or arrays. Nothing here reads files or removes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import compress, pairwise, repeat
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from withhold.data.names import clean_all
from withhold.data.source import Source
from withhold.data.tidied import Tidied
from withhold.data.unknown import Unknown
from withhold.errors import InputError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


T = TypeVar("T")
COUNTED_AT_ONCE = 1 << 20
"""How many items are counted at once: numpy counts a copy of them that is twice as large."""


class HasItems(Protocol):
    """Records, or people, who have items as well."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The names of the items."""
        ...

    @property
    def supports(self) -> NDArray[np.int64]:
        """In how many records each item occurs, by item code."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class Records:
    """Records, each a set of items.

    ``items[offsets[r]:offsets[r + 1]]`` are the codes of record ``r``, ascending and distinct;
    ``vocabulary[code]`` is the item's name by the rule of ``names``, and the vocabulary is sorted.

    Examples
    --------
    >>> records = Records.from_lists([["bread", "beer"], [], ["beer", "beer"]])
    >>> records.to_lists()
    [['beer', 'bread'], [], ['beer']]
    >>> len(records), records.n_items, records.n_occurrences, records.repeated
    (3, 2, 3, 1)
    """

    kind: ClassVar[str] = "records"

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    vocabulary: tuple[str, ...]
    record_ids: tuple[str, ...] | None = None
    """The records' own names, if the source has them (``long`` files)."""
    repeated: int = 0
    """How many repetitions of an item within its record were merged on the way in."""
    source: Source | None = None
    without_consent: int | None = None
    """How many records were left out for lack of consent; None: consent was not used."""
    left_out: tuple[str, ...] = ()
    """The names of the records that were left out, as ``record_names`` had them."""
    index: tuple[object, ...] | None = None
    """The row labels of a pandas frame with a row for each record, if it has labels of its own."""
    unknown: tuple[Unknown, ...] = ()
    """Names on accompanying lists, such as the list of consent, that the data does not contain."""
    skipped_rows: int = 0
    """How many rows were left out on the way in because they name no record (``skip_missing_ids``)."""
    tidied: tuple[Tidied, ...] = ()
    """How the names of items were tidied on the way in."""
    warnings: tuple[str, ...] = ()
    """Why persons may have several records, as found on the way in; a release stops at it."""
    _supports: NDArray[np.int64] | None = field(default=None, init=False, repr=False)
    """Counted when first needed."""

    def __post_init__(self) -> None:
        offsets = np.ascontiguousarray(self.offsets, dtype=np.int64)
        items = np.ascontiguousarray(self.items, dtype=np.int32)
        _check_rows(offsets, items, len(self.vocabulary), self.record_ids)
        for name, array in (("offsets", offsets), ("items", items)):
            # A view is frozen, so that an array the caller still holds stays writeable for them.
            array = array.view()
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @classmethod
    def from_lists(
        cls, rows: Iterable[Iterable[object]], *, record_ids: Iterable[str] | None = None
    ) -> Records:
        """The records in an iterable of iterables.

        Parameters
        ----------
        rows
            The items of each record; they become strings.
        record_ids
            The records' own names, if they have any.

        Raises
        ------
        InputError
            If a record is not a collection, or two names differ only in characters that nobody sees.
        """
        if not isinstance(rows, Iterable):
            problem = "records must be a collection of collections of items"
            remedy = "give a list of lists, such as [['bread', 'beer'], ['tea']]"
            raise InputError(problem, value=type(rows).__name__, remedy=remedy)
        names: list[str] = []
        lengths: list[int] = []
        for number, row in enumerate(rows, start=1):
            is_text = isinstance(row, str | bytes)
            if is_text or not isinstance(row, Iterable):
                what = "a single string, not a collection" if is_text else "not a collection"
                shown = str(row) if is_text else repr(row)
                remedy = "pass each record as a list or set of items"
                raise InputError(f"record {number} is {what} of items", value=shown, remedy=remedy)
            before = len(names)
            names.extend(str(item) for item in row)
            lengths.append(len(names) - before)
        spelled = sorted(set(names))
        cleaned = clean_all(spelled, "items")
        if "" in cleaned:
            raise InputError("an item has no name", remedy="leave blanks out of the records")
        vocabulary = sorted(cleaned)
        rank = {name: code for code, name in enumerate(vocabulary)}
        code_of = {name: rank[clean] for name, clean in zip(spelled, cleaned, strict=True)}
        codes = np.fromiter((code_of[name] for name in names), dtype=np.int32, count=len(names))
        return cls.from_codes(
            np.asarray(lengths, dtype=np.int64),
            codes,
            tuple(vocabulary),
            record_ids=None if record_ids is None else clean_all([*record_ids], "record ids"),
        )

    @classmethod
    def from_codes(
        cls,
        lengths: NDArray[np.int64],
        codes: NDArray[np.int32],
        vocabulary: tuple[str, ...],
        *,
        record_ids: tuple[str, ...] | None = None,
        source: Source | None = None,
    ) -> Records:
        """The records of rows of codes in any order: sorts each row and merges repeated items."""
        offsets = offsets_of(lengths)
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        repeated = 0
        if not _rows_ascend(offsets, codes):
            row_of = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
            # One integer per occurrence, so that a single sort orders rows and items at once.
            keys = np.unique(row_of * max(len(vocabulary), 1) + codes)
            row_of, codes = np.divmod(keys, max(len(vocabulary), 1))
            repeated = int(offsets[-1]) - len(codes)
            np.cumsum(np.bincount(row_of, minlength=len(lengths)), out=offsets[1:])
        return cls(offsets, codes.astype(np.int32), vocabulary, record_ids, repeated, source)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        """How much it holds, not what: records may be long, numerous and sensitive.

        >>> Records.from_lists([["milk", "bread"], ["milk"]])
        <Records records=2 occurrences=3 items=2>
        """
        counts = f"records={len(self):,} occurrences={self.n_occurrences:,} items={self.n_items:,}"
        return f"<Records {counts}>"

    def __eq__(self, other: object) -> bool:
        """Same records in the same order under the same names, whatever the codes."""
        if not isinstance(other, Records):
            return NotImplemented
        if self.record_ids != other.record_ids or not np.array_equal(self.offsets, other.offsets):
            return False
        if self.vocabulary == other.vocabulary:
            return bool(np.array_equal(self.items, other.items))
        # The other's codes in this vocabulary; -1 for names that this one does not have.
        code_of = dict(zip(self.vocabulary, range(self.n_items), strict=True))
        translated = np.fromiter(map(code_of.get, other.vocabulary, repeat(-1)), dtype=np.int32)
        return bool(np.array_equal(self.items, translated[other.items]))

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    @property
    def n_items(self) -> int:
        """The number of different items in the vocabulary."""
        return len(self.vocabulary)

    @property
    def n_occurrences(self) -> int:
        """The number of items in all records together."""
        return len(self.items)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of items in each record."""
        return np.diff(self.offsets)

    @property
    def supports(self) -> NDArray[np.int64]:
        """In how many records each item occurs, by item code."""
        if self._supports is None:
            supports = np.zeros(self.n_items, dtype=np.int64)
            for start in range(0, len(self.items), COUNTED_AT_ONCE):
                some = self.items[start : start + COUNTED_AT_ONCE]
                supports += np.bincount(some, minlength=self.n_items)
            object.__setattr__(self, "_supports", supports)
        # A copy, which the caller may change.
        return np.array(self._supports)

    @property
    def occurring(self) -> list[str]:
        """The items that at least one record holds."""
        return list(compress(self.vocabulary, self.supports.tolist()))

    @property
    def record_names(self) -> tuple[str, ...]:
        """The names of the records in files: their ids, or their row numbers before any were left out."""
        if self.record_ids is not None:
            return self.record_ids
        gone = frozenset(self.left_out)
        numbers = map(str, range(1, len(self) + len(gone) + 1))
        return tuple(number for number in numbers if number not in gone)

    def record(self, row: int) -> tuple[str, ...]:
        """The names of one record's items; rows count from 0."""
        codes = self.items[self.offsets[row] : self.offsets[row + 1]]
        return tuple(self.vocabulary[code] for code in codes)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return (self.record(row) for row in range(len(self)))

    def to_lists(self) -> list[list[str]]:
        """All records as lists of names, items sorted by name."""
        names = np.array(self.vocabulary, dtype=object)[self.items].tolist()
        return [names[start:end] for start, end in pairwise(self.offsets.tolist())]

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow table: a list column ``items``, and ``record`` if records have names."""
        return self.to_polars().to_arrow()

    def to_polars(self) -> polars.DataFrame:
        """A polars frame: a list column ``items``, and ``record`` if records have names."""
        import polars as pl

        items = pl.DataFrame({"items": pl.Series(self.to_lists(), dtype=pl.List(pl.String))})
        if self.record_ids is None:
            return items
        return items.insert_column(0, pl.Series("record", self.record_ids, dtype=pl.String))

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame: a column ``items`` of lists, and ``record`` if records have names."""
        import pandas as pd

        index = None if self.index is None else list(self.index)
        names = {} if self.record_ids is None else {"record": list(self.record_ids)}
        return pd.DataFrame(names | {"items": self.to_lists()}, index=index)

    def codes(self, names: Iterable[str]) -> NDArray[np.int32]:
        """The codes of those names that are in the vocabulary, ascending."""
        inside = map(frozenset(names).__contains__, self.vocabulary)
        return np.flatnonzero(np.fromiter(inside, dtype=np.bool_)).astype(np.int32)

    def only_records(self, kept: NDArray[np.bool_]) -> Records:
        """These records only; items that none of them holds are removed from the vocabulary, too.

        >>> records = Records.from_lists([["beer"], ["tea", "beer"], ["soap"]])
        >>> fewer = records.only_records(np.array([True, False, True]))
        >>> fewer.to_lists(), fewer.vocabulary
        ([['beer'], ['soap']], ('beer', 'soap'))
        """
        offsets = offsets_of(self.lengths[kept])
        items = self.items[np.repeat(kept, self.lengths)]
        gone = (self.supports > 0) & (np.bincount(items, minlength=self.n_items) == 0)
        fewer = replace(
            self,
            left_out=(*self.left_out, *compress(self.record_names, (~kept).tolist())),
            offsets=offsets,
            items=items,
            record_ids=only_kept(self.record_ids, kept),
            index=only_kept(self.index, kept),
        )
        return fewer.without_items(np.flatnonzero(gone))

    def without_items(self, codes: NDArray[np.int64] | NDArray[np.int32]) -> Records:
        """The records without these items."""
        left = np.ones(self.n_items, dtype=bool)
        left[codes] = False
        occurs = left[self.items]
        offsets = offsets_of(occurs)[self.offsets]
        items = (np.cumsum(left) - 1).astype(np.int32)[self.items[occurs]]
        vocabulary = tuple(compress(self.vocabulary, left))
        return replace(self, offsets=offsets, items=items, vocabulary=vocabulary)


def counts_of_items(records: HasItems, model: object = None) -> dict[str, int]:
    """In how many records each item occurs, by name; the same under any ``model``."""
    return dict(zip(records.vocabulary, records.supports.tolist(), strict=True))


def offsets_of(lengths: NDArray[np.int64] | NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where each row starts, and where the last one ends."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def only_kept(index: tuple[T, ...] | None, kept: NDArray[np.bool_]) -> tuple[T, ...] | None:
    """The labels of the rows that are kept, if rows have labels."""
    return None if index is None else tuple(compress(index, kept.tolist()))


def _rows_ascend(offsets: NDArray[np.int64], codes: NDArray[np.int32]) -> bool:
    """Whether every row is already strictly ascending."""
    steps_up = np.ones(len(codes), dtype=bool)
    np.greater(codes[1:], codes[:-1], out=steps_up[1:])
    steps_up[offsets[:-1][np.diff(offsets) > 0]] = True
    return bool(steps_up.all())


def _check_rows(
    offsets: NDArray[np.int64], items: NDArray[np.int32], n_items: int, ids: tuple[str, ...] | None
) -> None:
    """Refuse arrays that compiled code could not walk safely."""
    if offsets.ndim != 1 or len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(items):
        raise InputError("the row offsets do not span the items")
    if (np.diff(offsets) < 0).any() or not _rows_ascend(offsets, items):
        raise InputError("the items of a row are not ascending and distinct")
    if len(items) and (items.min() < 0 or items.max() >= n_items):
        raise InputError("an item code lies outside the vocabulary")
    if ids is not None and len(ids) != len(offsets) - 1:
        raise InputError(f"{len(ids)} record ids for {len(offsets) - 1} records")
