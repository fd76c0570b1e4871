"""A verb as it is typed: each option once, and never an empty text for one.

Of an option that is given twice, typer would silently take the last, and an empty text is mostly a variable
of a script that was not set. Neither may decide what is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from typer.core import TyperCommand

MAY_BE_EMPTY = frozenset(("mark",))
"""Options for which nothing is something: empty cells are the withheld ones."""
MAY_BE_BLANK = MAY_BE_EMPTY | {"separator"}


class VerbCommand(TyperCommand):
    """A command that refuses options which are given twice, or as an empty text."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The words of the command line, once they are found to be what somebody can mean."""
        if not ctx.resilient_parsing:
            parser: Any = self.make_parser(ctx)
            options = [each for each in self.get_params(ctx) if each.param_type_name == "option"]
            for option in options:
                every: Any = copy(option)
                every.multiple = True
                every.add_to_parser(parser, ctx)
            typed: Mapping[str, Any] = parser.parse_args(args=list(args))[0]
            for each in self.get_params(ctx):
                name = each.opts[0] if each in options else str(each.name).upper()
                refuse_empty(str(each.name), typed.get(str(each.name)), name, ctx.fail)
            for option in options:
                # Help is no value of anything.
                if option.expose_value and not getattr(option, "multiple", False):
                    _refuse_repeated(option, typed.get(str(option.name), ()), ctx.fail)
        return super().parse_args(ctx, args)


def is_empty(name: str, value: Any) -> bool:
    """Whether a text says nothing where the option of this name needs one."""
    if not isinstance(value, str) or name in MAY_BE_EMPTY:
        return False
    return not (value if name in MAY_BE_BLANK else value.strip())


def refuse_empty(name: str, values: Any, spelling: str, fail: Any) -> None:
    """Say so if one of the values, or the only one, is an empty text."""
    several = values if isinstance(values, list | tuple) else [values]
    if any(is_empty(name, value) for value in several):
        fail(f"{spelling} is empty; give it a value, or leave it out")


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
