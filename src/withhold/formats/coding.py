"""From text to codes without a Python object per item.

In: the bytes of lines of items. Out: for every item a code, and the sorted vocabulary. An item is
read as a few 64-bit words, so that comparing and hashing whole columns is numpy's work; the file is
cut into pieces at line ends, and the pieces are processed in parallel. Quotes, which need a real parser, are
handled in ``basket``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Longs
from withhold.formats.rows import Rows, ranks_of, sort_rows

PIECE = 1 << 19
"""Bytes per piece: its arrays fit into the processor's cache, and the overhead of Python is small."""
TABLE_BITS = 16
"""Slots of a hash table, as a power of two: a table must fit the processor's cache, too."""
LONGEST = 64
"""The longest item, in bytes, that is worth reading as words."""

NEWLINE, SPACE, TAB = 10, 32, 9
WORD = 8
SPREAD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
"""Odd multipliers whose products have well mixed upper bits (Fibonacci hashing)."""

Bytes = NDArray[np.uint8]
Words = list[NDArray[np.uint64]]
"""Items as words: the first eight bytes of each, the next eight, and so on, padded with zeros."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines, coded by themselves: ``words[j][codes[i]]`` is word ``j`` of item ``i``."""

    words: Words
    codes: NDArray[np.int32]
    lengths: NDArray[np.int64]


Coded = tuple[NDArray[np.int64], NDArray[np.int32], tuple[str, ...], int]
"""Lengths, codes, vocabulary, repetitions."""


