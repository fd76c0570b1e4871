"""Names that are loaded when they are first needed, so that starting stays quick."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def load(place: str) -> Any:
    """The object at ``module:name``.

    >>> load("math:gcd")(12, 18)
    6
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def later(place: str) -> Callable[..., Any]:
    """A function that is loaded when it is first called.

    >>> later("math:gcd")(12, 18)
    6
    """

    def call(*args: Any, **named: Any) -> Any:
        return load(place)(*args, **named)

    call.place = place  # type: ignore[attr-defined]  # for code that inspects its signature
    return call
