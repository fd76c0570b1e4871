"""A verb as it is typed: each option at most once, and never with an empty value.

If an option is given twice, typer silently takes the last, and an empty value is usually an unset variable of
a script. Neither may decide what is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from withhold.cli.empty import refuse_empty
from withhold.cli.helping import IN_FULL, OF_A_MODEL, argument_name, own_example, write_options

NUMBERS = {
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
}
"""Typer's messages about numbers that it rejects, and the usual words."""


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        context.meta[IN_FULL] = True
        typer.echo(context.get_help())
        raise typer.Exit


HELP_ALL = Annotated[
    bool,
    typer.Option(
        "--help-all",
        callback=_show_all,
        is_eager=True,
        expose_value=False,
        help="Describe every option and exit.",
    ),
]
"""For verbs with more options than fit a screen."""


class VerbCommand(TyperCommand):
    """A command that refuses options given twice or with an empty value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line, after checking its words."""
        if not ctx.resilient_parsing:
            parser: Any = self.make_parser(ctx)
            options = [each for each in self.get_params(ctx) if each.param_type_name == "option"]
            for option in options:
                every: Any = copy(option)
                every.multiple = True
                every.add_to_parser(parser, ctx)
            typed: Mapping[str, Any] = parser.parse_args(args=list(args))[0]
            ctx.meta[OF_A_MODEL] = next(iter(typed.get("model") or ()), "")
            for each in self.get_params(ctx):
                name = each.opts[0] if each in options else str(each.name).upper()
                refuse_empty(str(each.name), typed.get(str(each.name)), name, ctx.fail)
            for option in options:
                # --help is never the value of an option.
                if option.expose_value and not getattr(option, "multiple", False):
                    _refuse_repeated(option, typed.get(str(option.name), ()), ctx.fail)
            try:
                return super().parse_args(ctx, args)
            except typer.BadParameter as error:
                _refuse_number(error, typed, ctx.fail)
                raise
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What the first line of the help shows after the verb."""
        words = ["[OPTIONS]"]
        for each in self.get_params(ctx):
            if each.param_type_name == "argument":
                name = argument_name(each)
                words.append(name if each.required else f"[{name}]")
        return words

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what the help says about the options."""
        write_options(self.get_params(ctx), ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write an example: of the model if one was named."""
        own = own_example(ctx)
        usual, self.epilog = self.epilog, own or self.epilog
        super().format_epilog(ctx, formatter)
        self.epilog = usual


def _refuse_number(error: typer.BadParameter, typed: Mapping[str, Any], fail: Any) -> None:
    """Say in one sentence which number was expected; other errors are left to typer."""
    option: Any = error.param
    for raw, words in NUMBERS.items():
        _, found, bound = error.message.partition(f"Input should be {raw}")
        if found and option is not None:
            # The value of a policy file was not typed.
            shown = [f", not {value!r}" for value in typed.get(str(option.name), ())]
            fail(f"{option.opts[0]} must be {words}{bound.partition(',')[0]}{''.join(shown[:1])}")


def _refuse_repeated(option: Any, values: Sequence[Any], fail: Any) -> None:
    if len(values) < 2:
        return
    spelling = option.opts[0]
    times = "twice" if len(values) == 2 else f"{len(values):,} times"
    if getattr(option, "is_flag", False):
        names = {True: spelling, False: next(iter(option.secondary_opts), spelling)}
        shown = [names[bool(value)] for value in values]
        if len(set(shown)) > 1:
            fail(f"{' and '.join(dict.fromkeys(shown))} contradict each other; give one of them")
        fail(f"{spelling} is given {times}; give it once")
    fail(f"{spelling} is given {times}, as {' and as '.join(map(str, values))}; give it once")
