"""Buckets from end to end: the model, the command line, files, compare, sweep and the report."""

from __future__ import annotations

import json

import pytest

import withhold as wh
from typed import run
from withhold.errors import InputError, PolicyError
from withhold.methods.buckets.model import RareSet
from withhold.publish.recheck import verify_file
from withhold.registry import model_from

HASH = ("--fill", "hash")
ROWS = [["I1", "J1", "J2"], ["I2", "J1"], ["I2", "J1", "J2"], ["I1", "I2", "J2"]]
TREE = "I1;I;*\nI2;I;*\nJ1;J;*\nJ2;J;*\n"


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.dat").write_text("".join(" ".join(row) + "\n" for row in ROWS))
    (tmp_path / "tree.csv").write_text(TREE)
    return tmp_path


@pytest.mark.parametrize("k", [1, 0, -2, "3", 2.5, None, True])
def test_k__must_be_a_whole_number_from_2_on(k):
    with pytest.raises(PolicyError, match="k must be"):
        wh.Buckets(k)


def test_model__is_built_again_from_its_parameters():
    model = wh.Buckets(4)
    assert model_from(json.loads(json.dumps(model.parameters()))) == model
    assert "at least 4" in model.promise()


def test_verify__counts_whole_sets():
    assert wh.verify([["a"], ["a"], [], []], wh.Buckets(2)).status is wh.Status.HOLDS
    found = wh.verify([["a", "b"], ["a"], ["a"], ["c"], ["d"], ["c", "d"]], wh.Buckets(2))
    assert found.status is wh.Status.BROKEN
    # The rarest, of those the shortest, of those the first.
    assert found.witness == RareSet(("c",), 1, 2)


def test_audit__counts_rare_sets_and_the_records_that_have_them():
    rows = [["a"], ["a"], ["b"], ["a", "b"], list("abcdefg")]
    found = wh.audit(rows, wh.Buckets(2))
    assert found.by_size == {0: 0, 1: 1, 2: 1, 3: 0, 4: 0, 5: 0}
    assert found.exposed_records == 2
    assert len(found.breaches) == 3
    assert wh.audit(rows, wh.Buckets(2), max_size=7).exposed_records == 3


def test_anonymize__needs_a_hierarchy_that_fits(shop):
    with pytest.raises(PolicyError, match="a hierarchy is missing"):
        wh.anonymize(ROWS, wh.Buckets(2))
    with pytest.raises(InputError, match="lacks 4 of the items of the data"):
        wh.anonymize(ROWS, wh.Buckets(2), hierarchy=wh.Hierarchy.from_edges([("a", "*")]))
    with pytest.raises(InputError, match="does not exist"):
        wh.anonymize(ROWS, wh.Buckets(2), hierarchy="no.csv")
    for wrong, said in [
        ("fan-out", "how many"),
        ("fan-out:x", "whole numbers"),
        ("fan-out:1", "at least 2"),
    ]:
        with pytest.raises(PolicyError, match=said):
            wh.anonymize(ROWS, wh.Buckets(2), hierarchy=wrong)
    built = wh.anonymize(ROWS, wh.Buckets(2), hierarchy="prefix", fill="hash", buckets=3)
    read = wh.anonymize(ROWS, wh.Buckets(2), hierarchy=shop / "tree.csv", fill="hash", buckets=3)
    assert built.data == read.data
    other = wh.anonymize(ROWS, wh.Buckets(2), hierarchy="fan-out:2", fill="hash", buckets=3)
    assert other.data != read.data
    assert read.options["hierarchy"] == {"from": "tree.csv", "leaves": 4, "nodes": 7, "height": 2}


@pytest.mark.parametrize("wrong", [{"buckets": 2}, {"to_root": True}])
def test_what_only_the_hash_needs__is_refused_without_it(wrong):
    (name,) = wrong
    for fill in ({}, {"fill": "none"}):
        with pytest.raises(PolicyError, match=f"{name} requires fill='hash'"):
            wh.anonymize(ROWS, wh.Buckets(2), hierarchy="prefix", **fill, **wrong)


@pytest.mark.parametrize("wrong", [{"buckets": 0}, {"fill": "hsh"}, {"fill": ""}, {"fill": None}])
def test_hash__options_that_make_no_sense(wrong):
    with pytest.raises(PolicyError, match=r"1 or more|fill must be"):
        wh.anonymize(ROWS, wh.Buckets(2), **{"hierarchy": "prefix", "fill": "hash", **wrong})


def test_default__adds_nothing_and_the_hash_says_what_it_does():
    rows = [["I1"], ["J1"], ["I2"], ["J2"]]
    plain = wh.anonymize(rows, wh.Buckets(2), hierarchy="prefix")
    assert plain.loss.added == 0
    assert (plain.options["fill"], plain.plan.facts()) == ("none", [])
    filled = wh.anonymize(rows, wh.Buckets(4), hierarchy="prefix", fill="hash")
    assert filled.loss.added == 4
    assert filled.options["fill_effect"] == "adds items that people never had"


