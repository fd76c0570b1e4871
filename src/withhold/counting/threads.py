"""Kernels on several threads, with one way to end them early: a flag that every kernel checks.

The flag says why: the time is up, one thread has the answer, or the user pressed Ctrl-C.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from math import inf
from typing import Any

import numpy as np

from withhold.interruption import stop_if_asked

RUNNING, OUT_OF_TIME, ANSWERED, INTERRUPTED = 0, 1, 2, 3
PATIENCE = 60.0
"""Seconds to look for a smaller breach than the one that already answers the question."""

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def quiet(what: str, done: int, total: int) -> None:
    """Progress for callers who want none: says nothing."""


class Stop:
    """The flag, and the clock that may set it.

    >>> with Stop(limit_seconds=None) as stop:
    ...     stop.cause == RUNNING
    True
    """

    def __init__(self, limit_seconds: float | None = None) -> None:
        self.flag = np.zeros(1, dtype=np.int64)
        self._deadline = None if limit_seconds is None else time.monotonic() + limit_seconds
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Stop:
        # A limit beyond what a timer can wait for (inf, a century) is no limit.
        if self._deadline is not None and self._deadline < threading.TIMEOUT_MAX:
            left = max(self._deadline - time.monotonic(), 0.0)
            if left == 0.0:
                self.because(OUT_OF_TIME)
                return self
            self._timer = threading.Timer(left, self.because, [OUT_OF_TIME])
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._timer is not None:
            self._timer.cancel()

    @property
    def cause(self) -> int:
        # The clock itself is checked too: on a busy machine the timer may come late.
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.because(OUT_OF_TIME)
        return int(self.flag[0])

    def because(self, cause: int) -> None:
        """Ask every kernel to return; the first cause stays."""
        if self.flag[0] == RUNNING:
            self.flag[0] = cause

    def at_most(self, seconds: float) -> Stop:
        """A clock of its own that ends no later than this one."""
        left = inf if self._deadline is None else self._deadline - time.monotonic()
        return Stop(min(left, seconds))

    def go_on(self) -> None:
        """After an answer was found, let the next search run; time that is up stays up."""
        if self.flag[0] == ANSWERED:
            self.flag[0] = RUNNING
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.flag[0] = OUT_OF_TIME


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_all(
    tasks: Sequence[Callable[[], Any]],
    stop: Stop,
    *,
    jobs: int | None = None,
    progress: Progress = quiet,
    what: str = "",
) -> list[Any]:
    """The results of all tasks, in the tasks' order, from at most ``jobs`` threads."""
    jobs = min(jobs or available_cores(), max(len(tasks), 1))
    stop_if_asked()
    progress(what, 0, len(tasks))
    if jobs == 1 and threading.current_thread() is not threading.main_thread():
        return [_done(task) for task in tasks]
    with ThreadPoolExecutor(max_workers=jobs) as pool, _interruptible(stop):
        futures: list[Future[Any]] = [pool.submit(task) for task in tasks]
        pending: set[Future[Any]] = set(futures)
        while pending:
            # A short wait, so that Ctrl-C reaches the main thread between two kernels' ends.
            _, pending = wait(pending, timeout=0.1)
            stop_if_asked()
            progress(what, len(tasks) - len(pending), len(tasks))
        return [future.result() for future in futures]


def _done(task: Callable[[], Any]) -> Any:
    stop_if_asked()
    return task()


@contextmanager
def _interruptible(stop: Stop) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        stop.because(INTERRUPTED)
        raise
