"""The personal model on the command line: constraints, proofs with and without what is not published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from typed import run

ROWS = "milk bread medicine\napple\nmilk coffee bread\nmilk medicine\ncoffee bread apple\norange medicine\n"
WISHES = "record,item\n1,medicine\n3,milk\n3,coffee\n3,bread\n6,medicine\n"
MODEL = ("--model", "personal-rho", "--rho", "0.5", "--constraints", "wishes.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    # Importing a verb's module registers it.
    from withhold.cli import anonymize, audit, verify  # noqa: F401

    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.dat").write_text(ROWS, encoding="utf-8")
    (tmp_path / "wishes.csv").write_text(WISHES, encoding="utf-8")
    return tmp_path


def test_audit__is_broken_with_a_person():
    done = run("audit", "baskets.dat", *MODEL)
    assert done.exit_code == 1
    assert "protected for record" in done.output
    assert "wishes of" in done.stderr
    made = run("anonymize", "baskets.dat", *MODEL, "-o", "out.dat")
    assert "constraints" in made.stdout
    # Without the header, the first wish would be lost.
    Path("wishes.csv").write_text(WISHES.partition("\n")[2])
    for verb in (("audit", "baskets.dat"), ("anonymize", "baskets.dat", "-o", "other.dat")):
        refused = run(*verb, *MODEL)
        assert (refused.exit_code, "wishes.csv, line 1: the first line" in refused.stderr) == (
            3,
            True,
        )


def test_release__can_be_proved_again_only_with_what_is_not_published(folder):
    assert run("anonymize", "baskets.dat", *MODEL, "-o", "out.dat").exit_code == 0
    manifest = (folder / "out.dat.manifest.json").read_text(encoding="utf-8")
    assert "original records and the constraints" in json.loads(manifest)["to_prove_it_again"]
    assert "orange" not in manifest
    blind = run("verify", "out.dat")
    assert blind.exit_code == 5
    assert blind.output.startswith("UNDECIDED")
    assert "--original FILE --constraints FILE" in blind.output
    half = run("verify", "out.dat", "--original", "baskets.dat")
    assert half.exit_code == 5
    full = ("--original", "baskets.dat", "--constraints", "wishes.csv")
    proved = run("verify", "out.dat", *full)
    assert proved.exit_code == 0
    assert proved.output.startswith("HOLDS")


def test_verify__other_constraints_are_refused(folder):
    run("anonymize", "baskets.dat", *MODEL, "-o", "out.dat")
    (folder / "wishes.csv").write_text("record,item\n1,medicine\n", encoding="utf-8")
    full = ("--original", "baskets.dat", "--constraints", "wishes.csv")
    done = run("verify", "out.dat", *full)
    assert done.exit_code == 2
    assert "not the constraints" in done.output


def test_verify__what_a_global_release_does_not_need_is_refused():
    run("anonymize", "baskets.dat", "--rho", "0.5", "--sensitive", "medicine", "-o", "out.dat")
    assert run("verify", "out.dat", "--original", "baskets.dat").exit_code == 2


def test_samples__are_confirmed_in_words(folder):
    sampled = ("--max-known", "2", "--epsilon", "0.2", "--delta", "0.1")
    done = run("anonymize", "baskets.dat", *MODEL, *sampled, "-o", "out.dat")
    assert done.exit_code == 0
    assert done.stdout.startswith("CONFIRMED WITH 90% CONFIDENCE")
    full = ("--original", "baskets.dat", "--constraints", "wishes.csv")
    assert run("verify", "out.dat", *full).stdout.startswith("CONFIRMED")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--sensitive", "medicine"), ""),
        (("--ignore-prior",), "--ignore-prior belongs to --model rho"),
        (("--epsilon", "0.1"), "epsilon and delta belong together"),
    ],
)
def test_options__that_fit_and_that_do_not(more, said):
    done = run("audit", "baskets.dat", *MODEL, *more)
    assert (done.exit_code == 1) if not said else (done.exit_code == 2 and said in done.output)


def test_missing_constraints__are_asked_for():
    done = run("audit", "baskets.dat", "--model", "personal-rho", "--rho", "0.5")
    assert done.exit_code == 2
    assert "--constraints FILE" in done.output


def test_consent__leaves_the_wishes_with_their_own_records(folder):
    # Without record 2, record 3 is the second row; its wishes must stay with it.
    (folder / "agreed.txt").write_text("1\n3\n4\n5\n6\n", encoding="utf-8")
    (folder / "wishes.csv").write_text(WISHES + "2,apple\n", encoding="utf-8")
    consent = ("--consent", "agreed.txt")
    done = run("audit", "baskets.dat", *MODEL, *consent, "--json")
    (folder / "fewer.dat").write_text(ROWS.replace("apple\nmilk", "milk", 1), encoding="utf-8")
    renumbered = "record,item\n1,medicine\n2,milk\n2,coffee\n2,bread\n5,medicine\n"
    (folder / "renumbered.csv").write_text(renumbered, encoding="utf-8")
    asked = ("--model", "personal-rho", "--rho", "0.5", "--constraints", "renumbered.csv")
    by_hand = run("audit", "fewer.dat", *asked, "--json")
    one, other = (json.loads(each.stdout) for each in (done, by_hand))
    assert one["breaches"] == other["breaches"]
    assert one["breaches_by_size"] == other["breaches_by_size"]
    assert run("anonymize", "baskets.dat", *MODEL, *consent, "-o", "out.dat").exit_code == 0
    full = ("--original", "baskets.dat", "--constraints", "wishes.csv")
    assert run("verify", "out.dat", *full, *consent).exit_code == 0
    assert run("verify", "out.dat", *full).exit_code != 0


def test_sweep__takes_the_constraints_along(folder):
    from withhold.cli import sweep  # noqa: F401

    asked = ("--model", "personal-rho", "--constraints", "wishes.csv")
    done = run("sweep", "baskets.dat", *asked, "--vary", "rho=0.4,0.9", "--json")
    assert done.exit_code == 0, done.output
    assert [point["values"]["rho"] for point in json.loads(done.stdout)["points"]] == ["0.4", "0.9"]


def test_hierarchy__a_category_stands_for_its_items(folder):
    tree = "child,parent\nmilk,drinks\ncoffee,drinks\nbread,food\napple,food\norange,food\n"
    tree += "medicine,drug store\ndrinks,all\nfood,all\ndrug store,all\n"
    (folder / "tree.csv").write_text(tree, encoding="utf-8")
    short = "record,item\n1,medicine\n3,drinks\n3,bread\n6,drug store\n"
    (folder / "categories.csv").write_text(short, encoding="utf-8")
    asked = ("--model", "personal-rho", "--rho", "0.5", "--constraints", "categories.csv")
    short_way = run("audit", "baskets.dat", *asked, "--hierarchy", "tree.csv", "--json")
    long_way = run("audit", "baskets.dat", *MODEL, "--json")
    one, other = (json.loads(each.stdout) for each in (short_way, long_way))
    assert one["breaches"] == other["breaches"]
    full = ("anonymize", "baskets.dat", *asked, "--hierarchy", "tree.csv", "-o", "out.dat")
    assert run(*full).exit_code == 0
    known = ("--original", "baskets.dat", "--constraints", "categories.csv")
    assert run("verify", "out.dat", *known, "--hierarchy", "tree.csv").exit_code == 0
    assert "not the constraints" in run("verify", "out.dat", *known).output


def test_audit__refuses_what_says_how_to_withhold():
    asked = ("audit", "baskets.dat", "--model", "buckets", "--k", "2", "--hierarchy", "fan-out:2")
    done = run(*asked)
    assert done.exit_code == 2
    assert "an audit withholds nothing" in done.output
