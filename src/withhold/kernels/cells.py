"""Bottom-up cell suppression: merge a risky tuple with the cheapest of its class, until none is risky.

The cost of a merge is linear in the rows that lose a cell (how much each loses is a number of the node), or
the change of the divergence between what was and what is still shown, class by class, or both. Within one
step it depends only on the partner's size and, column by column, on its node; so it is looked up in a table
that is filled once a step for each small size, and most candidates cost a few additions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.kernels.cell_groups import ACROSS, NOBODY, RISKY, STEPS, common_node, move, next_draw
from withhold.kernels.jit import kernel

SLACK = 1e-9
"""Sums of floats that differ by less may be equal; no candidate is passed over for less."""
AT_ONCE = 4
"""Columns added up at once; there are always a multiple of so many."""


class Costs(NamedTuple):
    """What a merge costs."""

    linear: Any
    """By node: what one row has lost that shows only this; 0 for nothing."""
    divergent: Any
    """How much the divergence counts, as an array of one number; 0: not at all."""
    shares: Any
    """By class and node: the smoothed share of the value in the original; 0 for inner nodes."""
    weights: Any
    """By class: its share of the rows."""
    logs: Any
    """The logarithm of each whole number from 0 on, plus the pseudo-count (numbers of rows)."""
    totals: Any
    """By column: the logarithm of each whole number from 0 on, plus the pseudo-count of every value."""


class Desk(NamedTuple):
    """Room to work in; holds nothing between two steps."""

    base: Any
    """By node: the cost of meeting it, as far as that does not depend on the partner's size."""
    slope: Any
    """By node: what each row of the partner adds."""
    weight: Any
    """By node: what the partner's loss of its value weighs in the divergence; 0 if it loses none."""
    both: Any
    """By node: whether the tuple itself loses its value, too, bool."""
    log: Any
    """By node: the logarithm of the rows of the class that show it."""
    table: Any
    """By size and node: the cost of merging with a tuple that has this node."""
    least: Any
    """By size: a cost that the columns after the first few together do not undercut."""
    large: Any
    """Places of tuples for whose size there is no table, int32."""
    bounds: Any
    """By column: its first node, and the end of the last."""
    merged: Any
    """The cells of the merged tuple."""


@kernel
def change_of_total(tuples, costs, own, column, loses):
    """How the logarithm of the rows that show a value changes when so many lose theirs."""
    shown = tuples.shown[own, column]
    if loses > shown:
        return 0.0  # nobody can; such a number is filled into tables and never read
    return costs.totals[column, shown - loses] - costs.totals[column, shown]


@kernel
def change_of_value(tuples, costs, own, node, loses):
    """How the logarithm of the rows that show this value changes when so many lose it."""
    left = tuples.exact[own, node]
    return costs.logs[left - loses] - costs.logs[left]


@kernel
def cost_of_merge(tuples, trees, costs, each, partner):
    """The cost of one merge, the partner being of any class."""
    place, other_place = tuples.places[each], tuples.places[partner]
    own, other_own = tuples.classes[each], tuples.classes[partner]
    size, other_size = tuples.sizes[place], tuples.sizes[other_place]
    cost = 0.0
    for j in range(len(costs.totals)):
        node, other = np.int64(tuples.cells[place, j]), np.int64(tuples.cells[other_place, j])
        meet = common_node(trees, node, other)
        cost += size * (costs.linear[meet] - costs.linear[node])
        cost += other_size * (costs.linear[meet] - costs.linear[other])
        if costs.divergent[0] == 0.0:
            continue
        loses = size if meet != node and trees.leaves[node] else 0
        other_loses = other_size if meet != other and trees.leaves[other] else 0
        change = 0.0
        if loses > 0:
            changed = change_of_value(tuples, costs, own, node, loses)
            change -= costs.weights[own] * costs.shares[own, node] * changed
        if other_loses > 0:
            changed = change_of_value(tuples, costs, other_own, other, other_loses)
            change -= costs.weights[other_own] * costs.shares[other_own, other] * changed
        if own == other_own:
            total = change_of_total(tuples, costs, own, j, loses + other_loses)
            change += costs.weights[own] * total
        else:
            change += costs.weights[own] * change_of_total(tuples, costs, own, j, loses)
            total = change_of_total(tuples, costs, other_own, j, other_loses)
            change += costs.weights[other_own] * total
        cost += costs.divergent[0] * change
    return cost


