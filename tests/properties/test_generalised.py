"""Releases whose public items are published as groups, checked by brute force on small tables and trees."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import lenient
import oracle
import withhold as wh
from tables import Rows, examples, limits, problems
from trees import trees
from withhold.data.cut import cut_at, groups_of, public_tree
from withhold.errors import PolicyError
from withhold.methods.rho.coarse import with_ancestors

problem = problems(records=9, items=7)


def is_safe_under(
    rows: Rows,
    published: Rows,
    seen_as: dict[str, str],
    sensitive: frozenset[str],
    rho: Fraction,
    *,
    max_known: int | None,
    ignore_prior: bool,
) -> bool:
    """Whether nobody who knows items of a record, each seen as its group, infers a sensitive one."""
    for row in rows:
        for known in oracle.subsets(row, max_known):
            if ignore_prior and not known:
                continue
            seen = {seen_as.get(item, item) for item in known}
            fitting = [other for other in published if seen <= other]
            for e in sensitive - seen:
                if oracle.exceeds(sum(e in other for other in fitting), len(fitting), rho):
                    return False
    return True


def naive_detail(rows: Rows, groups: dict[str, list[str]]) -> tuple[float, float]:
    """NCP and bits, occurrence by occurrence."""
    group_of = {item: name for name, items in groups.items() for item in items}
    occurring = [item for row in rows for item in row if item in group_of]
    if not occurring:
        return 0.0, 0.0
    n_items, supports = len(group_of), Counter(occurring)
    under = Counter(group_of[item] for item in occurring)
    ncp = sum((len(groups[group_of[item]]) - 1) / max(n_items - 1, 1) for item in occurring)
    bits = sum(math.log2(under[group_of[item]] / supports[item]) for item in occurring)
    most = sum(math.log2(len(occurring) / supports[item]) for item in occurring)
    return ncp / len(occurring), bits / most if most else 0.0


@examples(1500)
@given(st.data(), problem, limits, st.booleans())
def test_release__is_safe_true_and_complete(data, problem, limits, restoring):
    rows, sensitive, rho = problem
    items = frozenset().union(*rows)
    assume(items - sensitive)
    tree = data.draw(trees(sorted(items)))
    level = data.draw(st.integers(0, 3))
    model = wh.RhoUncertainty(rho, sensitive, **limits)
    depth = public_tree(tree, items, sensitive).height
    asked = {"hierarchy": tree, "cut": min(level, depth), "restoring": restoring, "seed": 1}
    release = lenient.anonymize(rows, model, jobs=1, **asked)
    groups = release.model.groups.as_dict()
    seen_as = {item: name for name, items in groups.items() for item in items}
    published = [frozenset(row) for row in release.data.to_lists()]
    assert is_safe_under(rows, published, seen_as, sensitive, rho, **limits)
    # Every public item everywhere under its group, nothing else, and no sensitive item that was not there.
    for before, after in zip(rows, published, strict=True):
        assert after - sensitive == {seen_as[item] for item in before - sensitive}
        assert after & sensitive <= before
    assert not (seen_as.keys() | groups.keys()) & sensitive
    assert set(seen_as) == set(tree.leaves) - sensitive
    assert (release.loss.ncp, release.loss.bits) == pytest.approx(naive_detail(rows, groups))
    lost = sum(len((b - a) & sensitive) for b, a in zip(rows, published, strict=True))
    assert release.loss.removed_sensitive == lost
    assert release.data == wh.apply(release.plan, release.original)
    assert wh.verify(release.data, release.model, allow_unknown=True).status is wh.Status.HOLDS


@examples(60)
@given(st.data(), problem)
def test_trade_off__every_point_is_made_again_by_its_cut(data, problem):
    rows, sensitive, rho = problem
    items = frozenset().union(*rows)
    assume(items - sensitive and items & sensitive)
    tree = data.draw(trees(sorted(items)))
    model = wh.RhoUncertainty(rho, sensitive)
    curve = wh.trade_off(rows, model, hierarchy=tree, seed=5, jobs=1, allow_unknown=True)
    assert {point.ncp for point in curve.points} <= {point.ncp for point in curve.tried}
    assert any(point.ncp == 0.0 for point in curve.points)
    for point in curve.tried:
        asked = {"hierarchy": tree, "cut": point.nodes, "seed": 5}
        again = lenient.anonymize(rows, model, jobs=1, **asked)
        assert again.loss.sensitive_occurrences == point.withheld
        assert (again.loss.ncp, again.loss.bits) == (point.ncp, point.bits)
        # On the curve or above it: nothing that was tried is better than all of its points.
        assert any(p.ncp <= point.ncp and p.withheld <= point.withheld for p in curve.points)
    for weight in (0.0, 0.3, 0.8, 1.0):
        chosen = curve.choose(weight)
        scores = [(1 - weight) * p.withheld + weight * p.ncp for p in curve.tried]
        assert (1 - weight) * chosen.withheld + weight * chosen.ncp == pytest.approx(min(scores))
        asked = {"hierarchy": tree, "detail": weight, "seed": 5}
        assert lenient.anonymize(rows, model, jobs=1, **asked).loss.ncp == chosen.ncp


@examples(300)
@given(st.data(), problem)
def test_cut__covers_each_item_once_or_is_refused(data, problem):
    rows, sensitive, _ = problem
    items = frozenset().union(*rows)
    assume(items - sensitive)
    tree = data.draw(trees(sorted(items)))
    public = public_tree(tree, items, sensitive)
    names = data.draw(st.frozensets(st.sampled_from(tree.names), min_size=1))
    under = Counter(
        leaf for name in names for leaf in tree.leaves_under(name) if leaf not in sensitive
    )
    asked = {"hierarchy": tree, "cut": names, "seed": 1}
    model = wh.RhoUncertainty("0.5", sensitive)
    if under == Counter(public.leaves):
        groups = lenient.anonymize(rows, model, jobs=1, **asked).model.groups
        assert groups.items == set(public.leaves)
    else:
        with pytest.raises(PolicyError, match=r"the cut (misses|covers more than once)"):
            lenient.anonymize(rows, model, jobs=1, **asked)
    for level in range(public.height + 1):
        assert groups_of(public, cut_at(public, level)).items == set(public.leaves)


@examples(300)
@given(st.data(), problem)
def test_ancestors__are_held_with_any_group_under_them(data, problem):
    rows, sensitive, _ = problem
    items = frozenset().union(*rows)
    assume(items - sensitive)
    tree = public_tree(data.draw(trees(sorted(items))), items, sensitive)
    groups = groups_of(tree, cut_at(tree, data.draw(st.integers(0, tree.height))))
    published = groups.generalise(wh.Records.from_lists(rows))
    seen, _ = with_ancestors(published, tree)
    shown = set(published.vocabulary) - sensitive
    coarser = [
        node
        for node in tree.names[1:]
        if sum(name != node and tree.covers(node, name) for name in shown) > 1
    ]
    for before, after in zip(published, seen, strict=True):
        above = {
            node for node in coarser for name in before if name in shown and tree.covers(node, name)
        }
        assert set(after) == set(before) | above
