"""The kernels that polish do as their plain twins, which ask the whole table whether it is safe."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import oracle
from tables import examples, knowledge, problems
from twins import plain_polish, plain_rho
from twins.layouts import laid_out, sensitive_ranks
from twins.test_rho_search_kernels import Work, limits_of, rules_in
from withhold.methods.rho.search.events import new_events
from withhold.methods.rho.search.polish_moves import (
    Aim,
    explain_gone,
    make_moves,
    new_moves,
    toggle_all,
)
from withhold.methods.rho.search.polish_safety import (
    MOST,
    can_add,
    can_delete,
    new_rule,
    new_scratch,
)
from withhold.methods.rho.search.polish_trades import trade_items


class Polished:
    """A safe table as the kernels take it, and as the twins do."""

    def __init__(self, rows, sensitive, rho, max_known, with_prior, chance):
        self.layout, records = laid_out(rows, sensitive)
        self.work = Work(self.layout, with_bitmaps=chance.random() < 0.5)
        self.sensitive = sensitive_ranks(self.layout)
        self.max_known, self.rho = max_known, rho
        self.is_safe = partial(
            oracle.is_safe,
            sensitive=self.sensitive,
            rho=rho,
            max_known=max_known,
            ignore_prior=not with_prior,
        )
        left = [set(record) for record in records]
        places = list(range(len(self.work.items)))
        # Without any sensitive item the table is safe; put back at random what leaves it so.
        for place in places:
            if self.layout.items[place] in self.sensitive or chance.random() < 0.3:
                left[self.work.row_of[place]] -= {int(self.layout.items[place])}
                self.work.delete(place)
        self.table = plain_polish.Table(records, left, self.is_safe)
        chance.shuffle(places)
        for place in places[: chance.randint(0, len(places))]:
            if self.work.items[place] < 0 and self.table.try_toggle(self.place(place)):
                self.toggle(place)
        self.rule = new_rule(
            limits_of(rho, with_prior=with_prior), max_known, self.layout.sensitive
        )
        self.scratch = new_scratch(self.work.rows)

    def place(self, position):
        return int(self.work.row_of[position]), int(self.layout.items[position])

    def toggle(self, position):
        self.toggle_all([position])

    def toggle_all(self, positions):
        positions = np.array(positions, dtype=np.int32)
        toggle_all(self.work.rows, positions, self.work.row_of[positions])

    def gone(self):
        return [p for p, item in enumerate(self.work.items) if item < 0]

    def is_same(self):
        """Whether kernel and twin left the same table, with counts to match, and a safe one."""
        records = self.work.records()
        assert self.is_safe(records)
        return records == [frozenset(row) for row in self.table.left]

    def aim(self, chance):
        n_items = self.layout.n_items
        may_go = np.array([chance.random() < 0.7 for _ in range(n_items)], dtype=bool)
        may_go |= self.layout.sensitive
        starts = [p for p in self.gone() if self.layout.sensitive[self.layout.items[p]]]
        chances = np.array([2**30, 2**29], dtype=np.int64)
        return Aim(np.array(starts, dtype=np.int32), may_go, chances)


@st.composite
def polished(draw, records=7, items=6):
    rows, sensitive, rho = draw(problems(records=records, items=items))
    max_known, with_prior = draw(knowledge), draw(st.booleans())
    return Polished(rows, sensitive, rho, max_known, with_prior, draw(st.randoms()))


@examples(2000)
@given(polished())
def test_can_add__and_can_delete__exactly_what_leaves_the_table_safe(case):
    rows, rule, scratch = case.work.rows, case.rule, case.scratch
    for position in range(len(case.work.items)):
        row = case.work.row_of[position]
        if case.work.items[position] < 0:
            found = can_add(rows, rule, scratch, row, position, MOST)
        else:
            found = can_delete(rows, rule, scratch, row, position)
        expected = case.table.try_toggle(case.place(position))
        if expected:
            case.table.toggle(case.place(position))
        assert found == expected
        assert case.is_same()


@examples(300)
@given(polished(), st.randoms(), st.integers(1, 10**6), st.integers(0, 6))
def test_make_moves(case, chance, seed, n_moves):
    aim = case.aim(chance)
    assume(len(aim.starts))
    moves, state = new_moves(case.work.rows), np.array([seed], dtype=np.int64)
    stop = np.zeros(1, dtype=np.int64)
    make_moves(case.work.rows, case.rule, aim, case.scratch, moves, state, n_moves, stop)
    reference = plain_polish.make_moves(
        case.table,
        case.sensitive,
        frozenset(np.flatnonzero(aim.may_go).tolist()),
        [case.place(position) for position in aim.starts],
        aim.chances.tolist(),
        plain_rho.lehmer(seed),
        n_moves,
    )
    assert moves.done.tolist() == [n_moves, reference]
    assert case.is_same()


@examples(300)
@given(polished(), st.randoms())
def test_trade_items(case, chance):
    aim = case.aim(chance)
    moves, stop = new_moves(case.work.rows), np.zeros(1, dtype=np.int64)
    before = sum(map(len, case.work.records()))
    result = trade_items(case.work.rows, case.rule, aim, case.scratch, moves, stop)
    may_go = frozenset(np.flatnonzero(aim.may_go).tolist())
    assert result == plain_polish.trade_items(case.table, case.sensitive, may_go)
    assert case.is_same()
    assert sum(map(len, case.work.records())) >= before


@examples(300)
@given(polished(), st.randoms())
def test_explain_gone(case, chance):
    positions = case.gone()
    chance.shuffle(positions)
    events = new_events(len(positions))
    antecedents = np.empty(len(positions) * (MOST + 1), dtype=np.int32)
    there = np.array(positions, dtype=np.int32)
    rows = case.work.row_of[there]
    explain_gone(case.work.rows, case.rule, case.scratch, there, rows, events, antecedents)
    # The twin makes the same moves, so that each rule is checked in the table of that moment.
    rules = iter(rules_in(events, antecedents))
    for place in map(case.place, positions):
        if plain_polish.explain_gone(case.table, [place]):
            q, e, joint, support = next(rules)
            with_it = [
                frozenset(row | {place[1]}) if n == place[0] else frozenset(row)
                for n, row in enumerate(case.table.left)
            ]
            assert place[1] in q | {e} <= with_it[place[0]]
            assert joint == sum(q | {e} <= row for row in with_it)
            assert support == sum(q <= row for row in with_it)
            assert joint > case.rho * support
            assert case.max_known is None or len(q) <= case.max_known
    assert next(rules, None) is None
    assert case.is_same()


@examples(100)
@given(polished(), st.randoms())
def test_toggle_all(case, chance):
    positions = chance.sample(range(len(case.work.items)), len(case.work.items) // 2)
    plain_polish.toggle_all(case.table, map(case.place, positions))
    case.toggle_all(positions)
    assert case.work.records() == [frozenset(row) for row in case.table.left]


def test_can_add__a_record_that_is_too_long_is_refused():
    row = frozenset(f"i{n:02}" for n in range(MOST + 2))
    for rows, expected in (([row] * 4, False), ([frozenset({"i00", "i01"})] * 4, True)):
        layout, _ = laid_out(rows, frozenset({"i00"}))
        work = Work(layout)
        sensitive = sorted(np.flatnonzero(layout.sensitive[layout.items]))
        for position in sensitive[:3]:
            work.delete(position)
        rule, scratch = (
            new_rule(limits_of(Fraction(1, 2)), None, layout.sensitive),
            new_scratch(work.rows),
        )
        found = can_add(work.rows, rule, scratch, work.row_of[sensitive[0]], sensitive[0], MOST)
        kept = can_delete(work.rows, rule, scratch, work.row_of[sensitive[3]], sensitive[3])
        assert (found, kept) == (expected, expected)
