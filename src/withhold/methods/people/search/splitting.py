"""Which groups to form: from one group with every cell withheld, split while cells gain more than items lose.

A group is split by a column: persons move one node down, from the node that the group shows towards their own
value. Each child has at least k persons. The others, the *rest*, keep the parent's node; there are none or at
least k of them, too. In each round all groups are split at once, each by its best column.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from withhold.counting.threads import Stop, run_all
from withhold.data.array_types import Floats, Ints, Longs
from withhold.data.forest import NOBODY, Forest
from withhold.method import SearchRun
from withhold.methods.people.grouped_items import PersonItems
from withhold.methods.people.model import PeopleUncertainty
from withhold.methods.people.search.withholding import withhold_items

Bools = NDArray[np.bool_]
MOST_KNOWN = 2
"""Splits are compared for attackers who know at most this many items; with more, hardly more is inferred."""


@dataclass(frozen=True)
class Setting:
    """What the groups are formed from, and what the search is asked for."""

    items: PersonItems
    forest: Forest
    model: PeopleUncertainty
    weight: float
    """How many sensitive items one cell is worth."""
    seed: int


@dataclass(frozen=True)
class State:
    """The groups between two rounds."""

    shown: Ints
    """By person and column: the node that is shown."""
    groups: Longs
    """By person."""
    lost: Longs
    """By group: how many sensitive items are withheld."""
    is_open: Bools
    """By group and column: whether a split is still to be tried."""


@dataclass(frozen=True)
class Split:
    """What becomes of all groups that a column splits."""

    column: int
    persons: Longs
    nodes: Ints
    """For each of these persons the node to show."""
    parts: Longs
    """For each of these persons the number of the new group, from 0 on."""
    owners: Longs
    """By new group: the old one."""
    is_rest: Bools
    """By new group: whether it keeps the old one's node."""
    lost: Longs
    """By new group: how many sensitive items are withheld."""
    gained: Floats
    """By new group: how much detail its cells gain."""
    scores: Floats
    """By old group: what the split is worth; -inf if the column does not split it."""


def split_groups(
    items: PersonItems, forest: Forest, model: PeopleUncertainty, weight: float, run: SearchRun
) -> Ints:
    """For each person and column the node to show.

    With a ``weight`` of 1 a percent of the cells is worth a percent of the sensitive items.
    """
    n_persons, n_columns = forest.nodes.shape
    known = MOST_KNOWN if model.max_known is None else min(model.max_known, MOST_KNOWN)
    n_sensitive = int(items.sensitive[items.records.items].sum())
    each = weight * max(n_sensitive, 1) / max(n_persons * n_columns, 1)
    setting = Setting(items, forest, model.knowing(known), each, run.seed)
    roots = (forest.bounds[1:] - 1).astype(np.int32)
    groups = np.zeros(n_persons, dtype=np.int64)
    state = State(
        np.tile(roots, (n_persons, 1)),
        groups,
        _lost(setting, np.arange(n_persons), groups),
        np.ones((1, n_columns), dtype=np.bool_),
    )
    with Stop(None) as stop:
        while state.is_open.any():
            tasks = [partial(_splits, setting, state, column) for column in range(n_columns)]
            what = "splitting groups"
            pairs = run_all(tasks, stop, jobs=run.jobs, progress=run.progress, what=what)
            state = _after(state, [split for pair in pairs for split in pair])
    return state.shown


def _lost(setting: Setting, persons: Longs, parts: Longs) -> Longs:
    """How many sensitive items are withheld in each part of these persons."""
    if len(persons) == 0:
        return np.zeros(0, dtype=np.int64)
    some = setting.items.only(persons)
    run = SearchRun(seed=setting.seed, jobs=1)
    withheld = withhold_items(some, parts, setting.model, run, restoring=False)
    return withheld.by_group(some, parts, int(parts.max(initial=-1)) + 1)


