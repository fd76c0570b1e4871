"""k^m-anonymity with a hierarchy: what is asked, refused, written, proved again, compared and told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import withhold as wh
from grouped import NO_GROUPS, state_groups, write_shop
from typed import run
from withhold.errors import ImpossibleError, InputError, PolicyError
from withhold.publish.recheck import promises_less

ROWS = [
    ["ale", "bread"],
    ["stout", "bread"],
    ["ale", "cake"],
    ["stout", "cake", "soap"],
    ["ale", "bread", "soap"],
    ["tea", "bread"],
    ["tea", "cake", "soap"],
    ["ale", "stout"],
]
TREE = "item,kind\nale,beer\nstout,beer\ntea,tea\nbread,food\ncake,food\nsoap,soap\nscent,soap\n"
MODEL = wh.KmAnonymity(3, 2)
ASKED = ("--model", "km", "--k", "3", "--m", "2")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_shop(ROWS, TREE)
    return tmp_path


def publish(*more: str) -> Any:
    return run(
        "anonymize", "baskets.dat", *ASKED, "--hierarchy", "tree.csv", *more, "-o", "out.dat"
    )


def published() -> list[set[str]]:
    return [set(line.split()) for line in Path("out.dat").read_text().splitlines()]


def test_release__names_its_groups_and_is_proved_again(folder):
    result = publish("--report")
    assert result.exit_code == 0, result.output
    assert "each seen as the group it is published under" in result.output
    groups = json.loads(Path("out.dat.manifest.json").read_text())["model"]["groups"]
    assert groups["beer"] == ["ale", "stout"]
    assert groups["food"] == ["bread", "cake"]
    # Two have tea and soap: tea is the cheaper of the two, and goes everywhere.
    assert groups["tea"] == ["tea"]
    shown = set().union(*published())
    assert shown <= set(groups)
    assert "tea" not in shown
    proved = run("verify", "out.dat")
    assert proved.exit_code == 0, proved.output
    page = Path("out.dat.report.html").read_text()
    assert "What was generalised" in page
    assert "Items withheld everywhere" in page
    assert "coarser" in page
    assert "error of count queries" in page


def test_no_withhold__publishes_every_item_in_a_group(folder):
    assert publish("--no-withhold").exit_code == 0
    groups = json.loads(Path("out.dat.manifest.json").read_text())["model"]["groups"]
    group_of = {item: name for name, items in groups.items() for item in items}
    assert published() == [{group_of[item] for item in row} for row in ROWS]
    policy = json.loads(Path("out.dat.internal.json").read_text())["policy"]
    assert policy["withhold"] is False


def test_single_item__is_published_as_itself():
    made = wh.anonymize([["a"], ["a"], ["a"]], MODEL, hierarchy="fan-out:2")
    assert made.data.to_lists() == [["a"]] * 3
    assert made.loss.cost == 0


def test_verify__finds_items_that_are_no_groups(folder):
    publish()
    Path("out.dat").write_text(Path("out.dat").read_text().replace("food", "bread", 1))
    result = run("verify", "out.dat")
    assert result.exit_code == 1
    assert "bread is published, and is not a group" in result.output


@pytest.mark.parametrize("groups", NO_GROUPS)
def test_verify__refuses_groups_that_are_none(folder, groups):
    publish()
    state_groups(groups)
    assert run("verify", "out.dat").exit_code == 3


def test_verify__a_stated_policy_hears_that_groups_promise_less(folder):
    publish()
    result = run("verify", "out.dat", *ASKED)
    assert result.exit_code == 0
    assert "groups that they are published under" in result.output
    groups = wh.KmAnonymity(3, 2, groups={"beer": ["ale", "stout"]})
    assert promises_less(groups, MODEL)
    assert not promises_less(MODEL, groups)


def test_verify__needs_no_manifest(folder):
    publish()
    Path("out.dat").rename("alone.dat")
    assert run("verify", "alone.dat", *ASKED).exit_code == 0
    assert run("verify", "alone.dat", "--model", "km", "--k", "7", "--m", "2").exit_code == 1


def test_manifest__of_a_release_without_groups_has_none(folder):
    run("anonymize", "baskets.dat", *ASKED, "-o", "out.dat")
    assert "groups" not in json.loads(Path("out.dat.manifest.json").read_text())["model"]
    assert wh.KmAnonymity(3, 2).parameters() == {"model": "km", "k": 3, "m": 2}


def test_compare__measures_over_groups_with_a_manifest_or_a_hierarchy(folder):
    publish()
    release = wh.anonymize("baskets.dat", MODEL, hierarchy="tree.csv")
    for options in ({}, {"hierarchy": "tree.csv"}):
        found = wh.compare("baskets.dat", "out.dat", min_support=2, **options).releases[0].measured
        assert found.fact("generalised.cost").value == pytest.approx(release.loss.cost)
        assert found.fact("generalised.ncp").value == pytest.approx(release.loss.ncp)
        assert found.fact("queries.mean").value >= 0
        assert not found.warnings
    Path("out.dat").rename("alone.dat")
    found = wh.compare("baskets.dat", "alone.dat", min_support=2, hierarchy="tree.csv")
    measured = found.releases[0].measured
    assert measured.fact("generalised.ncp").value == pytest.approx(release.loss.ncp)
    assert measured.fact("occurrences.all.removed").value == release.loss.removed
    with pytest.raises(InputError, match="name the hierarchy"):
        wh.compare("baskets.dat", [["beer"]] * len(ROWS))


def test_sweep__varies_k_and_plots_the_cost(folder):
    asked = ("--model", "km", "--m", "2", "--hierarchy", "tree.csv", "--json")
    result = run("sweep", "baskets.dat", *asked, "--vary", "k=2,3,8")
    assert result.exit_code == 0, result.output
    assert "generalised.cost" in result.output
    costs = [
        wh.anonymize(ROWS, wh.KmAnonymity(k, 2), hierarchy="tree.csv").loss.cost for k in (2, 3, 8)
    ]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--keep", "items"), 2, "--keep is about items that are withheld without"),
        (("--nugget-support", "3"), 2, "--nugget-support"),
        (("--counting", "borders"), 2, "--counting"),
        (("--no-restore",), 2, "leave one of them out"),
        (("--detail", "0.5"), 2, "--detail belongs to --model rho"),
        (("--cut", "1"), 2, "--cut belongs to --model rho"),
    ],
)
def test_mistakes__options_of_other_searches(folder, words, code, said):
    result = publish(*words)
    assert result.exit_code == code
    assert said in result.output
    assert not Path("out.dat").exists()


def test_mistakes__hierarchies_that_do_not_fit(folder):
    Path("part.csv").write_text("\n".join(TREE.splitlines()[:4]) + "\n")
    Path("empty.csv").write_text("")
    for tree, code, said in (
        ("part.csv", 3, "lacks 3 of the items of the data: 'bread', 'cake', 'soap'"),
        ("empty.csv", 3, "is empty"),
        ("nothing.csv", 3, "does not exist"),
        ("fan-out", 2, "how many items go under a node"),
    ):
        result = run("anonymize", "baskets.dat", *ASKED, "--hierarchy", tree, "-o", "out.dat")
        assert result.exit_code == code, result.output
        assert said in result.output
    coherence = ("--model", "coherence", "--h", "0.9", "--k", "2", "--p", "2", "--private", "soap,")
    result = run("anonymize", "baskets.dat", *coherence, "--hierarchy", "tree.csv", "-o", "out.dat")
    assert result.exit_code == 2
    assert "not to coherence" in result.output
    result = run("anonymize", "baskets.dat", *ASKED, "--no-withhold", "-o", "out.dat")
    assert result.exit_code == 2
    assert "--withhold requires --hierarchy" in result.output


def test_mistakes__in_python():
    with pytest.raises(PolicyError, match="to make one, give the model without groups"):
        wh.anonymize(
            ROWS, MODEL.under(wh.anonymize(ROWS, MODEL, hierarchy="fan-out:2").model.groups)
        )
    with pytest.raises(ImpossibleError, match="fewer than k"):
        wh.anonymize(ROWS[:2], MODEL, hierarchy="fan-out:2")
    with pytest.raises(ImpossibleError, match="all items must be withheld"):
        wh.anonymize([["a"], [], []], MODEL, hierarchy="fan-out:2", withhold=False)
    assert wh.anonymize([["a"], [], []], MODEL, hierarchy="fan-out:2").data.n_occurrences == 0
    with pytest.raises(PolicyError, match="for RhoUncertainty"):
        wh.trade_off(ROWS, MODEL, hierarchy="fan-out:2")
