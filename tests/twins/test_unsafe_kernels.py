"""How searches find anything unsafe, and how the proof finds the worst mole, against their plain twins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import Rows, examples, problems, tables
from twins import plain_unsafe
from withhold.counting.layout import lay_out
from withhold.counting.threads import Stop
from withhold.counting.worst import new_worst
from withhold.data import Records
from withhold.methods.coherence.check.public_sets import find_mole
from withhold.methods.coherence.cohorts import (
    DONE,
    FOUND,
    Limits,
    SplitRows,
    moles_in,
    run_to_end,
    split_rows,
)
from withhold.methods.coherence.search.first_mole import any_mole
from withhold.methods.rho.model import Limits as RhoLimits
from withhold.methods.rho.search.antecedent_fix import find_unsafe_consequents

shares = st.sampled_from([Fraction(share) for share in ("1/5", "1/2", "2/3", "9/10", "1")])


def split(rows: Rows, private: frozenset[str]) -> tuple[SplitRows, list[frozenset[int]]]:
    """The rows as kernels take them, and as sets of ranks for the twins."""
    table = Records.from_lists(rows)
    laid = split_rows(table, table.codes(private))
    rank = {table.vocabulary[code]: r for r, code in enumerate(laid.code_of_rank.tolist())}
    return laid, [frozenset(rank[item] for item in row) for row in rows]


@examples(400)
@given(problems(), st.integers(1, 4), st.data())
def test_find_unsafe_consequents(problem, size, data):
    rows, sensitive, rho = problem
    table = Records.from_lists(rows)
    layout = lay_out(table, table.codes(sensitive))
    rank = {table.vocabulary[code]: r for r, code in enumerate(layout.code_of_rank.tolist())}
    records = [frozenset(rank[item] for item in row) for row in rows]
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, layout.n_items)] * 2)))
    before = layout.items.copy()
    unsafe = np.zeros(layout.n_items, dtype=bool)
    rows = layout.rows()
    limits = RhoLimits(rho.numerator, rho.denominator, True)
    find_unsafe_consequents(rows, layout.sensitive, size, (start, end), limits, unsafe, Stop().flag)
    ranks = frozenset(layout.sensitive_ranks().tolist())

    def expected(size: int, roots: range) -> set[int]:
        return plain_unsafe.find_unsafe_consequents(records, ranks, rho, size, roots)

    got = set(np.flatnonzero(unsafe).tolist())
    assert got <= expected(size, range(start, end))
    # What an item adds that all records of the others hold, the others say already.
    smaller = set().union(*(expected(n, range(layout.n_items)) for n in range(1, size)))
    assert got >= expected(size, range(start, end)) - smaller
    assert (layout.items == before).all()


@examples(500)
@given(problems(), st.integers(1, 3), st.booleans())
def test_find_mole__the_worst_of_the_smallest(problem, k, any_private):
    # An h at one of the table's own confidences, or 1: what is equal to a limit is no mole.
    rows, private_items, h = problem
    h = h if any_private else Fraction(1)
    laid, records = split(rows, private_items)
    private = frozenset(np.flatnonzero(laid.sensitive).tolist())
    for size in range(1, 9):
        limits = Limits(k, h.numerator, h.denominator, size)
        worst, checked = new_worst(size, 1), np.zeros(1, dtype=np.int64)
        roots = laid.public_ranks()
        # Single items from low to high, sets from high to low: so the first of equals stays.
        roots = roots if size == 1 else roots[::-1].copy()
        tour = laid.tour(roots, ~laid.sensitive, size)
        assert (
            run_to_end(find_mole, laid.problem(limits, Stop()), tour, True, worst, checked) == DONE
        )
        expected = plain_unsafe.find_mole(records, private, k, h, size)
        assert moles_in(worst, size) == expected[:1]
        if not expected:
            assert not worst.counts.any()
            continue
        break


@examples(400)
@given(tables(), shares, st.integers(1, 5), st.integers(1, 8), st.data())
def test_any_mole(problem, h, k, largest, data):
    laid, records = split(*problem)
    public = laid.public_ranks().tolist()
    alive = ~laid.sensitive
    alive[
        [rank for rank in data.draw(st.lists(st.integers(0, 7), max_size=3)) if rank < len(alive)]
    ] = False
    # Either all sets of living items, from their lowest on, or those that hold one item.
    one = data.draw(st.sampled_from([None, *public]))
    roots = [rank for rank in public if alive[rank]] if one is None else [one]
    problem = laid.problem(Limits(k, h.numerator, h.denominator, largest), Stop())
    tour = laid.tour(np.array(roots, dtype=np.int32), alive, largest, after=one is None)
    assert (run_to_end(any_mole, problem, tour) == FOUND) == plain_unsafe.any_mole(
        records,
        frozenset(np.flatnonzero(laid.sensitive).tolist()),
        k,
        h,
        largest,
        roots=roots,
        alive=frozenset(np.flatnonzero(alive).tolist()),
    )
