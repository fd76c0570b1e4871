"""What did not work, and the form as it was filled in: nobody types twice, and each field has its message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from withhold.errors import PolicyError, WithholdError


class Mistake(PolicyError):
    """What is wrong with one field of a form."""

    def __init__(self, *lines: str, field: str) -> None:
        super().__init__(*lines)
        self.field = field


@contextmanager
def about(name: str) -> Iterator[None]:
    """Errors in this block belong to this field."""
    try:
        yield
    except Mistake:
        raise
    except WithholdError as error:
        raise Mistake(*error.lines, field=name) from error


@dataclass(frozen=True)
class Problem:
    """What to say, and the form that is to be shown again; nothing in most answers."""

    lines: tuple[str, ...] = ()
    action: str = ""
    """The address that the form was sent to; empty if there was none."""
    typed: Mapping[str, Any] = field(default_factory=dict)
    field: str = ""
    """The name of the field that is wrong, if it is one."""

    def __bool__(self) -> bool:
        return bool(self.lines)

    def plus(self, notes: Iterable[str]) -> Problem:
        """This, and what a job said before it failed."""
        return replace(self, lines=(*self.lines, *notes))

    def value(self, name: str, saved: Any) -> Any:
        """What was typed into a field, or what is saved."""
        return self.typed.get(name, saved)

    def several(self, name: str, saved: Any) -> Any:
        """What was chosen in a list of which several may be."""
        return self.typed["several"].get(name, []) if self.typed else saved

    def is_on(self, action: str, name: str, saved: bool) -> bool:
        """Whether a box was ticked; one that is not is not sent."""
        return name in self.typed if action == self.action else saved


NONE = Problem()