def test_plan__applies_only_to_its_own_table():
    release = wh.anonymize(ROWS, wh.Buckets(2), hierarchy="prefix")
    assert wh.apply(release.plan, release.original) == release.data
    assert release.plan.group_sizes.sum() == 4
    with pytest.raises(PolicyError, match="other rows"):
        wh.apply(release.plan, wh.read(ROWS[:3]))


@pytest.mark.parametrize("name", ["out.dat", "out.csv", "out.jsonl", "out.parquet"])
def test_publish__every_format_is_proved_again(tmp_path, name):
    release = wh.anonymize(ROWS, wh.Buckets(2), hierarchy="prefix", fill="hash", buckets=3)
    written = release.write(tmp_path / name)
    again = verify_file(written.path)
    assert again.verdict.status is wh.Status.HOLDS
    assert again.table.to_lists() == [["I", "J"], ["I2", "J"], ["I2", "J"], ["I", "J"]]
    manifest = json.loads(written.manifest.read_text())
    assert manifest["model"] == {"model": "buckets", "k": 2}
    internal = json.loads(written.internal.read_text())
    assert internal["options"]["buckets"] == 3
    assert internal["loss"]["items_added"] == 0


def test_record_ids__stay_if_they_are_kept():
    table = wh.Records.from_lists(ROWS, record_ids=["a", "b", "c", "d"])
    numbered = wh.anonymize(table, wh.Buckets(2), hierarchy="prefix")
    assert numbered.data.record_ids == ("1", "2", "3", "4")
    release = wh.anonymize(table, wh.Buckets(2), hierarchy="prefix", ids="keep")
    assert release.data.record_ids == ("a", "b", "c", "d")


def test_command_line__the_whole_road(shop):
    options = ["--model", "buckets", "--k", 2, "--hierarchy", "tree.csv"]
    done = run("anonymize", "shop.dat", *options, "-o", "out.dat", *HASH, "--buckets", 3)
    assert done.exit_code == 0, done.output
    assert done.stderr.count("--fill hash adds items that people never had") == 1
    assert "hash, which adds items that people never had" in done.stdout
    assert (shop / "out.dat").read_text() == "I J\nI2 J\nI2 J\nI J\n"
    assert run("verify", "out.dat").exit_code == 0
    (shop / "out.dat").write_text("I J\nI2 J\nI2 J\nI\n")
    changed = run("verify", "out.dat")
    assert changed.exit_code == 1
    assert "{I}: 1 record, fewer than 2" in changed.output
    assert run("audit", "shop.dat", "--model", "buckets", "--k", 2).exit_code == 1
    truthful = run("anonymize", "shop.dat", *options, "-o", "true.dat", "--json")
    assert "never had" not in truthful.output
    assert json.loads(truthful.stdout)["options"]["fill"] == "none"
    assert json.loads(truthful.stdout)["loss"]["items_added"] == 0


def test_command_line__added_items_are_told_loudly(shop):
    (shop / "far.dat").write_text("I1\nJ1\n")
    options = ["--model", "buckets", "--k", 2, "--hierarchy", "tree.csv"]
    done = run("anonymize", "far.dat", *options, *HASH, "-o", "out.dat")
    assert (
        "2 ITEMS THAT PEOPLE NEVER HAD, in 2 of 2 records (50.0% of what is published)"
        in done.output
    )


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--k", "2"], 2, "a hierarchy is missing"),
        (["--k", "2", "--truthful"], 2, "truthful is the default now; --fill hash gives"),
        (["--k", "2", "--fill", "hsh"], 2, "--fill must be none or hash, not 'hsh'"),
        (["--k", "2", "--fill", ""], 2, "--fill is empty"),
        (["--k", "2", "--buckets", "3"], 2, "--buckets requires --fill hash"),
        (["--k", "2", "--to-root"], 2, "--to-root requires --fill hash"),
        (["--k", "2", "--to-root", "--fill", "none"], 2, "--to-root requires --fill hash"),
        (["--hierarchy", "tree.csv"], 2, "--k is missing"),
        (["--k", "5", "--hierarchy", "tree.csv"], 4, "choose a smaller k"),
        (["--k", "2", "--hierarchy", "shop.dat"], 3, "not a hierarchy"),
        (
            ["--k", "2", "--hierarchy", "tree.csv", "--rho", "0.5"],
            2,
            "--rho belongs to --model rho",
        ),
    ],
)
def test_command_line__what_cannot_be_done(shop, options, code, said):
    done = run("anonymize", "shop.dat", "--model", "buckets", *options, "-o", "out.dat")
    assert done.exit_code == code
    assert said in done.output
    assert not (shop / "out.dat").exists()


