"""Every measure is what a naive count gives, on random tables and releases of any kind."""

from __future__ import annotations

from fractions import Fraction
from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle import Records, subsets, supports
from tables import ITEMS, Rows, examples, tables
from withhold import data
from withhold.measure import measure_utility
from withhold.measure import patterns as rule_changes
from withhold.measure.alignment import align
from withhold.measure.patterns import measure_patterns
from withhold.mining import rule_counts

Rule = tuple[frozenset[str], str]


@st.composite
def releases(draw: st.DrawFn) -> tuple[Rows, Rows, frozenset[str]]:
    """A table and what was published of it: items went, and sometimes came, or rows did."""
    rows, sensitive = draw(tables())
    row = st.frozensets(st.sampled_from((*ITEMS, "z")))
    published = [record - draw(row) for record in rows]
    if draw(st.integers(0, 3)) == 0:
        published = [record | draw(row) for record in published]
    if draw(st.integers(0, 3)) == 0:
        published = published[: draw(st.integers(0, len(published)))]
    return rows, published, sensitive


def frequent(records: Records, least: int) -> dict[frozenset[str], int]:
    counts = supports(records)
    return {q: n for q, n in counts.items() if q and n >= least}


def rules(records: Records, least: int, confidence: Fraction) -> set[Rule]:
    itemsets = frequent(records, least)
    return {
        (q - {e}, e)
        for q, joint in itemsets.items()
        for e in q
        if len(q) > 1 and joint >= confidence * itemsets[q - {e}]
    }


def kl(p: dict[str, Fraction], q: dict[str, Fraction]) -> float:
    if any(share and not q[x] for x, share in p.items()):
        return inf
    return sum(float(share) * log(share / q[x]) for x, share in p.items() if share)


@examples(200)
@given(releases())
def test_occurrences(problem):
    rows, published, sensitive = problem
    got = measure(problem).occurrences
    names = {x for row in (*rows, *published) for x in row}
    before = {x: sum(x in row for row in rows) for x in names}
    after = {x: sum(x in row for row in published) for x in names}
    assert {c.item: (c.before, c.after, c.sensitive) for c in got.by_item} == {
        x: (before[x], after[x], x in sensitive) for x in names if before[x] != after[x]
    }
    changes = [abs(c.before - c.after) for c in got.by_item]
    assert changes == sorted(changes, reverse=True)
    assert got.items_gone == sum(before[x] > 0 == after[x] for x in names)
    assert got.all.total == sum(before.values())
    assert got.sensitive.total == sum(before[x] for x in names & sensitive)
    assert got.others.total == got.all.total - got.sensitive.total
    assert got.all.removed == got.sensitive.removed + got.others.removed
    if len(rows) != len(published):
        assert got.all.removed == sum(max(before[x] - after[x], 0) for x in names)
        assert got.added == sum(max(after[x] - before[x], 0) for x in names)
        assert got.by_record is got.by_length is got.by_lost is None
        assert got.records_touched is got.records_emptied is None
        return
    pairs = list(zip(rows, published, strict=True))
    lost = [len(old - new) for old, new in pairs]
    assert got.by_record is not None
    assert got.by_record.tolist() == lost
    assert got.all.removed == sum(lost)
    assert got.sensitive.removed == sum(len((old - new) & sensitive) for old, new in pairs)
    assert got.added == sum(len(new - old) for old, new in pairs)
    assert got.records_touched == sum(n > 0 for n in lost)
    assert got.records_emptied == sum(bool(old) and not new for old, new in pairs)
    assert {(c.lost, c.records) for c in got.by_lost} == {(n, lost.count(n)) for n in lost}
    for change in got.by_length:
        here = [(old, new) for old, new in pairs if change.shortest <= len(old) <= change.longest]
        assert change.records == len(here) > 0
        assert change.emptied == sum(bool(old) and not new for old, new in here)
        assert change.all.total == sum(len(old) for old, _ in here)
        assert change.all.removed == sum(len(old - new) for old, new in here)
        assert change.sensitive.total == sum(len(old & sensitive) for old, _ in here)
        assert change.sensitive.removed == sum(len((old - new) & sensitive) for old, new in here)
    assert sum(change.records for change in got.by_length) == len(rows)


