"""Which cells of a table are withheld is for the user to say, not for the file's own manifest."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import withhold as wh
from typed import run

MODEL = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "q", "--missing", "wildcard")


@pytest.fixture
def released(tmp_path, monkeypatch):
    """A release in which one cell is withheld, and the file that it was made from."""
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("q,s\n1,u\n2,v\n3,w\n")
    made = run("anonymize", "in.csv", *MODEL, "--publish", "all", "--mark", "*", "-o", "out.csv")
    assert made.exit_code == 0, made.output
    return Path("out.csv")


def test_verify__takes_the_mark_that_is_stated(released):
    assert run("verify", released).exit_code == 0
    assert run("verify", released, *MODEL, "--mark", "*").exit_code == 0
    assert run("verify", released, *MODEL, "--mark", "x").exit_code == 1


def test_verify__a_stated_policy_does_not_take_the_manifests_word(released):
    done = run("verify", released, *MODEL)
    assert done.exit_code == 5
    assert "name what stands for a withheld cell" in done.stderr


def test_verify__a_manifest_cannot_make_the_original_hold(released):
    shutil.copy("in.csv", released)
    manifest = released.with_name("out.csv.manifest.json")
    record = json.loads(manifest.read_text())
    record["output"]["mark"] = "3"
    record["output"]["sha256"] = hashlib.sha256(released.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(record))
    assert run("verify", released, *MODEL).exit_code == 5
    assert run("verify", released, *MODEL, "--mark", "*").exit_code == 1


def test_verify__a_file_without_a_manifest_has_the_marks_that_are_stated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("plain.csv").write_text("q,s\n1,u\n2,v\n*,w\n")
    assert run("verify", "plain.csv", *MODEL, "--mark", "*").exit_code == 0
    assert run("verify", "plain.csv", *MODEL).exit_code == 1


def test_verify__where_marks_do_not_matter_none_need_be_stated(released):
    strict = MODEL[:-2]
    Path("strict.csv").write_text("q,s\n1,u\n1,v\n2,u\n2,v\n3,w\n4,w\n")
    made = run("anonymize", "strict.csv", *strict, "--publish", "all", "--mark", "*", "-o", "s.csv")
    assert made.exit_code == 0, made.output
    assert "*,w" in Path("s.csv").read_text()
    assert run("verify", "s.csv", *strict).exit_code == 0


@pytest.mark.parametrize("others", [["10"] * 999, ["10"] * 500 + ["20"] * 499])
def test_outlier__costs_k_cells_and_no_more(others):
    frame = pl.DataFrame({"a": [*others, "30"]})
    release = wh.anonymize(frame, wh.KAnonymity(5, ["a"]), seed=1)
    assert release.loss.withheld == 5


def test_audit__passes_over_what_a_policy_says_about_withholding(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("b.dat").write_text("a s\na\nb\nb s\n")
    Path("tree.csv").write_text("a,g\nb,g\ns,*\ng,*\n")
    Path("p.toml").write_text('rho = 0.5\nsensitive = ["s"]\nhierarchy = "tree.csv"\ncut = 1\n')
    assert run("audit", "b.dat", "--policy", "p.toml").exit_code == 0


def test_cut__of_numbers_is_refused():
    tree = wh.Hierarchy.from_edges([("a", "g"), ("b", "g"), ("g", "*")])
    model = wh.RhoUncertainty("0.5", ["s"])
    with pytest.raises(wh.WithholdError, match="by their texts, not 1"):
        wh.anonymize([["a", "s"], ["a"], ["b"]], model, hierarchy=tree, cut=[1])


def test_widths__on_both_sides_of_zero_end():
    assert wh.Hierarchy.by_width(["-3", "0", "4"], 5).height == 2
    assert wh.Hierarchy.by_width([str(number) for number in range(-29, 1)], 5).height == 5


def test_population__people_who_are_not_there_are_not_unique_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("f.csv").write_text("a,b\n0,2\n0,2\n0,0\n3,2\n")
    Path("all.csv").write_text("a,b\n0,2\n0,2\n3,2\n9,9\n")
    options = (*MODEL[:4], "--quasi-identifiers", "a,b", "--population", "all.csv", "--json")
    found = json.loads(run("audit", "f.csv", *options).stdout)
    assert '"uniques": 1' in json.dumps(found["risks"]["population"])
