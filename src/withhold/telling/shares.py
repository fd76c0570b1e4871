"""A share as a property of a value that has the two numbers it is made of."""

from __future__ import annotations

from typing import Any, Self, overload


class ShareOf(property):
    """The share that one number of a value is of another; ``of_nothing`` if the other is 0.

    >>> class Removal:
    ...     total, removed = 8, 2
    ...     share = ShareOf("removed", "total", "The share that was removed.")
    >>> Removal().share
    0.25
    """

    def __init__(self, part: str, whole: str, meaning: str, *, of_nothing: float = 0.0) -> None:
        def share(value: Any) -> float:
            return share_of(getattr(value, part), getattr(value, whole), of_nothing=of_nothing)

        super().__init__(share, doc=meaning)

    @overload
    def __get__(self, value: None, owner: type, /) -> Self: ...
    @overload
    def __get__(self, value: Any, owner: type | None = None, /) -> float: ...
    def __get__(self, value: Any, owner: type | None = None, /) -> Any:
        return super().__get__(value, owner)


def share_of(part: float, whole: float, *, of_nothing: float = 0.0) -> float:
    """The part as a share of the whole.

    >>> share_of(1, 4), share_of(0, 0)
    (0.25, 0.0)
    """
    return part / whole if whole else of_nothing
