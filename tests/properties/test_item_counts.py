"""``keep=counts`` takes an item from all records or from none: checked by brute force on small tables."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lenient
import oracle
import withhold as wh
from tables import Rows, examples, limits, problems
from withhold.data.breach import Breach
from withhold.methods.rho.search import counts


def without(rows: Rows, items: frozenset[str]) -> Rows:
    return [row - items for row in rows]


def gone_from(rows: Rows, published: list[list[str]]) -> frozenset[str]:
    """The items that went, having looked whether each went from all records."""
    gone = frozenset().union(*rows) - frozenset().union(*published)
    assert [frozenset(row) for row in published] == without(rows, gone)
    return gone


@examples(1500)
@given(problems(), limits, st.booleans(), st.sampled_from([1, 3, 1 << 20]))
def test_release__is_safe_and_every_count_is_true(problem, limits, restoring, most_rules):
    rows, sensitive, rho = problem
    model = wh.RhoUncertainty(rho, sensitive, **limits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "MOST_RULES", most_rules)
        release = lenient.anonymize(rows, model, keep="counts", restoring=restoring, jobs=1)
    gone = gone_from(rows, release.data.to_lists())
    assert oracle.is_safe(without(rows, gone), sensitive, rho, **limits)
    for number, (_, item) in enumerate(release.plan.removals(release.original)):
        # Counts are true: the reason is a breach of the original, and of what would be left with the item.
        breach = release.plan.why(number, release.original)
        assert is_breach(breach, rows, rho)
        assert item in {*breach.antecedent, breach.consequent}
        if restoring:
            assert gone & {*breach.antecedent, breach.consequent} == {item}
    if restoring:
        assert sum(len(row & gone) for row in rows) <= sum(len(row & sensitive) for row in rows)
        assert not any(
            oracle.is_safe(without(rows, gone - {item}), sensitive, rho, **limits) for item in gone
        )


def is_breach(breach: Breach | None, rows: Rows, rho: Fraction) -> bool:
    assert breach is not None
    support = sum(row >= set(breach.antecedent) for row in rows)
    joint = sum(row >= {*breach.antecedent, breach.consequent} for row in rows)
    return (breach.joint, breach.support) == (joint, support) and joint > rho * support


@examples(200)
@given(problems())
def test_release__without_time_keeps_no_sensitive_item(problem):
    rows, sensitive, rho = problem
    model = wh.RhoUncertainty(rho, sensitive)
    release = lenient.anonymize(rows, model, keep="counts", budget=1e-9)
    assert gone_from(rows, release.data.to_lists()) == sensitive & frozenset().union(*rows)


def test_release__takes_public_items_where_that_loses_less():
    # A rare public item tells of a frequent sensitive one.
    rows = [{"e", "rare"}, *[{"e", "bread"}] * 4, *[{"bread"}] * 6]
    release = wh.anonymize(rows, wh.RhoUncertainty("0.5", {"e"}), keep="counts")
    assert release.loss.removed == 1
    assert release.loss.items_gone == 1


def test_release__does_not_depend_on_the_names():
    rows = [{"a", "b", "e"}, {"a", "e"}, {"b", "f"}, {"a", "b", "f"}, {"b"}, {"a"}, {"a", "b"}]
    new = dict(zip("abef", "zyxw", strict=True))
    renamed = [{new[item] for item in row} for row in rows]
    one = wh.anonymize(rows, wh.RhoUncertainty("0.4", {"e", "f"}), keep="counts")
    other = wh.anonymize(renamed, wh.RhoUncertainty("0.4", {"x", "w"}), keep="counts")
    assert [{new[i] for i in row} for row in one.data.to_lists()] == [
        set(row) for row in other.data.to_lists()
    ]


@pytest.mark.parametrize("unused", [{"pick": "random"}, {"parts": 2}, {"max_cost": 9.0}])
def test_options__that_choose_records_are_refused(unused):
    (name,) = unused
    with pytest.raises(wh.WithholdError, match=f"{name} is not for keep=counts"):
        wh.anonymize([["a"]], wh.RhoUncertainty("0.5", {"a"}), keep="counts", **unused)


@examples(200)
@given(problems())
def test_release__is_the_same_if_no_search_is_cut_short(problem):
    rows, sensitive, rho = problem
    model = wh.RhoUncertainty(rho, sensitive)
    whole = counts.ItemSearch.give_back
    kept = lenient.anonymize(rows, model, keep="counts", jobs=1).data.to_lists()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts.ItemSearch, "give_back", lambda search, _: whole(search, 1 << 30))
        assert lenient.anonymize(rows, model, keep="counts", jobs=1).data.to_lists() == kept
