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
from withhold.errors import (
    InternalError,
    Interrupted,
    OutputError,
    WithholdError,
    on_the_command_line,
)

EXIT_CODES = """
Exit codes: 0 holds (or done), 1 broken, 2 usage, 3 bad input or output, 4 impossible, 5 undecided,
70 a bug, 130 interrupted.
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


BROKEN = 1
_verdict_given = False


def _remember(code: int) -> None:
    """Note that a verb ended with the verdict BROKEN, so that nobody else's 1 is taken for one."""
    global _verdict_given
    _verdict_given = code == BROKEN


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
                with on_the_command_line():
                    function(*args, **options)
            except WithholdError as error:
                _remember(error.exit_code)
                end(str(error), error.exit_code)
            except KeyboardInterrupt:
                end("interrupted", Interrupted.exit_code)
            except MemoryError:
                end("not enough memory; try a smaller file, or fewer threads (--jobs 1)", 3)
            except typer.Exit as ended:
                _remember(ended.exit_code)
                raise
            except (SystemExit, typer.Abort, typer.BadParameter):
                raise
            except BaseException as error:  # a panic of compiled code is no Exception
                end(unexpected(error), InternalError.exit_code)

        return app.command(name, epilog=f"Example:  {example}")(guarded)

    return register


def unexpected(error: BaseException) -> str:
    """What to say of an error that nobody foresaw."""
    if os.environ.get("WITHHOLD_DEBUG"):
        traceback.print_exception(error)
    reason = str(error).partition("\n")[0]
    return (
        f"{type(error).__name__}: {reason}. This is a bug in withhold; please report it "
        "(WITHHOLD_DEBUG=1 shows where it happened)"
    )


def end(message: str, code: int) -> NoReturn:
    """Say why on stderr and leave."""
    note(message)
    raise typer.Exit(code)


def main() -> None:
    """Entry point of the ``withhold`` command. Exit code 1 is a verdict, and nothing else ends with it."""
    code: object = InternalError.exit_code
    try:
        _run()
    except SystemExit as ended:
        code = ended.code
        if code == BROKEN and not _verdict_given:
            # The library's own way out: a closed pipe, or the end of what could be read.
            code = OutputError.exit_code
    except KeyboardInterrupt:
        code = Interrupted.exit_code
    except BaseException as error:
        note(unexpected(error))
    sys.exit(code if isinstance(code, int) or code is None else InternalError.exit_code)


def _run() -> None:
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
    except OSError as error:  # of help or a usage message; the verbs see to their own
        abandon_stdout()
        note(f"the output cannot be written: {error.strerror}")
        sys.exit(OutputError.exit_code)
