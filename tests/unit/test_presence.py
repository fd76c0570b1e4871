"""δ-presence on the command line and in Python: what is asked, refused, published and proved again."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

import withhold as wh
from typed import run
from withhold.errors import ImpossibleError, PolicyError
from withhold.methods.cells.presence import Presence, wider

SEXES, ZIPS, ILL = "fm", ("10", "20", "30"), ("flu", "cold", "gout")
PEOPLE = [(20 + n % 30, SEXES[n % 2], ZIPS[n % 3]) for n in range(90)]
SAMPLE = [person for n, person in enumerate(PEOPLE) if n % 4 == 0 or n < 9]
ASKED = ("--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "age,sex,zip")
PUBLISH = ("--publish", "all", "--seed", "1")
PRESENT = ("--presence", "0.1,0.6", "--population", "all.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    header = {"age": 0, "sex": 1, "zip": 2}
    pl.DataFrame({n: [row[p] for row in PEOPLE] for n, p in header.items()}).write_csv("all.csv")
    frame = pl.DataFrame({name: [row[p] for row in SAMPLE] for name, p in header.items()})
    ill = pl.Series("ill", [ILL[n // 2 % 3] for n in range(len(SAMPLE))])
    frame.with_columns(ill).write_csv("part.csv")
    return tmp_path


def test_road__presence_is_published_and_proved_again():
    made = run("anonymize", "part.csv", *ASKED, *PRESENT, *PUBLISH, "-o", "out.csv")
    assert made.exit_code == 0, made.output
    assert "everybody in the population is in the file with a probability from 0.1 to 0.6" in (
        made.output.replace("\n", " ")
    )
    assert "verify out.csv --population all.csv" in made.output
    assert run("verify", "out.csv", "--population", "all.csv").exit_code == 0
    assert run("verify", "out.csv").exit_code == 5
    manifest = json.loads(Path("out.csv.manifest.json").read_text())
    assert manifest["model"]["presence"] == "0.1,0.6"
    assert "population" in manifest["to_prove_it_again"]
    stated = run("verify", "out.csv", *ASKED, *PRESENT, "--mark", "")
    assert stated.exit_code == 0, stated.output
    narrower = run(
        "verify", "out.csv", *ASKED, "--presence=0.3,0.5", "--population=all.csv", "--mark="
    )
    assert "presence is 0.1,0.6 instead of 0.3,0.5" in narrower.output.replace("\n", " ")
    assert (
        run("anonymize", "part.csv", "--policy", "out.csv.internal.json", "-o", "b.csv").exit_code
        == 0
    )
    assert Path("b.csv").read_bytes() == Path("out.csv").read_bytes()


def test_road__ranges_are_made_of_the_population_too():
    binned = ("--bin", "age=10")
    made = run("anonymize", "part.csv", *ASKED, *PRESENT, *binned, *PUBLISH, "-o", "out.csv")
    assert made.exit_code == 0, made.output
    assert "--population all.csv --bin age=10" in made.output
    assert run("verify", "out.csv", "--population", "all.csv", *binned).exit_code == 0
    # Without the ranges nobody in the population matches what is shown.
    assert run("verify", "out.csv", "--population", "all.csv").exit_code == 1


def test_audit__tells_who_is_how_present():
    result = run("audit", "part.csv", *ASKED, *PRESENT, "--json")
    found = json.loads(result.stdout)
    assert found["presence"]["people"] == 90
    assert found["presence"]["rows_nobody_fits"] == 0
    assert (found["presence"]["lowest"], found["presence"]["highest"]) == (0.0, 2 / 3)
    assert "presence" in run("audit", "part.csv", *ASKED, *PRESENT).output
    alone = run("audit", "part.csv", *ASKED, "--presence", "0,0.5")
    assert alone.exit_code == 2
    assert "name the file with everybody in it: --population FILE" in alone.output


def test_search__requirements_hold_as_well():
    table, population = wh.read_table("part.csv"), wh.read_table("all.csv")
    model = wh.KAnonymity(
        3, ["age", "sex", "zip"], presence="0.1,0.6", l=2, sensitive_column=["ill"]
    )
    release = wh.anonymize(table, model, population=population, publish="all", seed=1)
    assert wh.verify(release.data, model, evidence=release.evidence).status is wh.Status.HOLDS
    assert wh.verify(release.data, model).status is wh.Status.UNDECIDED
    assert 0 < release.loss.share < 1


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (("--presence", "0.5"), 2, "presence must be LOW,HIGH"),
        (("--presence", "0,1,0,5"), 2, "with decimal points"),
        (("--presence", "0,5"), 2, "0 ≤ LOW ≤ HIGH ≤ 1"),
        (("--presence", "0.5,0.1"), 2, "0 ≤ LOW ≤ HIGH ≤ 1"),
        (("--presence", "0,1"), 2, "asks for nothing"),
        (("--presence", "10%,50%"), 2, "if you mean 0.1, write that"),
        (("--presence", "0.1,half"), 2, "must be a number"),
        (("--presence", "0.1,0.6"), 2, "name the file with everybody in it"),
        (("--presence", "0.1,0.2", "--population", "all.csv"), 4, "mean presence of 0.3"),
        (("--presence", "0.1,0.6", "--population", "few.csv"), 2, "the population has 1 row"),
        (("--presence", "0.1,0.6", "--population", "other.csv"), 4, "nobody in the population matches"),
        (("--presence", "0.1,0.6", "--population", "no.csv"), 3, "does not exist"),
        (("--presence", "0.1,0.6", "--population", "bare.csv"), 3, "has no column 'zip'"),
        ((*PRESENT, "--hierarchy", "age=width:10"), 2, "presence cannot be proved for generalised cells"),
        ((*PRESENT, "--missing", "wildcard"), 2, "leave missing=wildcard"),
        (("--population", "all.csv"), 2, "is for the risks in a report (--report), or for --presence"),
        (("--sampling-fraction", "0.1"), 2, "is for the risks in a report (--report)"),
    ],
)  # fmt: skip
def test_mistakes__are_said_plainly(given, code, said):
    Path("few.csv").write_text("age,sex,zip\n20,f,10\n")
    Path("other.csv").write_text("age,sex,zip\n" + "99,x,99\n" * 200)
    Path("bare.csv").write_text("age,sex\n" + "20,f\n" * 200)
    result = run("anonymize", "part.csv", *ASKED, *given, *PUBLISH, "-o", "out.csv")
    assert result.exit_code == code, result.output
    assert said in result.output.replace("\n", " ")
    assert not Path("out.csv").exists()


def test_verify__population_where_nothing_asks_for_it():
    assert run("anonymize", "part.csv", *ASKED, *PUBLISH, "-o", "out.csv").exit_code == 0
    result = run("verify", "out.csv", "--population", "all.csv")
    assert result.exit_code == 2
    assert "--population is for releases with --presence" in result.output


def test_python__refuses_in_its_own_words():
    table, population = wh.read_table("part.csv"), wh.read_table("all.csv")
    with pytest.raises(PolicyError, match="name the file with everybody"):
        wh.anonymize(table, wh.KAnonymity(2, ["age"], presence="0,0.5"), publish="all")
    model = wh.KAnonymity(2, ["age"], presence="0,0.2")
    with pytest.raises(ImpossibleError, match="mean presence"):
        wh.anonymize(table, model, population=population, publish="all")


def test_bounds__are_exact_and_compared():
    assert Presence.parse(" 1/3 , 0.5 ") == Presence(Fraction(1, 3), Fraction(1, 2))
    assert str(Presence.parse("1/3,0.50")) == "1/3,0.5"
    assert wider(None, "0,0.5")
    assert not wider("0,0.5", None)


def test_report__has_the_risk_of_the_journalist():
    asked = (*ASKED, *PUBLISH, "--report")
    for given, said in (
        (("--population", "all.csv"), "unique in the population, too"),
        (("--sampling-fraction", "0.1"), "unique in the population, estimated"),
    ):
        made = run("anonymize", "part.csv", *asked, *given, "-o", "out.csv", "--force")
        assert made.exit_code == 0, made.output
        page = Path("out.csv.report.html").read_text()
        assert "journalist, mean risk" in page
        assert said in page
    both = run("anonymize", "part.csv", *asked, *given, "--population=all.csv", "-o", "c.csv")
    assert both.exit_code == 2
    Path("shop.dat").write_text("beer pill\nbeer\ntea\ntea beer\n")
    words = ("--rho", "0.9", "--sensitive", "pill,", "--report", "--sampling-fraction", "0.5")
    assert run("anonymize", "shop.dat", *words, "-o", "out.dat").exit_code == 0
    page = Path("out.dat.report.html").read_text()
    assert "journalist, mean risk" in page
    assert "records that a few items single out" in page
    release = wh.anonymize([["beer", "pill"], ["beer"]], wh.RhoUncertainty("0.9", ["pill"]))
    with pytest.raises(PolicyError, match="give report=True"):
        release.write("x.dat", sampling_fraction="0.5")
