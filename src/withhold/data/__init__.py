"""The values that travel along the road: frozen, with arrays that nobody can write to.

Here: records, tables, people, hierarchies, constraints, plans, and where they came from. Not here: reading
and writing files (``formats``), and compiled counting (``counting``).
"""

from withhold.data.constraints import Constraints
from withhold.data.evidence import Evidence
from withhold.data.hierarchy import Hierarchy
from withhold.data.people import People
from withhold.data.records import Records
from withhold.data.source import Source
from withhold.data.table import Table

KINDS = {each.kind: each for each in (Records, Table, People)}
"""The kinds of data that methods are for, by ``Method.data``."""

__all__ = ["KINDS", "Constraints", "Evidence", "Hierarchy", "People", "Records", "Source", "Table"]
