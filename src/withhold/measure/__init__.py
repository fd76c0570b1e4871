"""What is left: how much a release lost, and how far it is from the original.

Here: the loss and the measures of records, and the sections of a report about them. What only one method
measures is in its own folder. Nothing here decides about privacy.
"""

from __future__ import annotations

from withhold.measure.loss import Loss, measure_loss
from withhold.measure.sets import MEANING
from withhold.measure.utility import Utility, measure_utility

__all__ = ["MEANING", "Loss", "Utility", "measure_loss", "measure_utility"]