@kernel
def prepare(tuples, trees, costs, desk, each):
    """Work out, for every node, what meeting it costs a tuple, apart from what the partner's size changes.

    With ``fill_table`` the same as ``cost_of_merge``, all that candidates share being worked out once.
    """
    own = tuples.classes[each]
    place = tuples.places[each]
    size = tuples.sizes[place]
    linear, shares = costs.linear, costs.shares[own]
    divergent = costs.divergent[0] * costs.weights[own]
    for j in range(len(costs.totals)):
        node = np.int64(tuples.cells[place, j])
        mine, alone = 0.0, 0.0
        if divergent > 0.0 and trees.leaves[node]:
            mine = -divergent * shares[node] * change_of_value(tuples, costs, own, node, size)
            alone = divergent * change_of_total(tuples, costs, own, j, size)
        for other in range(desk.bounds[j], desk.bounds[j + 1]):
            meet = common_node(trees, node, other)
            loses = meet != node and trees.leaves[node]
            takes = meet != other and trees.leaves[other]
            desk.base[other] = size * (linear[meet] - linear[node])
            desk.slope[other] = linear[meet] - linear[other]
            desk.both[other] = loses
            desk.weight[other] = divergent * shares[other] if takes else 0.0
            desk.log[other] = costs.logs[tuples.exact[own, other]]
            if loses:
                desk.base[other] += mine if takes else mine + alone


@kernel
def fill_table(tuples, costs, desk, each, size):
    """Fill the table of costs for partners of this size."""
    own = tuples.classes[each]
    mine = tuples.sizes[tuples.places[each]]
    divergent = costs.divergent[0] * costs.weights[own]
    base, slope, weight, both = desk.base, desk.slope, desk.weight, desk.both
    table, log, exact, logs = desk.table[size], desk.log, tuples.exact[own], costs.logs
    rest = 0.0
    for j in range(len(costs.totals)):
        start, end = desk.bounds[j], desk.bounds[j + 1]
        if divergent == 0.0:
            for node in range(start, end):
                table[node] = base[node] + size * slope[node]
            continue
        theirs = divergent * change_of_total(tuples, costs, own, j, size)
        together = divergent * change_of_total(tuples, costs, own, j, size + mine)
        lowest = 0.0
        for node in range(start, end):
            cost = base[node] + size * slope[node]
            left = exact[node]
            # A value that fewer rows show is no such partner's; what stands there is not read.
            if weight[node] > 0.0 and left >= size:
                cost += weight[node] * (log[node] - logs[left - size])
                cost += together if both[node] else theirs
            table[node] = cost
            lowest = min(lowest, cost)
        if j >= AT_ONCE:
            rest += lowest
    desk.least[size] = rest


@kernel
def cost_of_large(tuples, costs, desk, each, place):
    """The cost of merging with the tuple at this place, for whose size there is no table."""
    own = tuples.classes[each]
    mine, size = tuples.sizes[tuples.places[each]], tuples.sizes[place]
    divergent = costs.divergent[0] * costs.weights[own]
    exact, logs = tuples.exact[own], costs.logs
    cost = 0.0
    for j in range(len(costs.totals)):
        node = np.int64(tuples.cells[place, j])
        cost += desk.base[node] + size * desk.slope[node]
        if desk.weight[node] > 0.0:
            cost += desk.weight[node] * (desk.log[node] - logs[exact[node] - size])
            loses = size + mine if desk.both[node] else size
            cost += divergent * change_of_total(tuples, costs, own, j, loses)
    return cost


