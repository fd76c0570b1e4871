"""Rows as kernels take them: named tuples of arrays, so that no kernel has a dozen arguments.

Items are ranks, rarest first; rows are sorted by length, longest first (see ``layout``). An occurrence that
was withheld stays in its place as ``~rank``, a negative number.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Rows(NamedTuple):
    """Rows and their postings. What a kernel does not look at may be empty."""

    offsets: Any
    """Row r holds items[offsets[r]:offsets[r + 1]], ascending ranks."""
    items: Any
    post_offsets: Any
    """Rank x is in the rows post_rows[post_offsets[x]:post_offsets[x + 1]], longest first."""
    post_rows: Any
    post_positions: Any
    """For each posting, where in ``items`` it stands."""
    supports: Any
    """By rank, of what is not withheld."""
    bitmaps: Any
    """Of the last ranks, one bit for each row."""


class Limit(NamedTuple):
    """The largest share allowed, as whole numbers: unsafe iff joint * den > num * support."""

    num: Any
    den: Any
