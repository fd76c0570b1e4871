"""Values in a notebook: they show themselves, become frames, and are drawn."""

from __future__ import annotations

import re

import pytest

import withhold as wh
from withhold.datasets import hospital

MARKUP = "<img src=x onerror=alert(1)>"
SHOP = [["bread", "beer", MARKUP], ["beer", MARKUP], ["bread", "coffee"], ["coffee"]] * 5
MODEL = wh.RhoUncertainty("0.5", {MARKUP})
TABLE = wh.Table.from_columns({"age": ["20s", "20s", "30s", "30s", MARKUP, "20s"]})
OF_TABLES = wh.KAnonymity(2, ["age"])


@pytest.fixture(scope="module")
def values():
    release = wh.anonymize(SHOP, MODEL, seed=1)
    found = hospital(300, seed=1)
    people = wh.PeopleUncertainty(
        "0.5", found.sensitive, k=5, quasi_identifiers=["sex", "age", "region", "occupation"]
    )
    tree = wh.Hierarchy.from_paths(
        [
            ("bread", "food", "*"),
            ("beer", "drinks", "*"),
            ("coffee", "drinks", "*"),
            (MARKUP, "x", "*"),
        ]
    )
    return {
        "verdict": wh.verify(SHOP, MODEL),
        "audit": wh.audit(SHOP, MODEL),
        "audit of a table": wh.audit(TABLE, OF_TABLES),
        "release": release,
        "release of a table": wh.anonymize(TABLE, OF_TABLES, seed=1),
        "comparison": wh.compare(SHOP, release, names=[MARKUP]),
        "sweep": wh.sweep(SHOP, MODEL, vary={"rho": ["0.3", "0.7"], "max_known": [1, None]}),
        "ladder": wh.ladder(found.people(), people, seed=1),
        "curve": wh.trade_off(SHOP, MODEL, hierarchy=tree, seed=1),
        "advice": wh.advise(SHOP, sensitive=[MARKUP]),
    }


KINDS = [
    "verdict",
    "audit",
    "audit of a table",
    "release",
    "release of a table",
    "comparison",
    "sweep",
    "ladder",
    "curve",
    "advice",
]


@pytest.mark.parametrize("kind", KINDS)
def test_html__is_whole_and_has_no_markup_of_the_datas(values, kind):
    html = values[kind]._repr_html_()
    assert MARKUP not in html
    opened = re.findall(r"<(table|tr|td|th|p|details|pre|strong)\b", html)
    closed = re.findall(r"</(table|tr|td|th|p|details|pre|strong)>", html)
    assert sorted(opened) == sorted(closed)
    assert opened


@pytest.mark.parametrize(
    ("kind", "status"), [("verdict", "BROKEN"), ("audit", "BROKEN"), ("release", "HOLDS")]
)
def test_html__begins_with_the_verdict_in_its_colour(values, kind, status):
    colour = {"BROKEN": "#cf222e", "HOLDS": "#1a7f37"}[status]
    assert f'<strong style="color: {colour}">{status}</strong>' in values[kind]._repr_html_()


def test_frame__of_an_audit_has_its_breaches(values):
    frame = values["audit"].to_frame()
    assert len(frame) == len(values["audit"].breaches)
    first = values["audit"].breaches[0]
    assert (frame["joint"][0], frame["support"][0]) == (first.joint, first.support)


def test_frame__of_a_sweep_has_a_row_for_each_point(values):
    sweep = values["sweep"]
    frame = sweep.to_frame()
    assert frame["rho"].to_list() == ["0.3", "0.3", "0.7", "0.7"]
    assert frame["max_known"].to_list() == ["1", None, "1", None]
    removed = [point.fact("occurrences.all.removed").value for point in sweep.points]
    assert frame["occurrences.all.removed"].to_list() == removed


def test_frame__of_a_comparison_has_a_row_for_each_release(values):
    frame = values["comparison"].to_frame()
    assert frame["release"].to_list() == [MARKUP]
    assert frame["occurrences.all.removed"].to_list() == [values["release"].loss.removed]


def test_frame__of_what_costs(values):
    assert values["ladder"].to_frame()["max_known"].to_list() == [0, 1, 2, None]
    assert values["curve"].to_frame()["ncp"].to_list() == [p.ncp for p in values["curve"].points]
    assert values["advice"].to_frame()["cost"][0] == values["advice"].choices[0].cost


@pytest.mark.parametrize("kind", ["audit", "sweep"])
def test_plot__is_a_figure(values, kind):
    figure = values[kind].plot()
    assert figure.axes[0].lines


@pytest.mark.parametrize("kind", [each for each in KINDS if each not in ("ladder", "curve")])
def test_what_is_printed_is_one_short_line(values, kind):
    printed = str(values[kind])
    assert printed.startswith(f"<{type(values[kind]).__name__} ")
    assert len(printed) < 250
    assert "\n" not in printed


def test_printed_values_have_what_matters_first(values, tmp_path):
    assert repr(values["verdict"]) == f"<Verdict BROKEN: {values['verdict'].witness}>"
    assert "verdict=BROKEN, 10 of 20 records exposed, " in repr(values["audit"])
    assert "1 of 6 rows at risk, smallest group 1" in repr(values["audit of a table"])
    assert repr(values["release"].verdict).startswith("<Verdict HOLDS: ")
    assert f": {MARKUP} withheld " in repr(values["comparison"])
    published = values["release of a table"].write(tmp_path / "out.csv")
    assert f"{tmp_path / 'out.csv.internal.json'}>" in repr(published)
    (tmp_path / "shop.jsonl").write_text('["beer", "pill"]\n["beer"]\n' * 20)
    model = wh.RhoUncertainty("0.5", {"pill"})
    made = wh.anonymize_parts(tmp_path / "shop.jsonl", model, tmp_path / "parts", seed=1)
    assert repr(made).endswith(" model=rho verdict=HOLDS, 1 part, 40 records>")
