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
from withhold.data.cut import children_of, cut_at, public_tree
from withhold.methods.rho.search.cut_costs import CutState, estimate_losses


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
