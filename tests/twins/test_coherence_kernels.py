"""The kernels about moles and nuggets return what their plain twins return."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import Rows, examples, tables
from twins import plain_coherence
from withhold.counting.surveys import SurveyRun
from withhold.counting.threads import Stop
from withhold.counting.triples import starts_of_cells
from withhold.data import Records
from withhold.methods.coherence import breach_store
from withhold.methods.coherence.breach_store import EMPTY, move_keys
from withhold.methods.coherence.check.public_sets import find_rare_row
from withhold.methods.coherence.cohorts import (
    Limits,
    SplitRows,
    split_rows,
)
from withhold.methods.coherence.minimal_moles import NO_MOLE, are_first_minimal_moles, judge_items
from withhold.methods.coherence.model import Coherence
from withhold.methods.coherence.mole_survey import count_minimal, store_breaches, survey
from withhold.methods.coherence.search.cell_cover import cover_cells, put_back_items, take_items
from withhold.methods.coherence.search.listed_nuggets import list_nuggets
from withhold.methods.coherence.search.mole_counts import (
    AllMoleCounter,
    NuggetCounter,
    items_for_moles,
)
from withhold.methods.coherence.search.mole_cover import cover_moles
from withhold.methods.coherence.search.supersets import keep_maximal, new_scratch

shares = st.sampled_from([Fraction(share) for share in ("1/5", "1/2", "2/3", "9/10", "1")])
sizes = st.integers(1, 8)


def split(rows: Rows, private: frozenset[str]) -> tuple[SplitRows, list[frozenset[int]]]:
    """The rows as kernels take them, and as sets of ranks for the twins."""
    table = Records.from_lists(rows)
    laid = split_rows(table, table.codes(private))
    rank = {table.vocabulary[code]: r for r, code in enumerate(laid.code_of_rank.tolist())}
    return laid, [frozenset(rank[item] for item in row) for row in rows]


def private_ranks(laid: SplitRows) -> frozenset[int]:
    return frozenset(np.flatnonzero(laid.sensitive).tolist())


@examples(300)
@given(tables())
def test_split_rows__holds_the_same_table(problem):
    laid, records = split(*problem)
    private = private_ranks(laid)
    assert (np.diff(np.diff(laid.offsets)) <= 0).all()
    for row, record in enumerate(laid.record_of_row.tolist()):
        public = laid.items[laid.offsets[row] : laid.offsets[row + 1]].tolist()
        hidden = laid.private_items[
            laid.private_offsets[row] : laid.private_offsets[row + 1]
        ].tolist()
        assert public == sorted(records[record] - private)
        assert hidden == sorted(records[record] & private)
    for rank in range(laid.n_items):
        holders = laid.post_rows[laid.post_offsets[rank] : laid.post_offsets[rank + 1]].tolist()
        held = [records[record] for record in laid.record_of_row.tolist()]
        assert holders == [row for row, record in enumerate(held) if rank in record]


def in_rows(laid: SplitRows, records: list[frozenset[int]]) -> list[frozenset[int]]:
    """The records in the order of the rows."""
    return [records[record] for record in laid.record_of_row.tolist()]


@examples(300)
@given(tables(), shares, st.integers(1, 5))
def test_judge_items(problem, h, k):
    laid, records = split(*problem)
    ranks, private = laid.public_ranks(), private_ranks(laid)
    numbers = np.zeros((len(ranks), 3), dtype=np.int64)
    limits = Limits(k, h.numerator, h.denominator, 1)
    walk = laid.tour(ranks, ~laid.sensitive, 1).walk
    judge_items(laid.problem(limits, Stop()), walk, ranks, numbers)
    expected = plain_coherence.judge_items(ranks.tolist(), records, private, k, h)
    got = [(support, None if s == NO_MOLE else s, joint) for support, s, joint in numbers.tolist()]
    assert got == expected


@examples(300)
@given(tables(), shares, st.integers(1, 5), st.integers(1, 4), st.data())
def test_are_first_minimal_moles(problem, h, k, size, data):
    laid, records = split(*problem)
    rows = in_rows(laid, records)
    private = private_ranks(laid)
    all_draws = [
        (row, frozenset(part))
        for row, record in enumerate(rows)
        for part in combinations(sorted(record - private), size)
    ]
    draws = data.draw(st.permutations(all_draws))[:200]
    hits = np.ones(len(draws), dtype=np.bool_)
    are_first_minimal_moles(
        laid.problem(Limits(k, h.numerator, h.denominator, size), Stop()),
        laid.tour(laid.public_ranks(), ~laid.sensitive, 1).walk,
        np.array([row for row, _ in draws], dtype=np.int32),
        np.array([sorted(part) for _, part in draws], dtype=np.int32).reshape(-1, size),
        hits,
    )
    expected = plain_coherence.are_first_minimal_moles(draws, rows, private, k, h)
    assert hits.tolist() == expected


@examples(300)
@given(st.dictionaries(st.integers(0, 10**6), st.integers(0, 99), max_size=16), st.integers(0, 2))
def test_move_keys(stored, times):
    keys, heads = (np.full(32 << times, EMPTY, dtype=np.int64) for _ in range(2))
    # Where the keys stood before does not matter.
    old_keys, old_heads = (np.full(32, EMPTY, dtype=np.int64) for _ in range(2))
    old_keys[: len(stored)], old_heads[: len(stored)] = list(stored), list(stored.values())
    move_keys(old_keys, old_heads, keys, heads)
    there = keys != EMPTY
    found = dict(zip(keys[there].tolist(), heads[there].tolist(), strict=True))
    assert found == plain_coherence.move_keys(stored)
    # A key that is moved again is found where it stands.
    again = keys.copy(), heads.copy()
    move_keys(old_keys, old_heads, *again)
    assert [part.tolist() for part in again] == [keys.tolist(), heads.tolist()]


@examples(300)
@given(tables(), shares, st.integers(1, 5), sizes, st.booleans())
def test_survey_moles(problem, h, k, largest, small_store):
    laid, records = split(*problem)
    limits = Limits(k, h.numerator, h.denominator, largest)
    room = breach_store.FIRST_CAPACITY
    # With hardly any room the store has to grow on the way.
    breach_store.FIRST_CAPACITY = 8 if small_store else room
    try:
        found = survey(laid, limits, SurveyRun(stop=Stop(), keep=1000))
    finally:
        breach_store.FIRST_CAPACITY = room
    expected = plain_coherence.survey_moles(records, private_ranks(laid), k, h, largest)
    assert {frozenset(items) for moles in found.worst for items, *_ in moles} == expected
    assert sum(found.counts) == len(expected)
    for items, support, private, joint in (mole for moles in found.worst for mole in moles):
        holders = [record for record in records if frozenset(items) <= record]
        assert support == len(holders)
        assert (private == -1) == (support < k)
        assert joint == (0 if private < 0 else sum(private in record for record in holders))


@examples(400)
@given(tables(), shares, st.integers(1, 5), sizes)
def test_count_minimal__with_one_item(problem, h, k, largest):
    laid, records = split(*problem)
    limits = Limits(k, h.numerator, h.denominator, largest)
    minimal = plain_coherence.survey_moles(records, private_ranks(laid), k, h, largest)
    alive = ~laid.sensitive & (laid.supports > 0)
    alive[[item for q in minimal if len(q) == 1 for item in q]] = False
    store = store_breaches(laid, limits, alive, Stop())
    for root in np.flatnonzero(alive).tolist():
        one = np.array([root], dtype=np.int32)
        counts = count_minimal(laid, limits, store, alive, Stop(), root=one)
        assert counts.tolist() == [
            sum({root, other} <= q and len(q) > 1 for q in minimal) for other in range(laid.n_items)
        ]


@examples(400)
@given(tables(records=12), shares, st.integers(2, 9), st.one_of(st.none(), sizes), st.booleans())
def test_count_moles(problem, h, k, p, shared_out):
    rows, private = problem
    table = Records.from_lists(rows)
    model = Coherence(h, k, p, private)
    codes = frozenset(table.codes(private).tolist())
    code = {name: number for number, name in enumerate(table.vocabulary)}
    records = [frozenset(code[item] for item in row) for row in rows]
    moles = plain_coherence.count_moles(records, codes, k, h, p or 8)
    alone = {item for q in moles if len(q) == 1 for item in q}
    moles = {q for q in moles if not q & alone}
    alive = np.array([number not in codes | alone for number in range(table.n_items)], dtype=bool)
    chosen = items_for_moles(table, model, alive)
    store = store_breaches(chosen.rows, chosen.limits, chosen.alive(alive), Stop())
    counter = AllMoleCounter(chosen, store, Stop(), 2, worth_sharing=0 if shared_out else 10**9)
    expected = {v: sum(v in q for q in moles) for v in np.flatnonzero(alive).tolist()}
    got = counter.count_each(alive)
    assert {v: got.get(v, 0) for v in expected} == expected
    for v in expected:
        shared = counter.count_shared(v, alive)
        for u in expected:
            assert shared.get(u, 0) == sum({u, v} <= q for q in moles)


@examples(250)
@given(tables(records=12), st.integers(1, 6), st.sampled_from("abcdefgh"))
def test_count_nuggets(problem, k, gone):
    rows, private = problem
    table = Records.from_lists(rows)
    alive = np.array([name not in private | {gone} for name in table.vocabulary], dtype=bool)
    code = {name: number for number, name in enumerate(table.vocabulary)}
    left = [row - ({gone} - private) for row in rows]
    nuggets = plain_coherence.count_nuggets(
        [frozenset(code[item] for item in row) for row in left], k
    )
    for counter in (NuggetCounter(table, private, k, Stop()), list_nuggets(table, private, k, 1)):
        assert counter.count_all(alive) == len(nuggets)
        got = counter.count_each(alive)
        for v in np.flatnonzero(alive).tolist():
            assert got.get(v, 0) == sum(v in q for q in nuggets)
            shared = counter.count_shared(v, alive)
            for u in np.flatnonzero(alive).tolist():
                assert shared.get(u, 0) == sum({u, v} <= q for q in nuggets)


@examples(300)
@given(tables(), st.integers(1, 4), st.booleans())
def test_find_rare_row(problem, k, with_bitmaps):
    laid, records = split(*problem)
    indexed = laid.rows(with_bitmaps=with_bitmaps)
    row, support = find_rare_row(laid.problem(Limits(k, 1, 1, 1), Stop()), indexed)
    public = [record - private_ranks(laid) for record in in_rows(laid, records)]
    assert (row, support) == plain_coherence.find_rare_row(public, k)


@examples(300)
@given(tables(records=12))
def test_keep_maximal(problem):
    laid, _ = split(problem[0], frozenset())
    n = laid.n_rows
    # A cohort of all rows, none of whose items is on the path.
    tour = laid.tour(laid.public_ranks(), ~laid.sensitive, 1)
    tour = tour._replace(offsets=laid.offsets, items=laid.items)
    walk = tour.walk
    walk.pool_row[:n], walk.pool_position[:n] = np.arange(n), laid.offsets[:-1] - 1
    end = keep_maximal(tour, walk, 0, n, new_scratch(laid.n_items, 1))
    held = [
        frozenset(laid.items[laid.offsets[row] : laid.offsets[row + 1]].tolist())
        for row in range(n)
    ]
    kept = [held[row] for row in walk.pool_row[:end].tolist()]
    assert len(set(kept)) == len(kept)
    assert set(kept) == plain_coherence.keep_maximal(held)


@examples(300)
@given(
    st.sets(st.sampled_from(list(combinations(range(7), 3))), max_size=20),
    st.lists(st.integers(1, 9), min_size=7, max_size=7),
)
def test_take_items__and_put_back_items(moles, supports):
    cells = np.array([each in moles for each in combinations(range(7), 3)])
    starts, alive = starts_of_cells(7, 0, 7), np.ones(7, dtype=bool)
    taken = np.zeros(7, dtype=np.int64)
    n = take_items(cells, starts, np.array(supports), alive, taken)
    assert taken[:n].tolist() == plain_coherence.take_items(moles, supports)
    assert np.flatnonzero(~alive).tolist() == sorted(taken[:n].tolist())
    expected = plain_coherence.put_back_items(moles, taken[:n].tolist())
    put_back_items(cells, starts, alive, taken[:n])
    assert set(np.flatnonzero(~alive).tolist()) == expected
    for restoring in (False, True):
        one, other = np.ones(7, dtype=bool), np.ones(7, dtype=bool)
        found = cover_cells(cells, np.array(supports), one, restoring)
        listed = np.array(sorted(moles), dtype=np.int64).reshape(-1, 3)
        assert found == cover_moles(listed, np.array(supports), other, restoring=restoring)
        assert one.tolist() == other.tolist()
