"""The walks over itemsets and over closed sets meet each set once; the worst-k list keeps the worst."""

from __future__ import annotations

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import examples, tables
from twins import plain_counting
from twins.layouts import laid_out, lists
from withhold.counting.local_closed_walk import (
    close_rows,
    expand,
    is_first_met,
    leave_set,
    new_closed_walk,
    start_closed,
)
from withhold.counting.local_rows import gather, new_numbering
from withhold.counting.walk import (
    Rows,
    count_extensions,
    deliver,
    follow,
    largest_pool,
    new_walk,
    next_set,
    open_level,
    start_at,
)
from withhold.counting.worst import keep_worst, new_worst


@examples(200)
@given(tables(), st.integers(1, 5))
def test_largest_pool(problem, largest):
    layout, _ = laid_out(*problem)
    rows = lists(layout.offsets, layout.items)
    reference = plain_counting.largest_pool(rows, layout.n_items, largest)
    assert largest_pool(layout.rows(), largest) == reference


@numba.njit
def walk(rows, room, largest, paths, holders):
    """Write down every set and its rows; how many sets and rows there are."""
    n_sets = 0
    n_rows = 0
    for root in range(len(rows.post_offsets) - 1):
        start_at(rows, room, root)
        size = 1
        while size > 0:
            child = next_set(room, size)
            if child < 0:
                size -= 1
                continue
            start = room.child_start[child]
            end = room.child_end[child]
            for k in range(size):
                paths[n_sets, k] = room.path[k]
            for k in range(start, end):
                holders[n_rows, 0] = n_sets
                holders[n_rows, 1] = room.pool_row[k]
                n_rows += 1
            n_sets += 1
            if size < largest:
                n_touched = count_extensions(rows, room, start, end)
                open_level(room, size)
                for t in range(n_touched):
                    follow(room, size, room.touched[t])
                deliver(rows, room, size, start, end)
                size += 1
    return n_sets, n_rows


@examples(200)
@given(tables(), st.integers(1, 4), st.data())
def test_walk__meets_every_set_once_with_its_rows(problem, largest, data):
    layout, records = laid_out(*problem)
    items = layout.items.copy()
    places = st.sets(st.integers(0, len(items) - 1)) if len(items) else st.just(set())
    for place in data.draw(places):
        row = int(np.searchsorted(layout.offsets, place, side="right")) - 1
        records[row] -= {int(items[place])}
        items[place] = ~items[place]
    rows = Rows(layout.offsets, items, layout.post_offsets, layout.post_rows)
    room = new_walk(rows, largest)
    # Roots that no row holds any more are met too, without rows.
    paths = np.full((5000, largest), -1, dtype=np.int64)
    holders = np.zeros((20_000, 2), dtype=np.int64)
    n_sets, n_rows = walk(rows, room, largest, paths, holders)
    met: dict[frozenset[int], list[int]] = {}
    for n in range(n_sets):
        each = frozenset(paths[n].tolist()) - {-1}
        its_rows = holders[:n_rows][holders[:n_rows, 0] == n, 1].tolist()
        assert each not in met
        if its_rows:
            met[each] = its_rows
        paths[n] = -1
    assert met == plain_counting.walk(records, largest)
    assert not room.bucket.any()


@examples(200)
@given(tables(), st.data())
def test_gather(problem, data):
    layout, records = laid_out(*problem)
    if layout.n_items < 2:
        return
    consequent = data.draw(st.integers(0, layout.n_items - 1))
    given = data.draw(st.integers(-1, layout.n_items - 1).filter(lambda x: x != consequent))
    reference = plain_counting.gather(records, consequent, given)
    numbering = new_numbering(layout.n_items, layout.n_rows)
    local = gather(layout.rows(with_bitmaps=True), consequent, given, numbering)
    rows = lists(local.offsets, local.ranks[local.items])
    assert [frozenset(row) for row in rows] == reference
    assert rows == [sorted(row) for row in rows]
    assert (numbering.local_of == -1).all()
    groups = [rows[local.first_of[group]] for group in range(local.n_groups)]
    assert [groups[numbering.group_of[n]] for n in range(len(rows))] == rows
    assert local.weights[: local.n_groups].tolist() == [rows.count(each) for each in groups]


@numba.njit
def walk_closed(local, sets, joints):
    """Write down the closed sets that two groups or more hold, with the weight of those; how many."""
    room = new_closed_walk(local)
    pool = np.empty(2 * local.n_groups + 16, np.int32)
    children = np.empty((1, 3), np.int64)
    start_closed(room, children, pool, local.n_groups)
    n_sets = 0
    depth = 0 if local.n_groups > 1 else -1
    while depth >= 0:
        child = room.next_child[depth]
        if child == room.last_child[depth]:
            leave_set(room, depth)
            depth -= 1
            continue
        room.next_child[depth] += 1
        core = children[child, 0]
        start = children[child, 1]
        end = children[child, 2]
        size = close_rows(local, room, pool, start, end)
        if not is_first_met(room, size, core):
            continue
        for k in range(size):
            sets[n_sets, k] = local.ranks[room.closure[k]]
        for k in range(start, end):
            joints[n_sets] += local.weights[pool[k]]
        n_sets += 1
        children, pool = expand(local, room, children, pool, depth, size, child)
        depth += 1
    return n_sets


@examples(300)
@given(tables())
def test_closed_walk__meets_every_closed_set_once_with_its_weight(problem):
    layout, records = laid_out(*problem)
    numbering = new_numbering(layout.n_items, layout.n_rows)
    for e in layout.sensitive_ranks().tolist():
        local = gather(layout.rows(with_bitmaps=True), e, -1, numbering)
        sets = np.full((300, 8), -1, dtype=np.int64)
        joints = np.zeros(300, dtype=np.int64)
        n_sets = walk_closed(local, sets, joints)
        met = [frozenset(each) - {-1} for each in sets[:n_sets].tolist()]
        assert len(set(met)) == n_sets
        expected = dict(plain_counting.closed_sets(e, records))
        assert all(expected[each] == joint for each, joint in zip(met, joints, strict=False))
        # A set that one group holds is the record itself, and not met.
        alone = {each for each in expected if sum(each < r - {e} for r in records if e in r) == 0}
        assert set(met) >= set(expected) - alone


@numba.njit
def enter_all(worst, size, numbers, path):
    for n in range(len(numbers)):
        keep_worst(worst, size, numbers[n, 2], path, numbers[n, 0], numbers[n, 1], n)


@examples(300)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), max_size=12),
    st.integers(0, 5),
    st.integers(1, 3),
)
def test_keep_worst(met, keep, size):
    numbered = [(hits, support, number) for number, (hits, support) in enumerate(met)]
    reference = plain_counting.keep_worst(numbered, keep)
    worst = new_worst(3, keep)
    path = np.array([7, 8, 9, 0], dtype=np.int32)
    enter_all(worst, size, np.array(numbered, dtype=np.int64).reshape(-1, 3), path)
    assert worst.counts.tolist() == [len(reference) if n == size else 0 for n in range(4)]
    for place, (hits, support, number) in enumerate(reference):
        assert worst.sets[size, place, : size + 1].tolist() == [number, *path[:size].tolist()]
        assert worst.numbers[size, place].tolist() == [hits, support, number]
