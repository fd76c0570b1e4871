"""A plan that replaces instead of removing: a group's records are all published as its set of nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from withhold.arguments import checked
from withhold.data import Hierarchy, Records
from withhold.data.plan import fingerprint
from withhold.errors import PolicyError
from withhold.methods.buckets.model import FILLS
from withhold.methods.buckets.search.pairs import Ints, distinct, spans

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Generalisation:
    """Groups of records and the set of nodes that each group is published as."""

    group_of: Ints
    """For each record the number of its group."""
    set_offsets: Ints
    set_nodes: NDArray[np.int32]
    """Group ``g`` is published as the nodes set_nodes[set_offsets[g]:set_offsets[g + 1]]."""
    hierarchy: Hierarchy
    fingerprint: str
    """Of the table the plan was made for."""
    fill: str = "none"
    """``"hash"``: records were filled up with what others of their bucket have."""
    unchanged: bool = False
    """The groups are of equal records, each published as it came."""

    def __len__(self) -> int:
        """How many records are published as another set than they came, or may be."""
        return 0 if self.unchanged else len(self.group_of)

    def facts(self) -> list[tuple[str, str]]:
        """How records were filled up, where they were."""
        if self.fill == "none":
            return []
        return [("fill", f"{self.fill}, which {FILLS[self.fill]}")]

    @property
    def group_sizes(self) -> Ints:
        """How many records each group has."""
        return np.bincount(self.group_of, minlength=len(self.set_offsets) - 1)

    @checked
    def apply_to(self, table: Records) -> Records:
        """The table of the groups' sets, under the names of the nodes; rows and their order stay."""
        if self.fingerprint != fingerprint(table):
            raise PolicyError("the plan was made for other rows; make a new one for this table")
        used = distinct(self.set_nodes.astype(np.int64))
        by_name = sorted(used.tolist(), key=lambda node: self.hierarchy.names[node])
        code_of = np.zeros(len(self.hierarchy), dtype=np.int32)
        code_of[by_name] = np.arange(len(by_name))
        sizes = np.diff(self.set_offsets)
        codes = code_of[self.set_nodes]
        codes = codes[np.lexsort((codes, np.repeat(np.arange(len(sizes)), sizes)))]
        lengths = sizes[self.group_of]
        published = Records.from_codes(
            lengths,
            codes[spans(self.set_offsets[self.group_of], lengths)],
            tuple(self.hierarchy.names[node] for node in by_name),
        )
        return replace(
            table,
            offsets=published.offsets,
            items=published.items,
            vocabulary=published.vocabulary,
            repeated=0,
        )
