"""A path of cuts from the root's children down to the items, each a little more detailed than the one before.

In every round the nodes are split that give back most detail for what splitting them is estimated to lose. A
few cuts of the path are then worth a search of their own.

If a single split gives back much at once, the path leaves a gap. Cuts in which another node is split in its
place fill the gap; their estimates are already known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from withhold.counting.node_rows import NodeRows, rows_of_nodes
from withhold.counting.threads import Stop, run_all
from withhold.data import Hierarchy, Records
from withhold.data.array_types import Floats, Ints, Longs
from withhold.data.cut import children_of, most_specific, occurrences_under
from withhold.method import SearchRun
from withhold.methods.rho.model import RhoUncertainty
from withhold.methods.rho.search.cut_costs import CutState, estimate_losses

SHARE_SPLIT = 0.04
"""The share of a cut's nodes that is split in each round."""
WIDE = 0.08
"""A share of the cut's NCP: a split that gives back at least as much leaves a gap."""
FREE = 1e-9
"""An estimated cost up to this is zero, apart from rounding."""
TASKS = 16


@dataclass(frozen=True)
class Step:
    """One cut of the path."""

    nodes: Ints
    estimate: float
    """What would be withheld, by a measure that ranks cuts and says nothing else."""
    penalty: float
    """What it gives up of the detail, as NCP."""


def path_of_cuts(
    records: Records, model: RhoUncertainty, tree: Hierarchy, run: SearchRun, *, fill: bool
) -> list[Step]:
    """The path, coarsest cut first, and with ``fill`` what fills its gaps; ``tree`` has no sensitive leaf."""
    rows = rows_of_nodes(records, tree, records.codes(model.sensitive))
    supports = dict(zip(records.vocabulary, records.supports.tolist(), strict=True))
    path = Path(tree, rows, occurrences_under(tree, supports), model)
    steps = []
    with Stop() as stop:
        while True:
            path.estimate(stop, run)
            steps.append(path.step())
            best = path.best_splits()
            if len(best) == 0:
                return steps
            if fill and len(best) == 1:
                steps += path.other_splits(int(best[0]))
            path.split(best)


