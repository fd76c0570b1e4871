"""ℓ-diversity, t-closeness and β-likeness of tables against brute force: check, audit and release."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle_disclosure as oracle
import withhold as wh
from tables import COSTS, examples
from withhold.data import Table
from withhold.errors import ImpossibleError

NAMES = ("p", "q", "secret", "salary")
ORDER = ["2", "10", "30-39", "100"]
rows = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(["", "x", None]),
        st.sampled_from(["u", "v", "w", "", None]),
        st.sampled_from(ORDER),
    ),
    min_size=1,
    max_size=16,
)
shares = st.sampled_from(["0.1", "1/3", "0.4", "0.5", "2/3", "0.9"])
asked = st.fixed_dictionaries(
    {"sensitive_column": st.sampled_from([["secret"], ["salary"], ["salary", "secret"]])},
    optional={
        "l": st.sampled_from(
            [2, 3, "entropy:2", "entropy:2.5", "entropy:3", "recursive:1:2", "recursive:3/2:3"]
        ),
        "t": shares,
        "beta": st.sampled_from(["0.5", "1", "4/3", "3"]),
    },
).filter(lambda each: len(each) > 1)

HOW = [*({"cost": cost, "search": "paper"} for cost in COSTS), {"cost": "ham"}, {"cost": "info"}]


def model_of(k, asked, ordered):
    also = (
        {"ordered": ["salary"]}
        if ordered and "t" in asked and "salary" in asked["sensitive_column"]
        else {}
    )
    return wh.KAnonymity(k, ["p", "q"], **asked, **also)


def is_right(group, drawn, model):
    """Whether a group shows enough of every sensitive column, by the definitions."""
    for name in model.sensitive_column:
        place = NAMES.index(name)
        # A null and an empty text are two values.
        mine, every = ([repr(row[place]) for row in part] for part in (group, drawn))
        match str(model.l).split(":"):
            case ["None"]:
                right = True
            case ["entropy", l]:
                right = oracle.is_even(mine, Fraction(l))
            case ["recursive", c, l]:
                right = oracle.is_recursive(mine, Fraction(c), int(l))
            case [l]:
                right = oracle.is_distinct(mine, int(l))
        order = [repr(v) for v in ORDER if repr(v) in every] if name in model.ordered else None
        right = right and (model.t is None or oracle.distance(mine, every, order) <= model.t)
        right = right and (model.beta is None or oracle.is_like(mine, every, model.beta))
        if not right:
            return False
    return True


def table_of(drawn):
    return Table.from_columns(dict(zip(NAMES, zip(*drawn, strict=True), strict=True)))


def groups_of(table, drawn):
    """The rows of the original by their published cells, a withheld one told from a blank."""
    found = {}
    columns = [table.column(name) for name in ("p", "q")]
    for number, row in enumerate(drawn):
        key = tuple((c.values[c.codes[number]],) if c.codes[number] >= 0 else None for c in columns)
        found.setdefault(key, []).append(row)
    return found


@examples(1500)
@given(drawn=rows, k=st.integers(2, 4), asked=asked, ordered=st.booleans())
def test_check_and_audit__are_what_the_definitions_say(drawn, k, asked, ordered):
    table, model = table_of(drawn), model_of(k, asked, ordered)
    groups = groups_of(table, drawn)
    small = {key for key, group in groups.items() if len(group) < k}
    wrong = {key for key, group in groups.items() if not is_right(group, drawn, model)}
    verdict = wh.verify(table, model)
    assert bool(verdict) is (not small and not wrong)
    audit = wh.audit(table, model, publish="all", show=100)
    assert audit.rows_at_risk == sum(len(groups[key]) for key in small | wrong)
    assert len(audit.breaches) == len(small | wrong)
    if not small and wrong:
        assert verdict.witness.rows == min(len(groups[key]) for key in wrong)
        assert verdict.witness.lacks.split(" has ")[0] in model.sensitive_column


@examples(600)
@given(
    drawn=rows,
    k=st.integers(2, 4),
    asked=asked,
    ordered=st.booleans(),
    how=st.sampled_from(HOW),
    seed=st.integers(0, 3),
)
def test_release__holds_or_nothing_does(drawn, k, asked, ordered, how, seed):
    table, model = table_of(drawn), model_of(k, asked, ordered)
    if len(drawn) < k or not is_right(drawn, drawn, model):
        with pytest.raises(ImpossibleError):
            wh.anonymize(table, model, **how, seed=seed, publish="all")
        return
    release = wh.anonymize(table, model, **how, seed=seed, publish="all")
    for group in groups_of(release.data, drawn).values():
        assert len(group) >= k
        assert is_right(group, drawn, model)
    assert release.data.column("secret").cells().tolist() == [row[2] for row in drawn]
    assert release.data.column("salary").cells().tolist() == [row[3] for row in drawn]


@examples(500)
@given(drawn=rows, other=rows, asked=asked, ordered=st.booleans())
def test_requirements__hold_for_the_union_of_two_groups(drawn, other, asked, ordered):
    model = model_of(2, asked, ordered)
    whole = drawn + other
    if is_right(drawn, whole, model) and is_right(other, whole, model):
        assert is_right(whole, whole, model)


def fitting(cells):
    """How many rows fit each row, a withheld cell (None) fitting anything."""
    return [
        sum(
            all(a == b or None in (a, b) for a, b in zip(one, other, strict=True))
            for other in cells
        )
        for one in cells
    ]


def shown(table, n_rows):
    columns = [table.column(name) for name in ("p", "q", "secret")]
    return [
        tuple((c.values[c.codes[n]],) if c.codes[n] >= 0 else None for c in columns)
        for n in range(n_rows)
    ]


@examples(600)
@given(drawn=rows, k=st.integers(2, 4), cost=st.sampled_from(COSTS), marked=st.booleans())
def test_wildcard__counts_the_rows_that_fit(drawn, k, cost, marked):
    table = table_of(drawn)
    if marked:
        names = ("p", "q", "secret")
        table = table.with_columns([table.column(name).with_withheld(None) for name in names])
        table = table.with_columns([table.column("p").with_withheld("a")])
    model = wh.KAnonymity(k, ["p", "q", "secret"], missing="wildcard")
    before = fitting(shown(table, len(drawn)))
    assert bool(wh.verify(table, model)) is (min(before) >= k)
    audit = wh.audit(table, model, publish="all")
    assert audit.k_wildcard == min(before)
    assert audit.rows_at_risk == sum(n < k for n in before)
    if len(drawn) < k:
        return
    release = wh.anonymize(table, model, cost=cost, seed=1, publish="all")
    after = shown(release.data, len(drawn))
    assert min(fitting(after)) >= k
    assert (min(before) >= k) == (len(release.plan) == 0)
    strict = wh.KAnonymity(k, ["p", "q", "secret"])
    usual = wh.anonymize(table, strict, cost=cost, seed=1, publish="all")
    assert len(release.plan) <= len(usual.plan)
    small = sum(after.count(row) < k for row in after)
    assert any("look like fewer than" in text for text in release.warnings) is (small > 0)
