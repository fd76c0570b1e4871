"""The suppressor's kernels decide as their plain twins do."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from test_kernels import all_bitmaps, laid_out

from tables import examples, problems
from twins import plain
from withhold.counting.arrays import room_for, sort_ascending
from withhold.counting.bits import make_bitmaps
from withhold.counting.threads import Stop
from withhold.data import Transactions
from withhold.methods.rho.search.closed_fix import find_unsafe_pairs
from withhold.methods.rho.search.forced import find_forced, list_forced
from withhold.methods.rho.search.restore import ACCEPTED, BLOCKED, restore
from withhold.methods.rho.search.thinning import thin_records


@examples(400)
@given(problems())
def test_find_forced(problem):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    got = np.zeros(layout.n_rows, dtype=np.int64)
    middle = layout.n_items // 2
    for start, end in ((0, middle), (middle, layout.n_items)):
        find_forced(
            layout.offsets,
            layout.items,
            layout.post_offsets,
            layout.post_rows,
            layout.post_positions,
            layout.sensitive,
            start,
            end,
            rho.numerator,
            rho.denominator,
            got,
            Stop().flag,
        )
    ranks = frozenset(layout.sensitive_ranks().tolist())
    expected = plain.find_forced(records, ranks, rho)
    assert {row: int(got[row]) for row in np.flatnonzero(got)} == expected


@examples(200)
@given(problems(), st.data())
def test_list_forced__names_what_goes_and_what_stays(problem, data):
    rows, sensitive, _ = problem
    table = Transactions.from_lists(rows)
    layout, _ = laid_out(rows, sensitive)
    chosen = sorted(data.draw(st.sets(st.integers(0, layout.n_rows - 1))))
    starts, others, gone, answers = list_forced(
        np.array(chosen, dtype=np.int64),
        layout.offsets,
        layout.items,
        layout.sensitive,
        layout.code_of_rank,
        layout.origin,
    )
    named = [table.record(layout.record_of_row[row]) for row in chosen]
    for k, record in enumerate(named):
        stays = {table.vocabulary[code] for code in others[starts[k] : starts[k + 1]]}
        assert stays == set(record) - sensitive
        goes = {table.vocabulary[table.items[place]] for place in gone[answers == k]}
        assert goes == set(record) & sensitive
        span = table.offsets[layout.record_of_row[chosen[k]] :][:2]
        assert all(span[0] <= place < span[1] for place in gone[answers == k])
    assert len(others) + len(gone) == sum(len(record) for record in named)


@examples(400)
@given(problems(records=6, items=6), st.data())
def test_restore__puts_back_what_keeps_the_table_as_safe_as_it_was(problem, data):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    ranks = frozenset(layout.sensitive_ranks().tolist())
    max_known = data.draw(st.sampled_from([-1, 0, 1, 2, 3]))
    with_prior = data.draw(st.booleans())
    put_back = data.draw(st.booleans())
    # Delete at random until it is safe, so that restoring starts from a safe table.
    order = data.draw(st.permutations(range(len(layout.items))))
    items = layout.items.copy()
    row_of = np.repeat(np.arange(layout.n_rows), np.diff(layout.offsets)).astype(np.int32)
    alive = [set(record) for record in records]
    deleted = []
    for position in order:
        if plain.is_safe(alive, ranks, rho, max_known=max_known, with_prior=with_prior):
            break
        alive[row_of[position]].discard(int(items[position]))
        items[position] = -1
        deleted.append(position)
    assert plain.is_safe(alive, ranks, rho, max_known=max_known, with_prior=with_prior)
    candidates = np.array(sorted(deleted, key=lambda p: (layout.items[p], p)), dtype=np.int32)
    supports = np.array(
        [sum(rank in row for row in alive) for rank in range(layout.n_items)], dtype=np.int64
    )
    bitmaps = all_bitmaps(layout)
    for position in deleted:
        row = row_of[position]
        bitmaps[layout.items[position], row >> 6] &= ~(np.uint64(1) << np.uint64(row & 63))
    outcomes = np.zeros(len(candidates), dtype=np.int8)
    restore(
        candidates,
        row_of[candidates],
        layout.items[candidates],
        layout.offsets,
        items,
        layout.post_offsets,
        layout.post_rows,
        supports,
        bitmaps,
        layout.sensitive,
        rho.numerator,
        rho.denominator,
        with_prior,
        max_known,
        data.draw(st.sampled_from([0, 1, 8])),
        np.full(layout.n_items, 10**9),
        put_back,
        outcomes,
        Stop().flag,
    )
    for position, outcome in zip(candidates, outcomes, strict=True):
        row, rank = int(row_of[position]), int(layout.items[position])
        alive[row].add(rank)
        safe = plain.is_safe(alive, ranks, rho, max_known=max_known, with_prior=with_prior)
        assert outcome == (ACCEPTED if safe else BLOCKED)
        if not (safe and put_back):
            alive[row].discard(rank)
        assert (items[position] == rank) == (safe and put_back)


@examples(400)
@given(problems(), st.booleans())
def test_find_unsafe_pairs(problem, with_prior):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    ranks = layout.sensitive_ranks().tolist()
    pairs = [(e, d) for e in ranks for d in (-1, *range(layout.n_items)) if d != e]
    got = np.zeros(len(pairs), dtype=bool)
    find_unsafe_pairs(
        np.array(pairs, dtype=np.int32).reshape(-1, 2),
        0,
        1,
        layout.offsets,
        layout.items,
        layout.post_offsets,
        layout.post_rows,
        layout.supports.copy(),
        all_bitmaps(layout),
        rho.numerator,
        rho.denominator,
        with_prior,
        got,
        Stop().flag,
    )
    expected = [
        any(
            joint > rho * plain.count_support(antecedent, records)
            for antecedent, joint in plain.closed_sets(e, records)
            if (antecedent or with_prior) and (d == -1 or d in antecedent)
        )
        for e, d in pairs
    ]
    assert got.tolist() == expected


@examples(300)
@given(problems(), st.sampled_from([0.0, 0.05, 10.0]))
def test_thin_records(problem, bias):
    rows, sensitive, rho = problem
    layout, records = laid_out(rows, sensitive)
    items = layout.items.copy()
    thin_records(
        layout.offsets,
        items,
        layout.post_offsets,
        layout.post_rows,
        layout.supports.copy(),
        layout.bitmaps(),
        layout.sensitive,
        layout.supports,
        bias,
        rho.numerator,
        rho.denominator,
        Stop().flag,
    )
    ends = layout.offsets.tolist()
    got = [set(items[a:b].tolist()) - {-1} for a, b in zip(ends, ends[1:], strict=False)]
    ranks = frozenset(layout.sensitive_ranks().tolist())
    assert got == plain.thin_records(records, ranks, rho, bias=bias)
