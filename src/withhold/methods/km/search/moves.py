"""The moves of the search: publish a node, withdraw what is rare together with it, publish what then fits.

The published nodes are an antichain of the tree, and every set of up to m of them is in at least k records or
in none. A move preserves both. What it gains is known at once: the worth of the nodes that it publishes less
the worth of those that it withdraws. Moves are logged, so that one that gains nothing is undone.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.jit import kernel, routine, step
from withhold.counting.walk import (
    count_extensions,
    deliver,
    follow,
    make_root,
    open_level,
    put_row,
    step_on,
)
from withhold.methods.km.search.published import (
    LENGTH,
    NOBODY,
    WORTH,
    are_apart,
    publish,
    undo,
    withdraw,
    withdraw_under,
    worth_under,
)

ANY_LOSS = 2**62


@step
def gather(candidates, published, cohort, node):
    """Copy the rows that hold a node, each as its published nodes that are neither above nor under it."""
    walk = cohort.walk
    begin = candidates.post_offsets[node]
    n = candidates.post_offsets[node + 1] - begin
    top = np.int64(0)
    for j in range(n):
        row = candidates.post_rows[begin + j]
        put_row(walk, j, j, top - 1)
        last = NOBODY
        for p in range(candidates.offsets[row], candidates.offsets[row + 1]):
            other = published.node_of[candidates.codes[p]]
            # Leaves ascend, so those of one node are neighbours.
            if other != last and other >= 0 and are_apart(candidates, node, other):
                cohort.items[top] = other
                top += 1
            last = other
        cohort.offsets[j + 1] = top
    cohort.visited[0] += top + n
    make_root(walk, node, n)


@step
def path_is_published(published, walk, size):
    """Whether all nodes of the current set but the first are still published."""
    still = True
    for i in range(1, size):
        still = still and published.node_of[walk.path[i]] == walk.path[i]
    return still


@step
def withdraw_cheapest(candidates, published, walk, size, last):
    """Withdraw the node of a rare set that is worth least; returns the least that this loses."""
    cheapest = last
    for i in range(1, size):
        if candidates.worth[walk.path[i]] < candidates.worth[cheapest]:
            cheapest = walk.path[i]
    withdraw(candidates, published, cheapest)
    return candidates.least_loss[cheapest]


@routine
def is_rare(candidates, published, cohort, limits, node, allowed):
    """Whether a node is rare together with published ones.

    With ``allowed`` above 0, nodes that are rare with it are withdrawn, and it counts as rare only if that
    loses more than ``allowed``.
    """
    if limits.largest < 2:
        return False
    walk = cohort.walk
    gather(candidates, published, cohort, node)
    clearing = allowed > 0
    size = 1
    while size > 0:
        size, child = step_on(walk, size)
        if size == 0:
            break
        if not path_is_published(published, walk, size):
            continue
        start, end = walk.child_start[child], walk.child_end[child]
        n_touched = count_extensions(cohort, walk, start, end)
        cohort.visited[0] += end - start
        found = False
        for t in range(n_touched):
            x = walk.touched[t]
            if published.node_of[x] != x:
                walk.bucket[x] = 0
            elif walk.bucket[x] < limits.k:
                walk.bucket[x] = 0
                if not clearing:
                    found = True
                elif path_is_published(published, walk, size):
                    allowed -= withdraw_cheapest(candidates, published, walk, size, x)
                    found = allowed < 0
            if found:
                break
        if found:
            for t in range(n_touched):
                walk.bucket[walk.touched[t]] = 0
            return True
        open_level(walk, size)
        goes_on = size + 1 < limits.largest and path_is_published(published, walk, size)
        for t in range(n_touched):
            x = walk.touched[t]
            # A node that all these rows hold changes no count.
            if goes_on and 0 < walk.bucket[x] < end - start and published.node_of[x] == x:
                follow(walk, size, x)
            else:
                walk.bucket[x] = 0
        if walk.last_child[size + 1] > walk.next_child[size + 1]:
            deliver(cohort, walk, size, start, end)
            size += 1
    return False


@routine
def fill_below(candidates, published, cohort, limits, node):
    """Publish those children of a node that can be published."""
    below = candidates.first_below[node]
    while below >= 0:
        free = published.node_of[below] == NOBODY and candidates.worth[below] > 0
        # If something further down is published already, that stays.
        free = free and worth_under(candidates, published, below) == 0
        if free and not is_rare(candidates, published, cohort, limits, below, 0):
            publish(candidates, published, below)
        below = candidates.next_beside[below]


@routine
def replace(candidates, published, cohort, limits, gone, node):
    """After ``gone`` was withdrawn in favour of ``node``: publish a node above it, or else its children."""
    if published.node_of[gone] >= 0:
        return
    above = candidates.above[gone]
    while above >= 0 and are_apart(candidates, above, node) and candidates.worth[above] > 0:
        gains = candidates.worth[above] > worth_under(candidates, published, above)
        if gains and not is_rare(candidates, published, cohort, limits, above, 0):
            withdraw_under(candidates, published, above)
            publish(candidates, published, above)
            return
        above = candidates.above[above]
    fill_below(candidates, published, cohort, limits, gone)


@routine
def publish_node(candidates, published, cohort, limits, node, allowed):
    """Publish a node, withdraw what is rare with it, and publish what then fits.

    False, with the move unfinished, if that loses more than ``allowed``.
    """
    began = published.numbers[LENGTH]
    over = published.node_of[node]
    if over >= 0:
        withdraw(candidates, published, over)
    withdraw_under(candidates, published, node)
    if is_rare(candidates, published, cohort, limits, node, allowed):
        return False
    publish(candidates, published, node)
    ended = published.numbers[LENGTH]
    if over >= 0:
        way = node
        while way != over:
            way = candidates.above[way]
            fill_below(candidates, published, cohort, limits, way)
    for entry in range(began, ended):
        gone = -published.log[entry] - 1
        if gone >= 0 and are_apart(candidates, gone, node):
            replace(candidates, published, cohort, limits, gone, node)
    return True


@routine
def try_node(candidates, published, cohort, limits, node):
    """Publish a node if that gains anything; whether it did."""
    if node < 0 or candidates.worth[node] <= 0:
        return False
    over = published.node_of[node]
    if over == node or (over >= 0 and over != candidates.above[node]):
        return False
    length, worth = published.numbers[LENGTH], published.numbers[WORTH]
    # No move makes more entries than half of the log holds.
    if length > len(published.log) // 2:
        return False
    if over >= 0:
        hoped = candidates.most_gain[over]
    else:
        hoped = candidates.worth[node] - worth_under(candidates, published, node)
    done = hoped > 0 and publish_node(candidates, published, cohort, limits, node, hoped)
    if done and published.numbers[WORTH] > worth:
        return True
    undo(candidates, published, length)
    return False


@kernel
def try_nodes(candidates, published, cohort, limits, nodes):
    """Publish each of these nodes that gains anything; how many did."""
    gained = 0
    for i in range(len(nodes)):
        published.numbers[LENGTH] = 0
        gained += try_node(candidates, published, cohort, limits, nodes[i])
    published.numbers[LENGTH] = 0
    return gained


@kernel
def leave_and_climb(candidates, published, cohort, limits, node, most_visited):
    """Leave the optimum: publish a node at any price, then climb; undone, and False, unless it ends higher.

    It ends early once ``most_visited`` items were visited.
    """
    published.numbers[LENGTH] = 0
    worth = published.numbers[WORTH]
    if published.node_of[node] == node or candidates.worth[node] <= 0:
        return False
    publish_node(candidates, published, cohort, limits, node, ANY_LOSS)
    entry = 0
    while entry < published.numbers[LENGTH] and cohort.visited[0] < most_visited:
        # Every move is logged, so the nodes around each are tried in turn.
        changed = abs(published.log[entry]) - 1
        try_node(candidates, published, cohort, limits, candidates.above[changed])
        if published.log[entry] < 0:
            try_node(candidates, published, cohort, limits, changed)
        below = candidates.first_below[changed]
        while below >= 0:
            try_node(candidates, published, cohort, limits, below)
            below = candidates.next_beside[below]
        entry += 1
    gained = published.numbers[WORTH] > worth
    if not gained:
        undo(candidates, published, 0)
    published.numbers[LENGTH] = 0
    return gained