def test_command_line__consent_and_a_policy(shop):
    (shop / "agreed.txt").write_text("2\n3\n4\n")
    (shop / "rules.toml").write_text(
        'model = "buckets"\nk = 3\nhierarchy = "tree.csv"\nconsent = "agreed.txt"\n'
    )
    done = run("anonymize", "shop.dat", "--policy", "rules.toml", "-o", "out.dat")
    assert done.exit_code == 0, done.output
    assert "1 record without consent left out" in done.output
    assert len((shop / "out.dat").read_text().splitlines()) == 3
    audit = run("audit", "shop.dat", "--model", "buckets", "--k", 2, "--consent", "agreed.txt")
    assert "3 records" in audit.output
    assert "1 record without consent left out" in audit.output


def test_compare__by_the_hierarchy_and_without_it(shop):
    release = wh.anonymize("shop.dat", wh.Buckets(2), hierarchy="tree.csv", fill="hash", buckets=3)
    release.write("out.dat")
    found = wh.compare("shop.dat", "out.dat", release, hierarchy="tree.csv")
    for each in found.releases:
        assert each.measured.fact("information_loss").value == pytest.approx(19 / 48)
    blind = wh.compare("shop.dat", "out.dat")
    assert "without its hierarchy" in blind.warnings[0]
    other = wh.compare(ROWS[:3], "out.dat", hierarchy="tree.csv")
    assert "does not fit" in other.warnings[0]
    done = run("compare", "shop.dat", "out.dat", "--hierarchy", "tree.csv")
    assert "information loss" in done.output


def test_compare__warns_of_items_never_had(shop):
    rows = [["I1"], ["J1"]]
    release = wh.anonymize(rows, wh.Buckets(2), hierarchy="tree.csv", fill="hash")
    assert "people never had" in wh.compare([["I1"], ["J1"]], release).warnings[0]


def test_sweep__k_and_buckets(shop):
    found = wh.sweep(
        ROWS,
        wh.Buckets(2),
        vary={"k": [2, 4, 5], "buckets": [1, 3]},
        hierarchy="prefix",
        fill="hash",
    )
    assert [point.problem is not None for point in found.points] == [False] * 4 + [True] * 2
    losses = [point.fact("information_loss").value for point in found.points[:4]]
    assert losses == pytest.approx([0.5, 19 / 48, 0.5, 0.5])
    agreed = wh.sweep(ROWS, wh.Buckets(2), vary={"k": [2]}, hierarchy="prefix", consent=[2, 3])
    assert agreed.points[0].fact("largest_group").value == 2
    done = run(
        "sweep", "shop.dat", "--model", "buckets", "--hierarchy", "tree.csv", "--vary", "k=2,3"
    )
    assert done.exit_code == 0, done.output
    assert {"25.0%", "50.0%"} <= set(done.output.split())
    both = ["--model", "buckets", "--hierarchy", "tree.csv", "--k", 2, "--vary", "fill=none,hash"]
    done = run("sweep", "shop.dat", *both, "--json")
    assert [point["values"]["fill"] for point in json.loads(done.stdout)["points"]] == [
        "none",
        "hash",
    ]


@pytest.mark.parametrize("fill", ["none", "hash"])
def test_report__tells_what_was_added_and_draws_the_groups(shop, fill):
    rows = [["I1"], ["J1"], ["I1", "J2"], ["I2"]] * 3
    release = wh.anonymize(rows, wh.Buckets(5), hierarchy="tree.csv", fill=fill)
    release.write("out.dat", report=True)
    page = (shop / "out.dat.report.html").read_text()
    assert ("THE PERSON NEVER HAD" in page) is (fill == "hash")
    assert ("adds items that people never had" in page) is (fill == "hash")
    report = release.report()
    assert {"recordloss", "groupsizes", "grouploss"} <= set(report.plots)
    sizes = report.plots["groupsizes"]
    assert sum(sizes.parts[0].values) == 12
    external = release.report(edition="external")
    assert not {"recordloss", "groupsizes", "grouploss"} & set(external.plots)


def test_inspect__draws_the_hierarchy(shop):
    done = run("inspect", "--hierarchy", "tree.csv")
    assert done.exit_code == 0
    assert "├── I  (2 leaves)" in done.output
    both = run("inspect", "shop.dat", "--hierarchy", "tree.csv", "--json")
    found = json.loads(both.stdout)
    assert (found["records"], found["hierarchy"]["leaves"]) == (4, 4)
    assert ["I1", "I"] in found["hierarchy"]["edges"]
    assert run("inspect").exit_code == 2
    (shop / "other.dat").write_text("I1 beer\n")
    wrong = run("inspect", "other.dat", "--hierarchy", "tree.csv")
    assert wrong.exit_code == 3
    assert "'beer'" in wrong.output
