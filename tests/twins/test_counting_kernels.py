"""The counting kernels return what their plain twins return."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import examples, problems, tables
from twins import plain_counting
from twins.layouts import all_bitmaps, arrays, laid_out, lists, rows_in, sensitive_ranks
from withhold.counting import pairs
from withhold.counting.arrays import room_for, sort_ascending
from withhold.counting.attack import Attacks, try_attacks
from withhold.counting.bits import clear_bits, make_bitmaps, set_bit
from withhold.counting.equal_items import find_equal
from withhold.counting.holding import mark_holding
from withhold.counting.layout import (
    Layout,
    count_kept,
    find_places,
    find_positions,
    lay_out,
    transpose_twice,
)
from withhold.counting.local_rows import merge_local_rows
from withhold.counting.pairs import count_all_pairs, count_beside, count_pairs
from withhold.counting.rounds import list_sets
from withhold.counting.supports import IndexedRows, support_of
from withhold.counting.threads import Stop
from withhold.counting.triples import TripleRound, count_triples
from withhold.counting.walk import Rows
from withhold.data import Records
from withhold.data.plan import without
from withhold.methods.coherence.cohorts import split_rows
from withhold.methods.rho.check.closed_sets import find_unsafe_closed_set
from withhold.methods.rho.model import Limits

many_or_few = st.sampled_from([1, 9])
"""How often a table is repeated: nine times, and its rows no longer fit one word of a bitmap."""


@examples(300)
@given(problems())
def test_layout__holds_the_same_table(problem):
    rows, sensitive, _ = problem
    table = Records.from_lists(rows)
    layout, records = laid_out(rows, sensitive)
    assert (np.diff(layout.supports) >= 0).all()
    assert (np.diff([len(record) for record in records]) <= 0).all()
    for row, record in enumerate(records):
        original = table.record(layout.record_of_row[row])
        assert {table.vocabulary[layout.code_of_rank[rank]] for rank in record} == set(original)
        places = layout.origin[layout.offsets[row] : layout.offsets[row + 1]]
        assert {table.vocabulary[code] for code in table.items[places]} == set(original)
        first = table.offsets[layout.record_of_row[row]]
        assert sorted(places.tolist()) == list(range(first, first + len(original)))
        marked = layout.sensitive_items[
            layout.sensitive_offsets[row] : layout.sensitive_offsets[row + 1]
        ]
        assert set(marked.tolist()) == {rank for rank in record if layout.sensitive[rank]}
    for rank in range(layout.n_items):
        span = slice(layout.post_offsets[rank], layout.post_offsets[rank + 1])
        assert layout.post_rows[span].tolist() == [
            row for row, record in enumerate(records) if rank in record
        ]
        assert (layout.items[layout.post_positions[span]] == rank).all()


@examples(200)
@given(problems(), st.data())
def test_layout__of_what_is_kept_is_that_of_the_table_without_the_rest(problem, data):
    rows, sensitive, _ = problem
    table = Records.from_lists(rows)
    marks = data.draw(st.lists(st.booleans(), min_size=table.n_occurrences))
    kept = np.array(marks[: table.n_occurrences], dtype=bool)
    rest = without(np.flatnonzero(~kept), table)
    some = lay_out(table, table.codes(sensitive), kept)
    alone = lay_out(rest, rest.codes(sensitive))
    names = {field.name for field in fields(Layout)} - {"records"} | {"post_positions"}
    for name in names:
        assert np.array_equal(getattr(some, name), getattr(alone, name))
    assert np.array_equal(some.origin, np.flatnonzero(kept)[alone.origin])


@examples(300)
@given(tables(), many_or_few, st.booleans(), st.data())
def test_support_of(problem, times, with_bitmaps, data):
    layout, records = laid_out(problem[0] * times, problem[1])
    deleted = data.draw(st.frozensets(st.sampled_from(range(len(layout.items) + 1)), max_size=9))
    deleted -= {len(layout.items)}
    items, supports = layout.items.copy(), layout.supports.copy()
    bitmaps = all_bitmaps(layout) if with_bitmaps else layout.bitmaps()
    for place in deleted:
        row = int(np.searchsorted(layout.offsets, place, side="right") - 1)
        rank, first = int(items[place]), layout.n_items - len(bitmaps)
        clear_bits(bitmaps, first, np.array([rank]), np.array([row]))
        records[row] -= {rank}
        items[place] = ~rank
        supports[rank] -= 1
    ranks = st.sampled_from(range(layout.n_items)) if layout.n_items else st.nothing()
    itemset = data.draw(st.frozensets(ranks))
    enough = data.draw(st.integers(1, 10 * times))
    reference = plain_counting.support_of(itemset, records, enough)
    result = support_of(
        IndexedRows(
            layout.offsets, items, layout.post_offsets, layout.post_rows, supports, bitmaps
        ),
        np.array(sorted(itemset), dtype=np.int32),
        enough,
    )
    assert result == reference


@examples(700)
@given(problems(), st.booleans(), st.booleans(), many_or_few)
def test_find_unsafe_closed_set(problem, with_prior, with_bitmaps, times):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows * times, sensitive)
    consequents = layout.sensitive_ranks()
    rows = layout.rows(with_bitmaps=True)
    if with_bitmaps:
        rows = rows._replace(bitmaps=all_bitmaps(layout))
    limits = Limits(rho.numerator, rho.denominator, with_prior)
    rule, looked_at = find_unsafe_closed_set(rows, consequents, limits, Stop().flag)
    unsafe = plain_counting.find_unsafe_closed_set(
        records, consequents.tolist(), rho, with_prior=with_prior
    )
    assert (rule is not None) == unsafe
    if rule is not None:
        itemset, consequent, joint, support = rule
        found = frozenset(itemset.tolist())
        assert support == plain_counting.count_support(found, records)
        assert joint == plain_counting.count_support(found | {consequent}, records)
        assert Fraction(joint, support) > rho
    else:
        # Every closed set of every D_e was checked; single rows are counted besides.
        n_closed = sum(
            1 for e in consequents.tolist() for _ in plain_counting.closed_sets(e, records)
        )
        assert looked_at >= n_closed


@examples(300)
@given(problems(), st.integers(1, 3), st.data())
def test_try_attacks(problem, size, data):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    long_enough = [sorted(record) for record in records if len(record) >= size]
    if not long_enough:
        return
    known = [
        sorted(data.draw(st.permutations(data.draw(st.sampled_from(long_enough))))[:size])
        for _ in range(3)
    ]
    supports = np.zeros(3, dtype=np.int64)
    inferred = np.zeros(3, dtype=np.bool_)
    tried = try_attacks(
        layout.rows(),
        layout.sensitive_offsets,
        layout.sensitive_items,
        rho.numerator,
        rho.denominator,
        Attacks(np.array(known, dtype=np.int32), supports, inferred),
        Stop().flag,
    )
    expected = plain_counting.try_attacks(
        [frozenset(q) for q in known],
        records,
        sensitive_ranks(layout),
        rho,
    )
    assert tried == 3
    assert list(zip(supports.tolist(), inferred.tolist(), strict=True)) == expected


holders = st.lists(st.frozensets(st.integers(0, 150)), min_size=1, max_size=6)


@examples(200)
@given(holders, st.integers(0, 6))
def test_make_bitmaps(rows, first):
    first = min(first, len(rows))
    reference = plain_counting.make_bitmaps(rows, first)
    result = make_bitmaps(*arrays(rows), first, 151)
    assert rows_in(result) == reference
    assert result.shape == (len(rows) - first, 3)


@examples(200)
@given(holders, st.integers(0, 6), st.integers(0, 5), st.integers(0, 150))
def test_set_bit(rows, first, item, row):
    first, item = min(first, len(rows)), min(item, len(rows) - 1)
    reference = plain_counting.set_bit(plain_counting.make_bitmaps(rows, first), first, item, row)
    result = make_bitmaps(*arrays(rows), first, 151)
    set_bit(result, first, item, row)
    assert rows_in(result) == reference


@examples(200)
@given(holders, st.integers(0, 6), st.data())
def test_clear_bits(rows, first, data):
    first = min(first, len(rows))
    there = [(item, row) for item in range(len(rows)) for row in (*rows[item], 7, 150)]
    pairs = data.draw(st.lists(st.sampled_from(there)))
    reference = plain_counting.clear_bits(plain_counting.make_bitmaps(rows, first), first, pairs)
    result = make_bitmaps(*arrays(rows), first, 151)
    chosen = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    clear_bits(result, first, chosen[:, 0], chosen[:, 1])
    assert rows_in(result) == reference


@examples(300)
@given(st.lists(st.frozensets(st.integers(0, 3)), min_size=1, max_size=8), st.data())
def test_find_equal(keys, data):
    # A good hash tells all different items apart; a bad one must not make them equal.
    good = {item: hash(each) for item, each in enumerate(keys)}
    bad = {item: data.draw(st.sampled_from([0, 1])) for item in good}
    hashes = data.draw(st.sampled_from([good, bad]))
    order = sorted(good, key=lambda item: (hashes[item], item))
    reference = plain_counting.find_equal([(x, sorted(keys[x])) for x in order], hashes)
    needless = np.zeros(len(keys), dtype=np.bool_)
    find_equal(np.array(order), np.array([hashes[x] for x in good]), *arrays(keys), needless)
    assert set(np.flatnonzero(needless)) == reference
    if hashes is good:
        assert reference == {x for x, each in enumerate(keys) if each in keys[:x]}


@st.composite
def some_kept(draw):
    """Records that ascend, and for each occurrence whether it is kept."""
    records = draw(st.lists(st.frozensets(st.integers(0, 5)).map(sorted), max_size=8))
    kept = [[draw(st.booleans()) for _ in record] for record in records]
    return records, kept


def in_a_row(marks):
    return np.array([mark for each in marks for mark in each], dtype=np.bool_)


@examples(200)
@given(some_kept(), st.integers(0, 3))
def test_count_kept(problem, already):
    records, kept = problem
    reference = plain_counting.count_kept(records, kept, 6)
    supports = np.full(6, already, dtype=np.int64)
    lengths = np.full(len(records), already, dtype=np.int32)
    count_kept(*arrays(records), in_a_row(kept), supports, lengths)
    assert ((supports - already).tolist(), (lengths - already).tolist()) == reference


@examples(200)
@given(some_kept(), st.permutations(range(6)), st.data())
def test_transpose_twice(problem, rank_of_code, data):
    records, kept = problem
    record_of_row = data.draw(st.permutations(range(len(records))))
    reference = plain_counting.transpose_twice(records, kept, rank_of_code, record_of_row)
    post_offsets = arrays(reference[1])[0]
    offsets, items, post_rows = transpose_twice(
        *arrays(records),
        in_a_row(kept),
        np.array(rank_of_code, dtype=np.int32),
        np.array(record_of_row, dtype=np.int32),
        post_offsets,
    )
    assert (lists(offsets, items), lists(post_offsets, post_rows)) == reference


@examples(200)
@given(tables())
def test_find_positions(problem):
    layout, records = laid_out(*problem)
    reference = plain_counting.find_positions([sorted(row) for row in records], layout.n_items)
    result = find_positions(layout.items, layout.post_offsets)
    assert lists(layout.post_offsets, result) == reference


@examples(200)
@given(some_kept(), st.permutations(range(6)), st.data())
def test_find_places(problem, code_of_rank, data):
    records, kept = problem
    record_of_row = data.draw(st.permutations(range(len(records))))
    rank_of_code = [code_of_rank.index(code) for code in range(6)]
    rows, _ = plain_counting.transpose_twice(records, kept, rank_of_code, record_of_row)
    reference = plain_counting.find_places(rows, code_of_rank, record_of_row, records)
    offsets, items = arrays(rows)
    result = find_places(
        offsets,
        items,
        np.array(code_of_rank, dtype=np.int32),
        np.array(record_of_row, dtype=np.int32),
        *arrays(records),
    )
    assert lists(offsets, result) == reference


@examples(300)
@given(st.lists(st.frozensets(st.integers(0, 4)).map(sorted), max_size=40))
def test_merge_local_rows(rows):
    reference = plain_counting.merge_local_rows(rows)
    group_of = np.empty(len(rows), dtype=np.int32)
    n_groups, first_of, sizes = merge_local_rows(len(rows), *arrays(rows), group_of)
    assert (group_of.tolist(), first_of[:n_groups].tolist(), sizes[:n_groups].tolist()) == reference


@examples(200)
@given(st.lists(st.integers(-1000, 1000)), st.integers(0, 40))
def test_sort_ascending_and_room_for(numbers, more):
    array = np.array(numbers, dtype=np.int32)
    sort_ascending(array, len(array))
    assert array.tolist() == sorted(numbers)
    larger = room_for(array, len(array) + more)
    assert len(larger) >= len(array) + more
    assert larger[: len(array)].tolist() == sorted(numbers)


@examples(200)
@given(tables(), st.integers(0, 8), st.integers(0, 8))
def test_count_pairs(problem, first, size):
    table = Records.from_lists(problem[0])
    counts = np.zeros((size, table.n_items), dtype=np.int32)
    rows = lists(table.offsets, table.items)
    count_pairs(table.offsets, table.items, first, counts, Stop().flag)
    expected = plain_counting.count_pairs(rows, first, first + size)
    assert {(low + first, high): counts[low, high] for low, high in np.argwhere(counts)} == expected


@examples(100)
@given(tables(), st.integers(1, 30), st.integers(1, 3))
def test_count_all_pairs__are_the_same_in_small_blocks(problem, most, jobs):
    table = Records.from_lists(problem[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "MOST_CELLS", most)
        patch.setattr(pairs, "WORTH_SHARING", 0)
        blocks = list(count_all_pairs(table, Stop(), jobs=jobs))
    got = [tuple(map(int, each)) for block in blocks for each in zip(*block, strict=True)]
    rows = lists(table.offsets, table.items)
    expected = plain_counting.count_pairs(rows, 0, table.n_items)
    assert got == sorted((*pair, count) for pair, count in expected.items())


@examples(200)
@given(tables())
def test_count_beside(problem):
    rows, private = problem
    table = Records.from_lists(rows)
    laid = split_rows(table, table.codes(private))
    special = np.flatnonzero(laid.sensitive).tolist()
    records = [
        frozenset(public) | frozenset(own)
        for public, own in zip(
            lists(laid.offsets, laid.items),
            lists(laid.private_offsets, laid.private_items),
            strict=True,
        )
    ]
    walked = Rows(laid.offsets, laid.items, laid.post_offsets, laid.post_rows)
    joint = np.zeros((laid.n_items, laid.n_items), dtype=np.int32)
    for root in laid.public_ranks().tolist():
        counts, most = np.zeros((2, laid.n_items), dtype=np.int64)
        count_beside(walked, laid.private_offsets, laid.private_items, root, joint, counts, most)
        got = {x: (int(counts[x]), int(most[x])) for x in np.flatnonzero(counts).tolist()}
        assert got == plain_counting.count_beside(records, special, root)
        assert not joint.any()


@examples(300)
@given(
    st.lists(st.tuples(st.frozensets(st.integers(0, 6)), st.frozensets(st.integers(0, 2)))),
    st.tuples(st.integers(0, 6), st.integers(0, 7)),
    st.integers(1, 4),
    st.integers(80, 200),
)
def test_list_sets(rows, roots, size, room):
    sides = [[sorted(row[side]) for row in rows] for side in range(2)]
    public, private = map(arrays, sides)
    bases = (7, 4, size)
    keys, cursor = np.zeros(room, dtype=np.int64), np.zeros(2, dtype=np.int64)
    found: list[int] = []
    while cursor[0] < len(rows):
        # There is room for all sets that begin with one item of a row, so that it goes on each time.
        n = list_sets(*public, *private, roots, np.array(bases), keys, cursor)
        found += keys[:n].tolist()
    assert found == plain_counting.list_sets(*sides, roots, bases)


@examples(300)
@given(
    st.lists(st.frozensets(st.integers(0, 6))),
    st.tuples(st.integers(0, 6), st.integers(0, 7)).map(sorted),
    st.integers(1, 4),
)
def test_count_triples(rows, roots, cap):
    first, last = roots
    asked = TripleRound(tuple("abcdefg"), first, last, cap)
    sorted_rows = [sorted(row) for row in rows]
    expected = plain_counting.count_triples(sorted_rows, (first, 7), last, cap)
    cells = np.zeros(len(expected), dtype=np.uint8)
    count_triples(*arrays(sorted_rows), (first, 7), asked.starts(), cap, cells)
    assert cells.tolist() == expected
    records = Records.from_lists([["abcdefg"[item] for item in row] for row in rows])
    twice = asked.count(records).plus(asked.count(records))
    again = plain_counting.count_triples(sorted_rows * 2, (first, 7), last, cap)
    assert twice.cells.tolist() == again
    sets = [each for each in combinations(range(7), 3) if first <= each[0] < last]
    few = [(list(each), n) for each, n in zip(sets, again, strict=True) if 0 < n < cap]
    found = zip(*(each.tolist() for each in asked.rare(twice)), strict=True)
    assert list(found) == few


@examples(300)
@given(st.lists(st.frozensets(st.integers(0, 6))), st.integers(1, 3), st.data())
def test_mark_holding(rows, size, data):
    possible = list(combinations(range(7), size))
    sets = data.draw(st.sets(st.sampled_from(possible), max_size=6))
    sorted_rows = [sorted(row) for row in rows]
    keys = sorted(sum(item * 7 ** (size - 1 - n) for n, item in enumerate(each)) for each in sets)
    marked = np.zeros(len(rows), dtype=np.bool_)
    mark_holding(*arrays(sorted_rows), 7, size, np.array(keys, dtype=np.int64), marked)
    assert marked.tolist() == plain_counting.mark_holding(sorted_rows, sets)
