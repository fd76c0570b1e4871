"""Sensitive items apart: what is refused, people, files, and how well groups keep what goes together."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import withhold as wh
from oracle_apart import highest_confidence
from withhold.cli import anonymize, verify  # noqa: F401
from withhold.cli.app import app
from withhold.data.people import People
from withhold.datasets import hospital
from withhold.errors import InputError, PolicyError
from withhold.methods.apart.measure import loss_of_apart
from withhold.publish.recheck import verify_file

SHOP = [["bread", "beer", "pill"], ["bread", "beer"], ["tea"], ["tea", "cake"]]
PILL = wh.SensitiveApart("0.5", ["pill"])


@pytest.fixture(scope="module")
def patients() -> tuple[People, frozenset[str]]:
    found = hospital(3000, seed=2)
    return found.people(), found.sensitive


def people_model(people: People, sensitive: frozenset[str], rho: str = "0.5") -> wh.PeopleApart:
    return wh.PeopleApart(rho, sensitive, quasi_identifiers=people.names)


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done.exit_code, done.output


def test_model__refuses_what_promises_nothing():
    with pytest.raises(PolicyError, match="no sensitive items were named"):
        wh.SensitiveApart("0.5", [])
    with pytest.raises(PolicyError, match="between 0 and 1"):
        wh.SensitiveApart("1", ["pill"])
    with pytest.raises(PolicyError, match="no quasi-identifiers were named"):
        wh.PeopleApart("0.5", ["pill"], quasi_identifiers=[])
    with pytest.raises(PolicyError, match="named twice"):
        wh.PeopleApart("0.5", ["pill"], quasi_identifiers=["age", "age"])


@pytest.mark.parametrize("name", ["group=7", "pill=1/2", "drugs: group=7"])
def test_anonymize__refuses_items_that_look_like_groups(name):
    with pytest.raises(InputError, match="look like names of groups") as error:
        wh.anonymize([*SHOP, [name]], PILL)
    assert "rename" in str(error.value)


@pytest.mark.parametrize("name", ["group=", "group=A", "blood group=7", "tea=1/2", "pillow=1/2"])
def test_anonymize__keeps_items_that_only_resemble_them(name):
    release = wh.anonymize([*SHOP, [name]], PILL, seed=1)
    assert release.verdict
    assert release.data.record(4)[0] == name or name in release.data.record(4)


def test_anonymize__misspelt_items_are_refused():
    with pytest.raises(InputError, match="never occurs"):
        wh.anonymize(SHOP, wh.SensitiveApart("0.5", ["pil"]))


def test_anonymize__too_frequent_items_are_withheld_and_no_more():
    rows = [["pill", str(n)] for n in range(6)] + [["tea"]] * 4
    release = wh.anonymize(rows, PILL, seed=1)
    assert (release.loss.removed, release.loss.removed_sensitive, release.loss.total) == (1, 1, 16)
    assert sum("pill=1/2" in row for row in release.data) == 10
    # A single record can hide nowhere.
    alone = wh.anonymize([["tea", "pill"]], PILL, seed=1)
    assert alone.data.to_lists() == [["tea"]]


def test_anonymize__nothing_sensitive_is_published_as_it_came():
    release = wh.anonymize([["tea"], ["bread", "pill"], ["bread"], ["cake", "tea"]], PILL, seed=1)
    listed = ["bread", "group=1", "pill=1/2"]
    assert release.data.to_lists() == [["tea"], listed, listed, ["cake", "tea"]]


def test_anonymize__same_seed_same_bytes_whatever_the_threads(patients):
    people, sensitive = patients
    model = wh.SensitiveApart("0.02", sensitive)
    releases = [wh.anonymize(people.items, model, seed=5, jobs=jobs) for jobs in (1, 2)]
    assert releases[0].data == releases[1].data
    assert releases[0].loss.removed > 0
    assert releases[0].data != wh.anonymize(people.items, model, seed=6).data


def test_verify__a_stated_policy_is_proved_whatever_the_manifest_says(tmp_path):
    release = wh.anonymize(SHOP, PILL, seed=1)
    published = release.write(tmp_path / "out.csv", format="basket")
    assert verify_file(published.path).verdict
    for rho, holds in (("0.5", True), ("0.4", False)):
        asked = wh.SensitiveApart(rho, ["pill"])
        assert bool(verify_file(published.path, model=asked).verdict) == holds
    # Its list says nothing of another item, and that may be a mistake.
    other = verify_file(published.path, model=wh.SensitiveApart("0.5", ["rum"])).verdict
    assert other.status is wh.Status.UNDECIDED
    assert (
        wh.verify(published.path, wh.RhoUncertainty("0.5", ["pill"])).status is wh.Status.UNDECIDED
    )


def test_internal_manifest__counts_what_no_list_has(tmp_path):
    rows = [["pill", str(n)] for n in range(6)] + [["tea"]] * 4
    published = wh.anonymize(rows, PILL, seed=1).write(tmp_path / "out.jsonl")
    assert json.loads(published.internal.read_text())["withheld"] == {"pill": 1}


def test_audit__of_the_original_and_of_the_release():
    before, after = (wh.audit(each, PILL) for each in (SHOP, wh.anonymize(SHOP, PILL, seed=1).data))
    assert (before.exposed_records, after.exposed_records) == (1, 0)
    assert str(before.breaches[0]) == "record 1: 1 of 1 record holds pill"
    assert before.occurrences == after.occurrences == 8
    assert before.sensitive_occurrences == after.sensitive_occurrences == 1
    assert before.attack_curve == after.attack_curve, "groups are nothing that anybody knows"


def test_compare__of_other_rows_only_names():
    release = wh.anonymize(SHOP, PILL, seed=1)
    (found,) = wh.compare([*SHOP, ["tea"]], release).releases
    assert "does not have the records of the original" in found.measured.warnings[0]


def test_misplaced__is_counted_by_hand():
    # In truth bread goes with the pill; by the list bread does so for a half, and tea for the other.
    assert wh.anonymize([["bread", "pill"], ["tea"]], PILL, seed=1).loss.misplaced == 0.5
    assert wh.anonymize(SHOP, PILL, seed=1).loss.misplaced == 0


def test_groups__keep_more_together_than_chance(patients):
    people, sensitive = patients
    release = wh.anonymize(people.items, wh.SensitiveApart("0.5", sensitive), seed=1)
    assert release.loss.removed == 0
    assert release.loss.misplaced < 0.15
    # Everybody who holds something sensitive with anybody who does not.
    holds = np.array([not sensitive.isdisjoint(row) for row in people.items])
    others = np.random.default_rng(1).permutation(np.flatnonzero(~holds))[: holds.sum()]
    group_of = np.full(len(people), -1)
    group_of[np.flatnonzero(holds)] = group_of[others] = np.arange(holds.sum())
    by_chance = replace(release.plan, group_of=group_of)
    published = by_chance.apply_to(people.items)
    assert wh.verify(published, release.model)
    lost = loss_of_apart(people.items, published, release.model, sensitive, by_chance)
    assert lost.misplaced > 2 * release.loss.misplaced


# People --------------------------------------------------------------------------------------


def test_people__attributes_and_public_items_stay(patients):
    people, sensitive = patients
    release = wh.anonymize(people, people_model(people, sensitive), seed=1)
    assert isinstance(release.data, People)
    assert release.data.attributes == people.attributes
    assert release.loss.removed == 0
    for before, after in zip(people.items, release.data.items, strict=True):
        assert set(before) - sensitive <= set(after)
        assert not sensitive & set(after)


def test_people__groups_are_alike_in_attributes_too(patients):
    people, sensitive = patients
    with_cells = wh.anonymize(people, people_model(people, sensitive), seed=1).plan.group_of
    items_alone = wh.anonymize(
        people.items, wh.SensitiveApart("0.5", sensitive), seed=1
    ).plan.group_of
    cells = np.array(people.attributes.rows())

    def agreeing(group_of: np.ndarray) -> float:
        pairs = [np.flatnonzero(group_of == group) for group in range(group_of.max() + 1)]
        return float(np.mean([(cells[a] == cells[b]).mean() for a, b in pairs]))

    assert agreeing(with_cells) > agreeing(items_alone) + 0.2


def test_people__small_worlds_keep_the_promise():
    rng = np.random.default_rng(3)
    for world in range(200):
        n = int(rng.integers(2, 8))
        rows = [[i for i in "abcxy" if rng.integers(3) == 0] for _ in range(n)]
        table = wh.Table.from_columns({"sex": [str(rng.integers(2)) for _ in range(n)]})
        people = People(table, wh.Records.from_lists(rows))
        rho = Fraction(int(rng.integers(1, 6)), 6)
        secret = frozenset("xy")
        if not secret & set(people.vocabulary):
            continue
        model = wh.PeopleApart(rho, secret, quasi_identifiers=["sex"])
        release = wh.anonymize(people, model, seed=world, allow_unknown=True)
        cells = table.rows()
        published = [
            frozenset({*row, f"sex is {cells[n][0]}"}) for n, row in enumerate(release.data.items)
        ]
        assert highest_confidence(published, secret) <= rho


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("withhold.counting.jit.before_compiling", lambda announce: None)
    hospital(300, seed=1).write(tmp_path)
    return tmp_path


READING = ("--record-column", "PATIENT", "--item-column", "DESCRIPTION")
KNOWN = ("--quasi-identifiers", "SEX,BIRTHDATE,POSTCODE,MARITAL,OCCUPATION")


@pytest.mark.parametrize("several", [False, True])
def test_command_line__people_in_files(folder, several):
    files = ["conditions.csv", *(["drugs.csv"] if several else [])]
    listed = folder / "sensitive.txt"
    if several:
        listed.write_text("".join(f"conditions: {n}\n" for n in listed.read_text().splitlines()))
    items = [each for file in files for each in ("--items", file)]
    asked = ("--model", "apart", "--rho", "0.5", "--sensitive", listed, *KNOWN)
    code, said = run("anonymize", "patients.csv", *items, *READING, *asked, "-o", "out.csv", "-q")
    assert code == 0, said
    code, said = run("verify", "out.csv")
    assert (code, said.split()[0]) == (0, "HOLDS")
    # Somebody moves one person to another group: the lists do not fit any more.
    part = folder / "out.conditions.csv"
    text = part.read_text()
    part.write_text(text.replace("group=2\n", "group=1\n", 1))
    code, said = run("verify", "out.csv")
    assert code == 1, said
    assert "CHANGED" in said
    assert "BROKEN" in said


def test_people__old_names_and_manifests_still_hold(folder):
    asked = ("--rho", "0.5", "--sensitive", "sensitive.txt", *KNOWN, *READING, "--seed", "1")
    for name in ("apart", "people-apart"):
        items = ("--items", "conditions.csv", "--model", name)
        code, said = run("anonymize", "patients.csv", *items, *asked, "-o", f"{name}.csv", "-q")
        assert code == 0, said
    old, new = (Path(f"{name}.conditions.csv") for name in ("people-apart", "apart"))
    assert old.read_bytes() == new.read_bytes()
    manifest = Path("apart.csv.manifest.json")
    content = json.loads(manifest.read_text())
    assert content["model"]["model"] == "apart"
    # As it was written before there was one name, and a list of sensitive columns.
    content["model"]["model"] = "people-apart"
    del content["model"]["sensitive_column"]
    manifest.write_text(json.dumps(content))
    code, said = run("verify", "apart.csv")
    assert (code, said.split()[0]) == (0, "HOLDS"), said


def dated(row: list[str], rng: np.random.Generator) -> list[str]:
    """The row with dates of some items."""
    dates = [f"{item}@{year}" for item in row for year in (2019, 2020) if rng.integers(2)]
    return [*row, *dates]


def test_people__sensitive_columns_and_dates_keep_the_promise():
    rng = np.random.default_rng(5)
    secret = frozenset({"x", "x@2019", "x@2020", "job=nurse", "job=cook", "job="})
    listed = set()
    for world in range(400):
        n = int(rng.integers(2, 8))
        rows = [dated([i for i in "abx" if rng.integers(3) == 0], rng) for _ in range(n)]
        cells = {"sex": [str(rng.integers(2)) for _ in range(n)]}
        cells["job"] = [["nurse", "cook", ""][rng.integers(3)] for _ in range(n)]
        people = People(wh.Table.from_columns(cells), wh.Records.from_lists(rows))
        rho = Fraction(int(rng.integers(1, 6)), 6)
        model = wh.PeopleApart(rho, ["x"], quasi_identifiers=["sex"], sensitive_column=["job"])
        release = wh.anonymize(people, model, seed=world, allow_unknown=True)
        assert set(release.data.attributes.column("job").cells().tolist()) == {None}
        published = [
            frozenset({*row, f"sex is {cells['sex'][n]}"})
            for n, row in enumerate(release.data.items)
        ]
        assert highest_confidence(published, secret) <= rho
        for row, after in zip(rows, published, strict=True):
            assert {item for item in row if not item.startswith("x")} <= after
        # What the lists say is what was there, but for as little as had to go.
        before = [*rows, *([f"job={job}"] for job in cells["job"])]
        for name in secret:
            pairs = [item.rpartition("=") for row in published for item in row]
            total = sum(Fraction(share) for item, _, share in pairs if item == name)
            held = sum(name in row for row in before)
            assert total <= held
            if "@" not in name:
                assert total == min(held, int(rho * n))
            listed |= {name} if total else set()
    assert listed == secret


def test_people__a_shown_cell_or_a_date_breaks_the_model():
    table = wh.Table.from_columns({"sex": ["f"] * 4, "job": ["cook"] * 4})
    rows = [["group=1", "x=1/2"], ["group=1", "x=1/2"], [], []]
    people = People(table, wh.Records.from_lists(rows))
    of_items = wh.PeopleApart("0.5", ["x"], quasi_identifiers=["sex", "job"])
    assert wh.verify(people, of_items)
    model = wh.PeopleApart("0.5", ["x"], quasi_identifiers=["sex"], sensitive_column="job")
    assert str(wh.verify(people, model).witness) == "record 1: 1 of 1 record holds job=cook"
    for name, says in (
        ("x@2019", "record 1: 1 of 1 record holds x@2019"),
        ("x@2019=1/2", "record 1 says x@2019=1/2, and not all of its group do"),
    ):
        more = People(table, wh.Records.from_lists([[*rows[0], name], *rows[1:]]))
        assert str(wh.verify(more, of_items).witness) == says
    told = [[*row, "x@2019=1/2"] if row else row for row in rows]
    assert wh.verify(People(table, wh.Records.from_lists(told)), of_items)
    alone = [[item for item in row if item != "x=1/2"] for row in told]
    found = wh.verify(People(table, wh.Records.from_lists(alone)), of_items, allow_unknown=True)
    assert str(found.witness) == "record 1 says x@2019=1/2, and its group less of x"
    with pytest.raises(PolicyError, match="cannot be a quasi-identifier and sensitive"):
        wh.PeopleApart("0.5", ["x"], quasi_identifiers=["sex"], sensitive_column="sex")
    with pytest.raises(InputError, match="look like names of groups"):
        wh.anonymize(People(table, wh.Records.from_lists([["job=cook", "x"], [], [], []])), model)
    with pytest.raises(InputError, match="not the item itself"):
        wh.anonymize(People(table, wh.Records.from_lists([["x@2019"], ["x"], [], []])), of_items)


@pytest.mark.parametrize("several", [False, True])
def test_command_line__a_sensitive_column_of_people_in_files(folder, several):
    names = ("conditions.csv", "drugs.csv")[: 1 + several]
    files = [each for name in names for each in ("--items", name)]
    asked = ("--model", "apart", "--rho", "0.5", "--sensitive-column", "MARITAL")
    known = ("--quasi-identifiers", "SEX,POSTCODE,OCCUPATION", "--drop", "BIRTHDATE", *READING)
    code, said = run("anonymize", "patients.csv", *files, *asked, *known, "-o", "out.csv", "-q")
    assert code == 0, said
    assert "MARITAL=married=" in Path("out.conditions.csv").read_text()
    assert "married" not in Path("out.csv").read_text()
    code, said = run("verify", "out.csv")
    assert (code, said.split()[0]) == (0, "HOLDS"), said


@pytest.mark.parametrize(
    "name", ["s=02/2", "s=0/1", "s=２/2", "s=1/02", "s=yes", "group=01", "Group=3"]
)
def test_what_looks_like_a_list_and_is_none_breaks_the_model(name):
    model = wh.SensitiveApart("0.5", ["s"])
    whole = [["group=1", "s=1/2", "a"], ["group=1", "s=1/2"]]
    assert wh.verify(whole, model)
    assert wh.verify([[*whole[0], name], whole[1]], model).status is wh.Status.BROKEN
    with pytest.raises(wh.WithholdError, match="look like names of groups"):
        wh.anonymize([["s", "b"], ["a", name], ["a"]], model)
