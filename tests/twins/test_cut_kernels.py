"""Cuts are ranked as the plain twin ranks them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import withhold as wh
from tables import examples, problems
from trees import trees
from twins import plain_cuts
from withhold.counting.node_rows import NOWHERE, rows_of_nodes
from withhold.data.cut import children_of, cut_at, groups_of, public_tree
from withhold.method import SearchRun
from withhold.methods.rho.search.cut_costs import CutState, estimate_losses
from withhold.methods.rho.search.cut_path import Step, path_of_cuts
from withhold.methods.rho.trade_off import undominated


@examples(400)
@given(st.data(), problems(), st.integers(0, 9))
def test_estimate_losses__are_those_of_the_twin(data, problem, longest_list):
    rows, sensitive, rho = problem
    records = wh.Records.from_lists(rows)
    assume(set(records.vocabulary) - sensitive)
    whole = data.draw(trees(records.vocabulary))
    tree = public_tree(whole, records.vocabulary, sensitive)
    nodes = cut_at(tree, data.draw(st.integers(0, tree.height))).tolist()
    node_of, next_of = np.zeros(len(tree), np.int64), np.zeros(len(tree), np.int64)
    for node in nodes:
        node_of[node : tree.ends[node]] = next_of[node : tree.ends[node]] = node
        for child in children_of(tree, node):
            next_of[child : tree.ends[child]] = child
    found = rows_of_nodes(records, tree, records.codes(sensitive))
    # In so small a table all have a bitmap.
    few = np.diff(found.post_offsets) <= longest_list
    found = found._replace(
        bitmap_of=np.where(few, NOWHERE, found.bitmap_of), longest_list=longest_list
    )
    codes = [
        frozenset(found.codes[start:stop].tolist())
        for start, stop in zip(found.offsets, found.offsets[1:], strict=False)
    ]
    last = len(tree) + len(records.codes(sensitive))
    hidden = frozenset(range(len(tree), last))
    under = {node: frozenset(range(node, int(tree.ends[node]))) for node in range(len(tree))}
    plain = plain_cuts.estimate_losses(
        codes,
        hidden,
        rho,
        dict(enumerate(node_of.tolist())),
        dict(enumerate(next_of.tolist())),
        under,
    )
    targets = np.array(
        [n for n, row in enumerate(codes) if row & hidden and row - hidden], np.int64
    )
    now, after = np.zeros(len(codes)), np.full(len(found.codes), np.nan)
    limits = wh.RhoUncertainty(rho, sensitive).limits
    state = CutState(node_of, next_of)
    estimate_losses(found, state, targets, len(tree), limits, now, after)
    for row in targets.tolist():
        assert now[row] == pytest.approx(plain[row][0])
        start, stop = found.offsets[row : row + 2]
        seen = {}
        for place in range(start, stop):
            if not np.isnan(after[place]):
                seen[int(node_of[found.codes[place]])] = after[place]
        assert seen == pytest.approx(plain[row][1])


@examples(300)
@given(st.data(), problems())
def test_path_of_cuts__every_step_is_a_cut_with_its_own_estimate(data, problem):
    rows, sensitive, rho = problem
    records = wh.Records.from_lists(rows)
    assume(set(records.vocabulary) - sensitive)
    tree = public_tree(data.draw(trees(records.vocabulary)), records.vocabulary, sensitive)
    model = wh.RhoUncertainty(rho, sensitive)
    codes = [
        frozenset(tree.code(item) if item in tree else len(tree) + ord(item) for item in row)
        for row in rows
    ]
    hidden = frozenset(code for row in codes for code in row if code >= len(tree))
    under = {node: frozenset(range(node, int(tree.ends[node]))) for node in range(len(tree))}
    for step in path_of_cuts(records, model, tree, SearchRun(), fill=True):
        groups = groups_of(tree, step.nodes)
        node_of = {leaf: int(node) for node in step.nodes for leaf in under[int(node)]}
        plain = plain_cuts.estimate_losses(codes, hidden, rho, node_of, node_of, under)
        open_rows = [n for n, row in enumerate(codes) if row & hidden and row - hidden]
        assert step.estimate == pytest.approx(sum(plain[row][0] for row in open_rows))
        assert step.penalty == pytest.approx(groups.detail(records).ncp)


def test_path_of_cuts__fills_the_gap_that_a_large_group_leaves():
    # Splitting the large group gives back most; splitting the small one instead lies between.
    tree = wh.Hierarchy.from_paths(
        [[item, "large" if item in "abcdef" else "small", "all"] for item in "abcdefgh"]
    )
    records = wh.Records.from_lists([list(row) for row in [*"abcdefgh", "gx", "hx", *"abcdefgh"]])
    model = wh.RhoUncertainty("0.5", {"x"})
    steps = path_of_cuts(records, model, tree, SearchRun(), fill=True)
    cuts = [frozenset(tree.names[node] for node in step.nodes) for step in steps]
    path = [{"large", "small"}, {*"abcdef", "small"}, {*"abcdefgh"}]
    assert cuts == [path[0], {"large", "g", "h"}, *path[1:]]
    steps = path_of_cuts(records, model, tree, SearchRun(), fill=False)
    assert [{tree.names[node] for node in step.nodes} for step in steps] == path


def test_undominated__leaves_out_what_gives_up_more_for_nothing():
    def step(penalty, estimate):
        return Step(np.zeros(0, np.int32), estimate, penalty)

    steps = [step(0.5, 1.0), step(0.1, 7.0), step(0.2, 8.0), step(0.2, 3.0), step(0.0, 9.0)]
    kept = [(each.penalty, each.estimate) for each in undominated(steps)]
    assert kept == [(0.0, 9.0), (0.1, 7.0), (0.2, 3.0), (0.5, 1.0)]
