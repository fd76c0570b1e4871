"""Short items in lines of text, numbered: what ``formats.coding`` also does with numpy, but faster.

In: the bytes of whole lines. Out: each item as a number of 64 bits, how many a line has, and for each item
its place among the different ones, in the order in which they are met.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel, maker

NEWLINE, SPACE, TAB = 10, 32, 9
NOTHING, BYTE, LOW_BITS = np.uint64(0), np.uint64(8), np.uint64(63)
LOWER_HALF, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
SPREAD_LOWER, SPREAD_UPPER = np.uint64(0x9E3779B1), np.uint64(0x85EBCA6B)
"""Odd multipliers whose products have well mixed upper bits; small enough that nothing overflows."""
LONGEST = 8
"""Bytes of an item that fit one word."""
NOT_SHORT = -1


@kernel
def cut_lines(text, separator, words, lengths):
    """Fill ``words`` with the items, first byte lowest, and ``lengths`` with the items of each line.

    Returns how many items and lines there are; for items NOT_SHORT if one is longer than a word or has
    blanks around it.
    An empty field is not an item. The text ends with a newline and contains no NUL.
    """
    n = 0
    line = 0
    before = 0
    start = 0
    word = NOTHING
    shift = NOTHING
    for p in range(len(text)):
        byte = text[p]
        if byte != separator and byte != NEWLINE:
            word |= np.uint64(byte) << (shift & LOW_BITS)
            shift += BYTE
            continue
        if p > start:
            first, last = text[start], text[p - 1]
            if p - start > LONGEST or first in (SPACE, TAB) or last in (SPACE, TAB):
                return NOT_SHORT, line
            words[n] = word
            n += 1
        if byte == NEWLINE:
            lengths[line] = n - before
            line += 1
            before = n
        start = p + 1
        word = NOTHING
        shift = NOTHING
    return n, line


@kernel
def count_items(text, separator):
    """The number of items, blank ones included, and the number of lines."""
    n_items = 0
    n_lines = 0
    # No state is carried from one byte to the next, so that the compiler can vectorise the loop.
    for p in range(len(text)):
        n_lines += text[p] == NEWLINE
    for p in range(1, len(text)):
        is_end = (text[p] == separator) | (text[p] == NEWLINE)
        was_end = (text[p - 1] == separator) | (text[p - 1] == NEWLINE)
        n_items += is_end & (not was_end)
    return n_items, n_lines


@kernel
def number_words(words, codes, slots, distinct, n_distinct, start):
    """Fill ``codes`` from ``start`` on with the place of each word among the different ones.

    ``slots`` is a hash table of places + 1, twice as large as ``distinct``, whose first ``n_distinct``
    words are already in it. Returns how many words are done, fewer than all if there is no room for
    more different ones, and how many different ones there are now.
    """
    mask = len(slots) - 1
    for k in range(start, len(words)):
        word = words[k]
        slot = slot_of(word, mask)
        code = slots[slot] - 1
        while code >= 0 and distinct[code] != word:
            slot = (slot + 1) & mask
            code = slots[slot] - 1
        if code < 0:
            if n_distinct == len(distinct):
                return k, n_distinct
            code = n_distinct
            distinct[code] = word
            n_distinct += 1
            slots[slot] = n_distinct
        codes[k] = code
    return len(words), n_distinct


@maker
def slot_of(word, mask):
    """Where the search for a word begins."""
    key = (word & LOWER_HALF) * SPREAD_LOWER ^ (word >> HALF) * SPREAD_UPPER
    return np.int64((key >> np.uint64(16)) & np.uint64(mask))


@kernel
def fill_slots(distinct, slots):
    """Put the different words into an empty hash table."""
    mask = len(slots) - 1
    for code in range(len(distinct)):
        slot = slot_of(distinct[code], mask)
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = code + 1


@kernel
def pack_rows(lengths, codes, ranks, bits, keys):
    """Fill ``keys`` with one number for each code: its row, then its rank in the lowest ``bits`` bits."""
    start = 0
    for row in range(len(lengths)):
        end = start + lengths[row]
        for k in range(start, end):
            keys[k] = np.int64(row << bits) | ranks[codes[k]]
        start = end
