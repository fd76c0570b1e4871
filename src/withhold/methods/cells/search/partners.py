"""The cheapest partner of a tuple among those of its class.

Within one step the cost of a merge depends only on the partner's size and, column by column, on its node. So
it is looked up in a table that is filled once per step, for each small size.

Most candidates are ruled out by three look-ups. The first columns are taken in up to three *pairs*, of two
columns or one. A pair has so few combinations of nodes, its *codes*, that the cost of each code for partners
of each small size is listed once per step. A tuple's *key* packs its indexes into these three lists.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from withhold.counting.jit import step
from withhold.data.array_types import Longs
from withhold.methods.cells.nodes import NOBODY, common_node
from withhold.methods.cells.search.costs import change_of_total, change_of_value
from withhold.methods.cells.search.tuples import Tuples

PAIRS = 3
BITS = 21
MASK = (1 << BITS) - 1
"""Selects one of the indexes in a key."""
MOST_CODES = 1024
"""The most codes of two columns; one column alone may have more."""
SLACK = 1e-9
"""Sums of floats that differ by less may be equal; no candidate is ruled out for less."""
BLOCK = 128
"""Places that are scanned before the best of them lowers the limit."""
NEARBY = 8
"""Tuples were sorted at first, so this many on either side are tried before all others."""


class MergeScratch(NamedTuple):
    """Scratch; nothing in it is needed after a step."""

    base: Any
    """By node, like the next four: what merging with a partner at this node costs, apart from its size."""
    slope: Any
    """What each row of the partner adds."""
    weight: Any
    """The weight of the partner's loss of its value in the divergence; 0 if it keeps it."""
    both: Any
    """1 if the tuple itself loses its value, too, else 0."""
    log: Any
    """The logarithm of the rows of the class that show it."""
    table: Any
    """By node and size: the cost of merging with a tuple of this size that has this node."""
    first: Any
    """By code and size: what the cells of the first pair of columns cost; minus infinity for size 0, so that
    large tuples are never ruled out."""
    second: Any
    """The same for the second pair."""
    third: Any
    """The same for the third pair, plus the least that the columns cost that are in no key."""
    pairs: Any
    """By pair of columns: the first node and the end of each, uint64, as no index can be negative then."""
    hidden: Any
    """The first column that is in no key, as an array of one number."""
    least: Any
    """By size: the least that the columns cost together that are in no key."""
    lowest: Any
    """By size: the least that one of these columns costs."""
    losses: Any
    """By size: how a column's term for its total changes by the partner's loss; then by that of both."""
    promising: Any
    """Places that may be cheaper than the best so far, int32."""
    large: Any
    """Places of tuples that are too large for keys, int32."""
    bounds: Any
    """By column: its first node, and the end of the last, uint64."""
    merged: Any
    """The cells of the merged tuple."""


def split_columns(bounds: Longs, n_sizes: int) -> Longs:
    """Where each pair of columns begins, and where the last one ends."""
    n_nodes = np.diff(bounds).tolist()
    ends = [0]
    for _ in range(PAIRS):
        first = ends[-1]
        several = n_nodes[first : first + 2]
        if several and several[0] * n_sizes > MASK:
            several = []
        elif math.prod(several) > MOST_CODES:
            several = several[:1]
        ends.append(first + len(several))
    return np.array(ends, dtype=np.int64)


