"""The kernels that choose what to withhold for ρ-uncertainty decide as their plain twins do."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import Rows, examples, problems
from twins import plain_rho
from twins.layouts import (
    all_bitmaps,
    arrays,
    frozen_arrays,
    laid_out,
    left_in,
    lists,
    rows_in,
    sensitive_ranks,
)
from withhold.counting.layout import Layout
from withhold.counting.local_rows import new_numbering
from withhold.counting.supports import IndexedRows
from withhold.counting.threads import Stop
from withhold.counting.walk import new_walk
from withhold.methods.rho.model import Limits
from withhold.methods.rho.search.antecedent_fix import fix_antecedents, new_targets
from withhold.methods.rho.search.bounded import new_few
from withhold.methods.rho.search.closed_fix import (
    find_unsafe_pairs,
    fix_consequents,
    harmed_pairs,
)
from withhold.methods.rho.search.dealing import order_rows
from withhold.methods.rho.search.events import new_events
from withhold.methods.rho.search.restore import (
    BLOCKED,
    Blocking,
    Candidates,
    restore,
)
from withhold.methods.rho.search.room import (
    Rules,
    find_loose_events,
    find_obsolete,
    find_touched_events,
)
from withhold.methods.rho.search.thinning import thin_records
from withhold.methods.rho.search.unsafe_rules import (
    note_unsafe_closed_sets,
    note_unsafe_rules,
)
from withhold.methods.rho.search.within import new_trial


class Work:
    """A layout whose items can be deleted, with supports and bitmaps that follow."""

    def __init__(self, layout: Layout, *, with_bitmaps: bool = True):
        self.layout = layout
        self.items = layout.items.copy()
        self.supports = layout.supports.copy()
        self.bitmaps = all_bitmaps(layout) if with_bitmaps else layout.bitmaps()
        self.rows = IndexedRows(
            layout.offsets,
            self.items,
            layout.post_offsets,
            layout.post_rows,
            self.supports,
            self.bitmaps,
        )
        self.row_of = np.repeat(np.arange(layout.n_rows), np.diff(layout.offsets)).astype(np.int32)
        self.stop = Stop()

    def delete(self, place: int) -> None:
        """Delete the occurrence at a place."""
        rank, row = self.items[place], self.row_of[place]
        if len(self.bitmaps):
            self.bitmaps[rank, row >> 6] &= ~(np.uint64(1) << np.uint64(row & 63))
        self.supports[rank] -= 1
        self.items[place] = ~rank

    def records(self) -> list[frozenset[int]]:
        """The rows as they are now, having looked whether everything else says the same."""
        records = left_in(self.layout.offsets, self.items)
        holders = [
            {row for row, record in enumerate(records) if rank in record}
            for rank in range(self.layout.n_items)
        ]
        assert self.supports.tolist() == [len(rows) for rows in holders]
        first = self.layout.n_items - len(self.bitmaps)
        assert rows_in(self.bitmaps) == holders[first:]
        return records

    def outcome(self, events, antecedents):
        """The rows, and the deletions with their rules, as the twins tell them."""
        n_deleted = int(events.counts[0])
        rules = rules_in(events, antecedents)
        deletions = [
            (int(self.row_of[place]), int(self.layout.items[place]), rules[answer])
            for place, answer in zip(
                events.positions[:n_deleted], events.answers[:n_deleted], strict=True
            )
        ]
        assert {rule for *_, rule in deletions} == set(rules)
        return self.records(), deletions


def rules_in(events, antecedents):
    """The rules of the events, as the twins tell them."""
    return [
        (frozenset(q), *map(int, events.numbers[k]))
        for k, q in enumerate(lists(events.starts[: events.counts[1] + 1], antecedents))
    ]


def limits_of(rho: Fraction, *, with_prior: bool = True) -> Limits:
    return Limits(rho.numerator, rho.denominator, with_prior)


def state_of(seed: int | None) -> np.ndarray:
    return np.array([seed or 0], dtype=np.int64)


@st.composite
def works(draw: st.DrawFn, **how):
    """A table of which some occurrences are deleted, its sensitive ranks, and ρ."""
    rows, sensitive, rho = draw(problems(**how))
    layout, _ = laid_out(rows, sensitive)
    work = Work(layout, with_bitmaps=draw(st.booleans()))
    chance = random.Random(draw(st.integers(0, 10**6)))
    for place in chance.sample(range(len(work.items)), chance.randint(0, len(work.items) // 2)):
        work.delete(place)
    return work, sensitive_ranks(layout), rho


seeds = st.one_of(st.none(), st.integers(1, 10**6))


@examples(300)
@given(st.lists(st.frozensets(st.integers(0, 5)), max_size=12), st.frozensets(st.integers(0, 5)))
def test_order_rows__is_that_of_the_twin(rows, sensitive):
    offsets, items = frozen_arrays(rows)
    codes = sorted(set(range(6)) - sensitive)
    rank_of_code = np.full(6, -1, dtype=np.int32)
    rank_of_code[codes] = np.arange(len(codes))
    supports = [sum(code in row for row in rows) for code in codes]
    post_offsets = np.cumsum([0, *supports]).astype(np.int64)
    records = [frozenset(codes.index(code) for code in row - sensitive) for row in rows]
    expected = plain_rho.order_rows(records, range(len(codes)))
    assert order_rows(offsets, items, rank_of_code, post_offsets).tolist() == expected


@examples(300)
@given(works(), st.integers(1, 4), seeds)
def test_fix_antecedents(problem, size, seed):
    work, sensitive, rho = problem
    draws = plain_rho.lehmer(seed) if seed else None
    reference = plain_rho.fix_antecedents(work.records(), sensitive, rho, size=size, draws=draws)
    result = fix_antecedents(
        work.rows, work.layout.sensitive, size, limits_of(rho), state_of(seed), work.stop.flag
    )
    assert work.outcome(*result) == reference


@st.composite
def pairs_of(draw: st.DrawFn, work: Work, sensitive: frozenset[int]):
    """Some pairs of a sensitive item and another, or -1."""
    every = [(e, d) for e in sensitive for d in (-1, *range(work.layout.n_items)) if d != e]
    return draw(st.lists(st.sampled_from(every), unique=True)) if every else []


def as_array(pairs) -> np.ndarray:
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)


@examples(300)
@given(works(), st.booleans(), seeds, st.data())
def test_fix_consequents(problem, with_prior, seed, data):
    work, sensitive, rho = problem
    pairs = data.draw(pairs_of(work, sensitive))
    draws = plain_rho.lehmer(seed) if seed else None
    reference = plain_rho.fix_consequents(
        work.records(), pairs, rho, with_prior=with_prior, draws=draws
    )
    limits = limits_of(rho, with_prior=with_prior)
    result = fix_consequents(work.rows, as_array(pairs), limits, state_of(seed), work.stop.flag)
    assert work.outcome(*result) == reference
    # Whatever the order: the last pair is safe, for nothing was deleted after it.
    assert not any(
        plain_rho.find_unsafe_pairs(pairs[-1:], work.records(), rho, with_prior=with_prior)
    )


@examples(250)
@given(works(), st.booleans(), st.data())
def test_find_unsafe_pairs(problem, with_prior, data):
    work, sensitive, rho = problem
    pairs = data.draw(pairs_of(work, sensitive))
    reference = plain_rho.find_unsafe_pairs(pairs, work.records(), rho, with_prior=with_prior)
    result = np.zeros(len(pairs), dtype=bool)
    limits = limits_of(rho, with_prior=with_prior)
    find_unsafe_pairs(work.rows, as_array(pairs), limits, result, work.stop.flag)
    assert result.tolist() == reference


@examples(300)
@given(works(), st.integers(1, 4), st.integers(0, 12))
def test_note_unsafe_rules(problem, size, most):
    work, sensitive, rho = problem
    reference = plain_rho.note_unsafe_rules(work.records(), sensitive, rho, size=size, most=most)
    events, antecedents = new_events(most), np.empty(most * size, dtype=np.int32)
    targets = new_targets(work.rows, work.layout.sensitive, np.zeros(0, dtype=np.bool_))
    walk = new_walk(work.rows, size)
    note_unsafe_rules(work.rows, walk, targets, limits_of(rho), events, antecedents, work.stop.flag)
    assert rules_in(events, antecedents) == reference
    work.records()  # which looks whether anything was changed


@examples(300)
@given(works(), st.booleans())
def test_note_unsafe_closed_sets(problem, with_prior):
    work, sensitive, rho = problem
    reference = plain_rho.note_unsafe_closed_sets(
        work.records(), sensitive, rho, with_prior=with_prior
    )
    consequents = np.array(sorted(sensitive), dtype=np.int32)
    events, antecedents = new_events(len(sensitive)), np.empty(8 * len(sensitive), dtype=np.int32)
    numbering = new_numbering(work.layout.n_items, work.layout.n_rows)
    limits = limits_of(rho, with_prior=with_prior)
    note_unsafe_closed_sets(
        work.rows, consequents, limits, numbering, events, antecedents, work.stop.flag
    )
    rules = rules_in(events, antecedents)
    assert [e for _, e, _, _ in rules] == sorted(reference)
    assert all(rule in reference[rule[1]] for rule in rules)


@examples(200)
@given(works(), st.data())
def test_harmed_pairs(problem, data):
    work, sensitive, _ = problem
    times = st.lists(st.integers(0, 3), min_size=8, max_size=8)
    processed = dict(enumerate(data.draw(times)))
    suspects = [
        (d, when) for d, when in enumerate(data.draw(times)) if d < work.layout.n_items and when
    ]
    reference = plain_rho.harmed_pairs(suspects, processed, work.records(), sensitive)
    result = harmed_pairs(
        work.rows,
        np.array(suspects, dtype=np.int64).reshape(-1, 2),
        np.array(list(processed.values()), dtype=np.int64),
        work.layout.sensitive,
    )
    assert [tuple(pair) for pair in result.tolist()] == reference


def test_harmed_pairs__are_more_than_there_was_room_for_at_first():
    letters = [chr(code) for code in range(65, 80)]
    work = Work(laid_out([frozenset(letters)], frozenset(letters))[0])
    suspects = [(d, 1) for d in range(15)]
    processed = dict.fromkeys(range(15), 0)
    reference = plain_rho.harmed_pairs(suspects, processed, work.records(), frozenset(range(15)))
    result = harmed_pairs(
        work.rows, np.array(suspects), np.zeros(15, dtype=np.int64), work.layout.sensitive
    )
    assert [tuple(pair) for pair in result.tolist()] == reference
    assert len(reference) == 15 * 14


@st.composite
def wide(draw: st.DrawFn) -> tuple[Rows, frozenset[str], Fraction]:
    """A few records of about a dozen items, which have most of them in common."""
    universe = frozenset("abcdefghijklmnop")
    lost = st.frozensets(st.sampled_from(sorted(universe)), max_size=3)
    rows = draw(st.lists(lost.map(lambda some: universe - some), min_size=2, max_size=4))
    sensitive = draw(st.frozensets(st.sampled_from("abp"), min_size=1, max_size=2))
    rho = draw(st.sampled_from([Fraction(1, 2), Fraction(2, 3), Fraction(3, 4)]))
    return rows * draw(st.integers(2, 3)), sensitive, rho


def check_restore(problem, max_known, with_prior, put_back, data):
    """Delete at random until the table is safe; then kernel and twin put back what they can."""
    rows, sensitive, rho = problem
    work = Work(laid_out(rows, sensitive)[0], with_bitmaps=data.draw(st.booleans()))
    ranks = sensitive_ranks(work.layout)
    model = {"max_known": max_known, "with_prior": with_prior}
    deleted = []
    # In long records sensitive items go first: else nothing long would be left when all is safe.
    long = len(rows[0]) > 12
    order = data.draw(st.permutations(range(len(work.items))))
    for place in sorted(order, key=lambda p: long and not work.layout.sensitive[work.items[p]]):
        if plain_rho.is_safe(work.records(), ranks, rho, **model):
            break
        work.delete(place)
        deleted.append(place)
    deleted.sort(key=lambda place: (work.layout.items[place], place))
    candidates = [(int(work.row_of[p]), int(work.layout.items[p])) for p in deleted]
    few = st.integers(0, 3)
    ceilings = {x: data.draw(st.one_of(st.just(99), few)) for x in range(work.layout.n_items)}
    table = work.records()
    reference = plain_rho.restore(
        table, candidates, ranks, rho, **model, ceilings=ceilings, put_back=put_back
    )
    outcomes = np.zeros(len(deleted), dtype=np.int8)
    tried = Candidates(
        np.array(deleted, dtype=np.int32),
        np.array([row for row, _ in candidates], dtype=np.int32),
        np.array([rank for _, rank in candidates], dtype=np.int32),
        np.array(list(ceilings.values()), dtype=np.int64),
        put_back,
        outcomes,
    )
    starts, consequents, extras = blocking = Blocking(
        np.zeros(len(deleted) + 1, dtype=np.int64),
        np.zeros(len(deleted), dtype=np.int32),
        np.zeros(len(deleted), dtype=np.int64),
    )
    rows_per_set = data.draw(st.sampled_from([0, 1, 8]))
    items = restore(
        work.rows,
        tried,
        work.layout.sensitive,
        limits_of(rho, with_prior=with_prior),
        None if max_known < 0 else new_few(work.rows, max_known, rows_per_set),
        new_trial(work.rows, len(deleted)),
        blocking,
        work.stop.flag,
    )
    assert (outcomes.tolist(), work.records()) == reference
    # What is said to block does: the rule has no room for the record with the item.
    antecedents = lists(starts, items)
    for k, (row, rank) in enumerate(candidates):
        q, f = frozenset(antecedents[k]), int(consequents[k])
        if outcomes[k] == BLOCKED:
            assert q | {f} <= table[row] | {rank}
            assert rank in q | {f}
            assert max_known < 0 or len(q) <= max_known
            assert extras[k] == (rank in q)
            assert plain_rho.find_loose_events([(q, f, int(extras[k]))], table, rho) == [False]
        elif outcomes[k] and put_back:
            table[row] |= {rank}


@examples(250)
@given(
    problems(records=6, items=6),
    st.sampled_from([-1, 0, 1, 2, 3]),
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_restore(problem, max_known, with_prior, put_back, data):
    check_restore(problem, max_known, with_prior, put_back, data)


@examples(80)
@given(wide(), st.booleans(), st.booleans(), st.data())
def test_restore__into_long_records(problem, with_prior, put_back, data):
    check_restore(problem, -1, with_prior, put_back, data)


@st.composite
def antecedents_in(draw: st.DrawFn, work: Work):
    """Sets of items of the table, some of which a row holds."""
    n_items = work.layout.n_items
    if n_items == 0:
        return [frozenset()]
    anything = st.frozensets(st.integers(0, n_items - 1), max_size=4)
    held = st.sampled_from(work.records()).flatmap(
        lambda row: st.frozensets(st.sampled_from(sorted(row))) if row else st.just(row)
    )
    return draw(st.lists(st.one_of(anything, held), min_size=1, max_size=5))


@examples(150)
@given(works(), st.data())
def test_find_loose_events(problem, data):
    work, sensitive, rho = problem
    if not sensitive:
        return
    rules = []
    for q in data.draw(antecedents_in(work)):
        e = data.draw(st.sampled_from(sorted(sensitive)))
        rules.append((q - {e}, e, data.draw(st.integers(0, 2))))
    reference = plain_rho.find_loose_events(rules, work.records(), rho)
    result = np.zeros(len(rules), dtype=bool)
    chosen = data.draw(st.sets(st.sampled_from(range(len(rules)))))
    find_loose_events(
        work.rows,
        limits_of(rho),
        np.array(sorted(chosen), dtype=np.int64),
        Rules(
            *arrays([q for q, _, _ in rules]),
            np.array([e for _, e, _ in rules], dtype=np.int32),
            np.array([extra for _, _, extra in rules], dtype=np.int64),
        ),
        result,
        work.stop.flag,
    )
    assert result.tolist() == [loose and k in chosen for k, loose in enumerate(reference)]


def rules_with(antecedents) -> Rules:
    """Rules with these antecedents and no consequents."""
    nothing = np.zeros(0, dtype=np.int64)
    return Rules(*arrays(antecedents), nothing.astype(np.int32), nothing)


@examples(150)
@given(works(), st.data())
def test_find_obsolete(problem, data):
    work, _, _ = problem
    antecedents = data.draw(antecedents_in(work))
    which = st.integers(0, len(antecedents) - 1)
    row = st.integers(0, work.layout.n_rows - 1)
    deletions = data.draw(st.lists(st.tuples(which, row)))
    reference = plain_rho.find_obsolete(
        [(antecedents[event], row) for event, row in deletions], work.records()
    )
    result = np.zeros(len(deletions), dtype=bool)
    find_obsolete(
        work.rows,
        rules_with(antecedents),
        np.array([event for event, _ in deletions], dtype=np.int32),
        np.array([row for _, row in deletions], dtype=np.int32),
        result,
    )
    assert result.tolist() == reference


@examples(150)
@given(works(), st.data())
def test_find_touched_events(problem, data):
    work, _, _ = problem
    antecedents = data.draw(antecedents_in(work))
    there = [(row, rank) for row, record in enumerate(work.records()) for rank in sorted(record)]
    returned = data.draw(st.lists(st.sampled_from(there), unique=True)) if there else []
    reference = plain_rho.find_touched_events(antecedents, returned, work.records())
    of_item = [[row for row, x in returned if x == rank] for rank in range(work.layout.n_items)]
    events = np.array(
        sorted(data.draw(st.sets(st.integers(0, max(len(antecedents) - 1, 0))))), dtype=np.int64
    )[: len(antecedents)]
    result = np.zeros(len(antecedents), dtype=bool)
    never = np.zeros(1, dtype=np.int64)
    rules = rules_with(antecedents)
    find_touched_events(work.rows, rules, events, *arrays(of_item), result, never)
    assert result.tolist() == [touched and rule in events for rule, touched in enumerate(reference)]


@examples(200)
@given(works(), st.sampled_from([0.0, 0.05, 10.0]))
def test_thin_records(problem, bias):
    work, sensitive, rho = problem
    reference = plain_rho.thin_records(work.records(), sensitive, rho, bias=bias)
    events = new_events(len(work.items))
    antecedents = thin_records(
        work.rows,
        work.layout.sensitive,
        work.supports.copy(),
        np.where(work.layout.sensitive, bias, 0.0),
        limits_of(rho),
        events,
        work.stop.flag,
    )
    assert work.outcome(events, antecedents) == reference
