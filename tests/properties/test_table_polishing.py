"""Polished releases of tables: still right, never worse, and the same again with as many moves."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import withhold as wh
from tables import examples
from typed import run
from withhold.errors import ImpossibleError, PolicyError
from withhold.methods.cells.options import CellsSearch

TREE = wh.Hierarchy.from_edges(
    [("a", "ab"), ("b", "ab"), ("ab", "*"), ("c", "cd"), ("d", "cd"), ("cd", "*")]
)
NAMES = ("p", "q", "r", "secret")
cells = st.sampled_from("abcd")
rows = st.lists(st.tuples(cells, cells, cells, st.sampled_from("uvw")), min_size=4, max_size=20)


def invented(n, seed=1):
    draw = np.random.default_rng(seed)
    columns = {name: draw.integers(0, 5, size=n).astype(str).tolist() for name in NAMES}
    return wh.Table.from_columns(columns)


@examples(300)
@given(
    drawn=rows,
    asked=st.sampled_from([{}, {"l": 2}, {"t": "0.5"}, {"l": "entropy:2", "beta": "2"}]),
    options=st.fixed_dictionaries(
        {"cost": st.sampled_from(["ham", "info"]), "polish_moves": st.sampled_from([0, 1, 20])}
    ),
    with_tree=st.booleans(),
)
def test_polish__is_right_and_never_worse(drawn, asked, options, with_tree):
    table = wh.Table.from_columns(dict(zip(NAMES, zip(*drawn, strict=True), strict=True)))
    model = wh.KAnonymity(2, NAMES[:3], **asked, sensitive_column="secret" if asked else None)
    more = {"publish": "all", "seed": 1, "hierarchy": {"p": TREE} if with_tree else None}
    try:
        plain = wh.anonymize(table, model, **{**options, "polish_moves": None}, **more)
    except ImpossibleError:
        return
    polished = wh.anonymize(table, model, **options, **more)
    assert wh.verify(polished.data, model).status is wh.Status.HOLDS
    if options["cost"] == "ham":
        assert polished.loss.ncp <= plain.loss.ncp + 1e-9
    assert polished.options["polish_moves"] in (0, options["polish_moves"])
    assert "polish_moves" not in plain.options


def test_polish__gains_something_and_as_many_moves_make_the_same_release():
    table, model = invented(400), wh.KAnonymity(3, NAMES[:3])
    plain = wh.anonymize(table, model, publish="all", seed=3)
    timed = wh.anonymize(table, model, publish="all", seed=3, polish=0.5)
    made = timed.options["polish_moves"]
    assert made > 0
    assert timed.loss.withheld < plain.loss.withheld
    again = wh.anonymize(table, model, publish="all", seed=3, polish_moves=made)
    assert again.data == timed.data


def test_polish__of_a_table_that_holds_makes_no_moves():
    table = wh.Table.from_columns({"p": ["a", "a"], "q": ["x", "x"]})
    release = wh.anonymize(table, wh.KAnonymity(2, ["p", "q"]), publish="all", polish=5.0)
    assert (release.loss.withheld, release.options["polish_moves"]) == (0, 0)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"polish": 0.0}, "polish must be above 0 seconds"),
        ({"polish": float("nan")}, "polish must be above 0 seconds"),
        ({"polish": 1.0, "polish_moves": 5}, "not both"),
        ({"polish": 1.0, "search": "paper"}, "leave search='paper' out"),
        ({"polish_moves": 5, "cost": "mar"}, "choose cost='ham' or cost='info'"),
    ],
)
def test_polish__is_refused_where_it_does_not_fit(options, says):
    with pytest.raises(PolicyError, match=says):
        CellsSearch(**options)


def test_polish__is_refused_where_a_withheld_cell_fits_anything():
    model = wh.KAnonymity(2, NAMES[:3], missing="wildcard")
    with pytest.raises(PolicyError, match="leave it out with missing='wildcard'"):
        wh.anonymize(invented(20), model, publish="all", polish_moves=5)


def test_cli__the_internal_manifest_makes_a_polished_table_again(tmp_path):
    table = invented(200)
    lines = [
        ",".join(NAMES),
        *(",".join(row) for row in zip(*(table.column(n).cells() for n in NAMES), strict=True)),
    ]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")

    def anonymized(out, *arguments):
        command = ["anonymize", tmp_path / "in.csv", "-o", tmp_path / out, "--quiet", *arguments]
        result = run(*command)
        assert result.exit_code == 0, result.output
        return (tmp_path / out).read_bytes()

    model = [
        "--model",
        "k-anonymity",
        "--k",
        "3",
        "--quasi-identifiers",
        "p,q,r",
        "--publish",
        "all",
    ]
    first = anonymized("first.csv", *model, "--polish", "0.3")
    internal = tmp_path / "first.csv.internal.json"
    assert json.loads(internal.read_text())["policy"]["polish-moves"] > 0
    assert "polish" not in (tmp_path / "first.csv.manifest.json").read_text()
    assert anonymized("again.csv", "--policy", internal) == first
