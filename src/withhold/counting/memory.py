"""Give memory that is no longer used back to the system.

glibc keeps freed arrays below 32 MB for itself, one heap for each thread; after a step that made many
of them, what is kept can be as much as the table. Between steps it is cheap to ask for it back.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache


def give_back_memory() -> None:
    """Return freed memory to the system, where the C library can do that."""
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not glibc: macOS, musl, Windows
        return lambda _: None
    return trim