class Path:
    """The current cut, with what each record would lose."""

    def __init__(
        self, tree: Hierarchy, rows: NodeRows, occurrences: Longs, model: RhoUncertainty
    ) -> None:
        self.tree, self.rows, self.occurrences, self.limits = tree, rows, occurrences, model.limits
        self.same = most_specific(tree)
        # What a node adds to the sum of (items of the group - 1) over all occurrences.
        self.penalties = occurrences * (tree.leaf_counts.astype(np.int64) - 1)
        self.node_of = np.zeros(len(tree), dtype=np.int64)
        self.next_of = np.zeros(len(tree), dtype=np.int64)
        self.below: dict[int, list[int]] = {}
        self.in_cut = np.zeros(len(tree), dtype=bool)
        self.row_of = np.repeat(np.arange(len(rows.offsets) - 1), np.diff(rows.offsets))
        self.is_leaf = rows.codes < len(tree)
        has = [
            np.bincount(self.row_of[of], minlength=len(rows.offsets) - 1)
            for of in (self.is_leaf, ~self.is_leaf)
        ]
        self.open = (has[0] > 0) & (has[1] > 0)
        """Rows that have something to lose, and something to generalise."""
        self.now = np.zeros(len(rows.offsets) - 1)
        self.after = np.zeros(len(rows.codes))
        self.touched = self.open.copy()
        top = int(self.same[0])
        self._put(children_of(tree, top) or [top])

    def _put(self, nodes: list[int]) -> None:
        """Add nodes to the cut, each as the lowest node that stands for the same items."""
        for node in nodes:
            node = int(self.same[node])
            self.in_cut[node] = True
            self.node_of[node : self.tree.ends[node]] = node
            self.next_of[node : self.tree.ends[node]] = node
            self.below[node] = [int(self.same[child]) for child in children_of(self.tree, node)]
            for child in self.below[node]:
                self.next_of[child : self.tree.ends[child]] = child

    def estimate(self, stop: Stop, run: SearchRun) -> None:
        """Bring the losses up to date: those of rows that a split has touched."""
        targets = np.flatnonzero(self.touched & self.open)
        cut = CutState(self.node_of, self.next_of)
        tasks = [
            partial(
                estimate_losses,
                self.rows,
                cut,
                # No two tasks write to the same row or position. A copy, since the kernel would be
                # compiled again for a view with a stride.
                targets[start::TASKS].copy(),
                len(self.tree),
                self.limits,
                self.now,
                self.after,
            )
            for start in range(TASKS)
        ]
        run_all(tasks, stop, jobs=run.jobs, progress=run.progress, what="comparing groups")
        self.touched[:] = False

    def step(self) -> Step:
        """The cut as it is."""
        return self._step(np.flatnonzero(self.in_cut), float(self.now.sum()))

    def _step(self, nodes: Longs, estimate: float) -> Step:
        most = max(self.occurrences[0] * (self.tree.n_leaves - 1), 1)
        return Step(nodes.astype(np.int32), estimate, float(self.penalties[nodes].sum() / most))

    def best_splits(self) -> Longs:
        """The nodes that give back most detail for what splitting them costs, the best first."""
        nodes, gains, costs = self._splits()
        ratio = np.divide(gains, costs, out=np.full(len(nodes), np.inf), where=costs > FREE)
        order = np.lexsort((nodes, -gains, -ratio))
        return nodes[order[: max(1, int(SHARE_SPLIT * self.in_cut.sum()))]]

    def other_splits(self, best: int) -> list[Step]:
        """If splitting this node leaves a gap, what splitting another one in its place leads to."""
        nodes, gains, costs = self._splits()
        gap = gains[nodes == best]
        if gap < WIDE * self.penalties[self.in_cut].sum():
            return []
        cut, now = np.flatnonzero(self.in_cut), float(self.now.sum())
        return [
            self._step(np.append(cut[cut != node], self.below[node]), now + cost)
            for node, cost in zip(nodes[gains < gap].tolist(), costs[gains < gap], strict=True)
        ]

    def _splits(self) -> tuple[Longs, Longs, Floats]:
        """The nodes that can be split, how much detail each gives back, and what it adds to the estimate."""
        nodes = np.flatnonzero(self.in_cut)
        gains = np.array(
            [self.penalties[n] - self.penalties[self.below[n]].sum() for n in nodes.tolist()],
            dtype=np.int64,
        )
        nodes, gains = nodes[gains > 0], gains[gains > 0]
        return nodes, gains, self._costs()[nodes]

    def split(self, nodes: Longs) -> None:
        """Replace the nodes by their children."""
        split = np.zeros(len(self.tree), dtype=bool)
        for node in nodes.tolist():
            split[node : self.tree.ends[node]] = True
            self.in_cut[node] = False
            self._put(self.below.pop(node))
        leaves = np.flatnonzero(self.is_leaf)
        self.touched[self.row_of[leaves[split[self.rows.codes[leaves]]]]] = True

    def _costs(self) -> Floats:
        """For every node of the cut what splitting it adds to the estimated loss."""
        leaves = np.flatnonzero(self.is_leaf & self.open[self.row_of])
        rows, nodes = self.row_of[leaves], self.node_of[self.rows.codes[leaves]]
        # A record's first leaf under a node has the loss for all of them.
        first = np.append(True, (rows[1:] != rows[:-1]) | (nodes[1:] != nodes[:-1]))[: len(leaves)]
        added = self.after[leaves[first]] - self.now[rows[first]]
        costs = np.bincount(nodes[first], weights=added, minlength=len(self.tree))
        return costs.astype(np.float64, copy=False)
