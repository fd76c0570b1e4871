"""The mining kernels return what their plain twins return."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import Rows, examples, tables
from twins import plain_mining
from twins.layouts import all_bitmaps, arrays
from withhold.counting.layout import lay_out
from withhold.data import Records
from withhold.mining.itemset_index import (
    count_supports,
    find_rules,
    index_itemsets,
    match_itemsets,
)
from withhold.mining.rows import PARTS, MiningRows, Wanted, mining_rows, new_search, with_room
from withhold.mining.search import FINISHED, N_SETS, NO_ROOM, STOPPED, TOO_MANY, mine_itemsets

Found = dict[frozenset[int], int]


def mined(
    rows: MiningRows,
    least: int,
    *,
    closed: bool = False,
    most_items: int = 0,
    most_sets: int = 10**6,
    ranks: tuple[int, int] | None = None,
    stopped: bool = False,
    little_room: bool = False,
) -> tuple[int, list[tuple[frozenset[int], int]]]:
    """The status, and the sets of codes with their supports in the order found."""
    first, last = ranks or (0, len(rows.code_of_rank))
    wanted = Wanted(closed, least, most_items, most_sets)
    search = new_search(rows, first, last)
    if little_room:
        # No more than the rows themselves take: everything has to grow at the first table.
        n_rows, n_items = len(rows.weights), len(rows.items)
        for names, room in zip(PARTS, (n_items, n_rows, last - first, 1, 0), strict=True):
            cut = {name: getattr(search, name)[:room].copy() for name in names}
            search = search._replace(**cut)
    while (status := mine_itemsets(search, wanted, np.array([int(stopped)]))) == NO_ROOM:
        search = with_room(search)
    n_sets = int(search.numbers[N_SETS])
    offsets, items, supports = search.set_offsets, search.set_items, search.set_supports
    sets = [rows.code_of_rank[items[offsets[s] : offsets[s + 1]]] for s in range(n_sets)]
    assert all(len(set(codes.tolist())) == len(codes) for codes in sets)
    return status, [(frozenset(c.tolist()), int(n)) for c, n in zip(sets, supports, strict=False)]


def coded(rows: Rows) -> tuple[Records, list[frozenset[int]]]:
    table = Records.from_lists(rows)
    ends = table.offsets.tolist()
    codes = table.items.tolist()
    return table, [frozenset(codes[a:b]) for a, b in zip(ends, ends[1:], strict=False)]


@st.composite
def crowds(draw: st.DrawFn) -> Rows:
    """Records made of a few patterns and some noise, so that items imply others; few or very many."""
    chance = random.Random(draw(st.integers(0, 10**6)))
    items = [f"{x}" for x in range(draw(st.integers(5, 10)))]
    noise = draw(st.sampled_from([0.05, 0.2, 0.5]))
    patterns = [frozenset(chance.sample(items, chance.randint(1, 4))) for _ in range(5)]
    return [
        frozenset().union(*chance.sample(patterns, chance.randint(0, 2)))
        | {x for x in items if chance.random() < noise}
        for _ in range(draw(st.sampled_from([8, 30, 400])))
    ]


@examples(300)
@given(tables(), st.integers(1, 5), st.booleans())
def test_mine_itemsets(problem, least, closed):
    table, records = coded(problem[0])
    status, found = mined(mining_rows(table, least), least, closed=closed)
    assert status == FINISHED
    assert len(found) == len(dict(found))
    assert dict(found) == plain_mining.mine_itemsets(records, least, closed=closed)


@pytest.mark.parametrize("closed", [True, False])
@examples(80)
@given(rows=crowds(), least=st.integers(1, 6))
def test_mine_itemsets__where_items_imply_others(closed, rows, least):
    table, records = coded(rows)
    _, found = mined(mining_rows(table, least), least, closed=closed)
    assert len(found) == len(dict(found))
    assert dict(found) == plain_mining.mine_itemsets(records, least, closed=closed)


def test_mine_itemsets__closed_in_a_table_of_more_than_64_rows():
    # x is rarest, so its table has all 127 subsets as rows, and then those that hold y.
    others = "abcdefg"
    subsets = [set(s) for size in range(1, 8) for s in combinations(others, size)]
    rows = [
        *({"x", *subset} for subset in subsets),
        *({"x", "y", other} for other in others),
        *([{"y", *others}] * 100),
        *([{"y"}] * 100),
    ]
    table, records = coded([frozenset(row) for row in rows])
    _, found = mined(mining_rows(table, 5), 5, closed=True)
    assert (frozenset(table.codes("xy").tolist()), 7) in found
    assert dict(found) == plain_mining.mine_itemsets(records, 5, closed=True)


@examples(100)
@given(tables(), st.integers(1, 3), st.booleans())
def test_mine_itemsets__with_little_room_finds_the_same(problem, least, closed):
    rows = mining_rows(coded(problem[0])[0], least)
    ample = mined(rows, least, closed=closed)
    assert mined(rows, least, closed=closed, little_room=True) == ample


@examples(100)
@given(tables(), st.integers(1, 3), st.integers(1, 4))
def test_mine_itemsets__up_to_a_size(problem, least, size):
    table, records = coded(problem[0])
    _, found = mined(mining_rows(table, least), least, most_items=size)
    assert dict(found) == plain_mining.mine_itemsets(records, least, most_items=size)


@examples(100)
@given(tables(), st.integers(1, 3), st.booleans(), st.data())
def test_mine_itemsets__in_two_parts_is_the_whole_in_order(problem, least, closed, data):
    rows = mining_rows(coded(problem[0])[0], least)
    middle = data.draw(st.integers(0, len(rows.code_of_rank)))
    halves = [
        mined(rows, least, closed=closed, ranks=ranks)[1]
        for ranks in ((0, middle), (middle, len(rows.code_of_rank)))
    ]
    assert halves[0] + halves[1] == mined(rows, least, closed=closed)[1]


def test_mine_itemsets__ends_when_there_are_too_many():
    rows = mining_rows(coded([frozenset("abc")])[0], 1)
    assert mined(rows, 1, most_sets=7)[0] == FINISHED
    status, found = mined(rows, 1, most_sets=6)
    assert (status, len(found)) == (TOO_MANY, 6)


def test_mine_itemsets__ends_when_stopped():
    rows = mining_rows(coded([frozenset("abc")])[0], 1)
    assert mined(rows, 1, stopped=True) == (STOPPED, [])


@examples(100)
@given(tables(), st.integers(1, 4))
def test_mining_rows__hold_the_frequent_part(problem, least):
    table, records = coded(problem[0])
    frequent = {x for x, n in enumerate(table.supports.tolist()) if n >= least}
    rows = mining_rows(table, least)
    assert (np.diff(rows.supports) >= 0).all()
    ends = rows.offsets.tolist()
    got: Found = {}
    for row, (begin, end) in enumerate(zip(ends, ends[1:], strict=False)):
        ranks = rows.items[begin:end]
        assert (np.diff(ranks) > 0).all()
        key = frozenset(rows.code_of_rank[ranks].tolist())
        assert key not in got
        got[key] = int(rows.weights[row])
    expected: Found = {}
    for record in records:
        if cut := record & frequent:
            expected[cut] = expected.get(cut, 0) + 1
    assert got == expected


@examples(200)
@given(tables(), st.integers(1, 3), st.data())
def test_find_rules(problem, least, data):
    _, records = coded(problem[0])
    itemsets = plain_mining.mine_itemsets(records, least)
    every_rule = plain_mining.find_rules(itemsets, Fraction(1, 100))
    confidences = {Fraction(joint, support) for *_, joint, support in every_rule}
    confidence = data.draw(st.sampled_from(sorted(confidences | {Fraction(1, 3)})))
    sets = sorted(itemsets, key=sorted)
    offsets, items = arrays(sets)
    supports = np.array([itemsets[s] for s in sets], dtype=np.int64)
    n_rules, wholes, antecedents, consequents = find_rules(
        offsets,
        items,
        supports,
        index_itemsets(offsets, items),
        confidence.numerator,
        confidence.denominator,
    )
    got = [
        (sets[antecedents[k]], int(consequents[k]), itemsets[sets[wholes[k]]])
        for k in range(n_rules)
    ]
    assert all(sets[wholes[k]] == got[k][0] | {got[k][1]} for k in range(n_rules))
    ordered = plain_mining.find_rules({s: itemsets[s] for s in sets}, confidence)
    assert got == [(q, e, joint) for q, e, joint, _ in ordered]


# Of few items, so that many sets are the beginning of others and share their slots.
some_sets = st.lists(
    st.one_of(st.frozensets(st.integers(0, 3)), st.frozensets(st.integers(0, 7))), max_size=30
)


@examples(200)
@given(some_sets)
def test_index_itemsets(listed):
    reference = plain_mining.index_itemsets(listed)
    slots = index_itemsets(*arrays(listed))
    result = match_itemsets(*arrays(listed), *arrays(listed), slots)
    assert sorted(slots[slots >= 0].tolist()) == list(range(len(listed)))
    assert result.tolist() == [reference[itemset] for itemset in listed]


@examples(200)
@given(some_sets, some_sets)
def test_match_itemsets(wanted, listed):
    reference = plain_mining.match_itemsets(wanted, listed)
    slots = index_itemsets(*arrays(listed))
    result = match_itemsets(*arrays(wanted), *arrays(listed), slots)
    assert result.tolist() == reference


@examples(100)
@given(tables(), st.booleans(), st.sampled_from([1, 9]), st.data())
def test_count_supports(problem, with_bitmaps, times, data):
    table, records = coded(problem[0] * times)
    codes = st.frozensets(st.sampled_from(range(table.n_items))) if table.n_items else st.just(())
    sets = data.draw(st.lists(codes.map(frozenset), max_size=5))
    reference = plain_mining.count_supports(sets, records)
    layout = lay_out(table, np.empty(0, dtype=np.int32))
    rank_of_code = np.argsort(layout.code_of_rank).tolist()
    offsets, ranks = arrays([[rank_of_code[code] for code in codes] for codes in sets])
    result = count_supports(
        offsets,
        ranks,
        layout.offsets,
        layout.items,
        layout.post_offsets,
        layout.post_rows,
        layout.supports,
        all_bitmaps(layout) if with_bitmaps else layout.bitmaps(),
    )
    assert result.tolist() == reference
