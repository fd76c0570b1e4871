"""The application, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer

import withhold
from withhold.cli import interrupts
from withhold.cli.command import VerbCommand
from withhold.cli.console import (
    abandon_stdout,
    note,
    showing_assumptions,
    usage_error,
)
from withhold.cli.helping import HELP_WIDTH
from withhold.cli.methods import offered, with_line
from withhold.cli.options import spread
from withhold.cli.terminal import fitted
from withhold.cli.topics import topic_of
from withhold.errors import (
    InternalError,
    Interrupted,
    OutputError,
    WithholdError,
    on_the_command_line,
)
from withhold.interruption import stop_if_asked

UsageError: Any = typer.BadParameter.__mro__[2]
"""All that typer objects to in a command; it has no public name for it."""
VERBS = (
    "advise",
    "anonymize",
    "audit",
    "compare",
    "demo",
    "help",
    "hierarchy",
    "inspect",
    "page",
    "sweep",
    "verify",
)
"""The modules of the verbs; importing one registers it."""
COMPLETION = "_WITHHOLD_COMPLETE"
"""Set by shells that ask what to propose."""
EXIT_CODES = """
Exit codes: 0 holds (or done), 1 broken, 2 usage, 3 bad input or output, 4 impossible, 5 undecided,
70 a bug, 130 interrupted.
"""

app = typer.Typer(
    name="withhold",
    help="Publish sets of items without exposing anybody: find what an attacker could infer, "
    "withhold as little as possible, prove the result.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GROUPS = {
    "hierarchy": typer.Typer(
        help="Build hierarchies of values, to generalise them.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
}
"""Verbs that have verbs of their own."""
for _name, _group in GROUPS.items():
    app.add_typer(_group, name=_name)


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


def verb(
    name: str,
    *,
    example: str,
    publishes: str | None = None,
    searches: bool = False,
    audits: bool = False,
    reports: bool = False,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function as a verb whose errors end in a message and an exit code.

    A name of two words is a verb of a group: ``hierarchy suggest``.

    ``publishes`` names the option that says where; an interruption says whether it was. ``searches`` and
    ``audits``: ``given`` has the methods' options of that, too; ``reports``: what can be said of the
    population.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        parameters, collect = spread(function, name, offered(searches, audits, reports))

        @wraps(function)
        def guarded(**values: Any) -> None:
            target = None if publishes is None else values[publishes]
            words = "interrupted" if publishes is None else interrupts.NOTHING_PUBLISHED
            try:
                with (
                    interrupts.saying(words, published=target),
                    on_the_command_line(),
                    showing_assumptions(),
                ):
                    stop_if_asked()
                    with _descriptions(values):
                        function(**collect(values))
            except Interrupted as error:
                _end(str(error), code=error.exit_code, silent=not interrupts.may_speak())
            except WithholdError as error:
                _end(*_with_topic(with_line(error, values)), code=error.exit_code)
            except MemoryError:
                _end("not enough memory; try a smaller file, or fewer threads (--jobs 1)", code=3)
            except (typer.Exit, typer.Abort, UsageError, SystemExit):
                raise
            except BaseException as error:  # also what compiled libraries raise outside Exception
                _end(_bug(error), code=InternalError.exit_code)

        guarded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        guarded.__annotations__ = {each.name: each.annotation for each in parameters}
        *group, word = name.split()
        place = GROUPS[group[0]] if group else app
        # Click leaves lines behind a \b alone.
        shown = "\b\nExample:\n" + fitted(f"  {example}", HELP_WIDTH)
        return place.command(word, cls=VerbCommand, epilog=shown)(guarded)

    return register


def _with_topic(error: WithholdError) -> tuple[str, ...]:
    """The lines of a message, with the page to read about it."""
    topic = topic_of(error)
    if topic is None:
        return error.lines
    if len(error.lines) > 1:
        return (*error.lines, f"More: withhold help {topic}")
    return (f"{error.lines[0]} (more: withhold help {topic})",)


def _descriptions(values: Mapping[str, Any]) -> AbstractContextManager[None]:
    """What codes mean, for everything that is shown; nothing unless it was asked for."""
    if values.get("describe") is None:
        return nullcontext()
    from withhold.describing import describing
    from withhold.formats.columns import Options
    from withhold.formats.descriptions import read_descriptions
    from withhold.formats.forms import check_separator

    how = Options(
        separator=check_separator(values.get("separator")),
        encoding=values.get("encoding"),
        sheet=values.get("sheet"),
    )
    items = values.get("items") or ()
    return describing(read_descriptions(values["describe"], values.get("data"), items, how))


def _bug(error: BaseException) -> str:
    if os.environ.get("WITHHOLD_DEBUG"):
        traceback.print_exception(error)
    reason = str(error).partition("\n")[0]
    return (
        f"{type(error).__name__}: {reason}. This is a bug in withhold; please report it "
        "(WITHHOLD_DEBUG=1 shows where it happened)"
    )


def _end(*message: str, code: int, silent: bool = False) -> NoReturn:
    """Say why on stderr and leave."""
    note(*message, silent=silent)
    raise typer.Exit(code)


def main() -> None:
    """Run the command that was typed, and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # Files and pipes get UTF-8 on every system; what a console cannot show is replaced.
        if hasattr(stream, "reconfigure"):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")
    code = _run()
    if code == Interrupted.exit_code:
        interrupts.end_now()  # without waiting for threads, or for Python to free a large table
    interrupts.ignore_from_now_on()
    sys.exit(code)


def _run() -> int:
    """The exit code; 1 only if a verb chose it."""
    try:
        for name in VERBS:
            import_module(f"withhold.cli.{name}")
        return app(standalone_mode=False) or 0
    except UsageError as error:
        return usage_error(error)
    except SystemExit as error:
        # typer leaves with 1 when the reader of a help page has seen enough; and to tell fish that it has
        # nothing to propose, so that fish completes the names of files.
        if error.code is None or (error.code == 1 and COMPLETION not in os.environ):
            return 0
        return error.code if isinstance(error.code, int) else InternalError.exit_code
    except OSError as error:  # of help or a usage message; the verbs see to their own
        abandon_stdout()
        note(f"the output cannot be written: {error.strerror}")
        return OutputError.exit_code
    except BaseException as error:
        if interrupts.is_interruption(error):
            note(interrupts.what_to_say(), silent=not interrupts.may_speak())
            return Interrupted.exit_code
        note(_bug(error))
        return InternalError.exit_code
