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
from withhold.cli.command import HELP_ALL, VerbCommand
from withhold.cli.console import (
    abandon_stdout,
    note,
    showing_assumptions,
    usage_error,
)
from withhold.cli.failure import NO_MEMORY, Failure
from withhold.cli.helping import HELP_WIDTH
from withhold.cli.methods import offered, with_line
from withhold.cli.options import spread
from withhold.cli.terminal import fitted
from withhold.errors import (
    InternalError,
    Interrupted,
    OutputError,
    WithholdError,
    on_the_command_line,
)
from withhold.interruption import stop_if_asked

UsageError: Any = typer.BadParameter.__mro__[2]
"""The base class of typer's usage errors, which has no public name."""
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
KEYWORD = inspect.Parameter.KEYWORD_ONLY
COMPLETION = "_WITHHOLD_COMPLETE"
"""Set by shells that request completions."""
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
"""Verbs that have subcommands."""
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

    ``publishes`` names the option with the output path; an interruption then says whether the release was
    published. With ``searches`` and ``audits``, ``given`` also has the methods' search and audit options;
    with ``reports``, the options about the population.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        parameters, collect = spread(function, name, offered(searches, audits, reports))
        if any(each.name == "format" for each in parameters):
            parameters.append(
                inspect.Parameter("help_all", KEYWORD, default=False, annotation=HELP_ALL)
            )

        @wraps(function)
        def guarded(**values: Any) -> None:
            values.pop("help_all", None)
            target = None if publishes is None else values[publishes]
            as_json = bool(values.get("as_json"))
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
                silent = not interrupts.may_speak()
                _end(Failure.of(error), as_json=as_json and not silent, silent=silent)
            except WithholdError as error:
                _end(Failure.of(with_line(error, values), values.get("model")), as_json=as_json)
            except MemoryError:
                _end(Failure("MemoryError", 3, (NO_MEMORY,)), as_json=as_json)
            except (typer.Exit, typer.Abort, UsageError, SystemExit):
                raise
            except BaseException as error:  # also what compiled libraries raise outside Exception
                _end(Failure("InternalError", 70, (_bug(error),)), as_json=as_json)

        guarded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        guarded.__annotations__ = {each.name: each.annotation for each in parameters}
        *group, word = name.split()
        place = GROUPS[group[0]] if group else app
        # Click does not rewrap a paragraph after a \b.
        shown = "\b\nExample:\n" + fitted(f"  {example}", HELP_WIDTH)
        return place.command(word, cls=VerbCommand, epilog=shown)(guarded)

    return register


def _descriptions(values: Mapping[str, Any]) -> AbstractContextManager[None]:
    """The descriptions of codes, for everything that is shown; none unless requested."""
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


def _end(failure: Failure, *, as_json: bool, silent: bool = False) -> NoReturn:
    """Print the failure on stderr, and with --json also on stdout, and exit."""
    if as_json:
        failure.say_json()
    note(*failure.shown(), silent=silent)
    raise typer.Exit(failure.exit_code)


def main() -> None:
    """Run the command that was typed, and exit with its exit code."""
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
        # The command line could not be parsed, so the verb's options are not known.
        if "--json" in sys.argv[1:]:
            Failure("UsageError", int(error.exit_code), (error.format_message(),)).say_json()
        return usage_error(error)
    except SystemExit as error:
        # typer exits with 1 if the reader of a help page closes the pipe, and to tell fish that it has no
        # completions, so that fish completes file names.
        if error.code is None or (error.code == 1 and COMPLETION not in os.environ):
            return 0
        return error.code if isinstance(error.code, int) else InternalError.exit_code
    except OSError as error:  # from help or a usage message; the verbs handle their own
        abandon_stdout()
        note(f"the output cannot be written: {error.strerror}")
        return OutputError.exit_code
    except BaseException as error:
        if interrupts.is_interruption(error):
            note(interrupts.what_to_say(), silent=not interrupts.may_speak())
            return Interrupted.exit_code
        note(_bug(error))
        return InternalError.exit_code
