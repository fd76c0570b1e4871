"""Cell suppression against brute force: the model holds, and nothing but suppression happened."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import COSTS, examples
from withhold.data import Hierarchy, Table
from withhold.errors import ImpossibleError
from withhold.methods.cells.options import PATTERN_COSTS

TREE = Hierarchy.from_edges(
    [("a", "ab"), ("b", "ab"), ("ab", "*"), ("c", "cd"), ("d", "cd"), ("cd", "*")]
)
cells = st.sampled_from(["a", "b", "c", "d"])
rows = st.lists(
    st.tuples(
        cells,
        st.sampled_from(["", "x", None]),
        cells,
        st.sampled_from("01"),
        st.sampled_from("uvw"),
    ),
    min_size=1,
    max_size=16,
)
PATTERNS = [{"cost": cost} for cost in PATTERN_COSTS]
NAMES = ("p", "q", "r", "label", "secret")


def table_of(drawn):
    return Table.from_columns(dict(zip(NAMES, zip(*drawn, strict=True), strict=True)))


def shown(table, row):
    """The quasi-identifiers of a row, a withheld cell told from a blank."""
    columns = [table.column(name) for name in ("p", "q", "r")]
    return tuple("withheld" if c.codes[row] < 0 else (c.values[c.codes[row]],) for c in columns)


@examples(500)
@given(
    drawn=rows,
    k=st.integers(2, 5),
    how=st.sampled_from([*({"cost": cost, "search": "paper"} for cost in COSTS), *PATTERNS]),
    seed=st.integers(0, 3),
    with_label=st.booleans(),
    diverse=st.sampled_from([None, ("label", 2), ("secret", 2), ("secret", 3)]),
    with_tree=st.booleans(),
)
def test_release__holds_and_only_withholds(drawn, k, how, seed, with_label, diverse, with_tree):
    table = table_of(drawn)
    options = {} if diverse is None else {"sensitive_column": diverse[0], "l": diverse[1]}
    model = wh.KAnonymity(k, ["p", "q", "r"], label="label" if with_label else None, **options)
    place = None if diverse is None else NAMES.index(diverse[0])
    possible = len(drawn) >= k and (
        diverse is None or len({row[place] for row in drawn}) >= diverse[1]
    )
    hierarchy = {"p": TREE} if with_tree else None
    if not possible:
        with pytest.raises(ImpossibleError):
            wh.anonymize(table, model, **how, seed=seed, publish="all")
        return
    release = wh.anonymize(table, model, **how, seed=seed, hierarchy=hierarchy, publish="all")
    keys = [shown(release.data, row) for row in range(len(drawn))]
    assert min(Counter(keys).values()) >= k
    if diverse is not None:
        for key in set(keys):
            inside = {row[place] for row, own in zip(drawn, keys, strict=True) if own == key}
            assert len(inside) >= diverse[1]
    changed = 0
    for row, before in enumerate(drawn):
        for name, was, now in zip(("p", "q", "r"), before, keys[row], strict=False):
            if now == (was,):
                continue
            changed += 1
            if now != "withheld":
                assert name == "p"
                assert with_tree
                assert TREE.covers(now[0], was)
                assert not TREE.is_leaf(now[0])
    assert release.loss.withheld + release.loss.generalised == changed == len(release.plan)
    assert release.data.column("label").cells().tolist() == [row[3] for row in drawn]
    assert release.data.column("secret").cells().tolist() == [row[4] for row in drawn]
    again = wh.anonymize(table, model, **how, seed=seed, hierarchy=hierarchy, publish="all")
    assert again.data == release.data


@examples(200)
@given(drawn=rows, k=st.integers(2, 5), kind=st.sampled_from([None, 2]))
def test_check__is_what_counting_says(drawn, k, kind):
    table = table_of(drawn)
    model = wh.KAnonymity(k, ["p", "q"], label="label", l=kind)
    verdict = wh.verify(table, model)
    sizes = Counter(row[:2] for row in drawn)
    labels = {key: len({row[3] for row in drawn if row[:2] == key}) for key in sizes}
    holds = min(sizes.values()) >= k and (kind is None or min(labels.values()) >= kind)
    assert bool(verdict) is holds
    audit = wh.audit(table, model)
    assert audit.k == min(sizes.values())
    at_risk = [key for key in sizes if sizes[key] < k or (kind is not None and labels[key] < kind)]
    assert audit.rows_at_risk == sum(sizes[key] for key in at_risk)
    if not holds and min(sizes.values()) < k:
        assert verdict.witness.rows == min(sizes.values())
    one = sum(n for key, n in sizes.items() if labels[key] == 1)
    assert audit.one_label_rows == one
    alone = Counter(row[0] for row in drawn)
    also = Counter(row[1] for row in drawn)
    unique = sum(n == 1 for n in alone.values()) + sum(n == 1 for n in also.values())
    assert audit.known[0].unique == pytest.approx(unique / 2 / len(drawn))
