"""What a mistake does: misspelt lists, identifiers, seeds, and manifests that say too little or too much."""

from __future__ import annotations

import json
import os
import shlex

import pandas as pd
import pytest

import typed
import withhold as wh
from withhold.errors import InputError, PolicyError
from withhold.publish.recheck import verify_file

PATIENTS = (
    "PATIENT,DESCRIPTION\n"
    "u-17,Bread\nu-17,Insulin\nu-17,Milk\nu-4,Bread\nu-4,Milk\nu-9,Tea\nu-9,Insulin\n"
    "u-2,Bread\nu-2,Tea\nu-30,Milk\nu-30,Antidepressant\n"
)
BASKETS = "Bread Insulin Milk\nBread Milk\nTea Insulin\nBread Tea\nMilk Antidepressant\n"
COLUMNS = ("--record-column", "PATIENT", "--item-column", "DESCRIPTION")
SAFE = ("--rho", "0.5", "--sensitive", "Insulin,Antidepressant")
PERSONAL = ("--model", "personal-rho", "--rho", "0.5", "--constraints", "wishes.csv")


def run(*arguments):
    return typed.run(*typed.last_wins(arguments))


def ran(*arguments):
    """The verb, which must succeed."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    """A folder with the same records as baskets and as a long file."""
    (tmp_path / "baskets.dat").write_text(BASKETS)
    (tmp_path / "patients.csv").write_text(PATIENTS)
    (tmp_path / "wishes.csv").write_text("record,item\nu-17,Insulin\nu-30,Antidepressant\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


# --- lists that match half of what was meant ------------------------------------------------------


@pytest.mark.parametrize("listed", ["Insuline,Tea", "ant-idepressant,Tea", "anti depressant,Tea"])
def test_a_misspelt_name__stops_though_others_occur(listed, desk):
    asked = ("anonymize", "baskets.dat", "--rho", "0.5", "--sensitive", listed, "-o", "out.dat")
    refused = run(*asked)
    assert refused.exit_code == 3
    assert "never occurs, but the data have another spelling" in refused.output
    assert not (desk / "out.dat").exists()
    assert run(*asked, "--allow-unknown").exit_code == 0


def test_a_name_after_that_of_its_file__is_compared_alone():
    records = [["file: pleurisy", "tea"], ["file: asthma", "tea"], ["tea"], ["file: asthma"]]
    for listed in ({"file: epilepsy", "tea"}, {"file: tobacco", "tea"}):
        with pytest.warns(wh.WithholdWarning, match="never occurs"):
            assert wh.anonymize(records, wh.RhoUncertainty("0.5", listed), seed=1).warnings
    with pytest.raises(InputError, match="another spelling"):
        wh.anonymize(records, wh.RhoUncertainty("0.5", {"file: pleurysy", "tea"}), seed=1)


@pytest.mark.parametrize("listed", ["E10,Tea", "bil,Tea", "chocolate,Tea"])
def test_a_name_that_is_no_misspelt_one__is_a_warning(listed, desk):
    (desk / "codes.dat").write_text("E11 bill Tea\nE11 bill\nbill Tea\nbill E11\n")
    made = run("anonymize", "codes.dat", "--rho", "0.5", "--sensitive", listed, "-o", "out.dat")
    assert (made.exit_code, "never occurs" in made.output) == (0, True), made.output


@pytest.mark.parametrize("more", ["INSULIN Tea\n", ""])
def test_half_a_list__stops_by_parts_too(desk, more):
    (desk / "shop").mkdir()
    for name in ("1.dat", "2.dat"):
        (desk / "shop" / name).write_text(BASKETS + more)
    listed = "Insulin,Tea" if more else "Insuline,Tea"
    asked = ("anonymize", "shop", "--rho", "0.5", "--sensitive", listed, "-o", "out")
    refused = run(*asked)
    assert (refused.exit_code, "spelling" in refused.output) == (3, True), refused.output
    assert not (desk / "out" / "manifest.json").exists()
    assert run(*asked, "--allow-unknown", "--force").exit_code == 0


def test_a_file_among_items__stops(desk):
    (desk / "list.txt").write_text("Insulin\n")
    listed = ("--rho", "0.5", "--sensitive", "list.txt,Tea")
    refused = run("anonymize", "baskets.dat", *listed, "-o", "out.dat")
    assert (refused.exit_code, "is a file" in refused.output) == (3, True), refused.output


def test_a_listed_item_in_another_spelling_too__stops(desk):
    (desk / "both.dat").write_text(BASKETS + "INSULIN Tea\ninsulin\ninsulin Milk\n")
    asked = ("anonymize", "both.dat", *SAFE, "-o", "out.dat")
    refused = run(*asked)
    assert refused.exit_code == 3
    assert "would not be protected: 'insulin' (2), 'INSULIN' (1)" in " ".join(
        refused.output.split()
    )
    assert not (desk / "out.dat").exists()
    assert run(*asked, "--allow-unknown").exit_code == 0
    assert run(*asked, "--tidy", "items=case", "--force").exit_code == 0


@pytest.mark.parametrize("model", ["people", "apart"])
def test_a_column_that_shows_sensitive_items__stops(model):
    people = {
        "person": ["a", "b", "c", "d"],
        "sex": ["f", "f", "m", "m"],
        "main": ["hiv", "flu", "flu", "hiv"],
        "items": [["hiv", "x"], ["flu"], ["flu", "x"], ["hiv"]],
    }
    found = wh.read_people(pd.DataFrame(people), record_column="person", item_column="items")
    kinds = {"people": wh.PeopleUncertainty, "apart": wh.PeopleApart}
    strength = {"rho": "0.5", "quasi_identifiers": ["sex"], "sensitive": ["hiv"]}
    strength |= {"k": 2} if model == "people" else {}
    with pytest.raises(PolicyError, match=r"'main' shows sensitive items, such as 'hiv'"):
        wh.anonymize(found, kinds[model](**strength), seed=1)


@pytest.mark.parametrize("item", ["flu@2010s", "flu @2015", "flu@abc"])
def test_a_sensitive_item_with_an_odd_date__stops(item):
    people = {"person": ["a", "b"], "sex": ["f", "f"], "items": [[item], ["flu"]]}
    found = wh.read_people(pd.DataFrame(people), record_column="person", item_column="items")
    model = wh.PeopleUncertainty("0.5", ["flu"], k=2, quasi_identifiers=["sex"])
    with pytest.raises(InputError, match="begins like a sensitive item with a date"):
        wh.anonymize(found, model, seed=1)


def test_a_sensitive_item_with_a_day__is_that_item():
    items = [["flu", "flu@2015-03-01"], ["flu", "flu@2015-03-01"], [], []]
    people = {"person": ["a", "b", "c", "d"], "sex": ["f", "f", "f", "f"], "items": items}
    found = wh.read_people(pd.DataFrame(people), record_column="person", item_column="items")
    strict = wh.PeopleUncertainty("0.4", ["flu"], k=2, quasi_identifiers=["sex"])
    assert wh.audit(found, strict).verdict.status is wh.Status.BROKEN
    left = wh.anonymize(found, strict, seed=1).data.items
    assert sum("flu@2015-03-01" in row for row in left) <= sum("flu" in row for row in left) <= 1


@pytest.mark.parametrize(
    ("typed_option", "code"),
    [
        (("--separator", "space"), 0),
        (("--separator", "ab"), 3),
        (("--format", "nosuch"), 3),
        (("--encoding", "nosuch"), 2),
    ],
)
def test_reading_options__are_checked_by_parts_too(desk, typed_option, code):
    (desk / "shop").mkdir()
    (desk / "shop" / "1.dat").write_text(BASKETS)
    made = run("anonymize", "shop", *SAFE, "-o", "out", *typed_option)
    assert made.exit_code == code, made.output


def test_resume__of_one_file_needs_an_engine(desk):
    refused = run("anonymize", "baskets.dat", *SAFE, "-o", "out.dat", "--resume")
    assert (refused.exit_code, "--engine stream" in refused.output) == (2, True)
    assert not (desk / "out.dat").exists()


# --- lists that match nothing ---------------------------------------------------------------------

MISSPELT = {
    "rho": ("--rho", "0.5", "--sensitive", "Insuline,Antidepresant"),
    "coherence": ("--model", "coherence", "--h", "0.6", "--k", "2", "--p", "1", "--private", "Insuline"),
}  # fmt: skip


@pytest.mark.parametrize("model", MISSPELT)
@pytest.mark.parametrize("verb", ["anonymize", "audit", "sweep"])
def test_a_list_that_matches_nothing__is_an_error(desk, verb, model):
    options = list(MISSPELT[model])
    if verb == "sweep":
        varied = options.index("--rho" if model == "rho" else "--h")
        del options[varied : varied + 2]
        options += ["--vary", "rho=0.4,0.5" if model == "rho" else "h=0.4,0.5"]
    output = ["-o", "x.dat"] if verb == "anonymize" else []
    before = set(desk.iterdir())
    result = run(verb, "baskets.dat", *options, *output)
    assert result.exit_code == 3
    assert "did you mean 'Insulin'?" in result.stderr
    assert "nothing would be protected" in result.stderr
    assert set(desk.iterdir()) == before


@pytest.mark.parametrize("model", MISSPELT)
def test_a_list_that_matches_nothing__can_be_meant(model):
    ran("anonymize", "baskets.dat", *MISSPELT[model], "-o", "x.dat", "--allow-unknown")
    (unknown,) = load("x.dat.manifest.json")["unknown"]
    assert unknown["unknown"] == unknown["of"] > 0


def test_a_list_that_matches_in_part__is_a_warning_that_stays(desk):
    named = ("--rho", "0.5", "--sensitive", "Insulin,Sedative")
    result = ran("anonymize", "baskets.dat", *named, "-o", "x.dat", "--report", "--json")
    said = "1 of 2 sensitive items never occurs: 'Sedative'"
    assert said in result.stderr
    assert json.loads(result.stdout)["warnings"] == [said]
    assert load("x.dat.manifest.json")["unknown"] == [
        {"what": "sensitive items", "unknown": 1, "of": 2}
    ]
    assert load("x.dat.internal.json")["unknown"][0]["names"] == ["Sedative"]
    assert "never occurs" in (desk / "x.dat.report.html").read_text()
    ran("anonymize", "baskets.dat", *named, "-o", "y.dat", "--report", "--edition", "external")
    page = (desk / "y.dat.report.html").read_text()
    assert "1 of 2 sensitive items never occur" in page
    assert "Sedative" not in page
    for name in ("x.dat", "y.dat"):  # another release of the file would be warned of
        (desk / name).unlink()
    allowed = ran("anonymize", "baskets.dat", *named, "-o", "z.dat", "--allow-unknown")
    assert "warning" not in allowed.stderr
    assert load("z.dat.manifest.json")["unknown"][0]["unknown"] == 1


def test_constraints__on_unknown_items_and_records():
    with open("wrong.csv", "w") as file:
        file.write("record,item\nu-17,Insuline\n")
    wrong = ("--model", "personal-rho", "--rho", "0.5", "--constraints", "wrong.csv")
    result = run("anonymize", "patients.csv", *COLUMNS, *wrong, "-o", "x.csv")
    assert result.exit_code == 3
    assert "did you mean 'Insulin'?" in result.stderr
    with open("wrong.csv", "w") as file:
        file.write("record,item\nu-17,Insulin\nu-18,Insulin\n")
    result = run("anonymize", "patients.csv", *COLUMNS, *wrong, "-o", "x.csv")
    assert result.exit_code == 3
    assert "line 3" in result.stderr
    ran("anonymize", "patients.csv", *COLUMNS, *wrong, "-o", "x.csv", "--allow-unknown")
    assert load("x.csv.manifest.json")["unknown"] == [
        {"what": "records in the constraints", "unknown": 1, "of": 2}
    ]


def test_a_list_that_matches_in_part__is_told_by_audits_and_sweeps(desk):
    said = "1 of 2 sensitive items never occurs: 'Sedative'"
    listed = ("--sensitive", "Insulin,Sedative")
    audited = run("audit", "baskets.dat", "--rho", "0.5", *listed, "--json")
    told = json.loads(audited.stdout)
    assert told["warnings"] == [said]
    assert told["unknown"] == [
        {"what": "sensitive items", "unknown": 1, "of": 2, "names": ["Sedative"]}
    ]
    ran("sweep", "baskets.dat", *listed, "--vary", "rho=0.4,0.5", "-o", "grid")
    assert load("grid/sweep.json")["warnings"] == [said]
    assert "Sedative" in (desk / "grid" / "sweep.html").read_text()
    allowed = ran("sweep", "baskets.dat", *listed, "--vary", "rho=0.4", "--json", "--allow-unknown")
    assert json.loads(allowed.stdout)["warnings"] == []


@pytest.mark.parametrize("lines", ["u-17,!Insulin\n", "u-17,Insulin\nu-17,!Insulin\n"])
def test_constraints__that_protect_nobody(desk, lines):
    (desk / "wishes.csv").write_text("record,item\n" + lines)
    asked = ("patients.csv", *COLUMNS, *PERSONAL)
    for verb in (("anonymize", "-o", "x.csv"), ("audit",)):
        result = run(*verb, *asked)
        assert result.exit_code == 3
        assert "the constraints protect nobody" in result.stderr
        assert "--allow-unknown" in result.stderr
    assert not (desk / "x.csv").exists()
    ran("anonymize", *asked, "-o", "x.csv", "--allow-unknown")


def test_constraints__what_takes_nothing_back_is_a_warning_that_stays(desk):
    (desk / "wishes.csv").write_text("record,item\n*,Insulin\nu-17,!Insulun\n")
    ran("anonymize", "patients.csv", *COLUMNS, *PERSONAL, "-o", "x.csv", "--report")
    said = (
        "the only name among the items taken back in the constraints was not wished for that record"
    )
    assert (
        f"{said}: '!Insulun' (did you mean '!Insulin'?)"
        in load("x.csv.internal.json")["warnings"][0]
    )
    assert load("x.csv.manifest.json")["unknown"] == [
        {"what": "items taken back in the constraints", "unknown": 1, "of": 1}
    ]
    assert "Insulun" not in (desk / "x.csv.manifest.json").read_text()
    assert said in (desk / "x.csv.report.html").read_text()


def test_constraints__of_strangers_alone(desk):
    (desk / "wishes.csv").write_text("record,item\n17,Insulin\n30,Tea\n")
    asked = ("anonymize", "patients.csv", *COLUMNS, *PERSONAL, "--allow-unknown")
    result = run(*asked, "-o", "x.csv")
    assert result.exit_code == 3
    assert "protect nobody: none of the 2 records in the constraints occurs" in result.stderr
    assert "--allow-unknown" not in result.stderr
    # Nor is anything proved for them.
    ran("anonymize", "patients.csv", *COLUMNS, *SAFE, "-o", "y.csv")
    stated = (
        "verify",
        "y.csv",
        *COLUMNS,
        *PERSONAL,
        "--original",
        "patients.csv",
        "--allow-unknown",
    )
    assert run(*stated).exit_code == 5
    ran(*asked, "--sensitive", "Insulin", "-o", "x.csv")
    assert {"what": "records in the constraints", "unknown": 2, "of": 2} in (
        load("x.csv.manifest.json")["unknown"]
    )


def test_a_hierarchy_that_knows_no_item__is_refused():
    with open("tree.csv", "w") as file:
        file.write("nail,hardware\nhammer,hardware\nhardware,*\n")
    result = run(
        "anonymize", "patients.csv", *COLUMNS, *PERSONAL, "--hierarchy", "tree.csv", "-o", "x.csv"
    )
    assert result.exit_code == 3
    assert "knows none of the items" in result.stderr


def test_a_hierarchy_with_a_misspelt_leaf__names_it(desk):
    leaves = ["Bread", "Insulin", "Milk", "Teaa", "Antidepressant"]
    (desk / "tree.csv").write_text("".join(f"{leaf},all\n" for leaf in leaves))
    asked = ("anonymize", "baskets.dat", "--model", "buckets", "--k", "2", "-o", "x.dat")
    result = run(*asked, "--hierarchy", "tree.csv")
    assert result.exit_code == 3
    assert "lacks 1 of the items of the data: 'Tea'; it has 'Teaa', which no record holds" in (
        result.stderr
    )


def test_a_hierarchy_of_a_column_that_is_not_there__names_the_nearest(desk):
    (desk / "people.csv").write_text("age,sex\n" + "30,f\n31,m\n" * 4)
    (desk / "tree.csv").write_text("30,all\n31,all\n")
    asked = ("people.csv", "--model", "k-anonymity", "--k", "5", "--quasi-identifiers", "age,sex")
    result = run("anonymize", *asked, "--hierarchy", "AGEE=tree.csv", "-o", "x.csv")
    assert result.exit_code == 2
    assert "column 'AGEE', which the table does not have; did you mean 'age'?" in result.stderr


def test_consent__of_people_who_are_not_there():
    with open("agreed.txt", "w") as file:
        file.write("u-17\nu-4\nu-99\n")
    options = (*COLUMNS, *SAFE, "--consent", "agreed.txt", "-o", "x.csv")
    result = run("anonymize", "patients.csv", *options)
    assert result.exit_code == 3
    assert "'u-99'" in result.stderr
    ran("anonymize", "patients.csv", *options, "--allow-unknown")
    said = [each["what"] for each in load("x.csv.manifest.json")["unknown"]]
    assert said == ["records with consent", "sensitive items"]


def test_python__the_same():
    rows = [line.split() for line in BASKETS.splitlines()]
    model = wh.RhoUncertainty("0.5", {"Insuline"})
    for verb in (wh.anonymize, wh.audit):
        with pytest.raises(InputError, match="did you mean 'Insulin'"):
            verb(rows, model)
        verb(rows, model, allow_unknown=True)
    assert wh.verify(rows, model).status is wh.Status.UNDECIDED
    assert wh.verify(rows, model, allow_unknown=True).status is wh.Status.HOLDS
    # What was withheld everywhere is known all the same.
    release = wh.anonymize([["a", "s"], ["a", "s"]], wh.RhoUncertainty("0.5", {"s"}))
    assert wh.verify(release.data, release.model).status is wh.Status.HOLDS


def test_compare__sensitive_items_that_no_record_holds():
    ran("anonymize", "baskets.dat", *SAFE, "-o", "x.dat")
    result = run("compare", "baskets.dat", "x.dat", "--sensitive", "insulin")
    assert result.exit_code == 3
    assert "did you mean 'Insulin'?" in result.stderr


# --- identifiers and the two manifests ------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet", "x.dat"])
@pytest.mark.parametrize("model", [SAFE, PERSONAL], ids=["rho", "personal"])
def test_ids__of_people_are_not_published(desk, name, model):
    ran("anonymize", "patients.csv", *COLUMNS, *model, "-o", name)
    released = {
        path.name: path.read_bytes() for path in desk.iterdir() if path.name.startswith("x.")
    }
    link = released.pop(f"{name}.internal.json")
    assert not any(b"u-" in content for content in released.values())
    assert json.loads(link)["record_ids"] == ["u-17", "u-4", "u-9", "u-2", "u-30"]
    if name != "x.dat":
        named = {"record_column": "PATIENT", "item_column": "DESCRIPTION"}
        again = wh.read(desk / name, **(named if name == "x.csv" else {}))
        assert again.record_ids == ("1", "2", "3", "4", "5")


def test_ids__can_be_kept_and_that_is_said(desk):
    result = ran(
        "anonymize", "patients.csv", *COLUMNS, *SAFE, "--ids", "keep", "-o", "x.csv", "--report"
    )
    assert "own ids are published" in result.stderr
    assert "u-17" in (desk / "x.csv").read_text()
    assert load("x.csv.manifest.json")["ids"] == "keep"
    assert "own ids are published" in (desk / "x.csv.report.html").read_text()
    with pytest.raises(PolicyError, match="did you mean 'keep'"):
        wh.anonymize([["a"]], wh.RhoUncertainty("0.5", {"a"}), ids="kepe")


def test_ids__a_frames_index_comes_back_only_if_asked_for():
    frame = pd.DataFrame(
        {"items": [["a", "s"], ["a"], ["b"], ["b"]]}, index=["Ann", "Bob", "Cem", "Dan"]
    )
    model = wh.RhoUncertainty("0.5", {"s"})
    assert list(wh.anonymize(frame, model).data.to_pandas().index) == [0, 1, 2, 3]
    kept = wh.anonymize(frame, model, ids="keep")
    assert list(kept.data.to_pandas().index) == ["Ann", "Bob", "Cem", "Dan"]
    assert "own ids are published" in kept.warnings[0]
    agreed = wh.anonymize(frame, model, ids="keep", consent=[1, 3, 4])
    assert list(agreed.data.to_pandas().index) == ["Ann", "Cem", "Dan"]


def test_ids__a_tables_index_comes_back_only_if_asked_for(tmp_path):
    people = ["Ann", "Bob", "Cem", "Dan"]
    frame = pd.DataFrame({"age": [30, 30, 41, 41], "sex": ["f", "f", "m", "m"]}, index=people)
    model = wh.KAnonymity(2, ["age", "sex"])
    release = wh.anonymize(frame, model)
    assert list(release.data.to_pandas().index) == [0, 1, 2, 3]
    assert list(release.data.to_polars().columns) == ["age", "sex"]
    assert release.data.to_arrow().column_names == ["age", "sex"]
    release.write(tmp_path / "x.parquet")
    assert b"Ann" not in (tmp_path / "x.parquet").read_bytes()
    kept = wh.anonymize(frame, model, ids="keep")
    assert list(kept.data.to_pandas().index) == people
    assert "own ids are published" in kept.warnings[0]
    assert list(wh.anonymize(frame, model, consent=[3, 4]).data.to_pandas().index) == [0, 1]


def test_manifest__what_strangers_get_tells_nothing_of_the_original(desk):
    ran("anonymize", "patients.csv", *COLUMNS, *SAFE, "-o", "x.csv", "--seed", "987654321")
    text = (desk / "x.csv.manifest.json").read_text()
    digest = load("x.csv.internal.json")["input"]["sha256"]
    assert (desk / "x.csv.internal.json").stat().st_mode & 0o077 == 0
    for secret in ("987654321", "seed", digest, "patients", "loss", "removed", "u-"):
        assert secret not in text


@pytest.mark.parametrize(("edition", "others"), [("internal", False), ("external", True)])
def test_report__of_the_custodian_is_for_its_owner_alone(desk, edition, others):
    before = os.umask(0o022)
    try:
        asked = ("--report", "--edition", edition, "--seed", "987654321")
        ran("anonymize", "baskets.dat", *SAFE, *asked, "-o", "x.dat")
    finally:
        os.umask(before)
    report = desk / "x.dat.report.html"
    assert bool(report.stat().st_mode & 0o077) is others
    assert ("987654321" in report.read_text()) is not others


def test_manifest__a_sampled_release_keeps_its_seed_to_itself(desk):
    sampled = ("--max-known", "1", "--epsilon", "0.3", "--delta", "0.3", "--seed", "987654321")
    ran("anonymize", "patients.csv", *COLUMNS, *PERSONAL, *sampled, "-o", "x.csv")
    public = (desk / "x.csv.manifest.json").read_text()
    for secret in ("987654321", "round", "seed", "draws"):
        assert secret not in public
    method = load("x.csv.manifest.json")["verdict"]["method"]
    assert method == "random adversaries of each size from 1 to 1 (honest test)"
    assert "round 1" in load("x.csv.internal.json")["method"]
    proof = ("--original", "patients.csv", "--constraints", "wishes.csv")
    assert "CONFIRMED" in ran("verify", "x.csv", *COLUMNS, *proof).stdout
    (desk / "x.csv.internal.json").unlink()
    assert "CONFIRMED" in ran("verify", "x.csv", *COLUMNS, *proof).stdout


def test_manifest__who_wants_what_protected_cannot_be_guessed_from_it(desk):
    edition = ("--report", "--edition", "external")
    ran("anonymize", "patients.csv", *COLUMNS, *PERSONAL, *edition, "-o", "x.csv")
    table = wh.read("patients.csv", record_column="PATIENT", item_column="DESCRIPTION")
    wishes = wh.Constraints.of({"u-17": ["Insulin"], "u-30": ["Antidepressant"]}, table)
    for name in ("x.csv.manifest.json", "x.csv.report.html"):
        text = (desk / name).read_text()
        assert wishes.digest() not in text
        assert "constraints_sha256" not in text
    assert load("x.csv.internal.json")["sample"]["constraints_sha256"] == wishes.digest()
    # Whoever has the internal manifest still notices other constraints.
    (desk / "wishes.csv").write_text("record,item\nu-30,Antidepressant\n")
    proof = ("--original", "patients.csv", "--constraints", "wishes.csv", *COLUMNS)
    other = run("verify", "x.csv", *proof)
    assert other.exit_code == 2
    assert "not the constraints that the release was made for" in other.output
    stated = run("verify", "x.csv", *PERSONAL, "--original", "patients.csv", *COLUMNS)
    assert "its constraints are others" in stated.stdout
    (desk / "x.csv.internal.json").unlink()
    assert "not the constraints" not in run("verify", "x.csv", *proof).output


# --- the seed -------------------------------------------------------------------------------------


def test_seed__is_drawn_and_can_be_repeated(desk):
    rows = [[f"i{(row * place) % 17}" for place in range(1, 6)] for row in range(400)]
    (desk / "many.dat").write_text("".join(" ".join(row) + "\n" for row in rows))
    options = ("--rho", "0.3", "--sensitive", "i3,i5", "--pick", "random")
    ran("anonymize", "many.dat", *options, "-o", "a.dat")
    ran("anonymize", "many.dat", *options, "-o", "b.dat")
    a, b = load("a.dat.internal.json")["seed"], load("b.dat.internal.json")["seed"]
    assert a != b
    ran("anonymize", "many.dat", *options, "-o", "c.dat", "--seed", a)
    ran("anonymize", "many.dat", "-o", "d.dat", "--policy", "b.dat.internal.json")
    assert (desk / "a.dat").read_bytes() == (desk / "c.dat").read_bytes()
    assert (desk / "b.dat").read_bytes() == (desk / "d.dat").read_bytes()
    release = wh.anonymize(desk / "many.dat", wh.RhoUncertainty("0.3", {"i3", "i5"}))
    release.write(desk / "e.dat")
    ran("anonymize", "many.dat", "-o", "f.dat", "--policy", "e.dat.internal.json")
    assert (desk / "e.dat").read_bytes() == (desk / "f.dat").read_bytes()


AGAIN = {
    "rho": (wh.RhoUncertainty("0.4", {"Insulin", "Tea"}), {"restoring": False}),
    "coherence": (wh.Coherence("0.6", 2, None, {"Insulin"}), {}),
    "km": (wh.KmAnonymity(2, 2), {}),
    "buckets": (wh.Buckets(2), {"hierarchy": "fan-out:2"}),
}


@pytest.mark.parametrize("name", AGAIN)
def test_policy__of_a_release_made_in_python_makes_it_again(desk, name):
    model, options = AGAIN[name]
    release = wh.anonymize(desk / "baskets.dat", model, **options)
    release.write(desk / "a.dat")
    more = ("--hierarchy", options["hierarchy"]) if "hierarchy" in options else ()
    ran("anonymize", "baskets.dat", "--policy", "a.dat.internal.json", *more, "-o", "b.dat")
    assert (desk / "a.dat").read_bytes() == (desk / "b.dat").read_bytes()
    assert load("b.dat.internal.json")["seed"] == release.options["seed"]


def test_policy__of_a_table_made_in_python_makes_it_again(desk):
    rows = [f"{30 + n % 3},{'fm'[n % 2]},{n % 5}" for n in range(12)]
    (desk / "people.csv").write_text("age,sex,job\n" + "\n".join(rows) + "\n")
    release = wh.anonymize(
        wh.read_table(desk / "people.csv", drop=["job"]),
        wh.KAnonymity(3, ["age", "sex"]),
        cost="ham",
    )
    release.write(desk / "a.csv")
    ran("anonymize", "people.csv", "--policy", "a.csv.internal.json", "-o", "b.csv")
    assert (desk / "a.csv").read_bytes() == (desk / "b.csv").read_bytes()


TYPED = {
    "publish a list": ("--publish", "name,born"),
    "publish twice": ("--publish", "name", "--publish", "born"),
    "publish all": ("--publish", "all"),
    "hierarchy": ("--drop", "name,born", "--hierarchy", 'age=trees/age.csv,"of, or"="trees/of, or.csv"'),
    "bins and consent": ("--drop", "name,born", "--bin", "age=5", "--consent", "agreed.txt"),
}  # fmt: skip


@pytest.mark.parametrize("case", TYPED)
def test_policy__of_a_table_as_typed_makes_the_same_bytes_from_anywhere(desk, monkeypatch, case):
    rows = [
        f"{30 + n % 3},{'fm'[n % 2]},{'xyz'[n % 3]},Ann No{n} Doe,2001-02-{n + 10}"
        for n in range(12)
    ]
    header = 'age,sex,"of, or",name,born\n'
    (desk / "people.csv").write_text(header + "\n".join(rows) + "\n")
    (desk / "trees").mkdir()
    (desk / "trees" / "age.csv").write_text("30,30-31,*\n31,30-31,*\n32,32-33,*\n")
    (desk / "trees" / "of, or.csv").write_text("x,xy,*\ny,xy,*\nz,zz,*\n")
    (desk / "agreed.txt").write_text("".join(f"{n}\n" for n in range(1, 12)))
    model = ("--model", "k-anonymity", "--k", "3", "--quasi-identifiers", 'age,sex,"of, or"')
    ran("anonymize", "people.csv", *model, *TYPED[case], "-o", "a.csv")
    elsewhere = desk / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    ran("anonymize", "../people.csv", "--policy", "../a.csv.internal.json", "-o", "b.csv")
    assert (desk / "a.csv").read_bytes() == (elsewhere / "b.csv").read_bytes()


def test_policy__files_of_columns_are_named_from_where_it_stands(desk, monkeypatch):
    (desk / "people.csv").write_text("age,sex\n" + "30,f\n31,f\n32,m\n" * 4)
    (desk / "rules").mkdir()
    (desk / "rules" / "age.csv").write_text("30,30-31,*\n31,30-31,*\n32,32-33,*\n")
    (desk / "rules" / "policy.toml").write_text(
        'model = "k-anonymity"\nk = 5\nquasi-identifiers = "age,sex"\nhierarchy = "age=age.csv"\n'
        'publish = "all"\n'
    )
    ran("anonymize", "people.csv", "--policy", "rules/policy.toml", "-o", "a.csv")


def test_policy__an_item_stays_an_item_where_a_file_is_called_like_it(desk, monkeypatch):
    ran("anonymize", "baskets.dat", "--rho", "0.5", "--sensitive", "Insulin", "-o", "a.dat")
    elsewhere = desk / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "Insulin").write_text("Tea\n")
    monkeypatch.chdir(elsewhere)
    ran("anonymize", "../baskets.dat", "--policy", "../a.dat.internal.json", "-o", "b.dat")
    assert load("b.dat.manifest.json")["model"]["sensitive"] == ["Insulin"]


def test_policy__the_public_manifest_is_not_one():
    ran("anonymize", "baskets.dat", *SAFE, "-o", "x.dat")
    result = run("anonymize", "baskets.dat", "-o", "y.dat", "--policy", "x.dat.manifest.json")
    assert result.exit_code == 2
    assert "OUTPUT.internal.json" in result.output


# --- proving what was asked, not what the file says of itself -------------------------------------


def test_verify__a_stated_policy_wins_over_an_edited_manifest(desk):
    ran("anonymize", "baskets.dat", *SAFE, "-o", "x.dat")
    # Somebody puts the originals in place, with a manifest that promises next to nothing.
    (desk / "x.dat").write_bytes((desk / "baskets.dat").read_bytes())
    record = load("x.dat.manifest.json")
    record["model"] |= {"rho": "0.9", "sensitive": ["Insulin"]}
    record["output"]["sha256"] = wh.read(desk / "x.dat").source.sha256
    (desk / "x.dat.manifest.json").write_text(json.dumps(record))
    (desk / "policy.toml").write_text(
        'rho = 0.3\nsensitive = ["Insulin", "Antidepressant"]\nkeep = "rules"\n'
    )
    assert "by the manifest x.dat.manifest.json" in ran("verify", "x.dat").stdout.splitlines()[0]
    for stated, source in (
        (("--policy", "policy.toml"), "by the policy policy.toml"),
        (("--rho", "0.3", "--sensitive", "Insulin,Antidepressant"), "by the options given"),
    ):
        result = run("verify", "x.dat", *stated)
        assert result.exit_code == 1
        assert source in result.stdout.splitlines()[0]
        assert "promises less" in result.stdout
        assert "rho is 0.9 instead of 0.3" in result.stdout
        assert "1 of the 2 names in sensitive is not in its list" in result.stdout
    found = json.loads(run("verify", "x.dat", "--policy", "policy.toml", "--json").stdout)
    assert (found["verdict"], found["policy_from"]) == ("BROKEN", "the policy policy.toml")


def test_verify__a_stated_policy_needs_no_manifest():
    result = ran("verify", "baskets.dat", *SAFE)
    assert "2 of the 2 sensitive items occur in the file." in result.stdout
    misspelt = run("verify", "baskets.dat", "--rho", "0.5", "--sensitive", "insulin")
    assert misspelt.exit_code == 5
    assert "did you mean 'Insulin'?" in misspelt.stdout
    assert run("verify", "baskets.dat", "--rho", "0.5").exit_code == 2
    assert run("verify", "baskets.dat", "--sensitive", "Insulin").exit_code == 3


def test_verify__a_file_without_any_sensitive_item_is_undecided():
    everything = ("--rho", "0.1", "--sensitive", "Insulin")
    ran("anonymize", "baskets.dat", *everything, "-o", "x.dat")
    result = run("verify", "x.dat", *everything)
    assert result.exit_code == 5
    assert "The sensitive item does not occur in the file." in result.stdout
    ran("verify", "x.dat", *everything, "--allow-unknown")


def test_verify__a_release_that_lost_every_sensitive_item_is_proved_by_its_manifest(desk):
    asked = ("--rho", "0.1", "--sensitive", "Insulin,Antidepressant")
    done = ran("anonymize", "baskets.dat", *asked, "-o", "out.dat")
    assert "withhold verify out.dat\n" in done.stderr
    assert "Insulin" not in (desk / "out.dat").read_text()
    proved = run("verify", "out.dat")
    assert proved.exit_code == 0
    assert "all sensitive items were withheld, as the manifest says" in proved.stdout
    # A list of one's own may be misspelt, whatever the manifest says.
    assert run("verify", "out.dat", *asked).exit_code == 5
    manifest = load("out.dat.manifest.json")
    for unknown in (
        [{"what": "sensitive items", "unknown": 2, "of": 2}],
        [{"what": "sensitive items", "unknown": "1", "of": 2}],
        ["?"],
        None,
    ):
        (desk / "out.dat.manifest.json").write_text(json.dumps(manifest | {"unknown": unknown}))
        assert run("verify", "out.dat").exit_code in (3, 5), unknown
    (desk / "out.dat.manifest.json").write_text(json.dumps(manifest))
    (desk / "out.dat").write_text((desk / "out.dat").read_text() + "Tea\n")
    changed = run("verify", "out.dat")
    assert changed.exit_code == 1
    assert "UNDECIDED" in changed.stdout


@pytest.mark.parametrize("model", [(), ("--model", "personal-rho")])
def test_max_known_0__says_that_it_promises_hardly_anything(desk, model):
    listed = ("--constraints", "wishes.csv") if model else ("--sensitive", "Insulin,")
    data = ("patients.csv", *COLUMNS) if model else ("baskets.dat",)
    done = ran(
        "anonymize", *data, *model, "--rho", "0.5", *listed, "--max-known", "0", "-o", "out.dat"
    )
    assert "warning: max-known 0 promises nothing about somebody who knows one item" in done.stderr
    assert "Whoever knows no item of a person's" in done.stdout.replace("\n", " ")
    assert "or nothing at all" not in done.stdout
    (warning,) = load("out.dat.internal.json")["warnings"]
    assert "--max-known" in warning
    more = ran(
        "anonymize", *data, *model, "--rho", "0.5", *listed, "--max-known", "1", "-o", "o.dat"
    )
    assert "max-known 0" not in more.stderr


def test_rho__that_allows_near_certainty_is_said_in_words(desk):
    asked = ("anonymize", "baskets.dat", "--sensitive", "Insulin,", "--seed", "1")
    for rho, warned in (("0.95", True), ("0.79", False)):
        done = ran(*asked, "--rho", rho, "-o", f"{rho}.dat")
        told = f"with rho {rho} an attacker may be 95% sure of a sensitive item"
        assert (told in done.stderr) == warned
        assert any(told in text for text in load(f"{rho}.dat.internal.json")["warnings"]) == warned
    parts = ran(*asked, "--rho", "0.95", "--engine", "stream", "-o", "parts")
    assert "an attacker may be 95% sure" in parts.stderr


@pytest.mark.parametrize(
    "reading",
    [{"separator": ","}, {"format": "spmf"}, {"format": "long", "columns": ["a", "b"]}],
    ids=["separator", "format", "columns"],
)
def test_verify__the_manifest_does_not_say_how_bytes_are_parsed(desk, reading):
    (desk / "x.dat").write_text("Bread Insulin\nBread Insulin\nMilk Tea\n")
    ran("anonymize", "baskets.dat", *SAFE, "-o", "safe.dat")
    record = load("safe.dat.manifest.json")
    record["output"] |= {"sha256": wh.read(desk / "x.dat").source.sha256, **reading}
    (desk / "x.dat.manifest.json").write_text(json.dumps(record))
    result = run("verify", "x.dat")
    assert result.exit_code == 5
    assert "as the manifest says" in result.stderr
    assert "--format basket --separator ' '" in result.stderr
    assert run("verify", "x.dat", "--format", "basket", "--separator", "space").exit_code == 1


ODD = "name,item\nAnn,Bread\nBob,Insulin\nEve,Tea\nAnn,Insulin\n"
"""A list of pairs, or baskets of two items: the program asks."""
PROVED = {
    "baskets": ("baskets.dat", *SAFE),
    "named columns": ("patients.csv", *COLUMNS, *SAFE),
    "personal": ("patients.csv", *COLUMNS, *PERSONAL),
    "personal, as baskets": ("patients.csv", *COLUMNS, *PERSONAL, "-o", "x.dat"),
    "consent": ("patients.csv", *COLUMNS, *PERSONAL, "--consent", "agreed.txt"),
    "consent of strangers": (
        *("patients.csv", *COLUMNS, *PERSONAL, "--consent", "strangers.txt", "--allow-unknown"),
    ),
    "consent column": ("asked.csv", *COLUMNS, *PERSONAL, "--consent", "ok"),
    "missing ids": ("gaps.csv", *COLUMNS, *PERSONAL, "--skip-missing-ids"),
    "constraints of strangers": (
        *("patients.csv", *COLUMNS, *PERSONAL, "--constraints", "longer.csv", "--allow-unknown"),
    ),
    "sensitive items for all": ("patients.csv", *COLUMNS, *PERSONAL, "--sensitive", "Tea"),
    "sampled": (
        *("patients.csv", *COLUMNS, *PERSONAL),
        *("--max-known", "1", "--epsilon", "0.3", "--delta", "0.3"),
    ),
    "everything sensitive went": ("baskets.dat", "--rho", "0.1", "--sensitive", "Insulin"),
    "everything protected went": ("patients.csv", *COLUMNS, *PERSONAL, "--rho", "0.01"),
    "a list of another file": (
        *("baskets.dat", "--rho", "0.5", "--sensitive", "Wine", "--allow-unknown"),
    ),
    "an ambiguous file": (
        "odd.csv",
        "--format",
        "basket",
        "--rho",
        "0.5",
        "--sensitive",
        "Insulin",
    ),
    "a separator": ("odd.csv", "--format", "basket", "--separator", "comma", *SAFE),
    "an ambiguous personal file": (
        *("odd.csv", "--format", "basket", "--model", "personal-rho", "--rho", "0.5"),
        *("--constraints", "rows.csv"),
    ),
    "a table": (
        *("table.csv", "--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "age,sex"),
        *("--mark", "?"),
    ),
    "a table with a separator": (
        *("table.csv", "--model", "k-anonymity", "--k", "2", "--quasi-identifiers", "age,sex"),
        *("--separator", "comma"),
    ),
    "buckets": ("baskets.dat", "--model", "buckets", "--k", "2", "--hierarchy", "fan-out:2"),
}


@pytest.mark.parametrize("case", PROVED)
def test_verify__the_command_that_the_tool_suggests_works(desk, case):
    (desk / "agreed.txt").write_text("u-17\nu-4\nu-9\nu-30\n")
    (desk / "strangers.txt").write_text("u-17\nu-4\nu-9\nu-30\nu-99\n")
    (desk / "longer.csv").write_text("record,item\nu-17,Insulin\nu-30,Antidepressant\nu-99,Tea\n")
    (desk / "gaps.csv").write_text(PATIENTS + "NA,Tea\n")
    lines = PATIENTS.splitlines()
    asked = [f"{line},{int('u-2,' not in line)}" for line in lines[1:]]
    (desk / "asked.csv").write_text("\n".join([lines[0] + ",ok", *asked]) + "\n")
    (desk / "odd.csv").write_text(ODD)
    (desk / "rows.csv").write_text("record,item\n3,Insulin\n")
    (desk / "table.csv").write_text("age,sex\n30,f\n30,f\n31,m\n32,m\n")
    output = () if "-o" in PROVED[case] else ("-o", "x.csv")
    made = ran("anonymize", *PROVED[case], *output)
    (line,) = [line for line in made.stderr.splitlines() if "to prove it again: " in line]
    words = shlex.split(line.partition("withhold verify ")[2])
    assert ran("verify", *words).stdout.startswith(("HOLDS", "CONFIRMED"))
    assert ("--allow-unknown" in words) == any(
        word in case for word in ("strangers", "protected went", "another file")
    )


def test_verify__says_why_the_constraints_may_be_others(desk):
    (desk / "agreed.txt").write_text("u-17\nu-4\nu-9\nu-30\n")
    made = ("patients.csv", *COLUMNS, *PERSONAL, "--consent", "agreed.txt", "-o", "x.csv")
    ran("anonymize", *made)
    proof = ("--original", "patients.csv", "--constraints", "wishes.csv", *COLUMNS)
    result = run("verify", "x.csv", *proof)
    assert result.exit_code == 2
    assert (
        "--consent, --skip-missing-ids, --sensitive or --hierarchy was given for the release but not now"
        in result.output
    )


def test_compare__reads_files_as_they_were_read_and_refuses_strangers(desk):
    ran("anonymize", "patients.csv", *COLUMNS, *SAFE, "-o", "x.csv")
    found = json.loads(ran("compare", "patients.csv", "x.csv", *COLUMNS, "--json").stdout)
    shares = next(iter(found["releases"]))
    assert "0.0" in json.dumps(shares)
    ran("anonymize", "patients.csv", *COLUMNS, *SAFE, "-o", "x.dat")
    plain = ran("compare", "patients.csv", "x.dat")
    assert "∞" not in plain.stdout
    (desk / "other.dat").write_text("nail hammer\nnail\n")
    result = run("compare", "baskets.dat", "other.dat")
    assert result.exit_code == 3
    assert "shares no item with the original" in result.stderr


def test_verify_file__takes_a_model_from_python(desk):
    ran("anonymize", "baskets.dat", *SAFE, "-o", "x.dat")
    found = verify_file(desk / "x.dat", model=wh.RhoUncertainty("0.5", {"Insulin"}))
    assert found.verdict.status is wh.Status.HOLDS
    assert found.policy_from == "the stated policy"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"rho": "abc"}, "rho"),
        ({"rho": "1/0"}, "rho"),
        ({"rho": "-1"}, "rho"),
        ({"model": "rhoo"}, "names a model that this version does not know"),
        ({"sensitive": 3}, "model.sensitive"),
        (None, "is not JSON"),
    ],
    ids=["rho", "zero", "negative", "model", "sensitive", "not JSON"],
)
def test_verify__a_stated_policy_is_proved_beside_a_garbled_manifest(desk, edit, said):
    ran("anonymize", "baskets.dat", *SAFE, "-o", "x.dat")
    record = load("x.dat.manifest.json")
    text = "{" if edit is None else json.dumps(record | {"model": record["model"] | edit})
    (desk / "x.dat.manifest.json").write_text(text)
    result = ran("verify", "x.dat", *SAFE)
    assert result.stdout.startswith("HOLDS")
    assert "Warning: x.dat.manifest.json is unusable and was ignored: " in result.stdout
    assert said in result.stdout
    assert run("verify", "x.dat").exit_code == 3


def test_verify__a_manifest_with_more_private_items_promises_something_else():
    asked = ("--model", "coherence", "--h", "0.9", "--k", "2", "--p", "1", "--private")
    ran("anonymize", "baskets.dat", *asked, "Insulin,Tea", "-o", "x.dat")
    result = run("verify", "x.dat", *asked, "Insulin")
    assert "promises less than the options given: private names 1 other item" in result.stdout
    assert "private names" not in run("verify", "x.dat", *asked, "Insulin,Tea").stdout