def code_with_numpy(data: bytes, separator: int) -> Coded | None:
    """The rows of a text: lengths, codes, vocabulary, repetitions; None if an item is too long.

    The text ends with a newline and contains neither NUL nor quotes. Blanks around items are removed,
    and an empty field is not an item.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    blanks = any(bytes((blank,)) in data for blank in (SPACE, TAB) if blank != separator)
    bounds = list(piece_bounds(data, PIECE))
    with ThreadPoolExecutor(min(len(bounds), processors())) as pool:
        coded = pool.map(lambda part: _code_piece(text[slice(*part)], separator, blanks), bounds)
        pieces = [piece for piece in coded if piece is not None]
        if len(pieces) < len(bounds):
            return None
        words, places = _merge(pieces)
        # First byte highest, so that the numbers sort as the names do.
        order = np.lexsort([word.byteswap() for word in reversed(words)])
        ranks = ranks_of(order)

        def finish(piece: Piece, place: NDArray[np.int32]) -> Rows:
            return sort_rows(piece.lengths, ranks[place].take(piece.codes), len(order))

        finished = pool.map(finish, pieces, places)
        vocabulary = names_of([word[order] for word in words])
        lengths, codes = map(np.concatenate, zip(*finished, strict=True))
    return lengths, codes, vocabulary, sum(len(piece.codes) for piece in pieces) - len(codes)


def distinct_keys(
    keys: NDArray[np.uint64], multipliers: Sequence[np.uint64] = SPREAD
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """The different keys in no particular order, and for each key its place among them.

    A hash table filled by one assignment: the last key written to a slot owns it, and a key that finds
    another one in its slot tries again with another multiplier. Exact for any keys; those that find no
    slot are sorted.
    """
    if not len(keys) or not multipliers:
        distinct, inverse = np.unique(keys, return_inverse=True)
        return distinct, inverse.astype(np.int32)
    bits = min(TABLE_BITS, max(4, len(keys).bit_length()))
    hashes = keys * multipliers[0]
    hashes >>= np.uint64(64 - bits)
    slots = hashes.view(np.int64)
    table = np.full(1 << bits, keys[0], dtype=np.uint64)
    table[slots] = keys
    # The first key also fills the unused slots, so it must not lose its own.
    table[slots[0]] = keys[0]
    used = np.flatnonzero(table != keys[0])
    places = np.zeros(1 << bits, dtype=np.int32)
    places[used] = np.arange(1, len(used) + 1, dtype=np.int32)
    distinct, codes = np.append(keys[:1], table[used]), places.take(slots)
    lost = np.flatnonzero(table.take(slots) != keys)
    if len(lost):
        others, other_codes = distinct_keys(keys[lost], multipliers[1:])
        codes[lost] = other_codes + np.int32(len(distinct))
        distinct = np.append(distinct, others)
    return distinct, codes


def distinct_words(words: Words) -> tuple[Words, NDArray[np.int32]]:
    """The different items in no particular order, and for each item its place among them."""
    first, codes = distinct_keys(words[0])
    distinct = [first]
    for word in words[1:]:
        # The code of the item's words so far and its next word, as one number: nothing is lost.
        endings, ending_codes = distinct_keys(word)
        pairs, codes = distinct_keys(
            codes.astype(np.uint64) * np.uint64(len(endings)) + ending_codes.astype(np.uint64)
        )
        start, end = np.divmod(pairs, np.uint64(max(len(endings), 1)))
        distinct = [known[start] for known in distinct] + [endings[end]]
    return distinct, codes


def _code_piece(text: Bytes, separator: int, blanks: bool) -> Piece | None:
    """One piece of whole lines, coded; None if one of its items is too long."""
    ends = np.flatnonzero((text == separator) | (text == NEWLINE))
    # How many items precede the end of each line.
    counts = np.flatnonzero(text.take(ends) == NEWLINE) + 1
    sizes = np.diff(ends, prepend=-1)
    sizes -= 1
    if blanks:
        ends, sizes = _without_blanks(text, ends, sizes)
    if not sizes.all():
        filled = sizes > 0
        counts = np.cumsum(filled, dtype=np.int64)[counts - 1]
        ends, sizes = ends[filled], sizes[filled]
    lengths = np.diff(counts, prepend=0)
    longest = int(sizes.max(initial=0))
    if longest > LONGEST:
        return None
    words, codes = distinct_words(_words(text, ends, sizes, max(1, -(-longest // WORD))))
    return Piece(words, codes, lengths)


def _words(text: Bytes, ends: Longs, sizes: Longs, n_words: int) -> Words:
    """The items with these ends and sizes, as words."""
    padded = np.zeros(WORD + len(text) + (n_words - 1) * WORD, dtype=np.uint8)
    padded[WORD : WORD + len(text)] = text
    # The eight bytes before each byte, last byte on top. Copied, because numpy is slow to pick
    # from a view whose words overlap.
    n_windows = len(padded) - WORD + 1
    windows = np.ndarray((n_windows,), dtype="<u8", buffer=padded, strides=(1,)).copy()
    words = []
    for number in range(n_words):
        part_ends, part_sizes = ends, sizes
        if n_words > 1:
            part_sizes = np.clip(sizes - number * WORD, 0, WORD)
            part_ends = ends - sizes + number * WORD + part_sizes
        word = windows.take(part_ends)
        # What precedes the item is shifted out at the bottom: all 64 bits, if nothing is left.
        waste = WORD - part_sizes
        waste <<= 3
        word >>= waste.view(np.uint64)
        words.append(word)
    return words


def _without_blanks(text: Bytes, ends: Longs, sizes: Longs) -> tuple[Longs, Longs]:
    """The ends and sizes of the items without the blanks around them."""
    # The last newline counts as not blank, so that a next such byte always exists.
    inked = np.flatnonzero((text != SPACE) & (text != TAB))
    starts = np.minimum(inked[np.searchsorted(inked, ends - sizes)], ends)
    last = inked[np.searchsorted(inked, ends) - 1]
    ends = np.clip(last + 1, starts, ends)
    return ends, ends - starts


def _merge(pieces: Sequence[Piece]) -> tuple[Words, list[NDArray[np.int32]]]:
    """The different items of all pieces, and for each piece the places of its own among them."""
    n_words = max(len(piece.words) for piece in pieces)
    sizes = [len(piece.words[0]) for piece in pieces]
    columns = np.zeros((n_words, sum(sizes)), dtype=np.uint64)
    bounds = np.cumsum([0, *sizes])
    for piece, start in zip(pieces, bounds, strict=False):
        columns[: len(piece.words), start : start + len(piece.words[0])] = piece.words
    words, places = distinct_words(list(columns))
    return words, np.split(places, bounds[1:-1])


def names_of(words: Words) -> tuple[str, ...]:
    """The words as text again."""
    lines = np.full((len(words[0]), len(words) * WORD + 1), NEWLINE, dtype=np.uint8)
    for number, word in enumerate(words):
        lines[:, number * WORD : (number + 1) * WORD] = word.view(np.uint8).reshape(-1, WORD)
    return tuple(lines.tobytes().translate(None, b"\0").decode().split("\n")[:-1])


def piece_bounds(
    data: bytes, size: int, start: int = 0, stop: int | None = None
) -> Iterator[tuple[int, int]]:
    """Where the pieces begin and end, each about this large and ending with a line."""
    stop = len(data) if stop is None else stop
    while start < stop:
        end = data.find(b"\n", min(start + size, stop) - 1) + 1
        yield start, end
        start = end


def processors() -> int:
    """How many processors this process may use."""
    can_tell = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if can_tell else os.cpu_count() or 1
