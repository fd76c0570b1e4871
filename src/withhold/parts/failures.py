"""Work on a part that could not be done, and why: errors that users can fix are returned, not raised."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from withhold.errors import OutputError, WithholdError
from withhold.wording import counted

NO_MEMORY = "there was not enough memory for it; use fewer --workers, or a smaller --part-records"
MOST_SHOWN = 10
DoneT = TypeVar("DoneT")


@dataclass(frozen=True)
class Failed:
    """A part that could not be made, and why; the others are not affected."""

    number: int
    piece: str
    lines: tuple[str, ...]
    exit_code: int
    seconds: float = 0.0


def attempt(number: int, piece: object, work: Callable[[], DoneT]) -> DoneT | Failed:
    """The result of the work on a part, or why it could not be done.

    >>> def broken():
    ...     raise MemoryError
    >>> attempt(0, "shop.dat", lambda: 3), attempt(0, "shop.dat", broken).exit_code
    (3, 3)
    """
    began = time.perf_counter()
    try:
        return work()
    except WithholdError as error:
        lines, code = tuple(error.lines), error.exit_code
    except MemoryError:
        lines, code = (NO_MEMORY,), OutputError.exit_code
    except RuntimeError as error:
        # What threading says if there is no room for another stack.
        if "start new thread" not in str(error):
            raise
        lines, code = (NO_MEMORY,), OutputError.exit_code
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        lines, code = (f"{where}{error.strerror or error}",), OutputError.exit_code
    return Failed(number, str(piece), lines, code, time.perf_counter() - began)


def refuse_failed(failed: Sequence[Failed], n_parts: int, *, kept: str) -> NoReturn:
    """Say which parts could not be made, and what is ``kept`` of the others; a common reason only once."""
    failed = sorted(failed, key=lambda each: each.number)
    if len({each.lines for each in failed}) == 1 and len(failed) == n_parts:
        lines = [*failed[0].lines, "Nothing was published."]
    else:
        lines = [
            f"{counted(len(failed), 'part')} of {n_parts:,} could not be made; nothing was published:",
            *(
                f"  part {each.number + 1} ({each.piece}): {' '.join(each.lines)}"
                for each in failed[:MOST_SHOWN]
            ),
            f"{kept} Fix these, and run the same command with --resume.",
        ]
    error = WithholdError(*lines)
    error.exit_code = failed[0].exit_code
    raise error
