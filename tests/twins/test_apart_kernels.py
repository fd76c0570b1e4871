"""The kernels that group similar records against their plain twins."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tables import examples
from twins import plain_apart
from twins.layouts import frozen_arrays
from withhold.methods.apart.search.neighbours import Rows, cut_rest, group_neighbours
from withhold.methods.apart.search.suppressor import most_of

SETS = st.frozensets(st.integers(0, 4))
PAIRS = st.lists(
    st.tuples(SETS, st.one_of(st.just(frozenset[int]()), SETS)), min_size=1, max_size=14
)
RHOS = st.fractions(Fraction(1, 6), Fraction(6, 7), max_denominator=7)


def rows(sets: list[frozenset[int]]) -> Rows:
    return Rows(*frozen_arrays(sets))


def counts(private: list[frozenset[int]]) -> np.ndarray:
    found = Counter(item for each in private for item in each)
    return np.array([found[item] for item in range(5)])


def without_excess(private: list[frozenset[int]], most: np.ndarray) -> list[frozenset[int]]:
    """The sets without the items that are in too many of them: what the search sees."""
    gone = frozenset(np.flatnonzero(counts(private) > most[-1]).tolist())
    return [each - gone for each in private]


@examples(400)
@given(PAIRS, RHOS, st.integers(2, 4), st.integers(1, 5), st.data())
def test_group_neighbours__is_the_plain_grouping(pairs, rho, size, window, data):
    public, private = ([pair[side] for pair in pairs] for side in (0, 1))
    most = most_of(rho, len(pairs))
    private = without_excess(private, most)
    orders = [data.draw(st.permutations(range(len(pairs)))) for _ in range(2)]
    left = counts(private)
    made = group_neighbours(rows(public), rows(private), np.array(orders), most, left, size, window)
    expected = plain_apart.group_neighbours(public, private, orders, most.tolist(), size, window)
    assert made.tolist() == expected
    assert (
        left.tolist() == counts([s for s, g in zip(private, made, strict=True) if g < 0]).tolist()
    )


@examples(400)
@given(PAIRS, RHOS, st.integers(2, 4), st.data())
def test_cut_rest__is_the_plain_cut(pairs, rho, size, data):
    most = most_of(rho, len(pairs))
    private = without_excess([pair[1] for pair in pairs], most)
    rest = data.draw(st.permutations(range(len(pairs))))
    made = cut_rest(np.array(rest), rows(private), most, counts(private), size)
    assert made.tolist() == plain_apart.cut_rest(rest, private, most.tolist(), size)


def test_most_of__is_exact_where_floating_point_is_not():
    assert most_of(Fraction(1, 3), 9).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]
    assert most_of(Fraction(10**30 - 1, 10**30), 3).tolist() == [0, 0, 1, 2]
