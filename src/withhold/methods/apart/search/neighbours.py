"""Groups of similar records in which no sensitive item is too frequent (after CAHD, Ghinita et al. 2008)."""

# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step


class Rows(NamedTuple):
    """Items of each record: ``items[starts[r]:starts[r + 1]]``."""

    starts: Any
    items: Any


class Chains(NamedTuple):
    """The records in no group yet, as linked lists in several orders; the last number marks both ends."""

    following: Any
    preceding: Any


@kernel
def group_neighbours(public, private, orders, most, left, size, window):
    """The group of each record; -1 for those without a group, which can form one together.

    Each record with sensitive items takes the ``size - 1`` most similar of its neighbours that share no
    sensitive item with it or with each other. ``most[n]`` is how many of n records may hold the same item,
    and ``left`` how many of the records in no group hold each.
    """
    n_rows = len(public.starts) - 1
    group_of = np.full(n_rows, -1, np.int64)
    ends = (len(orders), n_rows + 1)
    chains = Chains(np.full(ends, n_rows, np.int64), np.full(ends, n_rows, np.int64))
    _link(orders, chains)
    is_of_first = np.zeros(public.items.max() + 1 if len(public.items) else 0, np.bool_)
    held = np.zeros(len(left), np.bool_)
    seen = np.full(n_rows, -1, np.int64)
    near = np.zeros(2 * len(orders) * window, np.int64)
    scores = np.zeros(len(near), np.int64)
    members = np.zeros(size, np.int64)
    n_left, n_groups = n_rows, 0
    for first in orders[0]:
        if group_of[first] >= 0 or private.starts[first] == private.starts[first + 1]:
            continue
        if n_left < size:
            break
        _mark(private, first, held, True)
        n_near = _walk(first, chains, private, held, seen, near, window)
        _mark(public, first, is_of_first, True)
        for k in range(n_near):
            scores[k] = _similarity(public, near[k], first, is_of_first)
        _mark(public, first, is_of_first, False)
        members[0] = first
        n_members = 1
        while n_members < size:
            best = -1
            for k in range(n_near):
                if scores[k] >= 0 and (best < 0 or _is_better(scores, near, k, best)):
                    best = k
            if best < 0:
                break
            scores[best] = -1
            if not _conflicts(private, near[best], held):
                _mark(private, near[best], held, True)
                members[n_members] = near[best]
                n_members += 1
        enough = n_members == size
        for item in range(len(left)):
            # The others must be able to form one group, so that nobody is left over.
            enough = enough and left[item] - held[item] <= most[n_left - size]
        for k in range(n_members):
            _mark(private, members[k], held, False)
        if not enough:
            continue
        for k in range(size):
            row = members[k]
            group_of[row] = n_groups
            for place in range(private.starts[row], private.starts[row + 1]):
                left[private.items[place]] -= 1
            for o in range(len(orders)):
                after, before = chains.following[o, row], chains.preceding[o, row]
                chains.following[o, before], chains.preceding[o, after] = after, before
        n_groups += 1
        n_left -= size
    return group_of


@kernel
def cut_rest(rest, private, most, left, size):
    """Where groups of the records in ``rest`` begin, in this order; each as small as it can be.

    ``left`` is how many of them hold each sensitive item: no more than one group of all of them may have.
    """
    begins = np.zeros(len(rest), np.bool_)
    counts = np.zeros(len(left), np.int64)
    start = 0
    for place in range(len(rest)):
        begins[start] = True
        for k in range(private.starts[rest[place]], private.starts[rest[place] + 1]):
            counts[private.items[k]] += 1
        n = place + 1 - start
        enough = n >= size
        for item in range(len(left)):
            fits = counts[item] <= most[n]
            enough = enough and fits and left[item] - counts[item] <= most[len(rest) - place - 1]
        if enough:
            left -= counts
            counts[:] = 0
            start = place + 1
    return begins


@step
def _link(orders, chains):
    """Link all records in each order."""
    end = chains.following.shape[1] - 1
    for o in range(len(orders)):
        before = end
        for row in orders[o]:
            chains.following[o, before], chains.preceding[o, row] = row, before
            before = row
        chains.preceding[o, end] = before


@step
def _walk(first, chains, private, held, seen, near, window):
    """The nearest records in each order and direction that do not conflict with the first."""
    n_rows = len(seen)
    seen[first] = first
    n_near = 0
    for o in range(len(chains.following)):
        for forward in range(2):
            found = 0
            row = chains.following[o, first] if forward else chains.preceding[o, first]
            steps = 0
            # However many conflict, the walk ends after this many steps.
            while row != n_rows and found < window and steps < 8 * window:
                steps += 1
                if seen[row] != first and not _conflicts(private, row, held):
                    seen[row] = first
                    near[n_near] = row
                    n_near += 1
                    found += 1
                row = chains.following[o, row] if forward else chains.preceding[o, row]
    return n_near


@step
def _mark(rows, row, marks, value):
    """Set the marks of a record's items to a value."""
    for place in range(rows.starts[row], rows.starts[row + 1]):
        marks[rows.items[place]] = value


@step
def _conflicts(private, row, held):
    """Whether the record holds a sensitive item that is held already."""
    for place in range(private.starts[row], private.starts[row + 1]):  # noqa: SIM110  # no generators here
        if held[private.items[place]]:
            return True
    return False


@step
def _similarity(public, row, first, is_of_first):
    """How many items both have in common, as a share of what either has."""
    common = 0
    for place in range(public.starts[row], public.starts[row + 1]):
        common += is_of_first[public.items[place]]
    either = public.starts[row + 1] - public.starts[row] - common
    either += public.starts[first + 1] - public.starts[first]
    return (common << 20) // max(either, 1)


@step
def _is_better(scores, near, one, other):
    """Whether one candidate is more similar than the other, or as similar with a lower record number."""
    if scores[one] != scores[other]:
        return scores[one] > scores[other]
    return near[one] < near[other]
