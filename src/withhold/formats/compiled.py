"""Text to codes by compiled loops: what ``coding`` does with numpy, for items of at most eight bytes.

In: the bytes of lines of items. Out: exactly what ``coding.code_with_numpy`` returns, or nothing if an item
is longer or has blanks around it. Threads get their arrays from the thread that starts them: memory that
they allocate themselves is returned to the system each time. Importing this module loads numba.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Ints
from withhold.formats import tokens
from withhold.formats.coding import Coded, names_of, piece_bounds, processors
from withhold.formats.rows import ranks_of, sort_nearly

PIECE = 1 << 17
"""Bytes, and then items, worked on at a time: they fit the processor's cache."""
FEWEST_BYTES = 1 << 18
"""Bytes for which starting a thread pays off."""
FEWEST_SLOTS = 1 << 13

Rows = tuple[Ints, NDArray[np.int64]]
"""The codes of rows, and how many each has."""


def code_short_items(data: bytes, separator: int) -> Coded | None:
    """The rows of a text: lengths, codes, vocabulary, repetitions; nothing if an item is not short."""
    text = np.frombuffer(data, dtype=np.uint8)
    bounds = list(piece_bounds(data, max(FEWEST_BYTES, -(-len(data) // processors()))))
    counts = np.array([tokens.count_items(text[start:end], separator) for start, end in bounds])
    n_items, n_lines = counts.sum(axis=0)
    all_codes, all_lengths = np.empty(n_items, np.int32), np.empty(n_lines, np.int64)
    codes = np.split(all_codes, np.cumsum(counts[:-1, 0]))
    lengths = np.split(all_lengths, np.cumsum(counts[:-1, 1]))
    parts = [
        Block(data, separator, *part)
        for part in zip(bounds, zip(codes, lengths, strict=True), strict=True)
    ]
    with ThreadPoolExecutor(len(parts)) as pool:
        if not all(pool.map(Block.number, parts)):
            return None
        merged = Numbering()
        places = [np.empty(len(part.numbering.items), dtype=np.int32) for part in parts]
        for part, place in zip(parts, places, strict=True):
            merged.number(part.numbering.items, place)
        # The bytes in the order they are written: numbers then sort as the names do.
        order = np.argsort(merged.items.byteswap())
        ranks = ranks_of(order)
        repeated = pool.map(Block.rank, parts, [ranks[place] for place in places])
        vocabulary = names_of([merged.items[order]])
        n_repeated = sum(repeated)
    if n_repeated:
        all_codes = np.concatenate([part.codes for part in parts])
    return all_lengths, all_codes, vocabulary, n_repeated


class Block:
    """Some lines of a text: the codes of their items, and how many each has."""

    def __init__(self, data: bytes, separator: int, bound: tuple[int, int], rows: Rows) -> None:
        self._data, self._separator, self._bound = data, separator, bound
        self.codes, self.lengths = rows
        self.numbering = Numbering()
        self._words = np.empty(PIECE, dtype=np.uint64)
        self._keys = np.empty(PIECE, dtype=np.uint32)

    def number(self) -> bool:
        """Number the items in the order in which they are met; returns whether all of them are short."""
        text = np.frombuffer(self._data, dtype=np.uint8)
        words = self._words
        n_codes = line = 0
        for start, end in piece_bounds(self._data, PIECE, *self._bound):
            if end - start > len(words):
                words = np.empty(end - start, dtype=np.uint64)
            n_words, n_lines = tokens.cut_lines(
                text[start:end], self._separator, words, self.lengths[line:]
            )
            if n_words == tokens.NOT_SHORT:
                return False
            self.numbering.number(words[:n_words], self.codes[n_codes : n_codes + n_words])
            n_codes += n_words
            line += n_lines
        return True

    def rank(self, ranks: NDArray[np.int32]) -> int:
        """Replace numbers by ranks, in each row ascending and each once; returns the repetitions."""
        n_before = len(self.codes)
        self.codes = self.codes[: rank_rows(self.lengths, self.codes, ranks, self._keys)]
        return n_before - len(self.codes)


class Numbering:
    """The different items so far, numbered as they are met."""

    def __init__(self) -> None:
        self._items = np.empty(0, dtype=np.uint64)
        self._n_items = 0
        self._make_room(FEWEST_SLOTS)

    @property
    def items(self) -> NDArray[np.uint64]:
        """Each item once, as a word."""
        return self._items[: self._n_items]

    def number(self, words: NDArray[np.uint64], codes: NDArray[np.int32]) -> None:
        """Fill ``codes`` with the numbers of these items."""
        done = 0
        while done < len(words):
            done, self._n_items = tokens.number_words(
                words, codes, self._slots, self._items, self._n_items, done
            )
            if done < len(words):
                self._make_room(4 * len(self._slots))

    def _make_room(self, n_slots: int) -> None:
        """A larger hash table, half of which may be filled."""
        items = np.empty(n_slots // 2, dtype=np.uint64)
        items[: self._n_items] = self.items
        self._items, self._slots = items, np.zeros(n_slots, dtype=np.int32)
        tokens.fill_slots(self.items, self._slots)


def rank_rows(
    lengths: NDArray[np.int64], codes: Ints, ranks: Ints, keys: NDArray[np.uint32]
) -> int:
    """Replace codes by ranks, in each row ascending and each once; returns how many are left.

    As many codes are sorted at a time as fit into ``keys``.
    """
    # Row and rank as one number of 32 bits, so that sorting numbers sorts within the rows.
    bits = int(ranks.max(initial=0)).bit_length()
    most_rows = min(len(keys), 2 ** (32 - bits))
    row = n_read = n_kept = 0
    while row < len(lengths):
        ends = np.cumsum(lengths[row : row + most_rows])
        n_rows = max(int(np.searchsorted(ends, len(keys), side="right")), 1)
        n_keys = int(ends[n_rows - 1])
        if n_keys > len(keys):
            keys = np.empty(n_keys, dtype=np.uint32)
        piece = keys[:n_keys]
        tokens.pack_rows(
            lengths[row : row + n_rows], codes[n_read : n_read + n_keys], ranks, bits, piece
        )
        sort_nearly(piece)
        again = np.flatnonzero(piece[1:] == piece[:-1]) + 1
        if len(again):
            repeats = np.bincount(piece[again] >> bits, minlength=n_rows)
            lengths[row : row + n_rows] -= repeats
            piece = np.delete(piece, again)
        left = codes[n_kept : n_kept + len(piece)]
        np.bitwise_and(piece, np.uint32(2**bits - 1), out=left.view(np.uint32))
        n_kept += len(piece)
        n_read += n_keys
        row += n_rows
    return n_kept
