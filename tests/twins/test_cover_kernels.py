"""The search for the nodes to publish against its twin: the same moves, whatever the tree."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import withhold as wh
from tables import examples, tables
from trees import trees
from twins import plain_covers
from withhold.methods.km.search.cover import candidates_of, nothing_published, room_for
from withhold.methods.km.search.moves import leave_and_climb, try_nodes
from withhold.methods.km.search.published import NOBODY


def twin_of(candidates, k, largest):
    above, ends = candidates.above.tolist(), candidates.ends.tolist()
    below = []
    for node in candidates.first_below.tolist():
        beside = []
        while node >= 0:
            beside.append(node)
            node = int(candidates.next_beside[node])
        below.append(beside)
    spans = zip(candidates.offsets, candidates.offsets[1:], strict=False)
    rows = [candidates.codes[start:stop].tolist() for start, stop in spans]
    worth = [each.tolist() for each in candidates[-3:]]
    return plain_covers.Cover(rows, ends, above, below, *worth, k, largest)


@examples(600)
@given(st.data(), tables(), st.integers(1, 4), st.integers(1, 5), st.sampled_from([1, 50]))
def test_moves__are_those_of_the_twin(data, table, k, m, price):
    records = wh.Records.from_lists(table[0])
    assume(records.vocabulary)
    tree = data.draw(trees(records.vocabulary))
    candidates = candidates_of(records, tree, k, price)
    limits, cohort = room_for(candidates, k, m)
    published = nothing_published(len(tree))
    twin = twin_of(candidates, k, limits.largest)
    order = data.draw(st.permutations(range(len(tree))))
    # Few, and then any, of the visits that a climb may make.
    most = data.draw(st.sampled_from([20, 2**62]))
    gained = try_nodes(candidates, published, cohort, limits, np.array(order))
    assert gained == plain_covers.try_nodes(twin, order)
    for node in order:
        climbed = leave_and_climb(candidates, published, cohort, limits, node, most)
        assert climbed == plain_covers.leave_and_climb(twin, node, most)
        assert cohort.visited[0] == twin.visited
        nodes = {int(each) for each in published.node_of if each != NOBODY}
        assert nodes == twin.published
        assert published.numbers[1] == twin.total
