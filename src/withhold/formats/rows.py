"""What a format returns: rows of codes, and the form in which they were found.

In: codes in any order, or names. Out: rows that are sorted and free of repetitions, as
``Records`` wants them. Nothing here knows a file format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.data.names import clean_all
from withhold.data.records import offsets_of
from withhold.errors import InputError
from withhold.formats.items import item_name

Rows = tuple[NDArray[np.int64], NDArray[np.int32]]
"""How many codes each row has, and the codes."""
BLOCK = 256
"""Keys sorted at a time: numpy sorts this few in registers, ten times faster than a whole file."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows of a file or a frame, as ``Records`` wants them, and how they were written."""

    lengths: NDArray[np.int64]
    items: NDArray[np.int32]
    vocabulary: tuple[str, ...]
    repeated: int = 0
    record_ids: tuple[str, ...] | None = None
    separator: str = " "
    columns: tuple[str, ...] = ()
    variant: str = ""
    skipped: int = 0
    """Rows that were left out because they name no record."""
    warnings: tuple[str, ...] = ()
    """Why persons may have several records."""

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each row starts, and where the last one ends."""
        return offsets_of(self.lengths)


def parsed_from_codes(
    lengths: NDArray[np.int64], codes: NDArray[np.int32], vocabulary: tuple[str, ...], **form: Any
) -> Parsed:
    """The rows of codes in any order, sorted, repetitions merged and counted; ``form`` as in ``Parsed``."""
    kept_lengths, items = sort_rows(lengths, codes, len(vocabulary))
    return Parsed(kept_lengths, items, vocabulary, len(codes) - len(items), **form)


def parsed_from_names(rows: Iterable[Iterable[str]], **form: Any) -> Parsed:
    """The rows of names in any order; the vocabulary is what occurs in them; ``form`` as in ``Parsed``."""
    names: list[str] = []
    lengths: list[int] = []
    for row in rows:
        before = len(names)
        names.extend(row)
        lengths.append(len(names) - before)
    vocabulary = sorted(set(names))
    code_of = {name: code for code, name in enumerate(vocabulary)}
    codes = np.fromiter((code_of[name] for name in names), dtype=np.int32, count=len(names))
    return parsed_from_codes(np.array(lengths, np.int64), codes, tuple(vocabulary), **form)


def with_clean_names(parsed: Parsed, *, path: str | None) -> Parsed:
    """The same rows, every item named by the rule of names; two with the same name are refused."""
    cleaned = clean_all(parsed.vocabulary, "items", path=path)
    if cleaned == parsed.vocabulary:
        return parsed
    if "" in cleaned:
        raise InputError("an item has no name", path=path, remedy="leave blanks out of the records")
    order = sorted(range(len(cleaned)), key=cleaned.__getitem__)
    lengths, items = sort_rows(parsed.lengths, ranks_of(order)[parsed.items], len(order))
    return replace(parsed, lengths=lengths, items=items, vocabulary=tuple(sorted(cleaned)))


def ranks_of(order: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int32]:
    """For each element, its place in the order."""
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks


def sort_rows(lengths: NDArray[np.int64], codes: NDArray[np.int32], n_items: int) -> Rows:
    """The rows with their codes ascending and distinct: the new lengths and the codes."""
    fits = len(lengths) * n_items < 2**32
    # One number per occurrence, row before code, so that sorting numbers sorts within the rows.
    number: type[np.unsignedinteger[Any]] = np.uint32 if fits else np.uint64
    base = np.repeat(np.arange(len(lengths), dtype=number) * number(n_items), lengths)
    keys = base + codes.view(np.uint32)
    sort_nearly(keys)
    again = np.flatnonzero(keys[1:] == keys[:-1]) + 1
    if len(again):
        rows = (keys[again] // number(n_items)).astype(np.int64)
        lengths = lengths - np.bincount(rows, minlength=len(lengths))
        keys, base = np.delete(keys, again), np.delete(base, again)
    keys -= base
    return lengths, keys.astype(np.uint32, copy=False).view(np.int32)


def sort_nearly(keys: NDArray[Any]) -> None:
    """Sort numbers, in place, that are never far from their place.

    Blocks first, then one merging sort over all of it, which finds long ascending runs and only
    fixes the rows that a block's edge cut: five times faster than one sort of everything.
    """
    whole = len(keys) - len(keys) % BLOCK
    keys[:whole].reshape(-1, BLOCK).sort(axis=1)
    keys.sort(kind="stable")


def named_rows(rows: Iterable[Any]) -> Iterator[list[str]]:
    """Records given as Python values, item by item as strings."""
    for number, row in enumerate(rows, start=1):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            problem = f"record {number:,} is not a collection of items"
            remedy = "pass each record as a list or set of items"
            raise InputError(problem, value=repr(row), remedy=remedy)
        yield [item_name(item, where=f"in record {number:,} ") for item in row]
