"""Why a command ended without a result: a message for people, and one JSON object for programs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from withhold.cli.console import say
from withhold.cli.topics import topic_of
from withhold.errors import InputError, OutputError, WithholdError
from withhold.escaping import json_text

NO_MEMORY = "not enough memory; try a smaller file, or fewer threads (--jobs 1)"


@dataclass(frozen=True)
class Failure:
    """An error that ends a command."""

    kind: str
    """The class of the error; ``UsageError`` for a command that could not be understood."""
    exit_code: int
    lines: tuple[str, ...]
    """The message."""
    error: WithholdError | None = None
    """What was raised on purpose."""
    model: str | None = None
    """The model that was named."""

    @classmethod
    def of(cls, error: WithholdError, model: str | None = None) -> Failure:
        """The failure for an error, if this model was named."""
        return cls(type(error).__name__, error.exit_code, error.lines, error, model)

    @property
    def page(self) -> str | None:
        """The page of the guide to read about it, as ``withhold help`` calls it."""
        return None if self.error is None else topic_of(self.error, self.model)

    def shown(self) -> tuple[str, ...]:
        """The lines of the message, with the page to read about it."""
        if self.page is None:
            return self.lines
        if len(self.lines) > 1:
            return (*self.lines, f"More: withhold help {self.page}")
        return (f"{self.lines[0]} (more: withhold help {self.page})",)

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values; what is not known is left out."""
        found: dict[str, Any] = {
            "kind": self.kind,
            "exit_code": self.exit_code,
            "message": "\n".join(self.lines),
        }
        if isinstance(self.error, InputError):
            path = self.error.path
            found |= {
                "problem": self.error.problem,
                "path": None if path is None else str(path),
                "line": self.error.line,
                "column": self.error.column,
                "remedy": self.error.remedy or None,
            }
        found["page"] = self.page
        return {name: value for name, value in found.items() if value is not None}

    def say_json(self) -> None:
        """Print it on stdout, on one line: the last one where results are lines, too."""
        with suppress(OutputError):  # the message and the exit code must suffice
            say(json_text({"error": self.as_dict()}, indent=None))