@examples(100)
@given(releases())
def test_frequencies(problem):
    rows, published, _ = problem
    got = measure(problem)
    names = {x for row in (*rows, *published) for x in row}
    shares = []
    for table in (rows, published):
        total = sum(map(len, table)) or 1
        shares.append({x: Fraction(sum(x in row for row in table), total) for x in names})
    old, new = shares
    mixture = {x: (old[x] + new[x]) / 2 for x in names}
    assert got.distribution.kl == pytest.approx(kl(new, old), abs=1e-12)
    assert got.distribution.symmetric_kl == pytest.approx(
        (kl(old, mixture) + kl(new, mixture)) / 2, abs=1e-12
    )
    before = {x: sum(x in row for row in rows) for x in names}
    errors = [abs(sum(x in row for row in published) - n) / n for x, n in before.items() if n > 0]
    assert got.supports.top_items == len(errors) <= 100
    assert got.supports.top_worst == max(errors, default=0)
    assert got.supports.top_mean == pytest.approx(sum(errors) / max(len(errors), 1))
    assert got.supports.mean == pytest.approx(got.supports.top_mean)


@examples(200)
@given(
    releases(),
    st.integers(1, 4),
    st.fractions(Fraction(1, 10), 1, max_denominator=10),
    st.sampled_from([1, 2, 20]),
)
def test_itemsets_and_rules(problem, least, confidence, shown):
    rows, published, _ = problem
    # Few to show and one at a time, so that counting ends as soon as it may.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rule_counts, "COUNTED_AT_ONCE", 1)
        patch.setattr(rule_changes, "RULES_SHOWN", shown)
        got = measure(problem, min_support=least, min_confidence=confidence)
    old, new = frequent(rows, least), frequent(published, least)
    for change in got.itemsets.by_size:
        before = {q for q in old if len(q) == change.size}
        after = {q for q in new if len(q) == change.size}
        assert (change.before, change.after) == (len(before), len(after))
        assert (change.kept, change.lost) == (len(before & after), len(before - after))
        assert change.new == len(after - before)
    assert (got.itemsets.before, got.itemsets.after) == (len(old), len(new))
    assert got.itemsets.kept == len(old.keys() & new.keys())
    before, after = rules(rows, least, confidence), rules(published, least, confidence)
    assert (got.rules.before, got.rules.after) == (len(before), len(after))
    assert (got.rules.lost, got.rules.spurious) == (len(before - after), len(after - before))
    either = before | after
    assert got.rules.jaccard == (len(before & after) / len(either) if either else 1.0)
    check_most_changed(got.rules.most_changed, shown, before, after, rows, published)


def check_most_changed(
    changes, shown: int, before: set[Rule], after: set[Rule], rows: Rows, published: Rows
):
    old, new = supports(rows), supports(published)

    def moved(rule: Rule) -> tuple[float, int]:
        q, e = rule
        whole = q | {e}
        confidences = [counts[whole] / max(counts[q], 1) for counts in (old, new)]
        return abs(confidences[1] - confidences[0]), abs(old[whole] - new[whole])

    for change in changes:
        rule = frozenset(change.antecedent), change.consequent
        fates = {(True, True): "kept", (True, False): "lost", (False, True): "spurious"}
        assert change.fate == fates[rule in before, rule in after]
        whole = rule[0] | {rule[1]}
        assert (change.joint_before, change.joint_after) == (old[whole], new[whole])
        assert (change.support_before, change.support_after) == (old[rule[0]], new[rule[0]])
    got = [moved((frozenset(c.antecedent), c.consequent)) for c in changes]
    expected = sorted((m for rule in before | after if max(m := moved(rule)) > 0), reverse=True)
    assert got == expected[:shown]


@examples(60)
@given(releases(), st.integers(1, 3), st.integers(8, 60))
def test_where_there_are_too_many__small_itemsets_are_compared(problem, least, most):
    rows, published, _ = problem
    pair = align(data.Records.from_lists(rows), data.Records.from_lists(published))
    itemsets, found = measure_patterns(pair, least, "0.4", most=most)
    largest = itemsets.max_size or 9
    lists = [
        {q for record in table for q in subsets(record, largest) if q and counts[q] >= least}
        for table in (rows, published)
        for counts in [supports(table)]
    ]
    assert (itemsets.before, itemsets.after) == tuple(map(len, lists))
    assert itemsets.max_size == 1 or max(map(len, lists)) <= most
    if itemsets.max_size is not None:
        wider = [
            {
                q
                for record in table
                for q in subsets(record, largest + 1)
                if q and counts[q] >= least
            }
            for table in (rows, published)
            for counts in [supports(table)]
        ]
        assert max(map(len, wider)) > most
    before, after = (
        {rule for rule in rules(table, least, Fraction("0.4")) if len(rule[0]) < largest}
        for table in (rows, published)
    )
    assert (found.before, found.after, found.kept) == (
        len(before),
        len(after),
        len(before & after),
    )


def measure(problem, **options):
    rows, published, sensitive = problem
    return measure_utility(
        data.Records.from_lists(rows),
        data.Records.from_lists(published),
        sensitive=sensitive,
        **{"min_support": 1, **options},
    )
