"""Records are dealt to parts by their public items: each once, in equal parts, whatever is sensitive."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import lenient
import oracle
import withhold as wh
from tables import examples, limits, problems, size, tables
from withhold.methods.rho.search import suppressor
from withhold.methods.rho.search.splitting import split_records


def dealt(rows, sensitive, **how):
    table = wh.Records.from_lists(rows)
    split = split_records(table, table.codes(sensitive), **{"parts": None, "max_cost": None, **how})
    return [part.tolist() for part in split]


@examples(300)
@given(tables(), st.integers(1, 9))
def test_parts__have_every_record_once_and_about_equally_many(problem, parts):
    rows, sensitive = problem
    assume(parts <= len(rows))
    split = dealt(rows, sensitive, parts=parts)
    assert sorted(chain.from_iterable(split)) == list(range(len(rows)))
    assert all(part == sorted(part) for part in split)
    lengths = [len(part) for part in split]
    assert len(split) == parts
    assert max(lengths) - min(lengths) <= 1


@examples(300)
@given(tables(), st.integers(1, 9))
def test_parts__do_not_depend_on_sensitive_items(problem, parts):
    rows, sensitive = problem
    assume(parts <= len(rows))
    # The same public items, and each sensitive one in every record.
    everywhere = [row | sensitive for row in rows]
    assert dealt(rows, sensitive, parts=parts) == dealt(everywhere, sensitive, parts=parts)


@examples(200)
@given(tables(), st.integers(1, 9))
def test_parts__divide_records_with_equal_public_items_at_most_at_their_bounds(problem, parts):
    rows, sensitive = problem
    assume(parts <= len(rows))
    found = [{rows[n] - sensitive for n in part} for part in dealt(rows, sensitive, parts=parts)]
    for public in {row - sensitive for row in rows}:
        holding = [number for number, part in enumerate(found) if public in part]
        assert holding == list(range(holding[0], holding[-1] + 1))
        assert all(found[number] == {public} for number in holding[1:-1])


@examples(200)
@given(tables(), st.floats(0.01, 40))
def test_max_cost__has_every_record_once(problem, most):
    rows, sensitive = problem
    split = dealt(rows, sensitive, max_cost=most)
    assert sorted(chain.from_iterable(split)) == list(range(len(rows)))


@examples(600)
@given(problems(), limits, st.integers(2, 4), st.sampled_from(["rules", "distribution"]))
def test_release__of_parts_that_restore_their_own_is_safe(problem, limits, parts, keep):
    rows, sensitive, rho = problem
    assume(parts <= len(rows))
    model = wh.RhoUncertainty(rho, sensitive, **limits)
    most, suppressor.MOST_TO_RESTORE = suppressor.MOST_TO_RESTORE, 0
    try:
        release = lenient.anonymize(rows, model, jobs=1, seed=1, parts=parts, keep=keep)
    finally:
        suppressor.MOST_TO_RESTORE = most
    assert release.options["restoring"] == "within parts" or len(release.plan) == 0
    published = [frozenset(row) for row in release.data.to_lists()]
    assert oracle.is_safe(published, sensitive, rho, **limits)
    assert all(after <= before for after, before in zip(published, rows, strict=True))


def test_parts__lose_less_than_parts_drawn_at_random():
    table, sensitive = wh.pharmacy(size(6000))
    model = wh.RhoUncertainty(Fraction(1, 2), sensitive)
    plain = {"restoring": False, "parts": 8, "seed": 1, "pick": "longest"}
    by_items = lenient.anonymize(table, model, **plain).loss.removed
    rows = table.to_lists()
    drawn = np.array_split(np.random.default_rng(1).permutation(len(rows)), 8)
    whole = {"restoring": False, "parts": 1}
    at_random = sum(
        lenient.anonymize([rows[n] for n in part], model, **whole).loss.removed for part in drawn
    )
    assert by_items < at_random
