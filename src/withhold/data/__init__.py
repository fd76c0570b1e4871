"""The values that travel along the road: frozen, with arrays that nobody can write to."""

from withhold.data.hierarchy import Hierarchy
from withhold.data.source import Source
from withhold.data.table import Table
from withhold.data.transactions import Transactions

__all__ = ["Hierarchy", "Source", "Table", "Transactions"]
