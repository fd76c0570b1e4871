"""Bottom-up cell suppression: merge a risky tuple with the cheapest of its class, until none is risky.

The cost of a merge is linear in the rows that lose a cell (how much each loses is a number of the node), or
the change of the divergence between what was and what is still shown, class by class, or both. Within one
step it depends only on the partner's size and, column by column, on its node; so it is looked up in a table
that is filled once a step for each small size, and most candidates cost a few additions.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel
from withhold.methods.cells.search.cell_groups import (
    ACROSS,
    NOBODY,
    RISKY,
    STEPS,
    common_node,
    move,
    next_draw,
)
from withhold.methods.cells.search.cell_keys import (
    BITS,
    MASK,
    PAIRS,
    fill_codes,
)

SLACK = 1e-9
"""Sums of floats that differ by less may be equal; no candidate is passed over for less."""
BLOCK = 128
"""Places that are looked at before the best of them lowers the limit."""
NEARBY = 8
"""Tuples were sorted at first: so many on either side are looked at before all others."""


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
    """By node and size: the cost of merging with a tuple of this size that has this node."""
    first: Any
    """By number and size: what the cells of the first pair of columns cost; see ``cell_keys``."""
    second: Any
    third: Any
    """The same, and at least what the columns cost that keys do not show."""
    nothing: Any
    """By size: 0, or for size 0 less than anything: large tuples are never passed over."""
    ends: Any
    """By pair of columns: where it begins, and where the last one ends."""
    least: Any
    """By size: a cost that the columns which keys do not show together do not undercut."""
    lowest: Any
    """By size: the lowest cost of the nodes of a column."""
    theirs: Any
    """By size: what the partner's loss of its value changes in the column's total."""
    together: Any
    """By size: what that changes if the tuple loses its value, too."""
    hopeful: Any
    """Places that may be cheaper than what was found so far, int32."""
    large: Any
    """Places of tuples whose size no key shows, int32."""
    bounds: Any
    """By column: its first node, and the end of the last, uint64: numba need not look for signs."""
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

    With ``fill_tables`` the same as ``cost_of_merge``, all that candidates share being worked out once.
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
def fill_tables(tuples, costs, desk, each):
    """Fill the table of costs for partners of every small size."""
    own = tuples.classes[each]
    mine = tuples.sizes[tuples.places[each]]
    divergent = costs.divergent[0] * costs.weights[own]
    base, slope, weight, both, log = desk.base, desk.slope, desk.weight, desk.both, desk.log
    table, least, lowest = desk.table, desk.least, desk.lowest
    theirs, together = desk.theirs, desk.together
    exact, logs, bounds = tuples.exact[own], costs.logs, desk.bounds
    n_sizes = table.shape[1]
    for size in range(n_sizes):
        least[size] = 0.0
    for j in range(len(costs.totals)):
        hidden = j >= desk.ends[PAIRS] and divergent > 0.0
        if divergent > 0.0:
            for size in range(1, n_sizes):
                theirs[size] = divergent * change_of_total(tuples, costs, own, j, size)
                together[size] = divergent * change_of_total(tuples, costs, own, j, size + mine)
                lowest[size] = 0.0
        for node in range(bounds[j], bounds[j + 1]):
            fixed, each_row, share = base[node], slope[node], weight[node]
            if share == 0.0:
                for size in range(1, n_sizes):
                    table[node, size] = fixed + size * each_row
            else:
                # A value that fewer rows show is no such partner's; what stands there is not read.
                left = exact[node]
                most = min(n_sizes - 1, left)
                loss = together if both[node] else theirs
                now = log[node]
                for size in range(1, most + 1):
                    lost = share * (now - logs[np.uint64(left - size)]) + loss[size]
                    table[node, size] = fixed + size * each_row + lost
                for size in range(most + 1, n_sizes):
                    table[node, size] = np.inf
            if hidden:
                for size in range(1, n_sizes):
                    lowest[size] = min(lowest[size], table[node, size])
        if hidden:
            for size in range(1, n_sizes):
                least[size] += lowest[size]
    fill_codes(desk.first, table, bounds, desk.ends[0], desk.ends[1], desk.nothing)
    fill_codes(desk.second, table, bounds, desk.ends[1], desk.ends[2], desk.nothing)
    fill_codes(desk.third, table, bounds, desk.ends[2], desk.ends[3], least)


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
def find_hopeful(keys, first, second, third, limit, hopeful):
    """Put into ``hopeful`` which of the keys may cost no more than the limit; returns how many do."""
    # Without a branch, for which of them it is is as good as random, and without signs to look for.
    n_hopeful = np.uint64(0)
    for k in range(len(keys)):
        key = keys[k]
        one = key & np.uint64(MASK)
        two = (key >> np.uint64(BITS)) & np.uint64(MASK)
        three = key >> np.uint64(2 * BITS)
        hopeful[n_hopeful] = k
        n_hopeful += np.uint64(first[one] + second[two] + third[three] <= limit)
    return np.int64(n_hopeful)


@kernel
def scan(
    near,
    keys,
    cells,
    sizes,
    n_listed,
    ids,
    groups,
    table,
    first,
    second,
    third,
    but,
    hopeful,
    large,
):
    """The place of the cheapest by the tables, of equals the lower id; and those too large for them.

    Looks first at those ``near`` that place, which are often similar. Tuples of the group ``but`` are left
    out: they are equal to the tuple already, or itself. Returns also how many were put into ``large``.
    """
    best, best_cost, limit = NOBODY, np.inf, np.inf
    n_large = 0
    for start in range(-BLOCK, len(keys), BLOCK):
        begin = start if start >= 0 else max(near - NEARBY, 0)
        end = start + BLOCK if start >= 0 else near + NEARBY
        for k in range(find_hopeful(keys[begin:end], first, second, third, limit, hopeful)):
            place = begin + hopeful[k]
            size = sizes[place]
            if size >= n_listed:
                if start >= 0:
                    large[n_large] = place
                    n_large += 1
                continue
            cost = 0.0
            for j in range(cells.shape[1]):
                cost += table[cells[place, j], size]
            if (cost < best_cost or (cost == best_cost and ids[place] < ids[best])) and groups[
                ids[place]
            ] != but:
                best, best_cost, limit = place, cost, cost + SLACK
    return best, best_cost, n_large


@kernel
def cheapest_partner(tuples, trees, costs, desk, each):
    """The tuple of the same class, but another group, that costs least; of equals the lower id."""
    own, group = tuples.classes[each], tuples.groups[each]
    start, end = tuples.starts[own], tuples.ends[own]
    ids = tuples.ids[start:end]
    prepare(tuples, trees, costs, desk, each)
    fill_tables(tuples, costs, desk, each)
    found, best_cost, n_large = scan(
        tuples.places[each] - start,
        tuples.keys[start:end],
        tuples.cells[start:end],
        tuples.sizes[start:end],
        tuples.n_sizes[0],
        ids,
        tuples.groups,
        desk.table,
        desk.first.reshape(-1),
        desk.second.reshape(-1),
        desk.third.reshape(-1),
        group,
        desk.hopeful,
        desk.large,
    )
    best = NOBODY if found == NOBODY else ids[found]
    cells, sizes, table, groups = tuples.cells, tuples.sizes, desk.table, tuples.groups
    for k in range(n_large):
        place = start + desk.large[k]
        partner = tuples.ids[place]
        if groups[partner] == group:
            continue
        if sizes[place] < table.shape[1]:
            cost = 0.0
            for j in range(cells.shape[1]):
                cost += table[cells[place, j], sizes[place]]
        else:
            cost = cost_of_large(tuples, costs, desk, each, place)
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
