"""CAHD (Ghinita, Tao, Kalnis 2008): public items as they are, sensitive ones as a summary of each group.

Transactions are put into an order in which neighbours are alike (reverse Cuthill-McKee), and every sensitive
one gets the p - 1 most similar of its neighbours that conflict neither with it nor with each other. In each
group no sensitive item occurs in more than one of p transactions: whoever finds somebody's group can
associate them with a sensitive item with a probability of at most 1/p.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import bmat, csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

WINDOW = 3
"""Candidates are the nearest so many times p transactions on either side, as in the paper."""


@dataclass(frozen=True)
class Grouped:
    """A published table: which group each transaction is in, and what is sensitive in each group."""

    group_of: np.ndarray
    public: list[frozenset[str]]
    """By transaction, as it was."""
    summaries: list[Counter[str]]
    """By group: how many of its transactions hold each sensitive item."""


def permute(records: Sequence[Sequence[str]], sensitive: frozenset[str], p: int) -> Grouped:
    """Groups in which every sensitive item is in at most one of ``p`` transactions.

    Raises ValueError where there are none: an item is in more than one of p of all transactions.
    """
    public = [frozenset(record) - sensitive for record in records]
    private = [frozenset(record) & sensitive for record in records]
    left = Counter(item for items in private for item in items)
    n_left = len(records)
    if any(n * p > n_left for n in left.values()):
        raise ValueError(f"a sensitive item is in more than one of {p} transactions")
    order = similar_order(public)
    following, preceding = _linked(order)
    group_of = np.full(len(records), -1, dtype=np.int64)
    n_groups = 0
    for first in order.tolist():
        if group_of[first] >= 0 or not private[first]:
            continue
        group = _closest(first, p, public, private, following, preceding)
        taken = Counter(item for each in group for item in private[each])
        enough = len(group) == p and all(
            (n - taken[item]) * p <= n_left - p for item, n in left.items()
        )
        if not enough:
            continue  # it goes with the rest, which stays feasible
        for each in group:
            group_of[each] = n_groups
            following[preceding[each]], preceding[following[each]] = (
                following[each],
                preceding[each],
            )
        n_groups += 1
        left -= taken
        n_left -= p
    group_of[group_of < 0] = n_groups
    summaries: list[Counter[str]] = [Counter() for _ in range(n_groups + 1)]
    for items, group in zip(private, group_of.tolist(), strict=True):
        summaries[group].update(items)
    return Grouped(group_of, public, summaries)


def similar_order(public: Sequence[frozenset[str]]) -> np.ndarray:
    """The transactions in an order in which those with items in common are near each other."""
    codes = {item: code for code, item in enumerate(sorted(set().union(*public)))}
    rows = [row for row, items in enumerate(public) for _ in items]
    columns = [codes[item] for items in public for item in items]
    held = csr_matrix((np.ones(len(rows), np.int8), (rows, columns)), (len(public), len(codes)))
    order = reverse_cuthill_mckee(bmat([[None, held], [held.T, None]], format="csr"), True)
    return order[order < len(public)]


def estimated_counts(published: Grouped) -> dict[str, float]:
    """How often each item occurs, as far as the published groups tell."""
    counts: Counter[str] = Counter(item for items in published.public for item in items)
    for summary in published.summaries:
        counts.update(summary)
    return dict(counts)


def _linked(order: np.ndarray) -> tuple[dict[int, int], dict[int, int]]:
    """Who follows and who precedes whom; -1 stands at both ends."""
    there = [-1, *order.tolist(), -1]
    following = dict(zip(there[:-1], there[1:], strict=True))
    preceding = dict(zip(there[1:], there[:-1], strict=True))
    return following, preceding


def _closest(
    first: int,
    p: int,
    public: Sequence[frozenset[str]],
    private: Sequence[frozenset[str]],
    following: dict[int, int],
    preceding: dict[int, int],
) -> list[int]:
    """The transaction and the p - 1 most similar near it, no two with a sensitive item in common."""
    near: list[int] = []
    for link in (following, preceding):
        near += _walk(first, link, WINDOW * p, private)
    near.sort(key=lambda each: -len(public[first] & public[each]))
    group, held = [first], set(private[first])
    for each in near:
        if len(group) == p:
            break
        if held.isdisjoint(private[each]):
            group.append(each)
            held |= private[each]
    return group


def _walk(
    first: int, link: dict[int, int], most: int, private: Sequence[frozenset[str]]
) -> Iterator[int]:
    """The nearest transactions on one side that do not conflict with the first."""
    at = link[first]
    while at != -1 and most > 0:
        if private[first].isdisjoint(private[at]):
            yield at
            most -= 1
        at = link[at]
