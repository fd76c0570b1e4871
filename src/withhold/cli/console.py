"""Output for people: results on stdout; notes, warnings and progress bars on stderr."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from io import StringIO
from typing import Any

import typer

from withhold.cli import started
from withhold.cli.job import Job
from withhold.cli.terminal import for_reader, for_terminal
from withhold.describing import with_descriptions
from withhold.errors import AssumedWarning, DoubtWarning, OutputError, WithholdWarning
from withhold.escaping import json_text, one_line, visible
from withhold.phases import listening

PROGRESS = "WITHHOLD_PROGRESS"
"""The environment variable that requests progress as lines of JSON; the page sets it for its jobs."""
BETWEEN_LINES_SECONDS = 0.1
PARTS_OF_ALL = 1000
"""Lines of progress give the progress in this many parts of the whole job."""
COMPILING = (
    "compiling for this machine, once for each kind of task: mostly 3 to 20 seconds, longer if the "
    "machine is busy"
)
"""Shown if compiling takes longer than a moment; most of the demo runs uncompiled and does not show it."""


def say(text: str) -> None:
    """Print the result on stdout. A reader that closes the pipe changes neither verdict nor exit code."""
    try:
        _echo(for_reader(visible(text)), err=False)
    except BrokenPipeError:
        abandon_stdout()
    except OSError as error:
        abandon_stdout()
        raise OutputError(f"standard output cannot be written: {error.strerror}") from error


def _echo(text: str, *, err: bool) -> None:
    """Write the text; above the bar, where one is drawn."""
    bar = sys.modules.get("withhold.cli.bar")
    if bar is None or not bar.print_above(text, on_stdout=not err):
        typer.echo(text, err=err)


def json_of(found: Mapping[str, Any]) -> str:
    """A result as JSON, with the descriptions of its codes if these were given."""
    return json_text(with_descriptions(found))


def note(message: str, *more: str, silent: bool = False, command: str = "") -> None:
    """A message on stderr, each part on one line; if it cannot be written, the exit code must suffice.

    A ``command`` after it is not wrapped, so that it can be copied.
    """
    if not silent:
        with suppress(OSError):
            lines = map(one_line, (f"withhold: {message}", *more))
            shown = for_terminal("\n".join(lines), sys.stderr)
            _echo(f"{shown} {one_line(command)}" if command else shown, err=True)


@contextmanager
def showing_assumptions() -> Iterator[None]:
    """Within this context, each assumption about files is shown once as a note."""
    said: set[str] = set()
    with warnings.catch_warnings():
        before = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, AssumedWarning):
                before(message, category, *place, **more)
            elif str(message) not in said:
                said.add(str(message))
                doubt = "warning: " if issubclass(category, DoubtWarning) else ""
                note(f"{doubt}{message}")

        # The verbs report listed items that the data do not have.
        warnings.simplefilter("ignore", WithholdWarning)
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


@contextmanager
def working(plan: Mapping[str, float], *, silent: bool = False) -> Iterator[Job]:
    """Shows the progress while data are read and kernels are compiled and run, on a terminal as a bar."""
    from withhold.counting.jit import before_compiling, is_compiling, seconds_compiled

    before_compiling(lambda: note(COMPILING, silent=silent))
    job = Job(plan, compiled=seconds_compiled, is_compiling=is_compiling, started=started.at)
    if os.environ.get(PROGRESS) == "json":
        shown: AbstractContextManager[object] = _as_lines(job)
    elif silent or sys.stderr is None or not sys.stderr.isatty():
        shown = nullcontext()
    else:
        from withhold.cli.bar import drawing

        shown = drawing(job)
    with listening(job), shown:
        yield job


@contextmanager
def _as_lines(job: Job) -> Iterator[None]:
    """Progress as lines of JSON on stderr, for a program that shows it in its own way."""
    last = 0.0

    def tell() -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= BETWEEN_LINES_SECONDS:
            last = now
            told = [job.what, round(PARTS_OF_ALL * job.share), PARTS_OF_ALL]
            with suppress(OSError):
                typer.echo(json.dumps({"progress": told, "left": job.left()}), err=True)

    job.heard = tell
    yield


def abandon_stdout() -> None:
    """Keep Python from complaining at exit about what is still in the buffer."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
