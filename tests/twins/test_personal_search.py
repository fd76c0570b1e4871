"""The kernels that withhold from people, and put back, do what their plain twins do, in the same order."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tables import examples
from twins import plain_personal
from withhold.counting.threads import Stop
from withhold.data import Constraints, Records
from withhold.methods.personal import people
from withhold.methods.personal.check.proof import kept_of
from withhold.methods.personal.known_sets import new_known_walk
from withhold.methods.personal.people import lay_out_people, problem_of
from withhold.methods.personal.search.fix import (
    CONSEQUENT,
    DISTRIBUTION,
    LEFTOVER,
    Choice,
    fix_known_sets,
    fix_rules,
    room_for_fixes,
)
from withhold.methods.personal.search.judge import room_for_rules, rules_found
from withhold.methods.personal.search.restore import (
    RESTORED,
    SAFE,
    Rules,
    Tried,
    put_all_back,
    restore_together,
    try_restoring,
)
from withhold.methods.personal.search.restoring import new_probe

VICTIMS = {"consequent": CONSEQUENT, "leftover": LEFTOVER, "distribution": DISTRIBUTION}
rhos = st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(2, 3)])


class World:
    """A problem laid out for the kernels, and the same in ranks, row by row, for the twins."""

    def __init__(self, originals, published, wishes):
        n_items = 1 + max((x for row in originals for x in row), default=0)
        names = tuple(f"{x:02}" for x in range(n_items))
        self.table = Records.from_codes(
            np.array([len(row) for row in originals], dtype=np.int64),
            np.array([x for row in originals for x in sorted(row)], dtype=np.int32),
            names,
        )
        shown = Records.from_lists([[f"{x:02}" for x in row] for row in published])
        items_of_row = {row: [f"{x:02}" for x in wished] for row, wished in enumerate(wishes)}
        constraints = Constraints.of(items_of_row, self.table)
        self.laid = lay_out_people(self.table, kept_of(self.table, shown), constraints)
        self.rows = self.laid.rows
        self.n_items = n_items
        rank = {int(code): n for n, code in enumerate(self.laid.layout.code_of_rank)}
        order = self.laid.layout.record_of_row.tolist()
        self.originals, self.published, self.wishes = (
            [frozenset(rank[x] for x in part[record] if x in rank) for record in order]
            for part in (originals, published, wishes)
        )

    def now(self):
        """What the rows publish."""
        return [
            frozenset(x for x in part.tolist() if x >= 0)
            for part in np.split(self.rows.items, self.rows.offsets[1:-1])
        ]

    def place(self, position):
        """The row of a position, and the item that is or was there."""
        row = int(np.searchsorted(self.rows.offsets, position, side="right")) - 1
        return row, int(self.laid.layout.items[position])

    def check(self, published):
        """That rows, supports and bitmaps all say that these are published."""
        assert self.now() == published
        supports = [sum(x in record for record in published) for x in range(self.n_items)]
        assert self.rows.supports.tolist() == supports
        first = self.n_items - len(self.rows.bitmaps)
        for x in range(first, self.n_items):
            bits = self.rows.bitmaps[x - first].tolist()
            there = [bool(bits[row >> 6] >> (row & 63) & 1) for row in range(len(published))]
            assert there == [x in record for record in published]

    def protected_rules(self, largest):
        """What can be known, and what else an owner of it wants protected."""
        return sorted(
            {
                (known, e)
                for original, wished in zip(self.originals, self.wishes, strict=True)
                for size in range(largest + 1)
                for known in combinations(sorted(original), size)
                for e in wished - set(known)
            }
        )


@st.composite
def worlds(draw, *, items=6, records=8):
    """Originals, published rows and who wants what protected. From 65 rows on there are bitmaps."""
    row = st.frozensets(st.integers(0, items - 1))
    originals = draw(st.lists(row, min_size=1, max_size=records).filter(any))
    some = st.one_of(st.just(frozenset()), row)
    withheld = draw(st.lists(some, min_size=len(originals), max_size=len(originals)))
    wished = st.frozensets(st.integers(0, items - 1), max_size=3)
    wishes = draw(st.lists(wished, min_size=len(originals), max_size=len(originals)))
    times = draw(st.sampled_from([1, 1, 1, 70 // len(originals) + 1]))
    published = [a - b for a, b in zip(originals, withheld, strict=True)]
    return World(originals * times, published * times, wishes * times)


def many_rows(seed):
    """More records than hypothesis likes to make, and less alike."""
    generator = Random(seed)
    items, likely = range(generator.choice([5, 8])), generator.choice([0.3, 0.5, 0.7])

    def some(chance):
        return frozenset(x for x in items if generator.random() < chance)

    originals = [some(likely) for _ in range(20)]
    published = [record - some(generator.choice([0, 0.3])) for record in originals]
    return World(originals, published, [some(0.3) for _ in originals])


all_worlds = st.one_of(worlds(), st.integers(0, 2**32).map(many_rows))


def choices(world, victim, at_random, state):
    """How to choose, for the twin and for the kernels."""
    published = sum(map(len, world.published))
    return plain_personal.Choice(victim, at_random, state), Choice(
        VICTIMS[victim],
        at_random,
        np.array([state], dtype=np.int64),
        np.diff(world.rows.post_offsets),
        np.array([published], dtype=np.int64),
    )


def in_words(world, fixes):
    """What the kernels did, as the twins tell it."""
    n_places, n_rules = fixes.count.tolist()
    positions, answers = fixes.positions[:n_places], fixes.answers[:n_places]
    return [
        (
            tuple(fixes.items[fixes.starts[n] : fixes.starts[n + 1]].tolist()),
            *fixes.numbers[n].tolist(),
            [world.place(position) for position in positions[answers == n]],
        )
        for n in range(n_rules)
    ]


how = (st.sampled_from(sorted(VICTIMS)), st.booleans(), st.integers(1, 2**31 - 2))


@examples(250)
@given(all_worlds, st.integers(1, 4), rhos, *how)
def test_fix_known_sets(world, size, rho, victim, at_random, state):
    published = [set(record) for record in world.published]
    twins_choice, choice = choices(world, victim, at_random, state)
    expected = plain_personal.fix_known_sets(
        size, world.originals, published, world.wishes, rho, twins_choice
    )
    problem = problem_of(world.laid, rho)
    known = new_known_walk(problem, size, changing=True)
    n_places = int(choice.total[0])
    fixes = room_for_fixes(n_places, n_places * size, known.holders)
    fix_known_sets(size, problem, known, choice, fixes, Stop().flag)
    assert in_words(world, fixes) == expected
    world.check(published)
    assert choice.total[0] == sum(map(len, published))


@examples(200)
@given(all_worlds, st.data(), rhos, *how)
def test_fix_rules(world, data, rho, victim, at_random, state):
    rules = data.draw(st.permutations(world.protected_rules(3)))[:20]
    published = [set(record) for record in world.published]
    twins_choice, choice = choices(world, victim, at_random, state)
    expected = plain_personal.fix_rules(rules, world.originals, published, rho, twins_choice)
    given = (
        np.concatenate([[0], np.cumsum([len(known) for known, _ in rules], dtype=np.int64)]),
        np.array([x for known, _ in rules for x in known], dtype=np.int32),
        np.array([e for _, e in rules], dtype=np.int32),
    )
    holders = np.empty(len(world.originals), dtype=np.int32)
    fixes = room_for_fixes(int(choice.total[0]), len(given[1]), holders)
    fix_rules(*given, problem_of(world.laid, rho), choice, fixes, Stop().flag)
    assert in_words(world, fixes) == expected
    world.check(published)
    assert choice.total[0] == sum(map(len, published))


@examples(150)
@given(worlds(), st.data())
def test_put_all_back(world, data):
    positions = np.flatnonzero(world.rows.items < 0)
    positions = positions[
        data.draw(st.lists(st.booleans(), min_size=len(positions)))[: len(positions)]
    ]
    gone = [world.place(position) for position in positions]
    expected = plain_personal.put_all_back(world.published, gone)
    put_all_back(positions, np.array([row for row, _ in gone], dtype=np.int32), world.rows)
    world.check(expected)


@st.composite
def safe_worlds(draw):
    """Few records, of 6 items or of so many that their subsets are not all counted, and what is safe of them.

    Also ρ, how many items can be known at most, and the positions of some occurrences that are withheld.
    """
    items, records = draw(st.sampled_from([(6, 6), (11, 4)]))
    common = draw(st.sampled_from([frozenset(), frozenset(range(items - 2))]))
    row = st.frozensets(st.integers(0, items - 1)).map(lambda row: row | common)
    originals = draw(st.lists(row, min_size=2, max_size=records).filter(any))
    wished = st.frozensets(st.integers(0, items - 1), max_size=3)
    wishes = draw(st.lists(wished, min_size=len(originals), max_size=len(originals)))
    rho = draw(rhos)
    most = draw(st.sampled_from([1, 2, items]))
    published = [
        record - draw(st.frozensets(st.integers(0, items - 1), max_size=3)) for record in originals
    ]
    while rule := plain_personal.unsafe_rule(originals, published, wishes, rho, most):
        known, e = rule
        published = [p - {e} if known <= p else p for p in published]
    world = World(originals, published, wishes)
    positions = draw(st.permutations(np.flatnonzero(world.rows.items < 0).tolist()))[:8]
    return world, rho, most, np.array(positions, dtype=np.int32)


@pytest.mark.parametrize("few", [False, True], ids=["by-item", "by-person"])
@examples(120)
@given(safe_worlds(), st.data())
def test_try_restoring_and_restore_together(few, problem, data):
    world, rho, most, positions = problem
    rules = data.draw(st.permutations(world.protected_rules(3)))[:12]
    assume(len(positions) > 0 and rules)
    blocked_by = np.array(
        data.draw(st.lists(st.integers(0, len(rules) - 1), min_size=8, max_size=8)), dtype=np.int32
    )[: len(positions)]
    seen_at = np.full(len(positions), -1, dtype=np.int32)
    returned_at = np.full(world.n_items, -1, dtype=np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "FEW", 0 if few else 10**6)
        probe = new_probe(world.laid, problem_of(world.laid, rho), most)
    assert probe.person_by_person == (few or world.laid.n_wishing == 0)
    # In the second round the rules of the first are known, and some of the occurrences are back.
    for now in range(2):
        gone = [world.place(position) for position in positions]
        against = (world.originals, world.now(), world.wishes, rho, most)
        row_of = np.array([row for row, _ in gone], dtype=np.int32)
        outcomes = np.zeros(len(positions), dtype=np.int8)
        tried = Tried(positions, row_of, blocked_by, seen_at, outcomes)
        listed = as_rules(world, gone, blocked_by, rules, returned_at)
        found = room_for_rules(len(gone), len(gone) * world.n_items)
        try_restoring(tried, now, listed, probe, found, Stop().flag)
        starts, items, consequents = rules_found(found)
        expected = plain_personal.try_restoring(gone, *against)
        assert (outcomes == SAFE).tolist() == expected
        world.check(against[1])
        new = [tuple(items[a:b].tolist()) for a, b in zip(starts, starts[1:], strict=False)]
        rules = rules + list(zip(new, consequents.tolist(), strict=True))
        check_blocks(world, gone, outcomes, [rules[n] for n in blocked_by], *against[3:])

        restore_together(tried, probe, room_for_rules(1, world.n_items), Stop().flag)
        safe = [each for each, alone in zip(gone, expected, strict=True) if alone]
        back = plain_personal.restore_together(safe, *against)
        assert (outcomes[outcomes != 0] == RESTORED).tolist() == back
        returned = [each for each, is_back in zip(safe, back, strict=True) if is_back]
        world.check(plain_personal.put_all_back(against[1], returned))
        returned_at[[x for _, x in returned]] = now
        still = outcomes != RESTORED
        positions, blocked_by, seen_at = positions[still], blocked_by[still], seen_at[still]


def as_rules(world, gone, blocked_by, rules, returned_at):
    """The rules as the kernels take them; under each item those that keep an occurrence of it out."""
    of_item = [
        sorted({int(rule) for (_, y), rule in zip(gone, blocked_by, strict=True) if y == x})
        for x in range(world.n_items)
    ]
    return Rules(
        np.concatenate([[0], np.cumsum([len(known) for known, _ in rules], dtype=np.int64)]),
        np.array([x for known, _ in rules for x in known], dtype=np.int32),
        np.array([e for _, e in rules], dtype=np.int32),
        np.concatenate([[0], np.cumsum([len(numbers) for numbers in of_item], dtype=np.int64)]),
        np.array([number for numbers in of_item for number in numbers], dtype=np.int64),
        returned_at,
    )


def check_blocks(world, gone, outcomes, rules, rho, most):
    """What stays out is kept out by a rule that counts, or because it is too frequent by itself."""
    for each, outcome, (known, e) in zip(gone, outcomes, rules, strict=True):
        with_it = plain_personal.put_all_back(world.now(), [each])
        often = plain_personal.count_support({each[1]}, with_it) > rho * len(with_it)
        if outcome != SAFE and not (often and any(each[1] in wished for wished in world.wishes)):
            support = plain_personal.count_support(known, with_it)
            assert len(known) <= most
            assert plain_personal.count_support({*known, e}, with_it) > rho * support
            assert (known, e) in world.protected_rules(len(known))
