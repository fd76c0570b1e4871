"""Every number of every audit agrees with brute force (``oracle_audits``) on random tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

import asking
import lenient
import oracle_audits as oracle
import withhold as wh
from tables import example_share
from withhold.auditing.result import Audit
from withhold.counting import equal_items
from withhold.data import Table
from withhold.method import Model
from withhold.methods.buckets.model import RareSet
from withhold.methods.coherence.mole import Mole

TABLES = max(20, round(300 * example_share()))
"""Of each model; scaled like the examples of the other property tests."""
BOUNDS = [Fraction(*parts) for parts in ((1, 2), (1, 3), (2, 3), (3, 4), (1, 5), (9, 10))]
Rows = list[frozenset[str]]


def random_rows(chance: random.Random) -> tuple[Rows, list[str]]:
    """Up to nine records over up to seven items, some of them the same."""
    items = list("abcdefg"[: chance.randint(1, 7)])
    dense = chance.uniform(0.2, 0.8)
    rows = [
        frozenset(item for item in items if chance.random() < dense)
        for _ in range(chance.randint(1, 9))
    ]
    return [chance.choice(rows) if chance.random() < 0.3 else row for row in rows], items


def some(chance: random.Random, items: list[str]) -> frozenset[str]:
    return frozenset(chance.sample(items, chance.randint(1, len(items))))


def cases(start: int = 0, many: int = TABLES) -> Iterator[random.Random]:
    for seed in range(start, start + many):
        yield random.Random(seed)


def rule_of(finding: object) -> tuple:
    """What is listed: known items, what follows, joint, support."""
    if isinstance(finding, Mole):
        private = None if finding.private is None else "private"
        return frozenset(finding.items), private, finding.joint, finding.support
    if isinstance(finding, RareSet):
        return frozenset(finding.items), None, 0, finding.records
    return (
        frozenset(finding.antecedent),
        finding.consequent,
        finding.joint,
        finding.support,
    )


def rank_of(rule: tuple) -> tuple:
    """What decides the order; what is equal in it may come either way."""
    known, follows, joint, support = rule
    return len(known), -Fraction(1 if follows is None else joint, support), -support


def compare(audit: Audit, expected: oracle.Found, show: int, order=rank_of) -> None:
    assert audit.verdict.status is (wh.Status.HOLDS if expected.holds else wh.Status.BROKEN)
    assert audit.by_size == expected.by_size
    assert audit.complete
    assert audit.exposed_records == expected.exposed
    assert audit.exposed_known == max(expected.by_size, default=None)
    listed = [rule_of(finding) for finding in audit.breaches]
    assert len(listed) == min(show, len(expected.rules))
    assert len(set(listed)) == len(listed)
    assert set(listed) <= set(expected.rules)
    assert [order(rule) for rule in listed] == [order(rule) for rule in expected.rules][:show]
    assert [(p.known, p.eligible) for p in audit.attack_curve] == [
        (p.known, p.eligible) for p in expected.curve
    ]
    for got, point in zip(audit.attack_curve, expected.curve, strict=True):
        for name in ("unique", "inferred", "below_k"):
            share, truth = getattr(got, name), getattr(point, name)
            assert (share is None) == (truth is None), name
            # What always or never happens is seen in every sample.
            if share is not None and truth in (0, 1):
                assert share.hits == truth * share.trials, name


def run(rows: Rows, model: Model, chance: random.Random, **options) -> tuple[Audit, int]:
    show = chance.choice([1, 3, 10_000])
    table = rows if isinstance(rows, wh.Records) else wh.Records.from_lists(rows)
    seed = chance.randrange(100)
    audit = lenient.audit(table, model, show=show, samples=20, seed=seed, jobs=1, **options)
    return audit, show


def test_rho():
    for chance in cases():
        rows, items = random_rows(chance)
        sensitive, rho = some(chance, [*items, "z"]), chance.choice(BOUNDS)
        max_known, size = chance.choice([None, None, 0, 1, 2, 3]), chance.choice([0, 1, 2, 3, 7])
        ignore_prior = chance.random() < 0.3 and max_known != 0
        model = wh.RhoUncertainty(rho, sensitive, max_known=max_known, ignore_prior=ignore_prior)
        audit, show = run(rows, model, chance, max_size=size)
        expected = oracle.audit_rho(rows, sensitive, rho, max_known, ignore_prior, size)
        compare(audit, expected, show)


def test_personal():
    for chance in cases():
        originals, items = random_rows(chance)
        published = originals
        if chance.random() < 0.5:
            published = [frozenset(i for i in row if chance.random() < 0.7) for row in originals]
        wishes = [frozenset(i for i in [*items, "z"] if chance.random() < 0.4) for _ in originals]
        rho = chance.choice(BOUNDS)
        max_known, size = chance.choice([None, None, 0, 1, 2, 3]), chance.choice([0, 1, 2, 3, 7])
        table = wh.Records.from_lists(originals)
        constraints = wh.Constraints.of(dict(enumerate(wishes)), table)
        model = asking.personal(rho, constraints, originals=table, max_known=max_known)
        audit, show = run(published, model, chance, max_size=size)
        expected = oracle.audit_personal(originals, published, wishes, rho, max_known, size)
        compare(audit, expected, show)
        for breach in audit.breaches:
            person = breach.record - 1
            assert breach.consequent in wishes[person]
            assert set(breach.antecedent) <= originals[person]


def test_coherence():
    for chance in cases():
        rows, items = random_rows(chance)
        private = some(chance, [*items, "z"])
        h, k = chance.choice([*BOUNDS, Fraction(1)]), chance.randint(2, 4)
        p, size = chance.choice([None, 1, 2, 3]), chance.choice([0, 1, 2, 3, 7])
        audit, show = run(rows, wh.Coherence(h, k, p, private), chance, max_size=size)
        compare(audit, oracle.audit_coherence(rows, private, h, k, p, size), show)


def test_km():
    for chance in cases():
        rows, _ = random_rows(chance)
        k, m, size = chance.randint(2, 4), chance.randint(1, 3), chance.choice([0, 1, 2, 3, 7])
        audit, show = run(rows, wh.KmAnonymity(k, m), chance, max_size=size)
        compare(audit, oracle.audit_coherence(rows, frozenset(), Fraction(1), k, m, size), show)


def test_buckets():
    for chance in cases():
        rows, _ = random_rows(chance)
        k, size = chance.randint(2, 4), chance.choice([0, 1, 2, 7])
        audit, show = run(rows, wh.Buckets(k), chance, max_size=size)
        expected = oracle.audit_buckets(rows, k, size)
        compare(audit, expected, show, order=lambda rule: (rule[3], len(rule[0])))


def test_k_anonymity():
    for chance in cases():
        width, rows = chance.randint(1, 4), chance.randint(1, 14)
        names = [f"c{n}" for n in range(width)]
        values = "ab" if chance.random() < 0.6 else "abcd"
        hidden = chance.choice([0, 0, 0.3])
        cells = [
            tuple(None if chance.random() < hidden else chance.choice(values) for _ in names)
            for _ in range(rows)
        ]
        labels = [chance.choice("01") for _ in range(rows)]
        secrets = [chance.choice("uvw") for _ in range(rows)]
        k, diverse = chance.randint(2, 4), chance.choice([None, 2, 3])
        table = Table.from_columns(
            {name: [row[n] for row in cells] for n, name in enumerate(names)}
            | {"label": labels, "secret": secrets}
        )
        # A blank is a value; only what was withheld is None.
        table = table.with_columns([table.column(name).with_withheld(None) for name in names])
        options = {} if diverse is None else {"l": diverse, "sensitive_column": "secret"}
        model = wh.KAnonymity(k, names, label="label", **options)
        show = chance.choice([1, 3, 100])
        got = lenient.audit(table, model, show=show)
        expected = oracle.audit_table(cells, labels, secrets, k, diverse)
        assert got.verdict.status is (wh.Status.HOLDS if expected.holds else wh.Status.BROKEN)
        assert (got.rows, got.columns, got.groups) == (rows, width + 2, expected.groups)
        assert (got.k, got.k_wildcard) == (expected.k, expected.k_wildcard)
        assert [each.l for each in got.sensitive] == ([] if diverse is None else [expected.l])
        assert (got.rows_at_risk, got.withheld) == (expected.at_risk, expected.withheld)
        assert got.one_label_rows == expected.one_label
        for each in got.sizes:
            inside = [
                size
                for size in expected.sizes.elements()
                if each.smallest <= size <= (each.largest or size)
            ]
            assert (each.groups, each.rows) == (len(inside), sum(inside))
        assert sum(each.rows for each in got.sizes) == rows
        listed = [(each.rows, tuple(cell for _, cell in each.cells)) for each in got.breaches]
        assert len(set(listed)) == len(listed)
        assert set(listed) <= set(expected.broken)
        for each in got.breaches:
            assert each.needed == k
            assert (each.lacks == "") == (each.rows < k)
        assert [size for size, _ in listed] == [size for size, _ in expected.broken][:show]
        for point, (unique, below, worst) in zip(got.known, expected.known, strict=True):
            shares = (point.unique, point.below_k, point.worst_unique)
            assert shares == pytest.approx((float(unique), float(below), float(worst)), abs=1e-12)
            assert point.combinations == point.of


def test_verdicts__do_not_change_where_one_item_stands_for_its_equals(monkeypatch):
    # Done for long records only; here for all.
    monkeypatch.setattr(equal_items, "LONG", 0)
    for chance in cases(500):
        rows, items = random_rows(chance)
        # Some items come with others that are always there as well.
        rows = [row | {item.upper() for item in row if item in "abc"} for row in rows]
        items = sorted({*items, *(item for row in rows for item in row)})
        secret, bound, k = some(chance, items), chance.choice(BOUNDS), chance.randint(2, 3)
        known = chance.choice([None, 1, 2])
        published = [frozenset(i for i in row if chance.random() < 0.8) for row in rows]
        wishes = [frozenset(i for i in items if chance.random() < 0.3) for _ in rows]
        table = wh.Records.from_lists(rows)
        constraints = wh.Constraints.of(dict(enumerate(wishes)), table)
        personal = asking.personal(bound, constraints, originals=table, max_known=known)
        checked = [
            (
                lenient.verify(rows, wh.RhoUncertainty(bound, secret, max_known=known), jobs=1),
                oracle.audit_rho(rows, secret, bound, known, False, 9),
            ),
            (
                lenient.verify(rows, wh.Coherence(bound, k, known, secret), jobs=1),
                oracle.audit_coherence(rows, secret, bound, k, known, 9),
            ),
            (
                lenient.verify(published, personal, jobs=1),
                oracle.audit_personal(rows, published, wishes, bound, known, 9),
            ),
        ]
        for verdict, expected in checked:
            assert verdict.status is (wh.Status.HOLDS if expected.holds else wh.Status.BROKEN)
            if not expected.holds:
                assert rule_of(verdict.witness) in expected.rules
                assert rank_of(rule_of(verdict.witness)) == rank_of(expected.rules[0])
