"""The phases of a job, such as reading and proving: each is announced where it happens, to any listener.

The command line listens, to show how far a job is and to say what its time went to; in Python nobody does.
A phase inside another is a part of it, and what other threads do is a part of what waits for them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Listener(Protocol):
    """An object that is told about phases."""

    def begin(self, phase: str) -> None:
        """A phase begins."""

    def end(self) -> None:
        """The phase is over."""


_heard: dict[int, Listener] = {}
"""The listener of each thread, by the thread's number."""


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within this context, the listener is told about the phases of this thread; nobody else is."""
    thread = threading.get_ident()
    before = _heard.get(thread)
    _heard[thread] = listener
    try:
        yield
    finally:
        _heard.pop(thread, None)
        if before is not None:
            _heard[thread] = before


@contextmanager
def phase(name: str) -> Iterator[None]:
    """A context for the phase of that name; also a decorator."""
    thread = threading.get_ident()
    listener = _heard.pop(thread, None)
    if listener is None:
        yield
        return
    listener.begin(name)
    try:
        yield
    finally:
        listener.end()
        _heard[thread] = listener