@kernel
def scan(cells, sizes, ids, groups, table, least, but, large):
    """The place of the cheapest by the tables, of equals the lower id; and those too large for them.

    Tuples of the group ``but`` are left out: they are equal to the tuple already, or itself.
    Returns also how many were put into ``large``.
    """
    best, best_cost = NOBODY, np.inf
    n_large = 0
    for place in range(len(sizes)):
        size = np.uint64(sizes[place])
        if size >= np.uint64(len(table)):
            large[n_large] = place
            n_large += 1
            continue
        row, nodes = table[size], cells[place]
        cost = row[nodes[0]] + row[nodes[1]] + row[nodes[2]] + row[nodes[3]]
        if cost + least[size] > best_cost + SLACK:
            continue
        for j in range(AT_ONCE, len(nodes), AT_ONCE):
            cost += row[nodes[j]] + row[nodes[j + 1]] + row[nodes[j + 2]] + row[nodes[j + 3]]
        if (cost < best_cost or (cost == best_cost and ids[place] < ids[best])) and groups[
            ids[place]
        ] != but:
            best, best_cost = place, cost
    return best, best_cost, n_large


@kernel
def cheapest_partner(tuples, trees, costs, desk, each):
    """The tuple of the same class, but another group, that costs least; of equals the lower id."""
    own, group = tuples.classes[each], tuples.groups[each]
    start, end = tuples.starts[own], tuples.ends[own]
    sizes, ids, cells = tuples.sizes[start:end], tuples.ids[start:end], tuples.cells[start:end]
    prepare(tuples, trees, costs, desk, each)
    for size in range(1, len(desk.table)):
        fill_table(tuples, costs, desk, each, size)
    found, best_cost, n_large = scan(
        cells, sizes, ids, tuples.groups, desk.table, desk.least, group, desk.large
    )
    best = NOBODY if found == NOBODY else ids[found]
    for k in range(n_large):
        partner = ids[desk.large[k]]
        if tuples.groups[partner] == group:
            continue
        cost = cost_of_large(tuples, costs, desk, each, start + desk.large[k])
        if cost < best_cost or (cost == best_cost and partner < best):
            best, best_cost = partner, cost
    return best, best_cost


@kernel
def cheapest_stranger(tuples, trees, costs, each):
    """The tuple of another class and another group that costs least to be made equal to."""
    own = tuples.classes[each]
    best, best_cost = NOBODY, np.inf
    for other_own in range(len(tuples.starts)):
        if other_own == own:
            continue
        for other in range(tuples.starts[other_own], tuples.ends[other_own]):
            partner = tuples.ids[other]
            if tuples.groups[partner] == tuples.groups[each]:
                continue
            cost = cost_of_merge(tuples, trees, costs, each, partner)
            if cost < best_cost or (cost == best_cost and partner < best):
                best, best_cost = partner, cost
    return best


@kernel
def merge_tuples(tuples, trees, costs, desk, k, most_steps):
    """Merge until no tuple is risky or so many steps are done; the number of risky tuples left."""
    for _ in range(most_steps):
        if tuples.numbers[RISKY] == 0:
            break
        tuples.numbers[STEPS] += 1
        each = tuples.risky[next_draw(tuples, tuples.numbers[RISKY])]
        partner, _ = cheapest_partner(tuples, trees, costs, desk, each)
        if partner == NOBODY:
            partner = cheapest_stranger(tuples, trees, costs, each)
            tuples.numbers[ACROSS] += 1
        place, other_place = tuples.places[each], tuples.places[partner]
        for j in range(len(desk.merged)):
            desk.merged[j] = common_node(
                trees, tuples.cells[place, j], tuples.cells[other_place, j]
            )
        move(tuples, trees, each, desk.merged, k, 1)
        move(tuples, trees, partner, desk.merged, k, 1)
    return tuples.numbers[RISKY]
