"""Whether the data have the items that a model lists: a misspelt list protects nothing."""

from __future__ import annotations

from typing import Any

from withhold.data.unknown import Unknown, find_unknown, refuse_if_nothing_known
from withhold.method import Model
from withhold.registry import method_of


def unknown_items(model: Model, data: Any, *, allowed: bool = False) -> Unknown | None:
    """The items that the model lists and the data do not know, if any is missing."""
    if not model.sensitive:
        return None
    return find_unknown(
        model.sensitive, frozenset(data.vocabulary), what=method_of(model).listed, allowed=allowed
    )


def check_listed(model: Model, data: Any, *, allowed: bool = False) -> tuple[Unknown, ...]:
    """Everything that was listed and not found; raises if the data have none of the model's items."""
    items = unknown_items(model, data, allowed=allowed)
    refuse_if_nothing_known(items)
    constraints = getattr(model, "constraints", None)
    found = [*getattr(data, "unknown", ()), *getattr(constraints, "unknown", ())]
    return (*found, items) if items is not None else tuple(found)


def occurring_text(model: Model, data: Any) -> str:
    """How many of the listed items occur in the data, in words; nothing for a model that lists none."""
    if not model.sensitive:
        return ""
    supports = data.supports[data.codes(model.sensitive)]
    n, total = int((supports > 0).sum()), len(model.sensitive)
    return f"{n:,} of the {total:,} {method_of(model).listed} {'occurs' if n == 1 else 'occur'} in the file."
