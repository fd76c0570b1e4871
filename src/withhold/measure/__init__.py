"""What is left: how much a release lost, and how far it is from the original."""

from __future__ import annotations

from withhold.measure.loss import Loss, measure_loss
from withhold.measure.meaning import MEANING
from withhold.measure.utility import Utility, measure_utility
from withhold.telling.facts import Asked, Fact, Measured

__all__ = [
    "MEANING",
    "Asked",
    "Fact",
    "Loss",
    "Measured",
    "Utility",
    "measure_loss",
    "measure_utility",
]
