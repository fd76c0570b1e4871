"""Codes to text by compiled loops: the lines of a basket file. Importing this module loads numba."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from withhold.counting.jit import kernel
from withhold.data import Records
from withhold.data.records import offsets_of

ROWS_AT_ONCE = 1 << 15
NEWLINE = 10


def joined_lines(records: Records, spelled: list[str], separator: str) -> Iterator[str]:
    """The lines of the records, many at a time, each item as it is spelled."""
    names = "".join(spelled)
    # If each letter is one byte, names need not be encoded one by one.
    sized = spelled if names.isascii() else [name.encode() for name in spelled]
    letters = np.frombuffer(names.encode(), dtype=np.uint8)
    starts = offsets_of(np.fromiter(map(len, sized), dtype=np.int64, count=len(sized)))
    for first in range(0, len(records), ROWS_AT_ONCE):
        offsets = records.offsets[first : first + ROWS_AT_ONCE + 1]
        items = records.items[offsets[0] : offsets[-1]]
        n_letters = int(np.diff(starts)[items].sum())
        # After each item a separator or the end of the line, and a line for each row without items.
        text = np.empty(n_letters + len(items) + len(offsets) - 1, dtype=np.uint8)
        end = join_items(offsets, items, letters, starts, ord(separator), text)
        yield text[:end].tobytes().decode()


@kernel
def join_items(offsets, items, letters, starts, separator, text):
    """Fill ``text`` with a line for each row, and return where it ends.

    ``letters[starts[code]:starts[code + 1]]`` spells an item; the items of the rows begin at offsets[0].
    """
    at = np.int64(0)
    for row in range(len(offsets) - 1):
        begin = offsets[row] - offsets[0]
        end = offsets[row + 1] - offsets[0]
        for place in range(begin, end):
            code = items[place]
            for p in range(starts[code], starts[code + 1]):
                text[at] = letters[p]
                at += 1
            text[at] = separator
            at += 1
        # The end of the line takes the place of the last separator.
        at -= 1 if end > begin else 0
        text[at] = NEWLINE
        at += 1
    return at
