"""No safe release is below the bound: against integer programs, brute force, and every release we make."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

import lenient
import oracle
import withhold as wh
from tables import examples, needs_speed, tables
from withhold.counting.layout import lay_out
from withhold.method import SearchRun
from withhold.methods.rho.bound.lower_bound import least_loss, least_loss_of_sensitive

RHOS = tuple(map(Fraction, ("0.2", "0.3", "0.34", "0.5", "0.6", "0.7", "0.9")))
known = st.sampled_from([None, 0, 1, 2, 3])
rhos = st.sampled_from(RHOS)


def bound_of(rows, model, *, only_sensitive):
    records = wh.Records.from_lists(rows)
    layout = lay_out(records, records.codes(model.sensitive))
    bound = least_loss_of_sensitive if only_sensitive else least_loss
    return bound(layout, model, SearchRun(jobs=1))


def fewest_deletions(rows, model, *, only_sensitive):
    """The optimum, by an integer program with a variable for every row and itemset in it."""
    most = max(map(len, rows), default=0)
    most = most if model.max_known is None else min(model.max_known + 1, most)
    column = {}
    for row, items in enumerate(rows):
        for size in range(1, max(most, 1) + 1):
            for chosen in combinations(sorted(items), size):
                column[row, frozenset(chosen)] = len(column)
    if not column:
        return 0
    entries, values, low, high = [], [], [], []

    def require(terms, least, greatest):
        for name, factor in terms:
            entries.append((len(low), column[name]))
            values.append(factor)
        low.append(least)
        high.append(greatest)

    for row, items in column:
        if len(items) > 1:  # the row holds a set iff it holds each of its items
            each = [((row, frozenset({item})), 1) for item in items]
            for name, _ in each:
                require([(name, 1), ((row, items), -1)], 0, np.inf)
            require([*each, ((row, items), -1)], -np.inf, len(items) - 1)
    for together in {items for _, items in column}:
        for secret in together & model.sensitive:
            rest = together - {secret}
            if not rest and model.ignore_prior:
                continue
            held = [((row, s), model.rho.denominator) for row, s in column if s == together]
            support = [((row, s), -model.rho.numerator) for row, s in column if s == rest]
            allowed = 0 if rest else model.rho.numerator * len(rows)
            require([*held, *support], -np.inf, allowed)
    kept = np.zeros(len(column))
    fixed = np.zeros(len(column))
    for (_, items), number in column.items():
        if len(items) == 1:
            kept[number] = -1
            fixed[number] = only_sensitive and not items & model.sensitive
    constraints = ()
    if low:
        shape = (len(low), len(column))
        matrix = csr_array((values, np.array(entries).T), shape=shape)
        constraints = LinearConstraint(matrix, low, high)
    found = milp(
        kept, integrality=np.ones(len(column)), bounds=Bounds(fixed, 1), constraints=constraints
    )
    assert found.success, found.message
    return sum(map(len, rows)) + round(found.fun)


def model_of(rho, sensitive, max_known, ignore_prior):
    assume(not (max_known == 0 and ignore_prior))
    return wh.RhoUncertainty(rho, sensitive, max_known=max_known, ignore_prior=ignore_prior)


@needs_speed
@examples(400)
@given(tables(records=8, items=5), rhos, known, st.booleans(), st.booleans())
def test_bound__is_never_above_the_optimum(table, rho, max_known, ignore_prior, only_sensitive):
    rows, sensitive = table
    model = model_of(rho, sensitive, max_known, ignore_prior)
    optimum = fewest_deletions(rows, model, only_sensitive=only_sensitive)
    assert bound_of(rows, model, only_sensitive=only_sensitive) <= optimum


@needs_speed
@examples(60)
@given(tables(records=4, items=3), rhos, known, st.booleans(), st.booleans())
def test_fewest_deletions__is_what_brute_force_finds(table, rho, max_known, ignore_prior, only):
    rows, sensitive = table
    model = model_of(rho, sensitive, max_known, ignore_prior)
    limits = {"max_known": max_known, "ignore_prior": ignore_prior, "only_sensitive": only}
    expected = oracle.minimum_deletions(rows, sensitive, rho, limit=12, **limits)
    assert fewest_deletions(rows, model, only_sensitive=only) == expected


@examples(400)
@given(
    tables(),
    rhos,
    known,
    st.booleans(),
    st.sampled_from(["rules", "distribution", "sensitive", "counts"]),
    st.sampled_from([None, 2]),
)
def test_release__is_not_below_its_bound(table, rho, max_known, ignore_prior, keep, parts):
    rows, sensitive = table
    assume(parts is None or (parts <= len(rows) and keep != "counts"))
    model = model_of(rho, sensitive, max_known, ignore_prior)
    release = lenient.anonymize(rows, model, jobs=1, seed=1, keep=keep, parts=parts, bound=True)
    assert release.bound.occurrences <= release.loss.removed
    if keep == "rules":
        assert release.bound.sensitive_only <= release.loss.removed
    else:
        assert release.bound.sensitive_only is None


def test_bound__is_the_optimum_where_records_are_unique():
    rows = [{"a", "x"}, {"b", "x"}, {"c"}, {"d"}, {"e"}]
    model = wh.RhoUncertainty("0.7", {"x"})
    assert bound_of(rows, model, only_sensitive=True) == 2
    assert fewest_deletions(rows, model, only_sensitive=True) == 2


@pytest.mark.parametrize("only_sensitive", [True, False])
def test_bound__counts_helpers_that_lose_an_item_themselves(only_sensitive):
    # Three equal records: one keeps x if another loses it, and y if the third does.
    rows = [{"a", "x", "y"}] * 3 + [{"b"}] * 3
    model = wh.RhoUncertainty("0.5", {"x", "y"})
    assert bound_of(rows, model, only_sensitive=only_sensitive) == (4 if only_sensitive else 0)
    assert bound_of(rows[1:], model, only_sensitive=only_sensitive) == 2