def _splits(setting: Setting, state: State, column: int) -> tuple[Split, Split]:
    """The groups that are open to this column, split in two ways.

    Either all children are split off, or only those for which it is worth it.
    """
    forest = setting.forest
    persons = np.flatnonzero(state.is_open[state.groups, column])
    now = state.shown[persons, column]
    values = forest.nodes[persons, column] - forest.bounds[column]
    down = forest.paths[column][values, forest.trees.depths[now] + 1]
    every = _split(setting, state, column, persons, down)
    # By child: what its cells gain, against the items it loses beyond its share of those the old group loses.
    before = (state.lost / np.bincount(state.groups))[every.owners] * np.bincount(every.parts)
    worth = setting.weight * every.gained > every.lost - before
    leaves = np.zeros(len(state.groups), dtype=np.bool_)
    leaves[every.persons] = worth[every.parts]
    some = _split(setting, state, column, persons, np.where(leaves[persons], down, NOBODY))
    return every, some


def _split(setting: Setting, state: State, column: int, persons: Longs, down: Ints) -> Split:
    """The groups of these persons if they move down to these nodes, as far as k allows."""
    forest, n_groups = setting.forest, len(state.lost)
    own, now = state.groups[persons], state.shown[persons, column]
    moves = _that_move(own, down, n_groups, setting.model.k)
    splits = np.bincount(own[moves], minlength=n_groups) > 0
    some = splits[own]
    persons, own, now, moves = persons[some], own[some], now[some], moves[some]
    nodes = np.where(moves, down[some], now)
    _, first, parts = np.unique(
        own * len(forest.losses) + nodes, return_index=True, return_inverse=True
    )
    owners, is_rest = own[first], ~moves[first]
    lost = _lost(setting, persons, parts)
    gained = np.bincount(parts, forest.losses[now] - forest.losses[nodes]).astype(np.float64)
    gains = np.bincount(owners, setting.weight * gained - lost, minlength=n_groups)
    scores = np.where(splits, gains + state.lost, -np.inf)
    nodes = nodes.astype(np.int32)
    return Split(column, persons, nodes, parts, owners, is_rest, lost, gained, scores)


def _that_move(own: Longs, down: Ints, n_groups: int, k: int) -> Bools:
    """Which persons move down, so that each child and each rest has at least k persons, or none."""
    moves: Bools = down != NOBODY
    keys = own * (int(down.max(initial=0)) + 2) + down + 1
    _, child, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    moves &= sizes[child] >= k
    n_rest = np.bincount(own[~moves], minlength=n_groups)
    lacking = (n_rest > 0) & (n_rest < k)
    # A rest that is too small takes in the smallest child, which has k persons itself.
    some = np.flatnonzero(moves & lacking[own])
    some = some[np.lexsort((down[some], sizes[child[some]], own[some]))]
    _, first = np.unique(own[some], return_index=True)
    moves &= ~np.isin(child, child[some[first]])
    return moves


def _after(state: State, splits: list[Split]) -> State:
    """The groups when each was split in the best way, or closed if no split is worth it."""
    scores = np.stack([split.scores for split in splits], axis=1)
    # A split that costs nothing is made even if a cell is worth nothing.
    best = np.where(scores.max(axis=1) >= 0, scores.argmax(axis=1), -1)
    stays = np.flatnonzero(best < 0)
    numbers = np.full(len(best), -1, dtype=np.int64)
    numbers[stays] = np.arange(len(stays))
    shown, groups = state.shown.copy(), numbers[state.groups]
    lost, is_open = [state.lost[stays]], [np.zeros_like(state.is_open[stays])]
    # A column that cannot split a group can split no part of it either.
    splittable = np.zeros_like(state.is_open)
    for split in splits:
        splittable[:, split.column] |= np.isfinite(split.scores)
    n_groups = len(stays)
    for place, split in enumerate(splits):
        taken = best[split.owners] == place
        numbers = np.cumsum(taken) - 1 + n_groups
        mine = taken[split.parts]
        shown[split.persons[mine], split.column] = split.nodes[mine]
        groups[split.persons[mine]] = numbers[split.parts[mine]]
        opened = splittable[split.owners[taken]]
        opened[split.is_rest[taken], split.column] = False
        lost.append(split.lost[taken])
        is_open.append(opened)
        n_groups += int(taken.sum())
    return State(shown, groups, np.concatenate(lost), np.concatenate(is_open))
