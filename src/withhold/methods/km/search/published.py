"""Which nodes of a tree are published: moves publish and withdraw nodes, and can be undone."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import routine, step

NOBODY = -1
LENGTH, WORTH = 0, 1
"""Places in ``Published.numbers``."""


class Candidates(NamedTuple):
    """The nodes of a tree by code, what each is worth, and the rows that hold it."""

    offsets: Any
    codes: Any
    """The leaves of each row, ascending."""
    post_offsets: Any
    post_rows: Any
    """By node: the rows that hold a leaf under it."""
    ends: Any
    """Where the codes under each node end."""
    above: Any
    """The next node above that stands for more items; -1 at the top."""
    first_below: Any
    """The first child, among nodes that stand for fewer items; -1 if there is none."""
    next_beside: Any
    """The next child of the same node; -1 if there is none."""
    worth: Any
    """What publishing the node saves over withholding its items; 0: it cannot be published."""
    least_loss: Any
    """The least that is lost if the node gives way to the one above."""
    most_gain: Any
    """The most that is gained if the node gives way to its children."""


class Published(NamedTuple):
    """Which nodes are published, and the log of the moves."""

    node_of: Any
    """By code: the published node that stands for it, -1 if there is none."""
    log: Any
    """Nodes that were published, as code + 1, and withdrawn, as -(code + 1)."""
    numbers: Any


class Cohort(NamedTuple):
    """The rows that hold a node, as the other published nodes that they hold."""

    offsets: Any
    items: Any
    """By row: the other published nodes that it holds, ascending."""
    walk: Any
    visited: Any
    """How many items and rows were copied or walked over so far."""


class Limits(NamedTuple):
    """Sets of up to ``largest`` nodes are in ``k`` rows or in none."""

    k: Any
    largest: Any


@step
def publish(candidates, published, node):
    """Publish a node; none above or under it is published."""
    for code in range(node, candidates.ends[node]):
        published.node_of[code] = node
    published.log[published.numbers[LENGTH]] = node + 1
    published.numbers[LENGTH] += 1
    published.numbers[WORTH] += candidates.worth[node]


@step
def withdraw(candidates, published, node):
    """Withdraw a published node."""
    for code in range(node, candidates.ends[node]):
        published.node_of[code] = NOBODY
    published.log[published.numbers[LENGTH]] = -node - 1
    published.numbers[LENGTH] += 1
    published.numbers[WORTH] -= candidates.worth[node]


@routine
def undo(candidates, published, length):
    """Undo the moves until the log has this length."""
    while published.numbers[LENGTH] > length:
        published.numbers[LENGTH] -= 1
        entry = published.log[published.numbers[LENGTH]]
        node = abs(entry) - 1
        came = entry > 0
        for code in range(node, candidates.ends[node]):
            published.node_of[code] = NOBODY if came else node
        published.numbers[WORTH] += -candidates.worth[node] if came else candidates.worth[node]


@step
def worth_under(candidates, published, node):
    """What the published nodes under this one are worth."""
    total = np.int64(0)
    code = node
    while code < candidates.ends[node]:
        if published.node_of[code] == code:
            total += candidates.worth[code]
            code = candidates.ends[code]
        else:
            code += 1
    return total


@step
def withdraw_under(candidates, published, node):
    """Withdraw all published nodes under this one."""
    code = node
    while code < candidates.ends[node]:
        if published.node_of[code] == code:
            withdraw(candidates, published, code)
            code = candidates.ends[code]
        else:
            code += 1


@step
def are_apart(candidates, one, other):
    """Whether neither node is the other or above it."""
    return other >= candidates.ends[one] or one >= candidates.ends[other]
