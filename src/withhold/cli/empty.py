"""Options with an empty value: usually an unset variable of a script."""

from __future__ import annotations

from typing import Any

MAY_BE_EMPTY = frozenset(("mark",))
"""Options for which an empty value has a meaning: empty cells are the withheld ones."""
MAY_BE_BLANK = MAY_BE_EMPTY | {"separator"}


def is_empty(name: str, value: Any) -> bool:
    """Whether a value is an empty text although the option of this name needs one."""
    if not isinstance(value, str) or name in MAY_BE_EMPTY:
        return False
    return not (value if name in MAY_BE_BLANK else value.strip())


def refuse_empty(name: str, values: Any, spelling: str, fail: Any) -> None:
    """Fail if one of the values, or the only one, is an empty text."""
    several = values if isinstance(values, list | tuple) else [values]
    if any(is_empty(name, value) for value in several):
        fail(f"{spelling} is empty; give it a value, or leave it out")
