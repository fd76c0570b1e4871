"""A request to stop, which long work checks between two kernels.

A signal handler that raised would raise anywhere: inside the call machinery of compiled code, which turns it
into a ``SystemError``, or inside a finalizer, which drops it. So the handler only sets a flag, and the work
stops at the next place where stopping is safe.
"""

from __future__ import annotations

import threading

_asked = threading.Event()


def ask_to_stop() -> None:
    """From now on ``stop_if_asked`` raises, in every thread."""
    _asked.set()


def stop_if_asked() -> None:
    """Raise ``KeyboardInterrupt`` if a stop was requested."""
    if _asked.is_set():
        raise KeyboardInterrupt


def forget_request() -> None:
    """Clear the request, for a process that continues after an interrupted command."""
    _asked.clear()
