"""What a person sees: results on stdout; notes, warnings and progress bars on stderr."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import StringIO
from typing import Any

import typer

from withhold.cli.interrupts import restoring_terminal
from withhold.cli.terminal import for_reader
from withhold.counting.threads import Progress
from withhold.describing import with_descriptions
from withhold.errors import AssumedWarning, OutputError
from withhold.escaping import json_text, one_line, visible
from withhold.interruption import stop_if_asked

SHOW_CURSOR = "\r\x1b[2K\x1b[?25h"
"""To a terminal on which a bar was being drawn: clear its line, and give the cursor back."""
PROGRESS = "WITHHOLD_PROGRESS"
"""The variable that asks for progress as lines of JSON; the page sets it for its jobs."""
BETWEEN_LINES_SECONDS = 0.1
PATIENCE_SECONDS = 1.0
"""Work that is over sooner shows no bar."""


def say(text: str) -> None:
    """The result on stdout. A reader who has seen enough changes neither verdict nor exit code."""
    try:
        typer.echo(for_reader(visible(text)))
    except BrokenPipeError:
        abandon_stdout()
    except OSError as error:
        abandon_stdout()
        raise OutputError(f"standard output cannot be written: {error.strerror}") from error


def json_of(found: Mapping[str, Any]) -> str:
    """A result as JSON, with what its codes mean where that was given."""
    return json_text(with_descriptions(found))


def note(message: str, *more: str, silent: bool = False) -> None:
    """A message on stderr, each part on one line; where that cannot be written, the exit code must speak."""
    if not silent:
        with suppress(OSError):
            typer.echo("\n".join(map(one_line, (f"withhold: {message}", *more))), err=True)


@contextmanager
def showing_assumptions() -> Iterator[None]:
    """Within this, what is assumed about files is said as a note, each once."""
    said: set[str] = set()
    with warnings.catch_warnings():
        before = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, AssumedWarning):
                before(message, category, *place, **more)
            elif str(message) not in said:
                said.add(str(message))
                note(str(message))

        warnings.simplefilter("always", AssumedWarning)
        warnings.showwarning = show
        yield


def usage_error(error: Any) -> int:
    """Show what typer says about a command that cannot be understood, and return its exit code."""
    shown = StringIO()
    error.show(file=shown)
    with suppress(OSError):
        typer.echo(visible(shown.getvalue()), err=True, nl=False)
    return int(error.exit_code)


@dataclass
class Step:
    """The step that is being worked on: one line shows it, and the next one takes its place."""

    began: float
    name: str = ""
    task: Any = None

    def goes_on(self, what: str, now: float) -> None:
        """Hear what is being done; behind a colon it may change while the step goes on."""
        name = what.partition(":")[0]
        if name != self.name:
            self.name, self.began = name, now

    def left(self, done: int, total: int, now: float) -> str:
        """How long the step will take at its pace, once it has one.

        >>> Step(began=0.0).left(1, 4, now=5.0), Step(began=0.0).left(0, 4, now=5.0)
        ('about 15 s left', 'time left unknown')
        """
        if not done or now - self.began < PATIENCE_SECONDS:
            return "time left unknown"
        return f"about {(now - self.began) / done * (total - done):.0f} s left"


@contextmanager
def working(*, silent: bool = False) -> Iterator[Progress]:
    """While kernels are compiled and run: why the very first run takes longer, and a bar if this one does.

    The bar, on a terminal alone, is drawn by the callback.
    """
    from withhold.counting.jit import before_compiling

    first = "compiling kernels for this machine, once; this takes a little while"
    before_compiling(lambda: note(first, silent=silent))
    if os.environ.get(PROGRESS) == "json":
        yield _as_lines()
        return
    if silent or sys.stderr is None or not sys.stderr.isatty():
        yield lambda what, done, total: stop_if_asked()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as RichProgress

    began = time.monotonic()
    bar = RichProgress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} % of this step, {task.fields[left]}"),
        TextColumn("{task.fields[waited]:.0f} s so far"),
        console=Console(stderr=True),
        transient=True,
    )
    step = Step(began)

    def show(what: str, done: int, total: int) -> None:
        stop_if_asked()
        if not bar.live.is_started:
            if time.monotonic() - began < PATIENCE_SECONDS:
                return
            bar.start()
        now = time.monotonic()
        step.goes_on(what, now)
        told: dict[str, Any] = {"left": step.left(done, total, now), "waited": now - began}
        if step.task is None:
            step.task = bar.add_task(one_line(what), total=total, **told)
        bar.update(step.task, completed=done, total=total, description=one_line(what), **told)

    try:
        with restoring_terminal(SHOW_CURSOR):
            yield show
    finally:
        bar.stop()


def _as_lines() -> Progress:
    """Progress as lines of JSON on stderr, for a program that shows it in its own way."""
    last = 0.0

    def show(what: str, done: int, total: int) -> None:
        nonlocal last
        stop_if_asked()
        if (now := time.monotonic()) - last >= BETWEEN_LINES_SECONDS:
            last = now
            with suppress(OSError):
                typer.echo(json.dumps({"progress": [what, int(done), int(total)]}), err=True)

    return show


def abandon_stdout() -> None:
    """Keep Python from complaining at exit about what is still in the buffer."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
