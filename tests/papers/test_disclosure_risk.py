"""Published examples of disclosure risk.

- T. Benschop, C. Machingauta, M. Welch, Statistical Disclosure Control: A Practice Guide (World Bank),
  "Measuring Risk": ten records with sampling weights, their SUDA scores for sets of up to three of four
  variables, and the global risk 0.01582, as sdcMicro has it.
- ARX's test of risk metrics: seven records that became three groups have an average risk of 3/7.
- The data of ARX's first examples (age, gender, postcode of seven people); the risks were derived by hand.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from withhold.auditing.risk.classes import expected_inverse, prosecutor_risk
from withhold.auditing.risk.special_uniques import find_special_uniques
from withhold.data import Table
from withhold.data.grouping import groups_of

NAMES = ("residence", "gender", "education", "labour")
RECORDS = [
    ("urban", "female", "secondary incomplete", "employed", 180),
    ("urban", "female", "secondary incomplete", "employed", 180),
    ("urban", "female", "primary incomplete", "non-LF", 215),
    ("urban", "male", "secondary complete", "employed", 76),
    ("rural", "female", "secondary complete", "unemployed", 186),
    ("urban", "male", "secondary complete", "employed", 76),
    ("urban", "female", "primary complete", "non-LF", 180),
    ("urban", "male", "post-secondary", "unemployed", 215),
    ("urban", "female", "secondary incomplete", "non-LF", 186),
    ("urban", "female", "secondary incomplete", "non-LF", 76),
]
SCORES = {3: 6, 5: 12, 7: 6, 8: 10}


def guide() -> Table:
    return Table.from_columns(
        {name: [record[place] for record in RECORDS] for place, name in enumerate(NAMES)}
    )


def test_guide__sample_frequencies():
    groups = groups_of(guide(), NAMES)
    assert groups.sizes[groups.of_row].tolist() == [2, 2, 1, 2, 1, 2, 1, 1, 2, 2]


def test_guide__suda_scores():
    table = guide()
    found = find_special_uniques(
        NAMES, [table.column(name).codes for name in NAMES], asked=3, show=10
    )
    assert {row.row: row.score for row in found.worst} == SCORES
    (fifth,) = [row for row in found.worst if row.row == 5]
    assert set(fifth.columns) == {
        ("residence",),
        ("education", "labour"),
        ("gender", "labour"),
        ("gender", "education"),
    }


def test_guide__global_risk():
    """Each key has a sampling fraction of its own there: the sum of the weights over its frequency."""
    keys = [record[:4] for record in RECORDS]
    frequency = Counter(keys)
    weight: Counter[tuple[object, ...]] = Counter()
    for record in RECORDS:
        weight[record[:4]] += record[4]
    risks = [expected_inverse(frequency[k], frequency[k] / weight[k])[-1] for k in keys]
    assert sum(risks) / len(risks) == pytest.approx(0.01582, abs=5e-6)
    assert max(risks) < 0.05


def test_arx__average_and_highest_risk():
    risk = prosecutor_risk(np.array([2, 2, 3]))
    assert (risk.highest, risk.mean) == (Fraction(1, 2), Fraction(3, 7))
    assert float(risk.mean) == 0.42857142857142855


ARX_EXAMPLE = {
    "age": ["34", "45", "66", "70", "34", "70", "45"],
    "gender": ["male", "female", "male", "female", "female", "male", "male"],
    "zipcode": ["81667", "81675", "81925", "81931", "81931", "81931", "81931"],
}


@pytest.mark.parametrize(
    ("digits", "names", "highest", "mean"),
    [
        # All seven people differ.
        (5, ("age", "gender", "zipcode"), Fraction(1), Fraction(1)),
        # Four men and three women.
        (2, ("gender", "zipcode"), Fraction(1, 3), Fraction(2, 7)),
        # 816: one man, one woman; 819: three men, two women.
        (3, ("gender", "zipcode"), Fraction(1), Fraction(4, 7)),
        # Ages 34, 45 and 70 twice, 66 once.
        (2, ("age", "zipcode"), Fraction(1), Fraction(4, 7)),
    ],
)
def test_arx__people_of_its_examples(digits, names, highest, mean):
    codes = [code[:digits] for code in ARX_EXAMPLE["zipcode"]]
    table = Table.from_columns({**ARX_EXAMPLE, "zipcode": codes})
    risk = prosecutor_risk(groups_of(table, names).sizes)
    assert (risk.highest, risk.mean) == (highest, mean)
