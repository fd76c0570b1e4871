"""Text for a terminal: as wide as the window, with verdicts in colour. Pipes get plain text."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from typing import Any

import typer

COLOURS = {
    "HOLDS": "green",
    "CONFIRMED": "green",
    "BROKEN": "red",
    "CHANGED": "red",
    "UNDECIDED": "yellow",
}
VERDICT = re.compile(rf"^({'|'.join(COLOURS)})\b", re.MULTILINE)


LABEL = re.compile(r" +\S(?:.*?\S)?  +(?=\S)")
"""The text before the second column of a line; continuation lines are indented to that column."""
NUMBERS = re.compile(r" +(?:(?:of )?[\d,.]+%?(?: of [\d,]+| \w+)?  +)+(?=\S)")
"""Columns of numbers before a last one with names."""


COMMAND = re.compile(r" +(\d+\.  |first  )?(\S*python\S* -m )?(\S*/)?withhold [a-z]+ ")
"""A line that is a command, to be copied into a shell; a number may stand before it."""
QUOTED_WORD = r"(?:'[^']*'|\"[^\"]*\"|\S)+"
WORD = re.compile(rf"--?[a-z][\w-]* (?!-){QUOTED_WORD}|{QUOTED_WORD}")
"""A word of a command, or an option with its value; what is quoted stays together."""


def for_terminal(text: str, stream: Any) -> str:
    """The text in lines that fit, if the stream is a terminal."""
    if stream is None or not stream.isatty():
        return text
    return fitted(text, shutil.get_terminal_size().columns)


def for_reader(text: str) -> str:
    """The text as it is written to standard output."""
    if sys.stdout is None or not sys.stdout.isatty():
        return text
    shown = for_terminal(text, sys.stdout)
    return coloured(shown) if knows_escapes() else shown


def knows_escapes() -> bool:
    """Whether a terminal understands escape sequences: colours, and moving the cursor."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def fitted(text: str, width: int) -> str:
    """The text in lines of at most this many characters; continuation lines are indented.

    >>> print(fitted("Asked: nobody can infer it\\n  record 5: {tea, milk}", 16))
    Asked: nobody
      can infer it
      record 5:
        {tea, milk}
    """
    return "\n".join(_fitted_line(line, width) for line in text.split("\n"))


def _fitted_line(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    indent = " " * (len(line) - len(line.lstrip()))
    if found := COMMAND.match(line):
        number = found[1] or ""
        words = WORD.findall(line.strip().removeprefix(number))
        shown = _fitted_command(words, indent + " " * len(number), width)
        return indent + number + shown.lstrip()
    label = NUMBERS.match(line) or LABEL.match(line)
    further = len(label[0]) if label and len(label[0]) <= width // 2 else len(indent) + 2
    return textwrap.fill(
        line.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=" " * further,
        # A command or a path is not broken, so that it can be copied.
        break_long_words=False,
        break_on_hyphens=False,
    )


def _fitted_command(words: list[str], indent: str, width: int) -> str:
    """A command over several lines that a shell reads as one.

    >>> print(_fitted_command(WORD.findall("withhold verify out.dat --policy rules.toml"), "  ", 40))
      withhold verify out.dat \\
        --policy rules.toml
    """
    lines = [indent + words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 > width:
            lines.append(f"{indent}  {word}")
        else:
            lines[-1] += f" {word}"
    return " \\\n".join(lines)


def coloured(text: str) -> str:
    """The text with verdicts at the beginning of lines in colour.

    >>> coloured("HOLDS  all of it").encode()
    b'\\x1b[32m\\x1b[1mHOLDS\\x1b[0m  all of it'
    """

    def paint(found: Any) -> str:
        return typer.style(found[1], fg=COLOURS[found[1]], bold=True)

    return VERDICT.sub(paint, text)
