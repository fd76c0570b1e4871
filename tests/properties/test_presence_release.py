"""δ-presence against brute force: the check, the audit and the search, on tables that hypothesis invents."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from oracle_disclosure import presence_of
from withhold.data.table import Column, Table
from withhold.errors import ImpossibleError
from withhold.methods.cells.people import presences

NAMES = ("a", "b", "c")
VALUES = ("x", "y", "")
BOUNDS = ("0,0.5", "0.2,0.9", "0,0.75", "1/3,1/2", "0.1,1", "0.5,0.5")


def table_of(rows) -> Table:
    """The table of these rows; None is a withheld cell."""
    columns = zip(*rows, strict=True)
    made = [Column.of(name, cells) for name, cells in zip(NAMES, columns, strict=False)]
    return Table(tuple(column.with_withheld(None) for column in made))


def people(width: int):
    return st.lists(st.tuples(*[st.sampled_from(VALUES)] * width), min_size=1, max_size=14)


@st.composite
def samples(draw, withheld: bool):
    """A population and rows of some of its people, perhaps with cells withheld."""
    population = draw(people(draw(st.integers(1, 3))))
    chosen = draw(st.lists(st.sampled_from(range(len(population))), min_size=1, unique=True))
    rows = [population[place] for place in chosen]
    if withheld:
        hide = st.lists(st.booleans(), min_size=len(rows[0]), max_size=len(rows[0]))
        rows = [
            tuple(None if h else v for v, h in zip(row, draw(hide), strict=True)) for row in rows
        ]
    return population, rows


def model_for(rows, k: int, bounds: str, **more):
    return wh.KAnonymity(k, NAMES[: len(rows[0])], presence=bounds, **more)


@given(samples(withheld=True), st.sampled_from(BOUNDS))
def test_verify__presence_is_that_of_brute_force(sample, bounds):
    population, rows = sample
    doubled = rows * 2  # so that k = 2 holds
    everybody = population * 2
    expected = presence_of(doubled, everybody)
    low, high = map(Fraction, bounds.split(","))
    table, evidence = table_of(doubled), wh.Evidence(population=table_of(everybody))
    verdict = wh.verify(table, model_for(rows, 2, bounds), evidence=evidence)
    holds = all(low <= share <= high for share in expected.values())
    assert (verdict.status is wh.Status.HOLDS) == holds
    assert (verdict.status is wh.Status.BROKEN) == (not holds)
    if not holds:
        person = tuple(value for _, value in verdict.witness.cells)
        assert verdict.witness.presence == expected[person]
        assert verdict.witness.people == everybody.count(person)
    found = presences(table, NAMES[: len(rows[0])], table_of(everybody))
    assert (found.lowest, found.highest) == (min(expected.values()), max(expected.values()))
    # The mean is rows / people, whatever is withheld.
    assert sum(expected[person] for person in everybody) == len(doubled)


@given(samples(withheld=False), st.sampled_from(BOUNDS), st.integers(2, 3))
def test_anonymize__releases_that_hold_or_says_that_there_is_none(sample, bounds, k):
    population, rows = sample
    model = model_for(rows, k, bounds)
    low, high = map(Fraction, bounds.split(","))
    possible = low <= Fraction(len(rows), len(population)) <= high and len(rows) >= k
    asked = {"population": table_of(population), "seed": 1, "publish": "all", "bound": False}
    if not possible:
        with pytest.raises(ImpossibleError):
            wh.anonymize(table_of(rows), model, **asked)
        return
    release = wh.anonymize(table_of(rows), model, **asked)
    published = release.data.rows()
    shares = presence_of(published, population).values()
    assert all(low <= share <= high for share in shares)
    assert min(published.count(row) for row in published) >= k
    for before, after in zip(rows, published, strict=True):
        assert all(a in (None, b) for b, a in zip(before, after, strict=True))


@given(samples(withheld=True))
def test_presences__counts_rows_that_nobody_fits(sample):
    population, rows = sample
    strange = [*rows, *[("z",) * len(rows[0])] * 2]
    found = presences(table_of(strange), NAMES[: len(rows[0])], table_of(population))
    assert found.unmatched_rows == 2
    model = model_for(rows, 2, "0,0.9")
    evidence = wh.Evidence(population=table_of(population))
    verdict = wh.verify(table_of(strange * 2), model, evidence=evidence)
    assert verdict.status is wh.Status.BROKEN
