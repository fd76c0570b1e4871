"""Everything withhold raises on purpose, as one tree.

    WithholdError
    ├── InputError        what came in cannot be used       exit code 3
    │   └── ListError     a name on a list is wrong
    ├── PolicyError       the request makes no sense        exit code 2
    ├── OutputError       the result cannot be written      exit code 3
    ├── ImpossibleError   no release can satisfy it         exit code 4
    ├── NotVerifiedError  the release failed its own proof  exit code 1 (broken) or 5 (undecided)
    ├── UndecidedError    it is not clear what to prove    exit code 5
    ├── Interrupted       Ctrl-C, nothing was published     exit code 130
    └── InternalError     this is a bug in us               exit code 70

``option`` spells an option as the reader would write it: on the command line, or as a keyword.
The command line prints the message and ends with the exit code; Python callers catch the class.
A message says what is wrong, where, and what to do about it. It shows a value only where the user
typed that value or where it is needed to find the line.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any


class WithholdError(Exception):
    """The base class of every error that withhold raises on purpose.

    Examples
    --------
    >>> import withhold as wh
    >>> try:
    ...     wh.RhoUncertainty("1.5", {"beer"})
    ... except wh.WithholdError as error:
    ...     print(error)
    rho must lie strictly between 0 and 1, not 1.5; if you mean 1.5%, write 0.015
    """

    exit_code = 70

    def __init__(self, message: str = "", *more: str) -> None:
        self.lines = (message, *more)
        """The lines of the message, escaped so that no file or item name can forge a line."""
        super().__init__("\n".join(self.lines))


class InputError(WithholdError):
    """A file or a value that cannot be read, with the place and the remedy.

    >>> print(InputError("holds a NUL byte", path="a.dat", line=3, remedy="export it as text"))
    a.dat, line 3: holds a NUL byte. To fix it: export it as text.
    """

    exit_code = 3

    def __init__(
        self,
        problem: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        column: str | None = None,
        value: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.problem, self.path, self.line = problem, path, line
        self.column, self.value, self.remedy = column, value, remedy
        parts = (
            "" if path is None else str(path),
            "" if line is None else f"line {line:,}",
            "" if column is None else f"column {column!r}",
        )
        place = ", ".join(filter(None, parts))
        found = "" if value is None else f" (found {_short(value)})"
        fix = "" if remedy is None else f" To fix it: {remedy}."
        super().__init__(f"{place + ': ' if place else ''}{problem}{found}.{fix}")


class ListError(InputError):
    """A name on a list that is wrong; the command line looks for its line in the file."""

    def __init__(self, problem: str, *, name: str = "", remedy: str = "", **place: Any) -> None:
        self.name = name
        super().__init__(problem, remedy=remedy, **place)

    def at(self, path: str | Path, line: int) -> ListError:
        """The same error with the place of the name."""
        return ListError(
            self.problem, name=self.name, remedy=self.remedy or "", path=path, line=line
        )


class PolicyError(WithholdError):
    """A request that contradicts itself or lies outside what the model allows."""

    exit_code = 2


class OutputError(WithholdError):
    """A result that cannot be written where it was asked for."""

    exit_code = 3


class ImpossibleError(WithholdError):
    """No release of this data can satisfy the model."""

    exit_code = 4


class NotVerifiedError(WithholdError):
    """The finished file did not pass its proof; it was not published."""

    def __init__(self, message: str, *, undecided: bool = False) -> None:
        super().__init__(message)
        self.exit_code = 5 if undecided else 1


class UndecidedError(WithholdError):
    """A file that can be understood in two ways: deciding between them would be guessing about privacy."""

    exit_code = 5


class Interrupted(WithholdError):
    """The user pressed Ctrl-C; nothing was published."""

    exit_code = 130


class InternalError(WithholdError):
    """A state that cannot happen: a bug in withhold, never the user's mistake."""

    exit_code = 70

    def __init__(self, message: str) -> None:
        super().__init__(f"{message}. This is a bug in withhold; please report it.")


class WithholdWarning(UserWarning):
    """What the custodian should know about a list or a file, although work continues.

    Examples
    --------
    >>> import warnings
    >>> import withhold as wh
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", wh.WithholdWarning)
    ...     found = wh.audit([["beer", "pill"], ["beer"]], wh.RhoUncertainty("0.6", {"pill", "rubber"}))
    >>> print(caught[0].message)
    1 of 2 sensitive items never occurs: 'rubber'
    """


class AssumedWarning(WithholdWarning):
    """What was assumed about a file from its content, such as its encoding; on the command line, a note."""


class DoubtWarning(AssumedWarning):
    """Why what was assumed about a file may be wrong; on the command line, a warning."""


_typed: ContextVar[bool] = ContextVar("typed", default=False)
"""Whether messages spell options as on the command line; otherwise as in Python."""


@contextmanager
def on_the_command_line() -> Iterator[None]:
    """Within this, messages spell options as they are typed: ``--record-column``, not ``record_column``."""
    before = _typed.set(True)
    try:
        yield
    finally:
        _typed.reset(before)


def option(name: str, value: object = None) -> str:
    """An option as the reader of the message would write it, perhaps with a value.

    >>> option("record_column"), option("separator", ","), option("force", True)
    ('record_column', "separator=','", 'force=True')
    >>> with on_the_command_line():
    ...     option("record_column"), option("separator", "tab"), option("force", True)
    ('--record-column', '--separator tab', '--force')
    """
    if not _typed.get():
        return name if value is None else f"{name}={value!r}"
    typed = "--" + name.replace("_", "-")
    return typed if value is None or value is True else f"{typed} {shlex.quote(str(value))}"


def _short(value: str, limit: int = 60) -> str:
    """The value as one short printable piece of text."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
