"""TDControl (Cao, Karras, Raïssi, Tan 2010): public items generalised along a tree, the rest suppressed.

From the top: at first all public items are the root. A node of the cut is replaced by its children if, after
the items that must go have gone from all records (SuppressControl), less is lost than before. Sensitive items
are never generalised. What is published keeps ρ-uncertainty with the nodes of the cut as items; every item is
published everywhere under the same node.

The paper specialises one node at a time. Here all nodes that may be specialised are tried at once, then
halves of them, so that a tree of thousands of nodes takes few trials; a run that has used them up ends with
the cut that it has, which is safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import withhold as wh

MOST_TRIALS = 8


@dataclass(frozen=True)
class Generalised:
    """A published table: records of nodes and sensitive items, and what they cost."""

    data: wh.Records
    node_of: dict[str, str]
    """For each public item the node of the cut above it."""
    suppressed: frozenset[str]
    """Nodes and sensitive items that are gone from all records."""
    loss: float
    """Of each occurrence: 1 if it is suppressed, else the share of the public leaves under its node, less
    one leaf; the mean."""


@dataclass
class TopDown:
    """The search for a cut."""

    records: wh.Records
    model: wh.RhoUncertainty
    tree: wh.Hierarchy
    """Over the public items."""
    trials: int = 0

    def search(self) -> Generalised:
        """Go down as long as that loses less."""
        best = self.evaluate(frozenset({self.tree.root}))
        self.cut = frozenset({self.tree.root})
        final: set[str] = set()
        while nodes := [v for v in self.cut if v not in final and not self.tree.is_leaf(v)]:
            # What regains most comes first; of equals the first by name.
            nodes.sort(key=lambda v: (-self._weight(v), v))
            best = self._specialise(nodes, best, final)
        return best

    def _specialise(self, nodes: Sequence[str], best: Generalised, final: set[str]) -> Generalised:
        """Replace all of the nodes by their children if less is lost then, else try halves of them."""
        if self.trials >= MOST_TRIALS:
            final.update(nodes)
            return best
        below = {child for v in nodes for child in self.tree.children(v)}
        tried = self.evaluate((self.cut - set(nodes)) | below)
        if tried.loss < best.loss:
            self.cut = (self.cut - set(nodes)) | below
            return tried
        if len(nodes) == 1:
            final.update(nodes)
            return best
        middle = len(nodes) // 2
        best = self._specialise(nodes[:middle], best, final)
        return self._specialise(nodes[middle:], best, final)

    def evaluate(self, cut: frozenset[str]) -> Generalised:
        """The table under this cut, made safe by suppressing items everywhere."""
        self.trials += 1
        node_of = {leaf: v for v in cut for leaf in self.tree.leaves_under(v)}
        vocabulary = self.records.vocabulary
        names = [node_of.get(item, item) for item in vocabulary]
        nodes = sorted(set(names))
        code_of = {name: code for code, name in enumerate(nodes)}
        codes = np.array([code_of[name] for name in names], dtype=np.int32)
        lengths = self.records.lengths.astype(np.int64)
        general = wh.Records.from_codes(lengths, codes[self.records.items], tuple(nodes))
        release = wh.anonymize(
            general,
            self.model,
            keep="counts",
            restoring=False,
            bound=False,
            seed=0,
            # Lists may have items that the records lack; whoever made them was asked already.
            allow_unknown=True,
        )
        there = np.flatnonzero(release.data.supports)
        gone = frozenset(nodes) - {release.data.vocabulary[code] for code in there}
        n_leaves = max(self.tree.n_leaves - 1, 1)
        width = {v: (len(self.tree.leaves_under(v)) - 1) / n_leaves for v in cut}
        price = np.array([1.0 if name in gone else width.get(name, 0.0) for name in names])
        loss = float(price @ self.records.supports) / self.records.n_occurrences
        return Generalised(release.data, node_of, gone, loss)

    @cached_property
    def _supports(self) -> dict[str, int]:
        return dict(zip(self.records.vocabulary, self.records.supports.tolist(), strict=True))

    def _weight(self, node: str) -> int:
        leaves = self.tree.leaves_under(node)
        return len(leaves) * sum(self._supports[leaf] for leaf in leaves)


def generalise_top_down(
    records: wh.Records, model: wh.RhoUncertainty, tree: wh.Hierarchy
) -> Generalised:
    """The table under the best cut that was found; ``tree`` is over the public items."""
    return TopDown(records, model, tree).search()


def estimated_counts(published: Generalised) -> dict[str, float]:
    """How often each item occurs if what is under a node is spread evenly over its leaves."""
    held = dict(
        zip(published.data.vocabulary, map(float, published.data.supports.tolist()), strict=True)
    )
    under: dict[str, int] = {}
    for node in published.node_of.values():
        under[node] = under.get(node, 0) + 1
    spread = {leaf: held.get(v, 0.0) / under[v] for leaf, v in published.node_of.items()}
    return spread | {item: n for item, n in held.items() if item not in under}
