"""What every privacy model can say of itself, and how one is built again from what a manifest holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, runtime_checkable

from withhold.errors import PolicyError


@runtime_checkable
class Model(Protocol):
    """What must hold. Knows its parameters, validates them, prints its promise, and nothing else."""

    name: ClassVar[str]
    """As ``--model`` and manifests call it."""
    kinds: ClassVar[Mapping[str, Any]]
    """The parameters that build it again, as a manifest holds them: their names and JSON types."""

    @property
    def needs(self) -> str:
        """What a proof needs beside the published file and its manifest, in words; mostly nothing."""
        ...

    @property
    def sensitive(self) -> frozenset[str]:
        """The items whose loss is counted apart."""
        ...

    def promise(self) -> str:
        """What holds for data that satisfies the model, in one sentence."""
        ...

    def parameters(self) -> dict[str, Any]:
        """The parameters as plain values, enough to build the model again."""
        ...


class Finding(Protocol):
    """One thing that breaks a model; as text it says what an attacker could do."""

    def row(self) -> tuple[str, ...]:
        """The finding as cells of a table: what, whereto, and from the third on numbers."""
        ...

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain values for JSON."""
        ...


def build(kind: type[Any], parameters: Mapping[str, Any]) -> Any:
    """A model of this kind from plain values, none of them taken on trust."""
    for name, expected in kind.kinds.items():
        if name not in parameters or not fits(parameters[name], expected):
            raise PolicyError(f"has no proper model.{name}")
    return kind(**{name: parameters[name] for name in kind.kinds})


def fits(value: Any, kind: Any) -> bool:
    """Whether a JSON value is of a kind; lists are of texts, and true is no number.

    >>> fits(["a"], list), fits([1], list), fits(True, int), fits(None, int | None)
    (True, False, False, True)
    """
    if isinstance(value, list):
        return kind is list and all(isinstance(each, str) for each in value)
    return isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
