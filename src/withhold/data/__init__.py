"""The values that travel along the road: frozen, with arrays that nobody can write to."""

from withhold.data.constraints import Constraints
from withhold.data.source import Source
from withhold.data.transactions import Transactions

__all__ = ["Constraints", "Source", "Transactions"]
