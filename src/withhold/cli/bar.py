"""One bar for a whole job, on a terminal: what is being done, how much of all is done, and what is left."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import floor

from rich.console import Console
from rich.live import Live
from rich.text import Text

from withhold.cli.interrupts import restoring_terminal
from withhold.cli.job import Job, rounded
from withhold.escaping import one_line

SHOW_CURSOR = "\r\x1b[2K\x1b[?25h"
"""To a terminal on which a bar was being drawn: clear its line, and give the cursor back."""
PATIENCE_SECONDS = 1.0
"""Work that is over sooner shows no bar."""
REDRAWN_PER_SECOND = 5
WORDS_WIDTH, BAR_WIDTH = 30, 14


_drawn: list[Live] = []
"""The bar that is on the terminal, if there is one."""


def print_above(text: str, *, on_stdout: bool) -> bool:
    """Print the text above the bar, which must not be torn; False where there is none on that terminal."""
    if not _drawn or (on_stdout and (sys.stdout is None or not sys.stdout.isatty())):
        return False
    _drawn[0].console.print(Text.from_ansi(text), soft_wrap=True, highlight=False)
    return True


@contextmanager
def drawing(job: Job) -> Iterator[None]:
    """Within this the bar is drawn, by a thread of its own: it goes on while a kernel runs."""
    live = Live(
        get_renderable=lambda: line(job),
        console=Console(stderr=True),
        transient=True,
        refresh_per_second=REDRAWN_PER_SECOND,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    lock, over = threading.Lock(), threading.Event()

    def start() -> None:
        with lock:
            if not over.is_set():
                live.start()
                _drawn.append(live)

    timer = threading.Timer(PATIENCE_SECONDS, start)
    timer.daemon = True
    timer.start()
    try:
        with restoring_terminal(SHOW_CURSOR):
            yield
    finally:
        timer.cancel()
        over.set()
        with lock:
            _drawn.clear()
            live.stop()


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
