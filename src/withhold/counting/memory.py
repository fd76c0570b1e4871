"""How much memory there is, and how to return what is no longer used to the system.

glibc keeps freed arrays below 32 MB for itself, one heap for each thread; after a step that made many of
them, that can be as much memory as the data takes. Between steps it is cheap to return it, unless the data is
so small that asking for it again would take a good part of the next step.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache


def physical_memory() -> int | None:
    """The bytes of memory that this machine has; None if that is unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


SMALL = 300 << 20
"""Bytes; a process that never had more, half of them for the program itself, keeps what is freed."""


def give_back_memory() -> None:
    """Return freed memory to the system, if the C library can do that and it is worth the time."""
    if (most := peak_memory()) is None or most > SMALL:
        _trim()(0)


def peak_memory() -> int | None:
    """The bytes of memory that this process has had at most; None if that is unknown."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        return None
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@cache
def _trim() -> Callable[[int], object]:
    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not glibc: macOS, musl, Windows
        return lambda _: None
    return trim
