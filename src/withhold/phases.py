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
        """Hear that a phase begins."""

    def end(self) -> None:
        """Hear that it is over."""


_heard: dict[int, Listener] = {}
"""Who listens to a thread, by its number."""


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within this, the listener hears of the phases of this thread; nobody else does."""
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
    """What is done within this is the phase of that name; also a decorator."""
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
