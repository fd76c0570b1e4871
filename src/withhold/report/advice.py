"""Advice as a page of text: a table of choices, and the commands to run next."""

from __future__ import annotations

from withhold.telling.advice import Advice, Choice
from withhold.telling.facts import shown
from withhold.telling.layout import columns, page
from withhold.wording import counted


def advice_text(advice: Advice, *, name: str) -> str:
    """What was assumed, what each choice costs, and the command for each."""
    of = f"{advice.sampled:,} of {counted(advice.of, advice.what)}"
    size = counted(advice.of, advice.what) if advice.sampled == advice.of else of
    head = ("", "if attackers know", "then promising that", "costs")
    rows = [
        (f"{number}.", each.knows, each.promise, cost_text(each))
        for number, each in enumerate(advice.choices, start=1)
    ]
    lines = [f"{name}: {size}; nothing is published", ""]
    lines += [f"{text[0].upper()}{text[1:]}." for text in advice.assumed]
    lines += [""] * bool(advice.assumed) + columns([head, *rows], right={0})
    lines += ["", "To run next"]
    if advice.first:
        lines.append(f"  first  {advice.first}")
    commands = [(f"{n}.", each.command) for n, each in enumerate(advice.choices, start=1)]
    return page([*lines, *columns(commands, right={0})])


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
