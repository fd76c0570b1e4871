"""Data that comes with the package: a pharmacy's baskets, a survey and a hospital, invented from a seed.

>>> from withhold import datasets
>>> datasets.hospital(500)
<Hospital persons=500 conditions=1,240 drugs=1,354>
"""

from __future__ import annotations

from withhold.data.pharmacy import pharmacy
from withhold.data.survey import survey
from withhold.datasets.patients import Hospital, hospital

__all__ = ["Hospital", "hospital", "pharmacy", "survey"]
