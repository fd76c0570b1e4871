"""Advice as a page of text: a table of choices, and the commands to run next."""

from __future__ import annotations

from collections.abc import Sequence

from withhold.telling.advice import Advice, Choice
from withhold.telling.facts import shown
from withhold.telling.layout import WIDTH, columns, page
from withhold.wording import counted


def advice_text(advice: Advice, *, name: str) -> str:
    """What was assumed, what each choice costs, and the command for each."""
    of = f"{advice.sampled:,} of {counted(advice.of, advice.what)}"
    size = counted(advice.of, advice.what) if advice.sampled == advice.of else of
    lines = [f"{name}: {size}; nothing is published", ""]
    lines += [f"{text[0].upper()}{text[1:]}." for text in advice.assumed]
    lines += [""] * bool(advice.assumed) + _choices(advice.choices)
    if advice.not_measured:
        lines += ["", "Not measured", *(f"  {each}" for each in advice.not_measured)]
    lines += ["", "To run next"]
    if advice.first:
        lines.append(f"  first  {advice.first}")
    commands = [(f"{n}.", each.command) for n, each in enumerate(advice.choices, start=1)]
    return page([*lines, *columns(commands, right={0})])


def _choices(choices: Sequence[Choice]) -> list[str]:
    """A row for each choice, or two lines if the rows are too wide for a terminal."""
    rows = [
        (f"{number}.", each.knows, promise_text(each), cost_text(each))
        for number, each in enumerate(choices, start=1)
    ]
    table = columns(
        [("", "if attackers know", "which model promises what", "withheld for it"), *rows],
        right={0},
    )
    if max(map(len, table)) <= WIDTH:
        return table
    lines = [("", "if attackers know: which model promises what, and what is withheld for it")]
    for number, knows, promise, cost in rows:
        lines += [(number, f"{knows}: {promise}"), ("", cost)]
    return columns(lines, right={0})


def promise_text(choice: Choice) -> str:
    """What a model promises, with its name."""
    return f"{choice.model}, {choice.promise}"


def cost_text(choice: Choice) -> str:
    """What a choice costs, or why it cannot be had."""
    if choice.problem:
        return choice.problem
    parts = [f"{shown(choice.cost, 'share')} of the {choice.of}"]
    if choice.of_sensitive is not None:
        ones = "ones" if choice.of == "occurrences" else "items"
        parts.append(f"{shown(choice.of_sensitive, 'share')} of the sensitive {ones}")
    if choice.misplaced is not None:
        parts.append(
            f"{shown(choice.misplaced, 'share')} of the pairs with a public item misplaced"
        )
    return ", ".join(parts)
