"""What a person sees: results on stdout; notes, warnings and progress bars on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import typer

from withhold.cli.interrupts import stop_if_asked
from withhold.data import Transactions
from withhold.data.names import nearest
from withhold.errors import OutputError
from withhold.kernels.threads import Progress

PATIENCE_SECONDS = 1.0
"""Work that is over sooner shows no bar."""


def say(text: str) -> None:
    """The result on stdout. A reader who has seen enough changes neither verdict nor exit code."""
    try:
        typer.echo(text)
    except BrokenPipeError:
        abandon_stdout()
    except OSError as error:
        abandon_stdout()
        raise OutputError(f"standard output cannot be written: {error.strerror}") from error


def note(message: str, *, silent: bool = False) -> None:
    """One line on stderr; where that cannot be written, the exit code must speak."""
    if not silent:
        with suppress(OSError):
            typer.echo(f"withhold: {message}", err=True)


def announce_compilation(*, silent: bool = False) -> None:
    """Tell why the very first run takes longer."""
    from withhold.kernels.jit import before_compiling

    before_compiling(
        lambda: note(
            "compiling kernels for this machine, once; this takes a little while", silent=silent
        )
    )


@contextmanager
def progress_bar(*, silent: bool = False) -> Iterator[Progress]:
    """A callback that draws a bar on a terminal when the work takes long enough."""
    if silent or sys.stderr is None or not sys.stderr.isatty():
        yield _only_heed
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    began = time.monotonic()
    bar = RichProgress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, object] = {}

    def show(what: str, done: int, total: int) -> None:
        stop_if_asked()
        if not bar.live.is_started:
            if time.monotonic() - began < PATIENCE_SECONDS:
                return
            bar.start()
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.update(tasks[what], completed=done, total=total)  # type: ignore[arg-type]

    try:
        yield show
    finally:
        bar.stop()


def _only_heed(what: str, done: int, total: int) -> None:
    """The progress that nobody sees."""
    stop_if_asked()


def abandon_stdout() -> None:
    """Keep Python from complaining at exit about what is still in the buffer."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn_about(table: Transactions, sensitive: frozenset[str], *, silent: bool = False) -> None:
    """Notes about the data that a careful reader would want to see."""
    if table.skipped_rows:
        note(f"{table.skipped_rows:,} rows without a record id were left out", silent=silent)
    if table.repeated:
        note(f"{table.repeated:,} repeated items within records were merged", silent=silent)
    present = {
        name for name, support in zip(table.vocabulary, table.supports, strict=True) if support
    }
    absent = sorted(sensitive - present)
    if absent:
        note("warning: " + absent_text(absent, len(sensitive), sorted(present)))


def absent_text(absent: Sequence[str], total: int, present: Sequence[str]) -> str:
    """Which sensitive items never occur, with the nearest spelling of the first few."""
    named = []
    for item in absent[:3]:
        near = nearest(item, present)
        named.append(f"{item!r} (did you mean {near!r}?)" if near else repr(item))
    more = f" and {len(absent) - 3:,} more" if len(absent) > 3 else ""
    return f"{len(absent):,} of {total:,} sensitive items never occur: {', '.join(named)}{more}"
