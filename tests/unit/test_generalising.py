"""Public items published as groups: what is asked, refused, written, proved again, compared and told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import withhold as wh
from grouped import NO_GROUPS, state_groups, write_shop
from typed import run
from withhold.errors import InputError, PolicyError
from withhold.formats.item_trees import described_tree
from withhold.publish.recheck import promises_less

ROWS = [
    ["ale", "pill"],
    ["stout", "bread"],
    ["ale", "bread"],
    ["tea", "pill"],
    ["tea", "bread"],
    ["stout", "tea"],
    ["cake", "pill", "ale"],
    ["cake", "stout"],
]
TREE = "item,kind\nale,beer\nstout,beer\ntea,tea\nbread,food\ncake,food\npill,food\n"
MODEL = wh.RhoUncertainty("0.5", {"pill"})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_shop(ROWS, TREE)
    return tmp_path


def publish(*more: str, output: str = "out.dat") -> Any:
    asked = ("--rho", "0.5", "--sensitive", "pill,", "--hierarchy", "tree.csv", "--seed", "1")
    return run("anonymize", "baskets.dat", *asked, *more, "-o", output)


def test_curve__is_printed_where_nothing_chooses(folder):
    result = publish()
    assert result.exit_code == 2
    assert "--detail" in result.stderr
    assert "--cut" in result.stderr
    curve = wh.trade_off(ROWS, MODEL, hierarchy="tree.csv", seed=1)
    for point in curve.points:
        assert f"{point.withheld * 100:.1f}%" in result.stderr or point.withheld < 0.1
    assert not Path("out.dat").exists()


def test_release__names_its_groups_and_is_proved_again(folder):
    result = publish("--cut", "1", "--report")
    assert result.exit_code == 0, result.output
    assert "each seen as the group it is published under" in result.output
    manifest = json.loads(Path("out.dat.manifest.json").read_text())
    assert manifest["model"]["groups"] == {
        "beer": ["ale", "stout"],
        "food": ["bread", "cake"],
        "tea": ["tea"],
    }
    published = [set(line.split()) for line in Path("out.dat").read_text().splitlines()]
    assert [row - {"pill"} for row in published] == [
        {"beer"},
        {"beer", "food"},
        {"beer", "food"},
        {"tea"},
        {"tea", "food"},
        {"beer", "tea"},
        {"food", "beer"},
        {"food", "beer"},
    ]
    proved = run("verify", "out.dat")
    assert proved.exit_code == 0, proved.output
    assert "group" in proved.output
    page = Path("out.dat.report.html").read_text()
    assert "What was generalised" in page
    assert "coarser" in page


def test_verify__finds_items_that_are_no_groups(folder):
    publish("--cut", "1")
    state_groups({"beer": ["ale", "stout"], "tea": ["tea"]})
    result = run("verify", "out.dat")
    assert result.exit_code == 1
    assert "food is published, and is neither a group nor sensitive" in result.output


@pytest.mark.parametrize("groups", [{"beer": ["ale", "pill"]}, {"pill": ["ale"]}, *NO_GROUPS])
def test_verify__refuses_groups_that_are_none(folder, groups):
    publish("--cut", "1")
    state_groups(groups)
    assert run("verify", "out.dat").exit_code == 3


def test_verify__a_stated_policy_hears_that_groups_promise_less(folder):
    publish("--cut", "1")
    result = run("verify", "out.dat", "--rho", "0.5", "--sensitive", "pill,")
    assert result.exit_code == 0
    assert "items are seen as the 3 groups that they are published under" in result.output
    groups = wh.RhoUncertainty("0.5", {"pill"}, groups={"beer": ["ale", "stout"]})
    assert promises_less(groups, MODEL)
    assert not promises_less(MODEL, groups)


STATED = ("--rho", "0.5", "--sensitive", "pill,")


def test_verify__a_stated_policy_with_a_hierarchy_proves_its_groups(folder):
    publish("--cut", "1")
    Path("policy.toml").write_text(
        'rho = 0.5\nsensitive = "pill,"\nhierarchy = "tree.csv"\ncut = 1\n'
    )
    for asked in (("--policy", "policy.toml"), (*STATED, "--hierarchy", "tree.csv")):
        result = run("verify", "out.dat", *asked)
        assert result.exit_code == 0, result.output
        assert "each seen as the group it is published under" in result.output
        assert "promises less" not in result.output
    Path("out.dat.manifest.json").unlink()
    assert run("verify", "out.dat", "--policy", "policy.toml").exit_code == 0


def test_verify__a_stated_policy_finds_what_is_no_node_of_its_hierarchy(folder):
    publish("--cut", "1")
    Path("other.csv").write_text(
        "item,kind\nale,brew\nstout,brew\ntea,tea\nbread,food\ncake,food\n"
    )
    result = run("verify", "out.dat", *STATED, "--hierarchy", "other.csv")
    assert result.exit_code == 1
    assert "beer is published, and is neither a group nor sensitive" in result.output
    # A node below another that is published, too: who knows of ale knows more than the group says.
    Path("both.dat").write_text("beer ale\nbeer\nfood tea pill\nfood tea\n")
    result = run("verify", "both.dat", *STATED, "--hierarchy", "tree.csv")
    assert result.exit_code == 1
    assert "ale is published, and is neither a group nor sensitive" in result.output


def test_verify__a_stated_policy_hears_of_other_groups(folder):
    publish("--cut", "1")
    Path("other.csv").write_text(
        "item,kind\nale,food\nstout,beer\ntea,tea\nbread,food\ncake,food\n"
    )
    result = run("verify", "out.dat", *STATED, "--hierarchy", "other.csv")
    assert result.exit_code == 0
    assert "1 item of its groups are in other groups" in result.output.replace("\n", " ")


def test_verify__a_stated_policy_without_a_hierarchy_says_what_groups_mean(folder):
    publish("--cut", "1")
    result = run("verify", "out.dat", *STATED)
    assert result.exit_code == 0
    assert "each seen as the group it is published under" in result.output
    # A manifest whose groups hide what the policy calls sensitive: nothing can be proved of that.
    result = run("verify", "out.dat", "--rho", "0.5", "--sensitive", "pill,ale")
    assert result.exit_code == 5
    assert "sensitive items must not be in groups" in result.output


def test_verify__a_hierarchy_that_was_built_needs_the_manifest(folder):
    run(
        "anonymize",
        "baskets.dat",
        *STATED,
        "--hierarchy",
        "fan-out:2",
        "--cut",
        "1",
        "-o",
        "out.dat",
    )
    assert run("verify", "out.dat", *STATED, "--hierarchy", "fan-out:2").exit_code == 0
    Path("out.dat.manifest.json").unlink()
    result = run("verify", "out.dat", *STATED, "--hierarchy", "fan-out:2")
    assert result.exit_code == 5
    assert "name a file that has the hierarchy" in result.output


def test_compare__measures_over_groups(folder):
    publish("--cut", "1")
    found = wh.compare("baskets.dat", "out.dat", min_support=2).releases[0].measured
    release = wh.anonymize("baskets.dat", MODEL, hierarchy="tree.csv", cut=1, seed=1)
    assert found.fact("generalised.ncp").value == pytest.approx(release.loss.ncp)
    assert found.fact("occurrences.others.share").value == 0
    assert found.fact("occurrences.sensitive.share").value == release.loss.sensitive_occurrences
    assert not found.warnings


def test_sweep__varies_detail_and_cut(folder):
    asked = ("--rho", "0.5", "--sensitive", "pill,", "--hierarchy", "tree.csv", "--json")
    for vary in ("cut=0,1,2", "detail=0,0.5,1"):
        result = run("sweep", "baskets.dat", *asked, "--vary", vary, "--seed", "1")
        assert result.exit_code == 0, result.output
        assert "generalised.ncp" in result.output


def test_cut__from_a_file_passes_over_nodes_of_sensitive_items_alone(folder):
    Path("cut.txt").write_text("ale\nstout\ntea\nfood\n")
    publish("--cut", "cut.txt")
    named = wh.anonymize(
        ROWS, MODEL, hierarchy="tree.csv", cut=["ale", "stout", "tea", "bread", "cake", "pill"]
    )
    groups = json.loads(Path("out.dat.manifest.json").read_text())["model"]["groups"]
    assert sorted(groups) == ["ale", "food", "stout", "tea"]
    assert named.model.groups.names == {"ale", "stout", "tea", "bread", "cake"}
    assert named.loss.ncp == named.loss.bits == 0


@pytest.mark.parametrize(
    ("more", "exit_code", "said"),
    [
        (("--cut", "1", "--detail", "0.5"), 2, "leave one out"),
        (("--detail", "1.5"), 2, "detail"),
        (("--detail", "-1"), 2, "detail"),
        (("--detail", "much"), 2, "detail"),
        (("--cut", "7"), 2, "a level from 0"),
        (("--cut", "-1"), 2, "a level from 0"),
        (("--cut", "nowhere.txt"), 3, "neither a level of the hierarchy nor a file"),
        (("--cut", ""), 2, "--cut is empty"),
    ],
)
def test_command__refuses_what_makes_no_sense(folder, more, exit_code, said):
    result = publish(*more)
    assert result.exit_code == exit_code, result.output
    assert said in result.stderr
    assert not Path("out.dat").exists()


def test_command__refuses_groups_without_a_hierarchy_and_under_other_models(folder):
    rho = ("anonymize", "baskets.dat", "--rho", "0.5", "--sensitive", "pill,", "-o", "out.dat")
    assert "--cut requires --hierarchy" in run(*rho, "--cut", "1").stderr
    assert "--detail requires --hierarchy" in run(*rho, "--detail", "0.5").stderr
    km = ("anonymize", "baskets.dat", "--model", "km", "--k", "2", "--m", "1", "-o", "out.dat")
    assert "belongs to --model rho" in run(*km, "--cut", "1").stderr
    coherence = ("--model", "coherence", "--h", "0.9", "--k", "2", "--p", "1", "--private", "pill,")
    other = ("anonymize", "baskets.dat", *coherence, "-o", "out.dat")
    assert run(*other, "--hierarchy", "tree.csv").exit_code == 2
    column = run(*rho, "--hierarchy", "age=tree.csv", "--cut", "1")
    assert column.exit_code == 2
    assert "about columns of a table" in column.stderr
    assert run(*rho[:-2], "--hierarchy", "no.csv", "--cut", "1", "-o", "out.dat").exit_code == 3


@pytest.mark.parametrize(
    ("cut", "said"),
    [
        (["beer", "food"], "misses 1 of the 5 public items: 'tea'"),
        (["beer", "ale", "tea", "food"], "covers more than once 1 of the 5 public items: 'ale'"),
        ([], "misses 5"),
    ],
)
def test_cut__that_is_none_says_which_items(folder, cut, said):
    with pytest.raises(PolicyError, match=said):
        wh.anonymize(ROWS, MODEL, hierarchy="tree.csv", cut=cut)


def test_hierarchy__refuses_what_does_not_fit(folder):
    with pytest.raises(InputError, match="did you mean 'beer'"):
        wh.anonymize(ROWS, MODEL, hierarchy="tree.csv", cut=["beers", "tea", "food"])
    edges = [(item, "*") for item in ("ale", "stout", "bread")]
    with pytest.raises(InputError, match="lacks 2 of the items of the data: 'cake', 'tea'"):
        wh.anonymize(ROWS, MODEL, hierarchy=wh.Hierarchy.from_edges(edges), cut=1)
    public = ("ale", "stout", "bread", "cake", "tea")
    above = [("ale", "pill"), *((item, "*") for item in (*public[1:], "pill"))]
    with pytest.raises(InputError, match="sensitive items are inner nodes"):
        wh.anonymize(ROWS, MODEL, hierarchy=wh.Hierarchy.from_edges(above), cut=1)
    everything = wh.RhoUncertainty("0.5", {*public, "pill"})
    for hierarchy in ("tree.csv", "fan-out:2", "co-occurrence"):
        with pytest.raises(PolicyError, match="all items of the data are sensitive"):
            wh.anonymize(ROWS, everything, hierarchy=hierarchy, cut=1)
    with pytest.raises(PolicyError, match="the model has groups"):
        wh.anonymize(ROWS, MODEL.under(_groups()))


def _groups() -> Any:
    return wh.anonymize(ROWS, MODEL, hierarchy="tree.csv", cut=1).model.groups


def test_promise__says_how_items_are_seen():
    groups = {"beer": ["ale", "stout"]}
    for limits, said in (
        (
            {},
            "any items of a person's record, each seen as the group it is published under, or nothing",
        ),
        ({"max_known": 2}, "at most 2 items of a person's record, each seen as the group"),
        ({"ignore_prior": True}, "published under, cannot infer"),
    ):
        assert said in wh.RhoUncertainty("0.5", {"pill"}, groups=groups, **limits).promise()


def test_trade_off__is_for_models_with_groups():
    with pytest.raises(PolicyError, match="a trade-off is for RhoUncertainty"):
        wh.trade_off(ROWS, wh.KmAnonymity(2, 1), hierarchy="prefix")


def test_release__is_the_same_for_any_number_of_threads(folder):
    made = [
        wh.anonymize(ROWS * 50, MODEL, hierarchy="tree.csv", detail=0.7, seed=3, jobs=jobs).data
        for jobs in (1, 2)
    ]
    assert made[0] == made[1]


def test_co_occurrence__puts_items_together_that_are_held_together():
    rows = [["a", "b"]] * 5 + [["c", "d"]] * 4 + [["a", "c"], ["e"], ["pill", "e"]]
    found, _ = described_tree(wh.read(rows), "co-occurrence", set_aside={"pill"})
    assert found.parent("a") == found.parent("b") == "a+1"
    assert found.parent("c") == found.parent("d") == "c+1"
    assert set(found.leaves) == {"a", "b", "c", "d", "e"}
    again, _ = described_tree(wh.read(rows[::-1]), "co-occurrence", set_aside={"pill"})
    assert again == found


@pytest.mark.parametrize("rows", [[["a"]], [["a", "b"]], [["a"], ["b"], ["c"]], [["b"], []]])
def test_co_occurrence__is_a_tree_over_any_items(rows):
    found, described = described_tree(wh.read(rows), "co-occurrence")
    assert set(found.leaves) == {item for row in rows for item in row}
    assert described["from"] == "co-occurrence"


def test_co_occurrence__makes_a_release_that_is_proved(folder):
    release = wh.anonymize(ROWS, MODEL, hierarchy="co-occurrence", detail=0.5, seed=1)
    assert release.verdict.status is wh.Status.HOLDS
    with pytest.raises(PolicyError, match="takes no numbers"):
        wh.anonymize(ROWS, MODEL, hierarchy="co-occurrence:3", cut=1)


def test_verify__refuses_what_says_how_to_withhold(folder):
    publish("--cut", "1")
    policy = ("--rho", "0.5", "--sensitive", "pill,")
    refused = run("verify", "out.dat", *policy, "--cut", "1")
    assert refused.exit_code == 2
    assert "No such option: --cut" in refused.stderr
    Path("policy.toml").write_text(
        'rho = "0.5"\nsensitive = ["pill"]\nhierarchy = "tree.csv"\ncut = "1"\n'
    )
    assert run("verify", "out.dat", "--policy", "policy.toml").exit_code == 0
    again = run("anonymize", "baskets.dat", "--policy", "policy.toml", "--seed", "1", "-o", "b.dat")
    assert again.exit_code == 0, again.output
    assert Path("b.dat").read_bytes() == Path("out.dat").read_bytes()
    Path("out.dat.manifest.json").unlink()
    repeated = run("anonymize", "baskets.dat", "--policy", "out.dat.internal.json", "-o", "c.dat")
    assert repeated.exit_code == 0, repeated.output
    assert Path("c.dat").read_bytes() == Path("out.dat").read_bytes()


def test_report__tells_strangers_about_groups_and_nothing_about_items(folder):
    publish("--cut", "1", "--report", "--edition", "external")
    page = Path("out.dat.report.html").read_text()
    assert "under the names of groups" in page
    assert "What remains is as it was" not in page
    assert "stout" not in page
