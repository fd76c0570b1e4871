"""What is left: how much a release lost, and how far it is from the original."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from withhold.errors import PolicyError
from withhold.lazy import load
from withhold.measure.loss import Loss, measure_loss
from withhold.measure.meaning import MEANING
from withhold.measure.utility import Utility, measure_utility
from withhold.method import Model
from withhold.telling.facts import Asked, Fact, Measured

__all__ = [
    "MEANING",
    "AnyLoss",
    "Asked",
    "Fact",
    "Loss",
    "Measured",
    "Utility",
    "compare_tables",
    "loss_of",
    "measure_loss",
    "measure_utility",
]

LOSSES: dict[str, str] = {
    "k-anonymity": "withhold.methods.cells.loss:table_loss",
}
"""For models whose releases are not simply fewer items: where their loss is measured."""
MEASURES: dict[str, str] = {
    "buckets": "withhold.methods.buckets.measure:measure_generalised",
    "Table": "withhold.methods.cells.utility:measure_tables",
    "Transactions": "withhold.measure.sets:measure_sets",
}
"""Where an original and its release are compared: by the model's name, else by the kind of data."""


class AnyLoss(Protocol):
    """What every loss can say of itself."""

    @property
    def share(self) -> float:
        """What was withheld, as the one number that releases are compared by."""
        ...

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        ...

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know first, as pairs of texts."""
        ...


@runtime_checkable
class MeasuresItself(Protocol):
    """A plan that does more than remove, and knows how what it does is measured."""

    def loss(self, original: Any, published: Any) -> AnyLoss:
        """What ``published`` lost against ``original``."""
        ...


def loss_of(original: Any, published: Any, model: Model, plan: Any = None) -> AnyLoss:
    """What ``published`` lost against ``original``, in the measures that fit the plan or the model."""
    if isinstance(plan, MeasuresItself):
        return plan.loss(original, published)
    if model.name in LOSSES:
        lost: AnyLoss = load(LOSSES[model.name])(original, published, model)
        return lost
    return measure_loss(original, published, model.sensitive)


def compare_tables(original: Any, published: Any, asked: Asked) -> Measured:
    """How a release compares with its original, in the measures that fit the model or the data."""
    kind = type(original).__name__
    if kind != type(published).__name__:
        raise PolicyError(f"{kind} cannot be compared with {type(published).__name__}")
    name = kind if asked.model is None or asked.model.name not in MEASURES else asked.model.name
    if name not in MEASURES:
        raise PolicyError(f"there are no measures for {kind}")
    measured: Measured = load(MEASURES[name])(original, published, asked)
    return measured
