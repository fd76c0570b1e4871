"""A request to stop, which long work looks at between two kernels.

A signal handler that raised would raise anywhere: inside compiled code's call machinery, which makes a
``SystemError`` of it, or inside a finalizer, which drops it. So the handler only asks, and the work stops
at the next place where stopping is safe.
"""

from __future__ import annotations

import threading

_asked = threading.Event()


def ask_to_stop() -> None:
    """From now on ``stop_if_asked`` raises, in every thread."""
    _asked.set()


def stop_if_asked() -> None:
    """Raise ``KeyboardInterrupt`` if somebody asked for the end."""
    if _asked.is_set():
        raise KeyboardInterrupt


def forget_request() -> None:
    """For a process that goes on after an interrupted command."""
    _asked.clear()
