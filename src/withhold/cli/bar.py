"""One progress bar for a whole job, on a terminal: the current step, how much is done, and the time left."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import floor

from rich.console import Console
from rich.text import Text

from withhold.cli.interrupts import restoring_terminal
from withhold.cli.job import Job, rounded
from withhold.cli.terminal import knows_escapes
from withhold.escaping import one_line

HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
CLEAR_LINE = "\r\x1b[2K"
PATIENCE_SECONDS = 1.0
"""Seconds; work that finishes sooner shows no bar."""
REDRAWN_PER_SECOND = 5
WORDS_WIDTH, BAR_WIDTH = 30, 14


_drawn: list[Bar] = []
"""The bar that is currently on the terminal, if any."""


def print_above(text: str, *, on_stdout: bool) -> bool:
    """Print the text above the bar without breaking it; False if there is no bar on that terminal."""
    if not _drawn or (on_stdout and (sys.stdout is None or not sys.stdout.isatty())):
        return False
    return any(bar.print_above(text) for bar in _drawn[:1])


class Bar:
    """The last line of the terminal while a job goes on; a terminal without escape codes gets text alone."""

    def __init__(self, job: Job) -> None:
        self.job, self.lock = job, threading.RLock()
        self.console = Console(stderr=True)
        self.width = shutil.get_terminal_size().columns - len("^C") - 1
        has_escapes = knows_escapes() and not self.console.legacy_windows
        self.begin = HIDE_CURSOR if has_escapes else ""
        self.clear = CLEAR_LINE if has_escapes else f"\r{' ' * (self.width + len('^C'))}\r"
        self.end = self.clear + (SHOW_CURSOR if has_escapes else "")
        """The escape sequence that restores the terminal."""

    def draw_until(self, over: threading.Event) -> None:
        """Redraw the bar until the job is over, once it takes longer than a moment."""
        if over.wait(PATIENCE_SECONDS):
            return
        with self.lock:
            # First, or what is printed just now would be printed on the bar.
            _drawn.append(self)
            self._write(self.begin + self._line())
        while not over.wait(1 / REDRAWN_PER_SECOND):
            with self.lock:
                self._write(self.clear + self._line())
        with self.lock:
            _drawn.clear()
            self._write(self.end)

    def print_above(self, text: str) -> bool:
        """Put the text where the bar is, and the bar under it; False if it was taken away meanwhile."""
        with self.lock:
            if self not in _drawn:
                return False
            self._write(f"{self.clear}{text}\n{self._line()}")
            return True

    def _line(self) -> str:
        """Short enough that the ``^C`` of the terminal stays on its line, which is cleared then."""
        shown = line(self.job)
        shown.truncate(self.width)
        with self.console.capture() as written:
            self.console.print(shown, end="", soft_wrap=True, highlight=False)
        return written.get() if self.begin else shown.plain

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a terminal that was closed
            sys.stderr.write(text)
            sys.stderr.flush()


@contextmanager
def drawing(job: Job) -> Iterator[None]:
    """Within this context the bar is drawn by a thread of its own, also while a kernel runs."""
    bar, over = Bar(job), threading.Event()
    thread = threading.Thread(target=bar.draw_until, args=(over,), daemon=True)
    thread.start()
    try:
        with restoring_terminal(bar.end):
            yield
    finally:
        over.set()
        thread.join()


def line(job: Job) -> Text:
    """The bar as it is now; it fits 80 columns."""
    compiling = job.is_compiling()
    # Behind a comma a step says what the bar shows anyway.
    told = job.what.partition(",")[0] or "starting"
    what = "compiling (first run only)" if compiling else one_line(told)
    words = what if len(what) <= WORDS_WIDTH else what[: WORDS_WIDTH - 1] + "…"
    share, left = job.share, None if compiling else job.left()
    full = int(BAR_WIDTH * share)
    ahead = "time left unknown" if left is None else f"about {rounded(left)} left"
    return Text.assemble(
        f"{words:<{WORDS_WIDTH}} ",
        ("━" * full, "green"),
        ("─" * (BAR_WIDTH - full), "dim"),
        f" {floor(share * 100):>3}%  {job.waited:.0f} s, {ahead}",
    )
