"""Risks of re-identification: every number is what brute force gives, and estimates are near the truth."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, exp, lgamma, log, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import examples, needs_speed
from withhold.auditing.risk import special_records, special_uniques
from withhold.auditing.risk.classes import (
    THRESHOLDS,
    counted_risk,
    expected_inverse,
    prosecutor_risk,
    sampled_risk,
)
from withhold.auditing.risk.options import PopulationInfo
from withhold.auditing.risk.population import (
    estimate_uniques,
    pitman,
    shifted_negative_binomial,
    snb_uniques,
    zayatz,
)
from withhold.auditing.risk.risks import risks_of_records, risks_of_table
from withhold.auditing.risk.special_records import find_special_records
from withhold.auditing.risk.special_uniques import find_special_uniques
from withhold.data import Records, Table
from withhold.data.table import Column

NAMES = ("x", "y", "z")
sizes_of_classes = st.lists(st.integers(1, 9), min_size=1, max_size=8)
rows_of_cells = st.lists(
    st.tuples(*[st.sampled_from(("", "1", "2"))] * len(NAMES)), min_size=1, max_size=9
)


def table_of(rows: list[tuple[str, ...]]) -> Table:
    return Table.from_columns({name: [row[n] for row in rows] for n, name in enumerate(NAMES)})


def with_withheld(rows: list[tuple[str | None, ...]]) -> Table:
    """A table in which None is a withheld cell."""
    columns = []
    for place, name in enumerate(NAMES):
        values = tuple(sorted({row[place] for row in rows if row[place] is not None}))
        codes = [-1 if row[place] is None else values.index(row[place]) for row in rows]
        columns.append(Column(name, np.array(codes, dtype=np.int32), values))
    return Table(tuple(columns))


def assert_risk(got, by_row: list[Fraction]) -> None:
    """The risk of every row is known."""
    assert got.highest == max(by_row)
    assert got.mean == sum(by_row) / len(by_row)
    assert [each.threshold for each in got.above] == list(THRESHOLDS)
    for each in got.above:
        assert each.rows == sum(risk > each.threshold for risk in by_row)


@examples(200)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 60)), min_size=1, max_size=8))
def test_counted_risks(classes):
    sizes = np.array([size for size, _ in classes])
    assert_risk(prosecutor_risk(sizes), [Fraction(1, f) for f, _ in classes for _ in range(f)])
    people = np.array([size + more for size, more in classes])
    by_row = [Fraction(1, f + more) for f, more in classes for _ in range(f)]
    assert_risk(counted_risk(sizes, people), by_row)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.77, 0.99])
def test_expected_inverse__is_the_sum_over_the_negative_binomial(p):
    got = expected_inverse(40, p)
    for f in (1, 2, 3, 7, 40):
        terms = (
            exp(
                lgamma(n)
                - lgamma(f)
                - lgamma(n - f + 1)
                + f * log(p)
                + (n - f) * log(1 - p)
                - log(n)
            )
            for n in range(f, 20_000)
        )
        assert got[f - 1] == pytest.approx(sum(terms), rel=1e-9)


@examples(100)
@given(sizes_of_classes, st.sampled_from((Fraction(1, 50), Fraction(1, 3), Fraction(9, 10))))
def test_sampled_risk(sizes, fraction):
    got = sampled_risk(np.array(sizes), fraction)
    each = expected_inverse(max(sizes), float(fraction))
    by_row = [each[size - 1] for size in sizes for _ in range(size)]
    assert got.highest == max(by_row)
    assert got.mean == pytest.approx(sum(by_row) / len(by_row))
    assert [a.rows for a in got.above] == [sum(r > float(t) for r in by_row) for t in THRESHOLDS]
    # Somebody who may have been left out is never easier to find.
    assert got.mean <= float(prosecutor_risk(np.array(sizes)).mean)


def test_sampled_risk__of_classes_beyond_the_largest_is_the_limit():
    got = sampled_risk(np.array([1_000_000]), Fraction(1, 100))
    assert got.mean == pytest.approx(1e-8, rel=1e-4)


@examples(150)
@given(rows_of_cells, rows_of_cells, st.data())
def test_risks_of_a_table__with_a_population(rows, others, data):
    hidden = st.tuples(*[st.booleans()] * len(NAMES))
    shown = [
        tuple(None if hide else cell for cell, hide in zip(row, data.draw(hidden), strict=True))
        for row in rows
    ]
    everybody = [*rows, *others]
    got = risks_of_table(
        with_withheld(shown),
        NAMES,
        PopulationInfo(None, table_of(everybody)),
        unique_size=2,
        show=3,
    )
    counts = Counter(shown)
    people = {
        row: sum(
            all(a is None or a == b for a, b in zip(row, each, strict=True)) for each in everybody
        )
        for row in counts
    }
    assert (got.rows, got.classes) == (len(rows), len(counts))
    assert got.uniques == sum(n == 1 for n in counts.values())
    assert_risk(got.prosecutor, [Fraction(1, counts[row]) for row in shown])
    assert_risk(got.journalist, [Fraction(1, max(people[row], counts[row])) for row in shown])
    assert got.marketer == got.journalist.mean
    assert got.population.population == len(everybody)
    assert got.population.missing == 0
    alone = [row for row in counts if counts[row] == 1 and people[row] == 1]
    assert got.population.uniques == len(alone)
    for column in got.columns:
        place = NAMES.index(column.name)
        rest = Counter(row[:place] + row[place + 1 :] for row in shown)
        assert column.uniques_without == sum(n == 1 for n in rest.values())
        assert column.mean_without == Fraction(len(rest), len(rows))
    means = [column.mean_without for column in got.columns]
    assert means == sorted(means)


@examples(100)
@given(
    st.lists(st.frozensets(st.sampled_from("abc")), min_size=1, max_size=8),
    st.lists(st.frozensets(st.sampled_from("abc")), max_size=8),
    st.booleans(),
)
def test_risks_of_records__with_a_population(rows, others, includes):
    strangers = [frozenset("z")] * len(rows)
    everybody = [*rows, *others] if includes else [*others, *strangers]
    known = PopulationInfo(None, Records.from_lists(everybody))
    got = risks_of_records(Records.from_lists(rows), known, unique_size=2, show=3)
    counts, people = Counter(rows), Counter(everybody)
    assert_risk(got.prosecutor, [Fraction(1, counts[row]) for row in rows])
    assert_risk(got.journalist, [Fraction(1, max(people[row], counts[row])) for row in rows])
    assert got.population.missing == sum(people[row] == 0 for row in rows)
    assert got.columns == ()


def minimal_uniques(rows: list[tuple[str, ...]], row: int, largest: int) -> list[tuple[str, ...]]:
    """By brute force: the smallest sets of columns in which the row is alone."""
    found: list[tuple[int, ...]] = []
    places = range(len(NAMES))
    for size in range(1, largest + 1):
        for chosen in combinations(places, size):
            alike = sum(all(rows[row][c] == other[c] for c in chosen) for other in rows)
            if alike == 1 and not any(set(small) <= set(chosen) for small in found):
                found.append(chosen)
    return [tuple(NAMES[place] for place in each) for each in found]


@examples(200)
@given(rows_of_cells, st.integers(1, 4))
def test_special_uniques(rows, asked):
    table = table_of(rows)
    got = find_special_uniques(
        NAMES, [table.column(name).codes for name in NAMES], asked=asked, show=len(rows)
    )
    largest = min(asked, len(NAMES))
    assert (got.largest, got.asked, got.is_complete) == (largest, largest, True)
    sets = {n: minimal_uniques(rows, n, largest) for n in range(len(rows))}
    score = {
        size: prod(len(NAMES) - i for i in range(size, min(largest, len(NAMES) - 1) + 1))
        for size in range(1, largest + 1)
    }
    scores = {n + 1: sum(score[len(each)] for each in found) for n, found in sets.items()}
    assert {row.row: row.score for row in got.worst} == {n: s for n, s in scores.items() if s}
    for row in got.worst:
        assert sorted(row.columns) == sorted(sets[row.row - 1])
    order = [(-row.score, row.row) for row in got.worst]
    assert order == sorted(order)
    assert got.rows == sum(bool(found) for found in sets.values())
    smallest = Counter(min(map(len, found)) for found in sets.values() if found)
    assert got.by_size == tuple(smallest[size] for size in range(1, largest + 1))
    total = max(sum(scores.values()), 1)
    for name, share in got.shares:
        weight = sum(score[len(each)] for found in sets.values() for each in found if name in each)
        assert share == pytest.approx(weight / total)


def minimal_itemsets(rows: list[frozenset[str]], row: int, largest: int) -> list[tuple[str, ...]]:
    """By brute force: the smallest sets of items that no other record holds."""
    found: list[tuple[str, ...]] = []
    for size in range(1, largest + 1):
        for chosen in combinations(sorted(rows[row]), size):
            alike = sum(set(chosen) <= other for other in rows)
            if alike == 1 and not any(set(small) <= set(chosen) for small in found):
                found.append(chosen)
    return found


@examples(200)
@given(
    st.lists(st.frozensets(st.sampled_from("abcdef"), max_size=5), min_size=1, max_size=8),
    st.integers(1, 4),
)
def test_special_records(rows, asked):
    got = find_special_records(Records.from_lists(rows), asked=asked, show=len(rows))
    assert (got.largest, got.asked, got.unit) == (asked, asked, "item")
    sets = {n: minimal_itemsets(rows, n, asked) for n in range(len(rows))}

    def score(row: int, found: tuple[str, ...]) -> int:
        items = len(rows[row])
        return prod(items - i for i in range(len(found), min(asked, items - 1) + 1))

    scores = {n + 1: sum(score(n, each) for each in found) for n, found in sets.items()}
    assert {row.row: row.score for row in got.worst} == {n: s for n, s in scores.items() if s}
    for row in got.worst:
        assert sorted(row.columns) == sorted(sets[row.row - 1])
    assert got.rows == sum(bool(found) for found in sets.values())
    smallest = Counter(min(map(len, found)) for found in sets.values() if found)
    assert got.by_size == tuple(smallest[size] for size in range(1, asked + 1))
    total = max(sum(scores.values()), 1)
    for name, share in got.shares:
        weight = sum(score(n, each) for n, found in sets.items() for each in found if name in each)
        assert share == pytest.approx(weight / total)
    assert {name for name, _ in got.shares} == {
        i for f in sets.values() for each in f for i in each
    }


def test_special_records__say_where_there_are_too_many_sets(monkeypatch):
    monkeypatch.setattr(special_records, "ITEMSETS_TO_COUNT", 3)
    rows = Records.from_lists([["a", "b", "c"], ["a", "b"], ["b", "c"], ["a", "c"]])
    got = find_special_records(rows, asked=3, show=1)
    assert (got.largest, got.asked, got.is_complete) == (1, 3, False)


def test_special_uniques__say_where_there_are_too_many_sets(monkeypatch):
    monkeypatch.setattr(special_uniques, "ROWS_TO_GROUP", 6)
    codes = [np.array([0, 1], dtype=np.int32)] * 3
    got = find_special_uniques(NAMES, codes, asked=3, show=1)
    assert (got.largest, got.asked, got.is_complete) == (1, 3, False)


@examples(100)
@given(sizes_of_classes, st.integers(0, 60))
def test_zayatz__is_bayes_rule_in_exact_numbers(sizes, more):
    histogram = Counter([*sizes, 1])
    rows = sum(size * count for size, count in histogram.items())
    people = rows + more
    once = {
        size: count * Fraction(size * comb(people - size, rows - 1), comb(people, rows))
        for size, count in histogram.items()
    }
    wanted = histogram[1] * once[1] / sum(once.values()) * Fraction(people, rows)
    assert zayatz(dict(histogram), rows, people) == pytest.approx(float(wanted), rel=1e-6)


def test_pitman__maximises_the_likelihood_of_the_sampling_formula():
    histogram = {1: 30, 2: 9, 3: 4, 5: 2, 11: 1}
    rows = sum(size * count for size, count in histogram.items())
    classes = sum(histogram.values())

    def likelihood(alpha: float, theta: float) -> float:
        found = sum(log(theta + i * alpha) for i in range(1, classes))
        found -= sum(log(theta + i) for i in range(1, rows))
        for size, count in histogram.items():
            found += count * sum(log(i - alpha) for i in range(1, size))
        return found

    grid = [(a / 200, exp(t / 20)) for a in range(1, 200) for t in range(-60, 160)]
    alpha, theta = max(grid, key=lambda each: likelihood(*each))
    wanted = 10_000 * prod((theta + alpha + i - 1) / (theta + i) for i in range(1, 10_000))
    assert pitman(histogram, rows, 10_000) == pytest.approx(wanted, rel=0.05)


def test_snb__expects_the_ones_and_twos_that_there_are():
    """A sample made from the model: the expected histogram of classes of 1 + NB(α, β) people."""
    alpha, beta, classes, fraction = 0.8, 0.4, 50_000, 0.25
    expected: Counter[int] = Counter()
    for extra in range(400):
        log_p = lgamma(extra + alpha) - lgamma(alpha) - lgamma(extra + 1)
        share = exp(log_p + alpha * log(beta) + extra * log(1 - beta))
        people = extra + 1
        for drawn in range(1, min(people, 60) + 1):
            chance = comb(people, drawn) * fraction**drawn * (1 - fraction) ** (people - drawn)
            expected[drawn] += classes * share * chance
    got = snb_uniques(expected[1], expected[2], classes, fraction)
    assert got == pytest.approx(classes * beta**alpha, rel=1e-6)
    # How many classes there are is itself an estimate, so the whole is only about right.
    histogram = {size: round(count) for size, count in expected.items() if round(count)}
    assert shifted_negative_binomial(histogram, fraction) == pytest.approx(got, rel=0.4)


@needs_speed
@pytest.mark.parametrize("fraction", [0.02, 0.05, 0.2, 0.5])
@pytest.mark.parametrize("columns", [(40, 9, 6, 2), (80, 8, 16, 7), (300, 30)])
def test_estimated_uniques__are_near_the_truth_on_average(fraction, columns):
    generator = np.random.default_rng(5)
    people = 20_000
    combined = np.zeros(people, dtype=np.int64)
    for values in columns:
        shares = generator.dirichlet(np.full(values, 0.7))
        combined = combined * values + generator.choice(values, people, p=shares)
    class_of = np.unique(combined, return_inverse=True)[1]
    truth = int((np.bincount(class_of) == 1).sum())
    estimates = []
    for _ in range(10):
        sample = generator.choice(people, int(people * fraction), replace=False)
        sizes = np.bincount(class_of[sample])
        estimates.append(estimate_uniques(sizes[sizes > 0], fraction).uniques)
    assert abs(np.mean(estimates) - truth) / people < 0.1


@pytest.mark.parametrize(
    ("fraction", "model"), [(0.05, "pitman"), (0.1, "pitman"), (0.2, "snb"), (0.5, "snb")]
)
def test_estimate_uniques__follows_the_rule(fraction, model):
    sizes = np.repeat([1, 2, 3, 6], [400, 90, 30, 10])
    got = estimate_uniques(sizes, fraction)
    assert got.model == model
    if model == "snb":
        assert got.snb <= got.zayatz
    assert got.uniques == getattr(got, model)
    assert got.population == round(sizes.sum() / fraction)


def test_estimate_uniques__without_a_solution_is_zayatz():
    """Where all rows are unique, or no two are alike in pairs, the other models have none."""
    few, many = (estimate_uniques(np.ones(50, dtype=np.int64), f) for f in (0.01, 0.5))
    assert (few.pitman, few.model, many.snb, many.model) == (None, "zayatz", None, "zayatz")
    assert "no solution" in few.why
    assert "no solution" in many.why


def test_estimate_uniques__of_a_sample_without_uniques_is_none():
    got = estimate_uniques(np.array([2, 3]), 0.1)
    assert (got.uniques, got.why) == (0, "no row is unique in the sample")


def test_audit__of_an_empty_file_has_no_risk():
    got = risks_of_records(
        Records.from_lists([]), PopulationInfo(Fraction(1, 10)), unique_size=3, show=5
    )
    assert (got.rows, got.uniques, got.prosecutor.highest, got.marketer) == (0, 0, 0, 0)


def test_audit__tells_the_risks_of_tables_and_of_sets():
    table = {"age": ["30", "30", "40"], "sex": ["f", "f", "m"]}
    model = wh.KAnonymity(2, ["age", "sex"])
    found = wh.audit(Table.from_columns(table), model, sampling_fraction="0.1", unique_size=1)
    assert found.risks.uniques == 1
    assert found.risks.special.worst[0].columns == (("age",), ("sex",))
    sets = wh.audit([["a"], ["a"], ["b"]], wh.RhoUncertainty("0.5", {"b"}))
    assert (sets.risks.uniques, sets.risks.prosecutor.mean) == (1, Fraction(2, 3))
    assert sets.risks.journalist is sets.risks.population is None


@pytest.mark.parametrize("fraction", ["0", "1", "-0.1", "2", "x", ""])
def test_audit__refuses_a_sampling_fraction_that_is_none(fraction):
    with pytest.raises(wh.WithholdError, match="sampling_fraction must"):
        wh.audit([["a"]], wh.RhoUncertainty("0.5", {"a"}), sampling_fraction=fraction)


def test_audit__refuses_a_population_and_a_sampling_fraction(tmp_path):
    both = {"population": tmp_path / "all.dat", "sampling_fraction": "0.1"}
    with pytest.raises(wh.WithholdError, match="leave one of them out"):
        wh.audit([["a"]], wh.RhoUncertainty("0.5", {"a"}), **both)


def test_audit__names_what_the_population_file_lacks(tmp_path):
    (tmp_path / "all.csv").write_text("age,town\n30,x\n40,y\n")
    table = Table.from_columns({"age": ["30", "40"], "zip": ["1", "2"]})
    model = wh.KAnonymity(2, ["age", "zip"])
    with pytest.raises(wh.WithholdError, match=r"all\.csv.*has no column 'zip'"):
        wh.audit(table, model, population=tmp_path / "all.csv")
    with pytest.raises(wh.WithholdError, match=r"none\.csv"):
        wh.audit(table, model, population=tmp_path / "none.csv")


def test_audit__counts_who_is_alike_in_a_population_file(tmp_path):
    (tmp_path / "all.csv").write_text("age,zip\n31,1\n33,1\n34,1\n45,2\n")
    rows = {"age": ["31", "33", "48"], "zip": ["1", "1", "2"]}
    table = wh.read_table(Table.from_columns(rows), bins={"age": 10})
    found = wh.audit(table, wh.KAnonymity(2, ["age", "zip"]), population=tmp_path / "all.csv")
    assert found.risks.journalist.mean == Fraction(2, 3) * Fraction(1, 3) + Fraction(1, 3)
    assert (found.risks.population.uniques, found.risks.population.missing) == (1, 0)
