"""Models whose parameters are their fields, as for most models: how manifests and policies describe them."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any, ClassVar

from withhold.data.groups import Groups
from withhold.exact import decimal_text
from withhold.options import Plain


class ByFields:
    """A model whose fields are its parameters."""

    name: ClassVar[str]

    def parameters(self) -> dict[str, Plain]:
        """The parameters as plain values, enough to build the model again."""
        # Every model is a dataclass.
        declared = fields(self)  # type: ignore[arg-type]
        found = {each.name: _plain(getattr(self, each.name)) for each in declared if each.init}
        # A field that the search sets is left out until it is set.
        if found.get("groups", ...) is None:
            del found["groups"]
        return {"model": self.name, **found}

    def _set(self, **values: Any) -> None:
        """Set fields of the frozen model: while it is made, or of a copy that is not in use yet."""
        for name, value in values.items():
            object.__setattr__(self, name, value)


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return decimal_text(value)
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Groups):
        return value.as_dict()
    return list(value) if isinstance(value, tuple) else value