def make_digits(
    bounds: Longs, ends: Longs, n_sizes: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """By column the factor of its node in a key; and what is subtracted from all keys, and added per row."""
    digits = np.zeros(len(bounds) - 1, dtype=np.uint64)
    origin = size_digit = 0
    for pair in range(PAIRS):
        digit = n_sizes << (pair * BITS)
        size_digit += 1 << (pair * BITS)
        for column in range(ends[pair + 1] - 1, ends[pair] - 1, -1):
            digits[column] = digit
            origin += int(bounds[column]) * digit
            digit *= int(bounds[column + 1] - bounds[column])
    return digits, np.array([origin % 2**64, size_digit], dtype=np.uint64)


def make_keys(
    cells: NDArray[np.uint32],
    sizes: NDArray[np.int32],
    digits: NDArray[np.uint64],
    origin: NDArray[np.uint64],
    n_sizes: int,
) -> NDArray[np.uint64]:
    """The keys of all places; that of a large tuple is the key of size 0."""
    shown = np.where(sizes < n_sizes, sizes, 0).astype(np.uint64)
    keys: NDArray[np.uint64] = (cells * digits).sum(axis=1, dtype=np.uint64)
    keys += shown * origin[1] - origin[0]
    return keys


def make_scratch(tuples: Tuples, bounds: Longs) -> MergeScratch:
    """Scratch to find partners for these tuples, whose columns have these nodes."""
    n_nodes, listed = int(bounds[-1]), int(tuples.n_sizes[0])
    ends = split_columns(bounds, listed).tolist()
    # A pair of fewer than two columns is filled up with the node after all others, which costs nothing.
    pairs = np.tile(np.array([n_nodes, n_nodes + 1], dtype=np.uint64), (PAIRS, 2))
    for pair, (first, last) in enumerate(zip(ends, ends[1:], strict=False)):
        for place, column in enumerate(range(first, last)):
            pairs[pair, 2 * place : 2 * place + 2] = bounds[column : column + 2]
    n_codes = ((pairs[:, 1] - pairs[:, 0]) * (pairs[:, 3] - pairs[:, 2])).tolist()
    codes = [np.zeros(n * listed) for n in n_codes]
    return MergeScratch(
        **{name: np.zeros(n_nodes) for name in ("base", "slope", "weight", "log")},
        both=np.zeros(n_nodes, dtype=np.int64),
        table=np.zeros((n_nodes + 1, 2 * listed)),
        first=codes[0],
        second=codes[1],
        third=codes[2],
        pairs=pairs,
        hidden=np.array([ends[-1]]),
        least=np.zeros(2 * listed),
        lowest=np.zeros(2 * listed),
        losses=np.zeros((2, 2 * listed)),
        promising=np.zeros(BLOCK + 1, dtype=np.int32),
        large=np.zeros(len(tuples.ids), dtype=np.int32),
        bounds=bounds.astype(np.uint64),
        merged=np.zeros(len(bounds) - 1, dtype=np.uint32),
    )


@step
def _prepare(tuples, trees, costs, scratch, each):
    """Compute, for every node, those parts of the cost of merging there that no partner's size changes.

    With ``_fill_tables`` this gives the same as ``cost_of_merge``, computing once what candidates share.
    """
    own, place = np.int64(tuples.classes[each]), tuples.places[each]
    size, linear = np.int64(tuples.sizes[place]), costs.linear
    divergent = costs.divergent[0] * costs.weights[own]
    for j in range(len(costs.totals)):
        node = np.int64(tuples.cells[place, j])
        mine, alone = 0.0, 0.0
        if divergent > 0.0 and trees.leaves[node]:
            changed = change_of_value(tuples, costs, own, node, size)
            mine = -divergent * costs.shares[own, node] * changed
            alone = divergent * change_of_total(tuples, costs, own, j, size)
        for other in range(scratch.bounds[j], scratch.bounds[j + 1]):
            meet = common_node(trees, node, other)
            loses = meet != node and trees.leaves[node]
            takes = meet != other and trees.leaves[other]
            scratch.base[other] = size * (linear[meet] - linear[node])
            scratch.slope[other] = linear[meet] - linear[other]
            scratch.both[other] = 1 if loses else 0
            scratch.weight[other] = divergent * costs.shares[own, other] if takes else 0.0
            scratch.log[other] = costs.logs[tuples.exact[own, other]]
            if loses:
                scratch.base[other] += mine if takes else mine + alone


@step
def _fill_tables(tuples, costs, scratch, each):
    """Fill the table of costs for partners of every small size."""
    own = np.int64(tuples.classes[each])
    mine = np.int64(tuples.sizes[tuples.places[each]])
    divergent = costs.divergent[0] * costs.weights[own]
    table, losses = scratch.table, scratch.losses
    n_sizes = table.shape[1]
    for size in range(n_sizes):
        scratch.least[size] = 0.0
    for j in range(len(costs.totals)):
        if divergent > 0.0:
            for size in range(1, n_sizes):
                losses[0, size] = divergent * change_of_total(tuples, costs, own, j, size)
                losses[1, size] = divergent * change_of_total(tuples, costs, own, j, size + mine)
                scratch.lowest[size] = 0.0
        hidden = j >= scratch.hidden[0] and divergent > 0.0
        for node in range(scratch.bounds[j], scratch.bounds[j + 1]):
            _fill_node(tuples, costs, scratch, own, node)
            if hidden:
                for size in range(1, n_sizes):
                    scratch.lowest[size] = min(scratch.lowest[size], table[node, size])
        if hidden:
            for size in range(1, n_sizes):
                scratch.least[size] += scratch.lowest[size]
    _fill_codes(scratch.first, scratch, np.int64(0), 0.0)
    _fill_codes(scratch.second, scratch, np.int64(1), 0.0)
    _fill_codes(scratch.third, scratch, np.int64(2), 1.0)


@step
def _fill_node(tuples, costs, scratch, own, node):
    """Fill the table for partners with this node, of every small size."""
    table = scratch.table
    n_sizes = table.shape[1]
    fixed, each_row, share = scratch.base[node], scratch.slope[node], scratch.weight[node]
    if share == 0.0:
        for size in range(1, n_sizes):
            table[node, size] = fixed + size * each_row
        return
    # A partner at this node has at most as many rows as show it; larger sizes are never read.
    left, now, both = tuples.exact[own, node], scratch.log[node], scratch.both[node]
    most = min(n_sizes - 1, left)
    for size in range(1, most + 1):
        lost = share * (now - costs.logs[np.uint64(left - size)]) + scratch.losses[both, size]
        table[node, size] = fixed + size * each_row + lost
    for size in range(most + 1, n_sizes):
        table[node, size] = np.inf


@step
def _fill_codes(codes, scratch, pair, hidden):
    """List what each code of a pair of columns costs, for every size.

    ``hidden`` is 1 to add the least that the columns cost that are in no key, else 0.
    """
    table, pairs = scratch.table, scratch.pairs
    n_sizes = np.uint64(table.shape[1] // 2)
    code = np.uint64(0)
    for node in range(pairs[pair, 0], pairs[pair, 1]):
        for other in range(pairs[pair, 2], pairs[pair, 3]):
            codes[code] = -np.inf
            for size in range(np.uint64(1), n_sizes):
                besides = hidden * scratch.least[size]
                codes[code + size] = table[node, size] + table[other, size] + besides
            code += n_sizes


@step
def _cost_in_table(tuples, scratch, place, size):
    """The cost of merging with the tuple at this place, by the table."""
    cost = 0.0
    for j in range(tuples.cells.shape[1]):
        cost += scratch.table[tuples.cells[place, j], size]
    return cost


@step
def _cost_of_large(tuples, costs, scratch, each, place):
    """The cost of merging with the tuple at this place, which may be too large for the table."""
    own, size = np.int64(tuples.classes[each]), np.int64(tuples.sizes[place])
    mine = np.int64(tuples.sizes[tuples.places[each]])
    if size < scratch.table.shape[1]:
        return _cost_in_table(tuples, scratch, place, size)
    divergent = costs.divergent[0] * costs.weights[own]
    cost = 0.0
    for j in range(len(costs.totals)):
        node = np.int64(tuples.cells[place, j])
        cost += scratch.base[node] + size * scratch.slope[node]
        if scratch.weight[node] > 0.0:
            left = costs.logs[tuples.exact[own, node] - size]
            cost += scratch.weight[node] * (scratch.log[node] - left)
            loses = size + mine if scratch.both[node] != 0 else size
            cost += divergent * change_of_total(tuples, costs, own, j, loses)
    return cost


@step
def _find_promising(tuples, scratch, begin, end, limit):
    """Write into ``promising`` the places that may cost no more than the limit; how many there are."""
    # No branch, as it would be unpredictable; unsigned, as no index can be negative then.
    n_promising = np.uint64(0)
    for place in range(np.uint64(begin), np.uint64(end)):
        key = tuples.keys[place]
        one = key & np.uint64(MASK)
        two = (key >> np.uint64(BITS)) & np.uint64(MASK)
        three = key >> np.uint64(2 * BITS)
        scratch.promising[n_promising] = place
        cost = scratch.first[one] + scratch.second[two] + scratch.third[three]
        n_promising += np.uint64(cost <= limit)
    return np.int64(n_promising)


@step
def cheapest_partner(tuples, trees, costs, scratch, each):
    """The tuple of the same class, but another group, that costs least; ties go to the lower id.

    Those near the tuple are tried first, since they are often similar. Tuples of its own group already have
    the same cells, so merging with them would change nothing.
    """
    _prepare(tuples, trees, costs, scratch, each)
    _fill_tables(tuples, costs, scratch, each)
    near = tuples.places[each]
    start, end = tuples.starts[tuples.classes[each]], tuples.ends[tuples.classes[each]]
    best, best_cost = np.int64(NOBODY), np.inf
    n_large = 0
    for block in range(start - BLOCK, end, BLOCK):
        begin = block if block >= start else max(near - NEARBY, start)
        last = min(block + BLOCK if block >= start else near + NEARBY, end)
        for k in range(_find_promising(tuples, scratch, begin, last, best_cost + SLACK)):
            place = np.int64(scratch.promising[k])
            size = np.int64(tuples.sizes[place])
            if size >= tuples.n_sizes[0]:
                if block >= start:
                    scratch.large[n_large] = place
                    n_large += 1
                continue
            cost = _cost_in_table(tuples, scratch, place, size)
            if _is_better(tuples, each, place, cost, best, best_cost):
                best, best_cost = np.int64(tuples.ids[place]), cost
    for k in range(n_large):
        place = np.int64(scratch.large[k])
        cost = _cost_of_large(tuples, costs, scratch, each, place)
        if _is_better(tuples, each, place, cost, best, best_cost):
            best, best_cost = np.int64(tuples.ids[place]), cost
    return best, best_cost


@step
def _is_better(tuples, each, place, cost, best, best_cost):
    """Whether the tuple at this place is of another group and cheaper, or as cheap with a lower id."""
    partner = tuples.ids[place]
    if cost > best_cost or (cost == best_cost and partner >= best):
        return False
    return tuples.groups[partner] != tuples.groups[each]
