"""The nodes to publish under k^m-anonymity: those that lose least, as far as a local search finds them.

An occurrence that is published under a node of n leaves, of N in the tree, loses n - 1; one that is withheld
loses N - 1, as if it were published as the root (more, if nothing is to be withheld). What a node is *worth*
is the loss that publishing it saves over withholding its items. To choose the nodes is to find an antichain
of the tree that is worth most and has no rare sets. From coarse to fine every node is tried until none gains;
then single nodes are published at any price, to escape from a local optimum.
"""

from __future__ import annotations

import numpy as np

from withhold.counting.node_rows import rows_of_nodes
from withhold.counting.threads import Progress
from withhold.counting.walk import walk_with_room
from withhold.data import Hierarchy, Records
from withhold.data.array_types import Ints, Longs
from withhold.data.cut import most_specific, occurrences_under
from withhold.interruption import stop_if_asked
from withhold.methods.km.model import KmAnonymity
from withhold.methods.km.search.moves import leave_and_climb, try_nodes
from withhold.methods.km.search.published import NOBODY, Candidates, Cohort, Limits, Published

AT_ONCE = 256
"""Nodes that are tried between two chances to stop."""
MOST_VISITED = 250_000_000
"""At most this many items are visited after the first descent, which takes some seconds."""


def best_cover(
    records: Records, tree: Hierarchy, model: KmAnonymity, *, withholding: bool, progress: Progress
) -> Ints:
    """The codes of the nodes to publish, ascending; leaves under none of them are withheld."""
    candidates = candidates_of(records, tree, model.k, price_of(records, tree, withholding))
    limits, cohort = room_for(candidates, model.k, model.m)
    published = nothing_published(len(tree))
    possible = np.flatnonzero(candidates.worth > 0)
    order = possible[np.lexsort((possible, -candidates.worth[possible], tree.depths[possible]))]
    gained = 1
    while gained:
        gained = 0
        for start in range(0, len(order), AT_ONCE):
            stop_if_asked()
            progress("choosing groups", start, len(order))
            some = order[start : start + AT_ONCE]
            gained += try_nodes(candidates, published, cohort, limits, some)
    most, gained = int(cohort.visited[0]) + MOST_VISITED, 1
    while gained and cohort.visited[0] < most:
        gained = 0
        for done, node in enumerate(order):
            stop_if_asked()
            progress("improving groups", done, len(order))
            if cohort.visited[0] < most:
                gained += leave_and_climb(candidates, published, cohort, limits, node, most)
    nodes = np.unique(published.node_of[tree.leaf_codes])
    return nodes[nodes >= 0].astype(np.int32)


def nothing_published(n_nodes: int) -> Published:
    """No node is published yet; the log has room for more than twice the entries of any move."""
    node_of = np.full(n_nodes, NOBODY, dtype=np.int32)
    log = np.zeros(16 * n_nodes + 32, dtype=np.int64)
    return Published(node_of, log, np.zeros(2, dtype=np.int64))


def price_of(records: Records, tree: Hierarchy, withholding: bool) -> int:
    """What withholding an occurrence costs, if publishing it as the root costs 1."""
    if withholding:
        return 1
    # A withheld occurrence costs more than all others together, as far as 64 bits allow.
    total = max(records.n_occurrences, 1)
    return min(total + 1, 2**61 // (total * tree.n_leaves))


def candidates_of(records: Records, tree: Hierarchy, k: int, price: int) -> Candidates:
    """The nodes with their rows, and what each is worth in whole numbers; ``price`` as in ``price_of``."""
    rows = rows_of_nodes(records, tree, np.zeros(0, dtype=np.int32))
    supports = dict(zip(records.vocabulary, records.supports.tolist(), strict=True))
    occurrences = occurrences_under(tree, supports)
    leaves = tree.leaf_counts.astype(np.int64)
    worth = occurrences * (price * max(tree.n_leaves - 1, 1) - (leaves - 1))
    same = most_specific(tree) == np.arange(len(tree))
    # A node that fewer than k rows hold is rare by itself; instead of one with a single child, the child is
    # published.
    worth[(np.diff(rows.post_offsets) < k) | ~same] = 0
    above, first, beside = links(tree, same)
    rises = (above >= 0) & (worth > 0)
    rises[rises] = worth[above[rises]] > 0
    least_loss = worth.copy()
    least_loss[rises] = occurrences[rises] * (leaves[above[rises]] - leaves[rises])
    most_gain = -worth
    np.add.at(most_gain, above[above >= 0], np.where(same, worth, 0)[above >= 0])
    return Candidates(
        rows.offsets.astype(np.int64),
        rows.codes,
        rows.post_offsets.astype(np.int64),
        rows.post_rows,
        tree.ends.astype(np.int64),
        above,
        first,
        beside,
        worth,
        least_loss,
        most_gain,
    )


def links(tree: Hierarchy, kept: np.ndarray) -> tuple[Longs, Longs, Longs]:
    """For every node: the next kept one above; the first kept one below; the next kept sibling."""
    above, first, beside = (np.full(len(tree), NOBODY, dtype=np.int64) for _ in range(3))
    for code in range(1, len(tree)):
        over = int(tree.parents[code])
        above[code] = over if kept[over] else above[over]
    for code in range(len(tree) - 1, 0, -1):
        if kept[code] and (over := above[code]) >= 0:
            beside[code], first[over] = first[over], code
    return above, first, beside


def room_for(candidates: Candidates, k: int, m: int) -> tuple[Limits, Cohort]:
    """The limits, and room for the walk over any node's rows; memory that is never touched costs nothing."""
    n_nodes, n_items = len(candidates.ends), len(candidates.codes)
    n_rows = int(np.diff(candidates.post_offsets).max(initial=0))
    largest = min(m, int(np.diff(candidates.offsets).max(initial=0)))
    n_children, n_pool = n_nodes * (largest + 1) + 1, n_rows + largest * n_items + 1
    walk = walk_with_room(n_nodes, largest, n_children, n_pool)
    offsets, items = np.zeros(n_rows + 1, np.int64), np.empty(n_items, np.int32)
    return Limits(k, largest), Cohort(offsets, items, walk, np.zeros(1, np.int64))
