"""What is left: how much a release lost, and how far it is from the original."""

from __future__ import annotations

from typing import Any, Protocol

from withhold.lazy import load
from withhold.measure.loss import Loss, measure_loss
from withhold.models import Model

__all__ = ["AnyLoss", "Loss", "loss_of", "measure_loss"]

LOSSES: dict[str, str] = {
    "k-anonymity": "withhold.measure.table:table_loss",
}
"""For models whose releases are not simply fewer items: where their loss is measured."""


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


def loss_of(original: Any, published: Any, model: Model) -> AnyLoss:
    """What ``published`` lost against ``original``, in the measures that fit the model."""
    if model.name in LOSSES:
        lost: AnyLoss = load(LOSSES[model.name])(original, published, model)
        return lost
    return measure_loss(original, published, model.sensitive)
