"""Records that may not be persons: each hides its own copy, or a person has several of them.

In: records as read. Out: an error, unless the user chose to publish them so. A promise counts records, so
that a file that holds everything twice keeps it with nothing withheld.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from withhold.data.array_types import Longs
from withhold.data.identifying import FEWEST
from withhold.data.records import Records
from withhold.data.repeats import REPEATS
from withhold.errors import PolicyError, option

ALL = "all"
LONG = 5
"""Records of at least this many items are hardly equal by chance."""
ODD = np.uint64(0x9E3779B97F4A7C15)


def publishes_repeats(publish: str | Iterable[str]) -> bool:
    """Whether the user chose to publish records although they repeat."""
    return publish == ALL or REPEATS in ([publish] if isinstance(publish, str) else [*publish])


def refuse_repeated_records(records: Records, publish: str | Iterable[str]) -> None:
    """Stop if records are hardly persons, unless the user chose to publish them so."""
    if publishes_repeats(publish):
        return
    problem = next(iter(records.warnings), None)
    if problem is None and (copies := copied_records(records)):
        where = "" if records.source is None else f"{records.source.path}: "
        problem = f"{where}{copies}; delete the copies"
    if problem is not None:
        raise PolicyError(
            f"{problem}; or say {option('publish', REPEATS)} if the promise may be about records"
        )


def copied_records(records: Records) -> str | None:
    """Why the records may be there several times, if they may.

    Either every different one is there twice, or three times, and so on; or most long ones are there equally
    often, as if a part of a file had been appended again. Sets of a few categories are equal by chance, but
    then not most of them equally often: at most a third would be.

    >>> lines = [[f"a{n}", f"b{n % 7}"] for n in range(30)]
    >>> copied_records(Records.from_lists(lines * 2))
    'each of its 30 different records is there twice or a multiple of it, so that each hides its own copies'
    >>> copied_records(Records.from_lists(lines))
    """
    marks, lengths = _marks(records), records.lengths
    counts = _times_each(marks[lengths > 0])
    common = int(np.gcd.reduce(counts)) if len(counts) >= FEWEST else 1
    if common > 1:
        return (
            f"each of its {len(counts):,} different records is there {_times(common)} or a multiple of it, "
            "so that each hides its own copies"
        )
    counts = _times_each(marks[lengths >= LONG])
    several = counts[counts > 1]
    copies = int(np.bincount(several).argmax()) if len(several) else 1
    alike = int((several == copies).sum())
    if alike < FEWEST or 2 * alike < len(counts):
        return None
    return (
        f"{alike:,} of the {len(counts):,} different records of {LONG} items or more are there exactly "
        f"{_times(copies)}, as if a file had been appended again, so that each hides its own copies"
    )


def _times_each(marks: NDArray[np.uint64]) -> Longs:
    """How often each different mark is there."""
    ordered = np.sort(marks)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    return np.diff(np.append(starts, len(ordered)))


def _times(copies: int) -> str:
    return "twice" if copies == 2 else f"{copies} times"


def _marks(records: Records) -> NDArray[np.uint64]:
    """A number for each record, the same for equal ones, and hardly for others."""
    codes = np.arange(1, records.n_items + 1, dtype=np.uint64) * ODD
    codes = (codes ^ (codes >> np.uint64(29))) * ODD
    codes ^= codes >> np.uint64(32)
    # Sums of unsigned numbers wrap around, here and in the difference.
    until = np.zeros(records.n_occurrences + 1, dtype=np.uint64)
    np.cumsum(codes[records.items], out=until[1:])
    marks: NDArray[np.uint64] = until[records.offsets[1:]] - until[records.offsets[:-1]]
    return marks
