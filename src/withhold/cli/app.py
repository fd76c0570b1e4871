"""The application, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, NoReturn

import typer

import withhold
from withhold.cli import interrupts
from withhold.cli.console import abandon_stdout, note
from withhold.errors import Interrupted, OutputError, WithholdError

EXIT_CODES = """
Exit codes: 0 holds (or done), 1 broken, 2 usage, 3 bad input or output, 4 impossible, 5 undecided,
130 interrupted.
"""

app = typer.Typer(
    name="withhold",
    help="Publish sets of items without giving anybody away: find what an attacker could infer, "
    "withhold as little as possible, prove the result.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"withhold {withhold.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Common to all verbs."""


def verb(name: str, *, example: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function as a verb whose errors end in a message and an exit code."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def guarded(*args: Any, **options: Any) -> None:
            try:
                function(*args, **options)
            except WithholdError as error:
                end(str(error), error.exit_code)
            except KeyboardInterrupt:
                end("interrupted", Interrupted.exit_code)
            except MemoryError:
                end("not enough memory; try a smaller file, or fewer threads (--jobs 1)", 3)
            except (typer.Exit, typer.Abort, typer.BadParameter):
                raise
            except Exception as error:
                if os.environ.get("WITHHOLD_DEBUG"):
                    traceback.print_exc()
                end(
                    f"{type(error).__name__}: {error}. This is a bug in withhold; please report it "
                    "(WITHHOLD_DEBUG=1 shows where it happened)",
                    70,
                )

        return app.command(name, epilog=f"Example:  {example}")(guarded)

    return register


def end(message: str, code: int) -> NoReturn:
    """Say why on stderr and leave."""
    note(message)
    raise typer.Exit(code)


def main() -> None:
    """Entry point of the ``withhold`` command."""
    interrupts.heed()
    for stream in (sys.stdout, sys.stderr):
        # Files and pipes get UTF-8 on every system; what a console cannot show is replaced.
        if hasattr(stream, "reconfigure"):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")
    try:
        # Importing a verb's module registers it.
        from withhold.cli import (  # noqa: F401
            anonymize,
            audit,
            compare,
            demo,
            inspect,
            sweep,
            verify,
        )

        app()
    except KeyboardInterrupt:
        sys.exit(Interrupted.exit_code)
    except OSError as error:  # of help or a usage message; the verbs see to their own
        abandon_stdout()
        note(f"the output cannot be written: {error.strerror}")
        sys.exit(OutputError.exit_code)
