"""Names that are loaded when they are first needed, so that starting stays quick."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(place: str) -> Any:
    """The object at ``module:name``.

    >>> load("math:gcd")(12, 18)
    6
    """
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
