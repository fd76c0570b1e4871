"""Sums over parts are the numbers of the whole."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import fields
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import example_share
from withhold.auditing.by_parts import AuditSums, _sum, join_curves
from withhold.auditing.result import AttackPoint, How, Share, SizeCount
from withhold.data import Hierarchy, Records
from withhold.data.cut import public_tree
from withhold.data.groups import Groups
from withhold.measure import by_parts
from withhold.measure.by_parts import measure_by_parts
from withhold.measure.generalised import measure_under, measured_by_counts
from withhold.measure.sets import as_measured
from withhold.measure.utility import Utility, measure_utility
from withhold.methods.buckets import measure_by_parts as measure_by_parts_of_buckets
from withhold.methods.buckets.measure import measure_generalisation
from withhold.methods.buckets.measure_by_parts import measure_parts
from withhold.methods.rho.coarse import coarse_knowledge_of_parts
from withhold.parts.reading import rows_together
from withhold.telling.facts import MeasureRequest

ITEMS = "abcdefg"
FEWER = {"itemsets", "rules"}
"""Measures that sums over parts know less of: single items and pairs alone."""
rows = st.lists(st.sets(st.sampled_from(ITEMS), max_size=6), min_size=1, max_size=25)


def cut(rows, n, rng):
    """The rows in pieces, some of which may be empty."""
    ends = sorted(rng.choices(range(len(rows) + 1), k=n - 1))
    return [Records.from_lists(rows[a:b]) for a, b in pairwise([0, *ends, len(rows)])]


def pairs_of(before, after, seed):
    """A function that walks over both, cut at other places."""
    rng = random.Random(seed)
    first, second = cut(before, rng.randint(1, 5), rng), cut(after, rng.randint(1, 5), rng)
    return lambda: rows_together(first, second)


def frequent(rows, least):
    found = {}
    for size in (1, 2):
        for names in combinations(ITEMS, size):
            support = sum(set(names) <= set(row) for row in rows)
            if support >= least:
                found[names] = support
    return found


def rules(rows, least, confidence):
    sets = frequent(rows, least)
    return {
        (q, e)
        for names, joint in sets.items()
        if len(names) == 2
        for q, e in (names, names[::-1])
        if joint >= confidence * sets[(q,)]
    }


@given(rows, st.integers(0, 2**30), st.integers(1, 4), st.sampled_from(["0.3", "0.5", "1"]))
def test_every_sum_is_the_number_of_the_whole(before, seed, least, confidence):
    rng = random.Random(seed)
    after = [{item for item in row if rng.random() < 0.7} for row in before]
    if rng.random() < 0.2:
        after = [{item for item in ITEMS if rng.random() < 0.3} for _ in before]
    if rng.random() < 0.2:
        after = after[: rng.randint(0, len(after))]
    how = {"min_support": str(least), "min_confidence": confidence, "queries": 30, "seed": seed}
    request = MeasureRequest(sensitive=frozenset("ab"), jobs=1, **how)
    found, _ = measure_by_parts(pairs_of(before, after, seed), request)
    whole = measure_utility(
        Records.from_lists(before), Records.from_lists(after), sensitive="ab", jobs=1, **how
    )
    for name in {field.name for field in fields(Utility)} - FEWER:
        assert getattr(found, name) == getattr(whole, name), name
    sets = [frequent(rows, least) for rows in (before, after)]
    assert found.itemsets.max_size == 2
    assert (found.itemsets.before, found.itemsets.after) == tuple(map(len, sets))
    assert found.itemsets.kept == len(sets[0].keys() & sets[1].keys())
    old, new = (rules(rows, least, Fraction(confidence)) for rows in (before, after))
    assert (found.rules.before, found.rules.after) == (len(old), len(new))
    assert found.rules.kept == len(old & new)
    for change in found.rules.most_changed:
        known = {*change.antecedent}
        whole_rule = {*known, change.consequent}
        assert (change.joint_before, change.support_before) == tuple(
            sum(each <= set(row) for row in before) for each in (whole_rule, known)
        )
        assert (change.joint_after, change.support_after) == tuple(
            sum(each <= set(row) for row in after) for each in (whole_rule, known)
        )


def test_many_frequent_items_are_counted_alone(monkeypatch):
    monkeypatch.setattr(by_parts, "MOST_PAIRED", 2)
    rows = [["a", "b", "c"]] * 6
    found, _ = measure_by_parts(pairs_of(rows, rows, 1), MeasureRequest(jobs=1))
    assert found.itemsets.max_size == 1
    assert (found.itemsets.before, found.itemsets.kept, found.rules.before) == (3, 3, 0)


@given(rows, rows, st.integers(0, 2**30))
def test_rows_that_are_walked_together(one, other, seed):
    rng = random.Random(seed)
    found = list(rows_together(cut(one, 3, rng), cut(other, 4, rng)))
    assert [row for first, _ in found for row in first.to_lists()] == [sorted(row) for row in one]
    assert [row for _, last in found for row in last.to_lists()] == [sorted(row) for row in other]
    both = min(len(one), len(other))
    assert sum(len(first) for first, last in found if len(first) == len(last)) >= both


@pytest.mark.parametrize("seed", range(60 if example_share() == 1 else 15))
def test_a_folder_is_audited_as_its_records_are(tmp_path, seed):
    rng = random.Random(seed)
    rows = [
        rng.sample("abcde", rng.randint(1, 4)) + rng.sample("xy", rng.randint(0, 1))
        for _ in range(rng.randint(6, 40))
    ]
    rho = rng.choice(["0.3", "0.5", "0.7", "0.9"])
    folder = tmp_path / "rows"
    folder.mkdir()
    n_parts = rng.randint(1, 4)
    for number in range(n_parts):
        some = rows[number * len(rows) // n_parts : (number + 1) * len(rows) // n_parts]
        (folder / f"{number}.dat").write_text("".join(" ".join(row) + "\n" for row in some))
    model = wh.RhoUncertainty(rho, {"x", "y"})
    found = wh.audit_parts(folder, model, samples=50, jobs=1, show=1000, allow_unknown=True)
    whole = wh.audit(rows, model, samples=50, jobs=1, show=100_000, allow_unknown=True)
    status = found.verdict.status
    assert status in (whole.verdict.status, wh.Status.UNDECIDED)
    if n_parts == 1:
        assert status is whole.verdict.status
    # What is listed is a breach of all records; all of up to three known items are there.
    assert set(found.breaches) <= set(whole.breaches) | {found.verdict.witness}
    assert set(whole.breaches) <= set(found.breaches)
    for each in found.breaches:
        joint = sum({*each.antecedent, each.consequent} <= set(row) for row in rows)
        support = sum(set(each.antecedent) <= set(row) for row in rows)
        assert (each.joint, each.support) == (joint, support)
        assert Fraction(joint, support) > Fraction(rho)
    for name in ("records", "items", "occurrences", "sensitive_occurrences", "absent_sensitive"):
        assert getattr(found, name) == getattr(whole, name), name
    parts = [
        rows[n * len(rows) // n_parts : (n + 1) * len(rows) // n_parts] for n in range(n_parts)
    ]
    alone = [wh.audit(part, model, samples=50, jobs=1, allow_unknown=True) for part in parts]
    assert found.exposed_records == sum(each.exposed_records for each in alone)
    assert found.by_size == {
        size: sum(each.by_size[size] for each in alone) for size in alone[0].by_size
    }


def test_sums_of_counts_are_as_sure_as_the_less_sure():
    counted, least = SizeCount(How.COUNTED, 5), SizeCount(How.AT_LEAST, 3)
    estimated = SizeCount.estimated(Share(430, 1000), of=4000)
    none = SizeCount(How.NOT_COUNTED)
    assert _sum(counted, counted) == SizeCount(How.COUNTED, 10)
    assert _sum(counted, least) == SizeCount(How.AT_LEAST, 8)
    assert _sum(counted, none) == SizeCount(How.AT_LEAST, 5)
    assert _sum(none, none).count is None
    both = _sum(counted, estimated)
    assert (both.how, both.count, both.low, both.high, both.samples) == (
        *(How.ESTIMATED, 1725, 1601, 1851, 1000),
    )
    assert _sum(estimated, least) == SizeCount(How.AT_LEAST, estimated.low + 3)


def test_a_joined_curve_is_that_of_random_records_of_all_parts():
    """Two parts of 100 and 300 records, in which attacks succeed always and never: a quarter."""
    curves = [
        (AttackPoint(1, 100, Share(1000, 1000), Share(0, 1000)),),
        (AttackPoint(1, 300, Share(0, 1000), Share(1000, 1000)),),
    ]
    found = [join_curves(curves, 1000, seed)[0] for seed in range(400)]
    assert {point.eligible for point in found} == {400}
    for name, share in (("unique", 0.25), ("inferred", 0.75)):
        values = [getattr(point, name).value for point in found]
        assert abs(np.mean(values) - share) < 0.003
        # As of 1,000 draws: sqrt(p (1 - p) / 1000) = 0.0137.
        assert 0.011 < np.std(values) < 0.0165
    assert join_curves([], 10, 0) == ()


def test_a_breach_of_a_part_need_not_be_one_of_all():
    model = wh.RhoUncertainty("0.5", {"x"})
    parts = [[["a", "x"], ["b"], ["b"]], [["a"], ["a"], ["b", "x"], ["b"], ["b"]]]
    sums = AuditSums(model, 0)
    for rows in parts:
        sums.add(wh.audit(rows, model, jobs=1, allow_unknown=True), wh.read(rows))
    joined = sums.joined([], show=10, samples=10, seconds=0.0)
    assert joined.verdict.status is wh.Status.UNDECIDED
    assert wh.verify([row for rows in parts for row in rows], model)
    assert joined.parts == 2


GROUPS = Groups.of({"ab-ish": ["a", "b"], "cd-ish": ["c", "d", "e"]})


@given(rows, st.integers(0, 2**30), st.integers(1, 3))
def test_under_groups_every_sum_is_the_number_of_the_whole(before, seed, least):
    """Counted under the names of groups; queries, which are about items, are answered by their groups."""
    rng = random.Random(seed)
    after = [
        {name for name in row if rng.random() < 0.8}
        for row in GROUPS.generalise(Records.from_lists(before)).to_lists()
    ]
    how = {"min_support": str(least), "queries": 30, "seed": seed}
    request = MeasureRequest(sensitive=frozenset("fg"), jobs=1, **how)
    found, sums = measure_by_parts(pairs_of(before, after, seed), request, GROUPS)
    originals, released = Records.from_lists(before), Records.from_lists(after)
    whole = measure_under(originals, released, GROUPS, request)
    for name in {field.name for field in fields(Utility)} - FEWER - {"queries"}:
        assert getattr(found, name) == getattr(whole.details.utility, name), name
    # Halves and thirds of counts, added in another order.
    asked, answered = whole.details.utility.queries, found.queries
    assert (answered.queries, answered.mean) == pytest.approx((asked.queries, asked.mean))
    assert [vars(each) for each in answered.by_conditions] == [
        pytest.approx(vars(each)) for each in asked.by_conditions
    ]
    # By hand: how often each item is in the original, and what groups merged.
    assert sums.items == {name: sum(name in row for row in before) for name in sums.items}
    under = int(sums.tally.before.sum())
    detail = measured_by_counts(as_measured(found), GROUPS, sums.items, under)
    assert detail.details.generalised == whole.details.generalised
    merged = sum(len(row & set("ab")) > 1 for row in before)
    merged += sum(max(len(row & set("cde")) - 1, 0) for row in before)
    assert detail.details.generalised["merged"] == merged
    assert {fact.path for fact in detail.facts} == {fact.path for fact in whole.facts}


ABOVE = {"ab": "a b", "cd": "c d", "abcd": "ab cd", "efg": "e f g", "*": "abcd efg"}
TREE = Hierarchy.from_edges(
    (child, above) for above, below in ABOVE.items() for child in below.split()
)


@given(rows, st.integers(0, 2**30), st.integers(1, 3))
def test_the_loss_of_generalised_sets_is_spread_as_in_the_whole(before, seed, most):
    """By brute force, in one walk or in several that count some of the sets each."""
    rng = random.Random(seed)
    up = {name: [name, TREE.parent(name), "*", None] for name in ITEMS}
    after = [{rng.choice(up[name]) for name in row} - {None} for row in before]
    whole = measure_generalisation(Records.from_lists(before), Records.from_lists(after), TREE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure_by_parts_of_buckets, "MOST_GROUPS", max(len(after) // most, 1))
        request = MeasureRequest(wh.Buckets(2), queries=10, seed=seed)
        found = measure_parts(pairs_of(before, after, seed), TREE, request).details
    losses = sorted(whole.by_record.tolist())
    for percent, value in zip(range(0, 101, 10), found.spread.quantiles, strict=True):
        assert value == pytest.approx(np.quantile(losses, percent / 100), abs=1e-6)
    counts = Counter(map(frozenset, after))
    lost = Counter()
    for row, loss in zip(after, whole.by_record.tolist(), strict=True):
        lost[len(row), counts[frozenset(row)]] += loss
    sizes = Counter(counts.values())
    assert {size: n for size, (n, _) in found.spread.by_size.items()} == {
        size: size * n for size, n in sizes.items()
    }
    for size, (_, share) in found.spread.by_size.items():
        assert share == pytest.approx(sum(n for (_, each), n in lost.items() if each == size))
    assert found.groups == len(counts)
    # The largest, and of two of a size that which comes first.
    firsts = [frozenset(row) for row in after]
    order = sorted(counts, key=lambda each: (-counts[each], firsts.index(each)))[:12]
    assert [(frozenset(g.published), g.records) for g in found.spread.largest] == [
        (each, counts[each]) for each in order
    ]
    assert [g.added for g in found.spread.largest] == [g.added for g in whole.spread.largest]
    summed = found.as_dict()
    assert summed.pop("queries")["queries"] == (10 if any(before) else 0)
    assert summed == pytest.approx(whole.as_dict())
    assert (found.added, found.spread.by_size.keys()) == (
        *(whole.added, whole.spread.by_size.keys()),
    )


def inferences(rows, tree, rho, sensitive):
    """What one node above the published items lets infer, alone or with one more node or item: by hand."""
    names = sorted({name for row in rows for name in row})
    above = {name: [] for name in names}
    for name in names:
        node = tree.parent(name) if name in tree else None
        while node is not None:
            above[name].append(node)
            node = tree.parent(node)
    coarser = {node for node in tree.names[1:] if sum(node in each for each in above.values()) > 1}
    seen = [{*row, *(n for name in row for n in above[name] if n in coarser)} for row in rows]
    found = 0
    known = sorted({*names, *coarser})
    for q in [(a,) for a in known] + list(combinations(known, 2)):
        held = [row for row in seen if set(q) <= row]
        for e in sensitive - set(q):
            found += bool(held) and Fraction(sum(e in row for row in held), len(held)) > rho
    return found


@given(rows, st.integers(0, 2**30))
def test_what_coarse_knowledge_tells_is_summed_over_parts(before, seed):
    rng = random.Random(seed)
    model = wh.RhoUncertainty("0.5", {"f", "g"})
    parts = []
    for part in cut(before, 3, rng):
        if len(part) and part.n_occurrences:
            parts.append(wh.anonymize(part, model, seed=1, allow_unknown=True, jobs=1).data)
    lists = [[set(row) for row in part.to_lists()] for part in parts]
    whole = [row for part in lists for row in part]
    vocabulary = tuple(sorted({name for row in whole for name in row}))
    tree = public_tree(TREE, ITEMS, {"f", "g"})
    found = coarse_knowledge_of_parts(parts, vocabulary, model, tree)
    one_by_one = [inferences(part, tree, Fraction(1, 2), {"f", "g"}) for part in lists]
    assert (found.breaches, found.finished) == (sum(one_by_one), True)
    # What all records tell, some part tells.
    assert sum(one_by_one) >= inferences(whole, tree, Fraction(1, 2), {"f", "g"})
