"""What is left: how much a release lost, and how far it is from the original."""

from withhold.measure.loss import Loss, measure_loss

__all__ = ["Loss", "measure_loss"]
